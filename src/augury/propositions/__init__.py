"""Propositions: what the text of a market or a question asserts, split into parts (subject,
predicate, level, window of time ...)."""
