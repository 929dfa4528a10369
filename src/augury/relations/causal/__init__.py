"""The causal base: factors, their edges and links, and the pairs that people judged."""
