"""Turns the documentation's notebooks into Jupyter's format. They are stored as Python scripts with
cells that begin with `# %%`, as in Jupytext. Pure functions."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

_CELL = re.compile(r"^# %%(?P<markdown> \[markdown\])?[ \t]*$\n?", re.MULTILINE)


def cells(text: str) -> Iterator[tuple[str, str]]:
    """The cells of a notebook that is stored as a script (`text`), each as (kind, text); the kind
    is `markdown` or `code`."""
    starts = list(_CELL.finditer(text))
    for start, following in zip(starts, [*starts[1:], None], strict=True):
        body = text[start.end() : following.start() if following else len(text)].strip("\n")
        if start["markdown"]:
            yield "markdown", re.sub(r"^# ?", "", body, flags=re.MULTILINE)
        elif body:
            yield "code", body


def ipynb(text: str) -> str:
    """A notebook that is stored as a script (`text`), in Jupyter's format 4.5, without outputs."""
    made = [
        {"cell_type": kind, "id": f"cell-{n}", "metadata": {}, "source": body}
        | ({"execution_count": None, "outputs": []} if kind == "code" else {})
        for n, (kind, body) in enumerate(cells(text))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    document = {"cells": made, "metadata": {"kernelspec": kernel}, "nbformat": 4}
    return json.dumps(document | {"nbformat_minor": 5}, ensure_ascii=False, indent=1) + "\n"
