"""Connectors that turn data of Polymarket, Kalshi and dump files into the catalogue's records."""
