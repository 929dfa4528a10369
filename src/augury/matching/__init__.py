"""Compares questions with markets by features (numbers computed from both texts), and judges by a
trained model, the judge, which markets ask the question."""
