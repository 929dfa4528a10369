"""Imports of files that an operator sends by HTTP: received in parts, then read by a worker."""
