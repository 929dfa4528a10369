"""The documents of each tag, best first, for look-ups by tags. Pure numpy.

A tag is the id of a factor (a thing in the world, e.g. a policy rate) that a document is about. The
merit, a number for each tag of a document, orders the documents of one tag: a look-up returns those
of higher merit first. A slot is the position of a document in the index's arrays.

There is an array of slots ordered by tag and merit, and a set of the slots that have changed since
the array was built. A look-up reads both, for all its tags in a few array operations. When too many
slots have changed, the array is rebuilt.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

MAX_TAG: Final = 2**16
"""All tags are smaller than this number. A tag is the id of a factor (a thing in the world, e.g. a
policy rate) that a document is about, counted from 1; 0 means no tag."""
MOST_TAGS: Final = 6
"""Largest number of tags that a document can have. A tag is the id of a factor (a thing in the
world, e.g. a policy rate) that the document is about."""
MAX_STALE: Final = 16_384
"""The array of all documents, sorted by tag, is rebuilt when more documents than this have changed
since the last rebuild. Every look-up by tags reads all changed documents. With more of them than
this, that would take over a millisecond."""

Slots = NDArray[np.int64]
Keys = NDArray[np.int64]
"""Array of shape (slots,): for each slot (position in the index's arrays), a positive number that
identifies the document in it; 0 for a free slot."""
Tags = NDArray[np.uint16]
"""Array of shape (slots, MOST_TAGS): for the document in each slot (position in the index's
arrays), its tags, i.e. the ids of the factors (e.g. the policy rate) that it is about. Unused
places are 0."""
Merits = NDArray[np.float32]
"""Array of shape (slots, MOST_TAGS): for the document in each slot (position in the index's
arrays), its merit under each of its tags. Documents of higher merit come first in a look-up by the
tag."""


class Tagged(NamedTuple):
    """Documents found by tags: one row for each pair of a tag and a document that has it. A tag is
    the id of a factor (a thing in the world, e.g. a policy rate) that a document is about."""

    nth: NDArray[np.intp]
    """(rows,): for each row, the position of its tag in the list of requested tags. The rows that a
    look-up returns are sorted by it."""
    slots: Slots
    """(rows,): slot of the row's document, i.e. its position in the index's arrays. The rows of
    each tag are in order of merit, the highest first."""
    merits: NDArray[np.float32]

    def taken(self, at: NDArray[np.intp] | NDArray[np.bool_]) -> Tagged:
        """The rows of this result at the positions `at`, or where `at` is True."""
        return Tagged(self.nth[at], self.slots[at], self.merits[at])

    @classmethod
    def joined(cls, found: Sequence[Tagged]) -> Tagged:
        """The rows of all results in `found`, concatenated; `best_of_each` puts them in order."""
        return cls(
            np.concatenate([one.nth for one in found]),
            np.concatenate([one.slots for one in found]),
            np.concatenate([one.merits for one in found]),
        )


class Postings:
    """Finds the documents that have a tag, those of higher merit first. A tag is the id of a factor
    (a thing in the world, e.g. a policy rate) that a document is about; the merit is a number that
    orders the documents of one tag.

    The caller owns the arrays of tags, merits and keys; a document's position in them is its slot.
    After changing slots, the caller reports them (`change`). Calls must not overlap.
    """

    def __init__(self) -> None:
        self._starts = np.zeros(MAX_TAG + 1, np.int64)
        self._slots: Slots = np.empty(0, np.int64)
        self._columns = np.empty(0, np.uint8)
        """A document has several tags, one in each column of `tags`. An entry of `_slots` lists a
        document under one of its tags. For each entry, this is the column of that tag."""
        self._changed: set[int] = set()
        self._changed_slots: Slots | None = None
        self.stale = True
        """Whether `build` has to be called before the next look-up: if it was never called, or if
        more than `MAX_STALE` documents have changed since."""

    def build(self, tags: Tags, merits: Merits, keys: Keys) -> None:
        """Rebuild the index from all documents: for each tag (id of a factor), the documents that
        have it, those of higher merit first. `tags`, `merits`: one row per slot, i.e. position in
        these arrays. `keys`: the key of the document in each slot, 0 for a free slot."""
        slots, columns = np.nonzero(np.where(keys[:, None] > 0, tags, 0))
        held = tags[slots, columns]
        order = np.lexsort((keys[slots], -merits[slots, columns], held))
        self._slots, self._columns = slots[order], columns[order].astype(np.uint8)
        self._starts = np.concatenate([[0], np.cumsum(np.bincount(held, minlength=MAX_TAG))])
        self._changed, self._changed_slots, self.stale = set(), None, False

    def change(self, slots: Sequence[int]) -> None:
        """Record that the documents in these slots (array positions) were written or removed."""
        if self.stale:
            return
        self._changed.update(slots)
        self._changed_slots = None
        self.stale = len(self._changed) > MAX_STALE

    def best(
        self, asked: Sequence[int], limit: int, tags: Tags, merits: Merits, keys: Keys
    ) -> Tagged:
        """For each tag in `asked`, the `limit` documents of highest merit under it; ties by
        ascending key. `tags`, `merits`, `keys`: the current arrays, one row per slot."""
        changed = self._changed_slots
        if changed is None:
            changed = np.sort(np.fromiter(self._changed, np.int64, len(self._changed)))
            self._changed_slots = changed
        found = self._ordered(asked, limit, changed, merits)
        if not len(changed):
            return found
        place = np.full(MAX_TAG, -1, np.int64)
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
        """The same as `best`, but documents that changed since `build` are left out. `changed`: the
        slots (array positions) of these documents, ascending."""
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
    """For each tag, the `limit` rows of `found` with the highest merit (the number that orders the
    documents of one tag), as positions in `found`, ordered by tag, then by falling merit, then by
    key. `keys`: the key of each row's document."""
    # The bits of positive floats sort like the floats, so one integer sorts by tag and merit.
    merits = found.merits.view(np.uint32).astype(np.int64)
    order = np.lexsort((keys, (found.nth.astype(np.int64) << 32) - merits))
    return order[_places(np.bincount(found.nth)) < limit]


def _places(counts: NDArray[np.intp]) -> NDArray[np.intp]:
    """For each count in turn, the numbers from 0 to the count (exclusive): [2, 3] -> [0, 1, 0, 1,
    2]."""
    ends = np.cumsum(counts)
    return np.arange(counts.sum()) - np.repeat(ends - counts, counts)


def _among(slots: Slots, ordered: Slots) -> NDArray[np.bool_]:
    place = np.minimum(np.searchsorted(ordered, slots), len(ordered) - 1)
    return np.asarray(ordered[place] == slots)
