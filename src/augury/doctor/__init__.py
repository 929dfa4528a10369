"""What is wrong with an installation, in words, and the command that mends it."""
