"""Augury's documentation: its pages as Markdown and as a site, and the reference pages that are
made from the code."""
