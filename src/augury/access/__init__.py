"""Accounts, API keys, their scopes and plans."""
