"""Outgoing HTTP requests, mainly to addresses that users give: which addresses are allowed, and
limits on size, time and rate."""
