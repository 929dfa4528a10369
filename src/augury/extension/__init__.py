"""Markets for the page a reader is on."""
