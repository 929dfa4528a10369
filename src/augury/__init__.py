"""Augury: search, forecasts, realized volatility and alerts over prediction markets."""

__version__ = "0.1.0"
