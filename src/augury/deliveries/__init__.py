"""Deliveries: alerts sent to where their owners want them, at least once, signed."""
