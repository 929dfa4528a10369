"""What integrations say of themselves, reduced to short plain labels. Pure.

The headers are self-reported and may carry anything. Only what reads like a label is kept: what
could be a secret, an address or a person's name is dropped, and no caller stands beside it.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Hints(NamedTuple):
    """Six labels; empty where nothing was said that could be kept."""

    attribution_code: str = ""
    referrer: str = ""
    channel: str = ""
    tool: str = ""
    client: str = ""
    client_version: str = ""


NONE: Final = Hints()

_LABEL: Final = re.compile(r"[a-z0-9]+(?:[ ._/+-][a-z0-9]+)*")
_LONGEST: Final = 40
_RUN: Final = re.compile(r"[a-z0-9]{17,}|(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{13,}")
"""A run of characters that is too long for a word, or half as long and mixed with digits: it may be
a secret."""
_PRIVATE: Final = re.compile(
    r"\b(?:aug|sk|pk|key|token|secret|password|passwd|bearer|basic|api[ _-]?key|auth|cookie|"
    r"session|localhost|local|lan|internal|corp|home|users?)\b|"
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|canary|\.local\b",
)


def label(said: str | None) -> str:
    """The label in a header, in lower case; empty when it is none."""
    text = (said or "").strip().casefold()
    if not 0 < len(text) <= _LONGEST or not text.isascii() or not _LABEL.fullmatch(text):
        return ""
    if _RUN.search(text) or _PRIVATE.search(text.replace("_", " ")):
        return ""
    return text
