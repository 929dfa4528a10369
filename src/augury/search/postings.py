"""The documents of each tag, best first: what a look-up by tags reads. Pure numpy.

An array of slots ordered by tag and merit, and the few slots written since it was made. A look-up
takes from both, all its tags in a few array operations; the array is made anew once too many slots
have changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

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


class Tagged(NamedTuple):
    """Documents under tags, a row for each tag a document is found by."""

    nth: NDArray[np.intp]
    """Place of the tag among those asked for; ascending."""
    slots: Slots
    """Within a tag the highest merit first."""
    merits: NDArray[np.float32]

    def taken(self, at: NDArray[np.intp] | NDArray[np.bool_]) -> Tagged:
        """The rows of these places."""
        return Tagged(self.nth[at], self.slots[at], self.merits[at])

    @classmethod
    def joined(cls, found: Sequence[Tagged]) -> Tagged:
        """One behind the other: `best_of_each` brings them into order."""
        return cls(
            np.concatenate([one.nth for one in found]),
            np.concatenate([one.slots for one in found]),
            np.concatenate([one.merits for one in found]),
        )


class Postings:
    """Which slots hold a tag. The arrays of tags, merits and keys are the caller's; it says which
    slots it changed, and serialises changes and look-ups."""

    def __init__(self) -> None:
        self._starts = np.zeros(TAGS + 1, np.int64)
        self._slots: Slots = np.empty(0, np.int64)
        self._columns = np.empty(0, np.uint8)
        """Under which of its tags a slot stands there."""
        self._changed: set[int] = set()
        self._changed_slots: Slots | None = None
        self.stale = True
        """Whether too many slots have changed; then `build` comes before the next look-up."""

    def build(self, tags: Tags, merits: Merits, keys: Keys) -> None:
        """Order all slots."""
        slots, columns = np.nonzero(np.where(keys[:, None] > 0, tags, 0))
        held = tags[slots, columns]
        order = np.lexsort((keys[slots], -merits[slots, columns], held))
        self._slots, self._columns = slots[order], columns[order].astype(np.uint8)
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
        self, asked: Sequence[int], limit: int, tags: Tags, merits: Merits, keys: Keys
    ) -> Tagged:
        """The `limit` slots of highest merit under each tag `asked` for, ties by key."""
        changed = self._changed_slots
        if changed is None:
            changed = np.sort(np.fromiter(self._changed, np.int64, len(self._changed)))
            self._changed_slots = changed
        found = self._ordered(asked, limit, changed, merits)
        if not len(changed):
            return found
        place = np.full(TAGS, -1, np.int64)
        place[list(asked)] = np.arange(len(asked))
        nth = np.where(keys[changed, None] > 0, place[tags[changed]], -1)
        rows, columns = np.nonzero(nth >= 0)
        if not len(rows):
            return found
        slots = changed[rows]
        more = Tagged(nth[rows, columns], slots, merits[slots, columns])
        both = Tagged.joined([found, more])
        return both.taken(best_of_each(both, keys[both.slots], limit))

    def _ordered(self, asked: Sequence[int], limit: int, changed: Slots, merits: Merits) -> Tagged:
        """The same among the slots that have not changed."""
        starts = self._starts[list(asked)]
        held = self._starts[np.asarray(asked, np.int64) + 1] - starts
        window = 2 * limit if len(changed) else limit
        while True:
            counts = np.minimum(held, window)
            ends = np.cumsum(counts)
            nth = np.repeat(np.arange(len(counts)), counts)
            at = np.arange(len(nth)) + (starts - ends + counts)[nth]
            slots, columns = self._slots[at], self._columns[at]
            found = Tagged(nth, slots, merits[slots, columns])
            if not len(changed):
                return found
            found = found.taken(~_among(slots, changed))
            left = np.bincount(found.nth, minlength=len(counts))
            if ((left >= limit) | (counts == held)).all():
                return found.taken(_places(left) < limit)
            window *= 2


def best_of_each(found: Tagged, keys: Keys, limit: int) -> NDArray[np.intp]:
    """Places of the `limit` rows of highest merit of each tag, ties by key; in the order that
    `Tagged` has."""
    # The bits of positive floats are in their order; so one number orders by tag and by merit.
    merits = found.merits.view(np.uint32).astype(np.int64)
    order = np.lexsort((keys, (found.nth.astype(np.int64) << 32) - merits))
    return order[_places(np.bincount(found.nth)) < limit]


def _places(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """0, 1 ... counts[0] - 1, then the same for the next count, and so on."""
    ends = np.cumsum(counts)
    return np.arange(counts.sum()) - np.repeat(ends - counts, counts)


def _among(slots: Slots, ordered: Slots) -> NDArray[np.bool_]:
    place = np.minimum(np.searchsorted(ordered, slots), len(ordered) - 1)
    return np.asarray(ordered[place] == slots)
