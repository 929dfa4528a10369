"""An optional language model behind any OpenAI-compatible endpoint: bounded, cached, distrusted."""
