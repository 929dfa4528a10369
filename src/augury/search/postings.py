"""The documents of each tag, best first: what a look-up by tag reads. Pure numpy.

An array of slots ordered by tag and merit, and the few slots written since it was made. A look-up
takes from both; the array is made anew once too many slots have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

TAGS: Final = 2**16
"""Tags are 1 .. TAGS - 1; 0 is none."""
MOST_TAGS: Final = 6
"""Tags a document may have."""
STALE: Final = 16_384
"""Changed slots from which the array is made anew: looking at all of them at every look-up would
cost more than a millisecond."""

Slots = NDArray[np.int64]
Keys = NDArray[np.int64]
"""By slot; positive, 0 where the slot is free."""
Tags = NDArray[np.uint16]
"""(slots, MOST_TAGS)"""
Merits = NDArray[np.float32]
"""(slots, MOST_TAGS)"""


class Postings:
    """Which slots hold a tag. The arrays of tags, merits and keys are the caller's; it says which
    slots it changed, and serialises changes and look-ups."""

    def __init__(self) -> None:
        self._starts = np.zeros(TAGS + 1, np.int64)
        self._slots: Slots = np.empty(0, np.int64)
        self._changed: set[int] = set()
        self._changed_slots: Slots | None = None
        self.stale = True
        """Whether too many slots have changed; then `build` comes before the next look-up."""

    def build(self, tags: Tags, merits: Merits, keys: Keys) -> None:
        """Order all slots."""
        slots, columns = np.nonzero(np.where(keys[:, None] > 0, tags, 0))
        held = tags[slots, columns]
        order = np.lexsort((keys[slots], -merits[slots, columns], held))
        self._slots = slots[order]
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(held, minlength=TAGS))])
        self._changed, self._changed_slots, self.stale = set(), None, False

    def change(self, slots: Sequence[int]) -> None:
        """Note slots that were written or freed."""
        if self.stale:
            return
        self._changed.update(slots)
        self._changed_slots = None
        self.stale = len(self._changed) > STALE

    def best(
        self, tag: int, limit: int, tags: Tags, merits: Merits, keys: Keys
    ) -> tuple[Slots, Merits]:
        """The `limit` slots of highest merit under `tag`, ties by key; and their merits."""
        changed = self._changed_slots
        if changed is None:
            changed = np.fromiter(sorted(self._changed), np.int64, len(self._changed))
            self._changed_slots = changed
        ordered = self._slots[self._starts[tag] : self._starts[tag + 1]]
        kept = [changed[(tags[changed] == tag).any(axis=1) & (keys[changed] > 0)]]
        found = at = 0
        while found < limit and at < len(ordered):
            part = ordered[at : at + 2 * limit]
            at += len(part)
            if len(changed):
                part = part[~_among(part, changed)]
            kept.append(part)
            found += len(part)
        slots = np.concatenate(kept)
        merit = np.where(tags[slots] == tag, merits[slots], 0).max(axis=1, initial=0)
        order = np.lexsort((keys[slots], -merit))[:limit]
        return slots[order], merit[order].astype(np.float32)


def _among(slots: Slots, ordered: Slots) -> NDArray[np.bool_]:
    place: Any = np.searchsorted(ordered, slots)
    return ordered[np.minimum(place, len(ordered) - 1)] == slots
