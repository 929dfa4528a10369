"""The console: Augury in a browser. Built from the folder `console/` and served as files."""
