"""`python -m augury` is the command line."""

from augury.cli import main

main()
