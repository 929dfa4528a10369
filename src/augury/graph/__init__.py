"""Causal graphs: a question with its causes, its consequences and their markets, as nodes and
edges, and as a picture."""
