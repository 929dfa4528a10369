"""Accounts, API keys and their scopes, and sessions of the console."""
