"""What short texts about the world say: whom and what they name, amounts, months, and who wins a
game."""
