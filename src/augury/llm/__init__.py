"""An optional language model behind any OpenAI-compatible endpoint. Its use is limited, and its
answers are checked and cached."""
