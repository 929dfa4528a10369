"""Causal graphs: the causes and consequences of a question as nodes and edges, and a picture of
them."""
