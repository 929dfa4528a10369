"""Finds what is wrong with an installation, and names the command that fixes it."""
