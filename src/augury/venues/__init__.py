"""Gets markets and prices into the catalogue: the connectors for Polymarket and Kalshi, the sync
that runs them, and the import of dump files."""
