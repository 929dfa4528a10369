"""Watchlists: targets, rules over them, the state of each rule on each target, alerts, charts."""
