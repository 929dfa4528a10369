"""Propositions: what the text of a market or a question asserts, read into its parts."""
