"""Rich's console for tables and progress bars with texts of others: no markup, no escape
sequences."""

from __future__ import annotations

from typing import Any

from rich.console import Console as _Console
from rich.text import Text

from augury.terminal import visible


class Console(_Console):
    """Rich's console, showing texts of others as they are: markup, emoji codes and escape sequences
    in them have no effect."""

    def render_str(self, text: str, **options: Any) -> Text:
        return super().render_str(visible(text), **options)
