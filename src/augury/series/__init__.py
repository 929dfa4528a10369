"""External series: time series that accounts provide. If a value is revised, the values that it had
before are kept."""
