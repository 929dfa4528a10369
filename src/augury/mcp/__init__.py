"""Tools, resources and prompts for language models (Model Context Protocol), over the API."""
