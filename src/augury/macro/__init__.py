"""The proxy to the macro runtime: another HTTP service of the operator (e.g. for macroeconomic
data), which callers reach through Augury, with its keys, limits and cache.

In this package, "upstream" and "upstream service" mean the macro runtime.
"""
