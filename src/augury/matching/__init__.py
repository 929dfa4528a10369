"""Compares questions with markets by named features, and judges by a trained model (the judge)
which markets ask the question."""
