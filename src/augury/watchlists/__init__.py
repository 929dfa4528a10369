"""Watchlists: targets, rules over them, the states of these, alerts, charts."""
