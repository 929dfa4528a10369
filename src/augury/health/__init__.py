"""Whether the service is well: what it holds, how old that is, how far the index follows."""
