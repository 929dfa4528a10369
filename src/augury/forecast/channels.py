"""What integrations say about themselves in request headers, reduced to short plain labels. Pure.

The headers are self-reported and may carry anything. A value is kept only if it looks like a label.
It is dropped if it could be a secret or a network address. The caller is not stored with the
labels.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class ChannelLabels(NamedTuple):
    """Six labels by which an integration (e.g. a plug-in that asks for forecasts) describes itself,
    each from a request header of its own. Empty: the header was missing, or its value was dropped.
    """

    attribution_code: str = ""
    referrer: str = ""
    channel: str = ""
    tool: str = ""
    client: str = ""
    client_version: str = ""


NONE: Final = ChannelLabels()

_LABEL: Final = re.compile(r"[a-z0-9]+(?:[ ._/+-][a-z0-9]+)*")
_LONGEST: Final = 40
_RUN: Final = re.compile(r"[a-z0-9]{17,}|(?=[a-z0-9]*\d)(?=[a-z0-9]*[a-z])[a-z0-9]{13,}")
"""Matches a run of letters and digits that is too long for a word and may be a secret: 17 or more,
or 13 or more with at least one letter and one digit. The value of a request header with such a run
is dropped."""
_PRIVATE: Final = re.compile(
    r"\b(?:aug|sk|pk|key|token|secret|password|passwd|bearer|basic|api[ _-]?key|auth|cookie|"
    r"session|localhost|local|lan|internal|corp|home|users?)\b|"
    r"\b\d{1,3}(?:\.\d{1,3}){3}\b|canary|\.local\b",
)


def label(value: str | None) -> str:
    """A request header's value as a label, in lower case: "Claude Desktop" -> "claude desktop".
    Forecasts are counted by such labels. Empty if the header is missing, if its value is longer
    than `_LONGEST` or not of the form `_LABEL`, or if it could be a secret or a network address."""
    text = (value or "").strip().casefold()
    if not 0 < len(text) <= _LONGEST or not text.isascii() or not _LABEL.fullmatch(text):
        return ""
    if _RUN.search(text) or _PRIVATE.search(text.replace("_", " ")):
        return ""
    return text
