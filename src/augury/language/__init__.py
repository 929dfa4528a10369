"""Reads what short texts (questions, market titles) say: which entities they name (people, teams,
places ...), amounts, months and holidays, and who is to win a game. Also cuts texts into word
pieces for the transformers."""
