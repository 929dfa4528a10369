"""Shows tables and progress bars on the terminal, with the library `rich`. Texts from outside, e.g.
titles of markets, are shown literally, so they can't control the terminal."""

from __future__ import annotations

from typing import Any

from rich.console import Console as _Console
from rich.text import Text

from augury.terminal import visible


class Console(_Console):
    """The library rich's console, which shows texts from outside literally: markup, emoji codes and
    escape sequences in them have no effect."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(visible(text), **options)
