"""Logic: which joint outcomes of two propositions are impossible."""
