"""Keeps Python's garbage collector away from the objects that a start makes.

A start makes a million objects that are never freed. If the collector scanned them again and again,
it would take a quarter of the start's processor time, and later pause requests.
"""

from __future__ import annotations

import gc


def pause() -> None:
    """Turn garbage collection off until `freeze` is called."""
    gc.disable()


def freeze() -> None:
    """Exclude all objects made so far from garbage collection, and turn collection on again. Does
    nothing if collection is on already."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
