"""Health of the service: which data it has, how old they are, how far the index lags behind."""
