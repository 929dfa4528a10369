"""The catalogue: market records, current prices and price history."""
