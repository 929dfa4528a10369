"""What every route shares: identifying the caller, limits, errors, request ids, OpenAPI
documents."""
