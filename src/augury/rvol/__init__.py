"""Realized volatility: forecasts, actuals and a scorecard per asset and horizon."""
