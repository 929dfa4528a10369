"""Deliveries: alerts sent as signed messages to the endpoints of their owners, at least once."""
