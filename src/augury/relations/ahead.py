"""Patterns that match only if another pattern matches later in the text, found in linear time.

A lookahead such as `nod(?=.*\\bsenate)` would read the rest of the text again for each "nod".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Protocol

Replacement = str | Callable[[re.Match[str]], str]


def rule(pattern: str, replacement: Replacement) -> tuple[Finder, Replacement]:
    """One rule of a table of rewordings, (compiled pattern, replacement); the pattern ignores
    case."""
    return re.compile(pattern, re.I), replacement


class Finder(Protocol):
    """The methods of a compiled pattern that its users here need; `re.Pattern` and `Ahead` have
    them."""

    def search(self, text: str, /) -> re.Match[str] | None: ...
    def finditer(self, text: str, /) -> Iterator[re.Match[str]]: ...
    def sub(self, replacement: Replacement, text: str, /) -> str: ...


class Ahead:
    """A search pattern: finds `pattern` where `later` matches somewhere after it and `barrier` does
    not match between the two.

    Gives the same as `pattern(?=[^barrier]*later)`, as long as matches of `pattern` do not overlap
    and `later` can't match within the text that `pattern` matches.
    """

    def __init__(self, pattern: str, later: str, barrier: str = r"\n") -> None:
        self._pattern = re.compile(pattern, re.I)
        self._later = re.compile(later, re.I)
        self._barrier = re.compile(barrier)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches of `pattern` that meet the condition, from left to right."""
        found = list(self._pattern.finditer(text))
        if not found:
            return
        later = [m.start() for m in self._later.finditer(text)]
        barriers = [m.start() for m in self._barrier.finditer(text)] if later else []
        for one in found:
            at = bisect_left(later, one.end())
            if at == len(later):
                return
            wall = bisect_left(barriers, one.end())
            if wall == len(barriers) or later[at] <= barriers[wall]:
                yield one

    def search(self, text: str) -> re.Match[str] | None:
        """The first match, as `re.Pattern.search`; None without one."""
        return next(self.finditer(text), None)

    def sub(self, replacement: Replacement, text: str) -> str:
        """The text with all matches replaced, as `re.Pattern.sub`."""
        parts, end = [], 0
        for one in self.finditer(text):
            made = replacement(one) if callable(replacement) else one.expand(replacement)
            parts += [text[end : one.start()], made]
            end = one.end()
        return "".join([*parts, text[end:]])
