"""The documentation: pages as Markdown and as a site, reference pages made from the code."""
