"""The console: Augury in a browser, built from `console/` and served from files."""
