"""What every route shares: the guard, who is calling, limits, errors, request ids, OpenAPI."""
