"""When the interpreter looks for reference cycles.

A start makes a million objects that stay: looking through them again and again is a quarter of
its processor time, and later a pause in the middle of somebody's request.
"""

from __future__ import annotations

import gc


def fill() -> None:
    """What is made from now on stays: look for no cycles until `settle`."""
    gc.disable()


def settle() -> None:
    """Never look at what was made since `fill` again; look at what comes. Else nothing."""
    if not gc.isenabled():
        gc.freeze()
        gc.enable()
