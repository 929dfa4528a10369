"""What short texts about the world say: who and what they name."""
