"""Causal graphs: what bears on a question, as a picture a person can read."""
