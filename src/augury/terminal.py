"""Sanitizes what commands print, so that texts from outside cannot control the terminal.

Labels of keys, names of accounts, rows of an imported file and answers of a remote service may
contain escape sequences, which move the cursor, change the window's title or write to the
clipboard.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO
from unicodedata import category


def visible(text: str) -> str:
    """`text` with every character that could control a terminal written as its JSON escape, e.g.
    the escape character as `\\u001b`.

    Line breaks, tabs, spaces and all characters that have a glyph stay.
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in "\n\t" or category(c) == "Zs" else json.dumps(c)[1:-1]
        for c in text
    )


class Visible:
    """A text stream for a terminal. In everything written to it, it replaces characters that could
    control the terminal (`visible`)."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        # Rich looks for this attribute: it writes the styles of tables and bars
        # there, past this stream.
        self.rich_proxied_file = stream

    def write(self, text: str) -> int:
        # Anything but text is passed on, for the stream to refuse.
        return self._stream.write(visible(text) if isinstance(text, str) else text)

    def writelines(self, lines: Any) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def plain(stream: TextIO) -> TextIO:
    """The stream inside a `Visible` (a stream that makes control characters harmless); any other
    stream is returned unchanged. The log writes to the inner stream, because the log itself adds
    colors and escapes texts."""
    return stream._stream if isinstance(stream, Visible) else stream


@contextmanager
def sanitized() -> Iterator[None]:
    """Inside a `with` block, replace the characters of printed texts that could control the
    terminal (`visible`). What the library rich prints stays as it is."""
    out, err = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = Visible(out), Visible(err)  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.stdout, sys.stderr = out, err
