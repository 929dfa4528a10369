"""Limits of time that hold on a machine that is slow or busy."""

from __future__ import annotations

import json
from time import thread_time

PATIENCE = 90.0
"""Longest wait, in seconds, for what takes a quiet machine less than a few. Even with three workers
on two cores, some of them halted, only a fault takes longer."""
SLACK = 15.0
"""Seconds that something may end later than it is given, where the fault would last much longer."""
_REFERENCE = 0.0075
"""Processor seconds of `_work` on the machine that the limits in tests were set on, when quiet."""
_TEXT = json.dumps([{"id": n, "title": f"number {n}", "price": n / 7} for n in range(3_000)])


def slower() -> float:
    """How many times slower this processor is now than the one the limits were set on; >= 1.

    The slowest of three runs, each of some milliseconds: what is compared with it takes longer
    and meets more of what else the machine does.
    """
    return max(1.0, max(_work() for _ in range(3)) / _REFERENCE)


def _work() -> float:
    """Processor seconds of a fixed piece of work: JSON, dicts, strings and sorting."""
    began = thread_time()
    rows = json.loads(_TEXT)
    rows.sort(key=lambda row: (row["title"][::-1], row["price"]))
    json.dumps(rows)
    return thread_time() - began
