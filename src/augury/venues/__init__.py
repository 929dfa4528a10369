"""Polymarket, Kalshi and dump files: from their wire formats to Market and Price records."""
