"""When the garbage collector looks for reference cycles.

A start makes a million objects that stay. If the collector looked through them again and again, it
would take a quarter of the start's processor time, and would later pause requests.
"""

from __future__ import annotations

import gc


def fill() -> None:
    """Turn garbage collection off until `settle`, because the objects that are made now stay."""
    gc.disable()


def settle() -> None:
    """Exclude all objects made so far from garbage collection, and turn collection on again. Does
    nothing if collection is on already."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
