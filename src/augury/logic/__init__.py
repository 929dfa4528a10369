"""Logic: which combinations of truth values of two propositions are impossible, and so how the
propositions are related ("a implies b")."""
