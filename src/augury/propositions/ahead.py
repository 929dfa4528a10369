"""Search patterns that match only if another pattern matches later in the text. The search takes
linear time.

A lookahead such as `nod(?=.*\\bsenate)` would read the rest of the text again for each "nod".
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Protocol

Replacement = str | Callable[[re.Match[str]], str]


def rule(pattern: str, replacement: Replacement) -> tuple[Finder, Replacement]:
    """Make a rule that rewords a text: a compiled regular expression, which ignores case, and the
    text or function that replaces what it matches."""
    return re.compile(pattern, re.I), replacement


class Finder(Protocol):
    """What `re.Pattern` and `Ahead` have in common: the three methods of a compiled regular
    expression that code here uses."""

    def search(self, text: str, /) -> re.Match[str] | None: ...
    def finditer(self, text: str, /) -> Iterator[re.Match[str]]: ...
    def sub(self, replacement: Replacement, text: str, /) -> str: ...


class Ahead:
    """A search pattern that finds `pattern` only where `later` matches somewhere after it, and
    `barrier` does not match between the two.

    It finds the same as the regular expression `pattern(?=[^barrier]*later)`, but takes linear
    time. This holds only if matches of `pattern` do not overlap, and `later` can't match inside a
    match of `pattern`.
    """

    def __init__(self, pattern: str, later: str, barrier: str = r"\n") -> None:
        self._pattern = re.compile(pattern, re.I)
        self._later = re.compile(later, re.I)
        self._barrier = re.compile(barrier)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All matches of `pattern`, from left to right, that have a match of `later` somewhere
        after them and no match of `barrier` in between. With "nod", "senate" and a line break:
        every "nod" that has a "senate" after it on the same line."""
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
        """The first match that `finditer` finds; None if there is none."""
        return next(self.finditer(text), None)

    def sub(self, replacement: Replacement, text: str) -> str:
        """The text in which each match of `finditer` is replaced by `replacement`, which works as
        in `re.Pattern.sub`."""
        parts, end = [], 0
        for one in self.finditer(text):
            made = replacement(one) if callable(replacement) else one.expand(replacement)
            parts += [text[end : one.start()], made]
            end = one.end()
        return "".join([*parts, text[end:]])
