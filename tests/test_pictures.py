"""Pictures: texts are drawn, or the caller is told why not."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest

from augury import pictures
from augury.errors import Unavailable

BOX = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40">{}</svg>'


def test_every_picture_names_fonts_that_machines_have() -> None:
    folder = Path(pictures.__file__).parent
    files = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    drawing = {path.name: text for path, text in files.items() if "font-family=" in text}
    assert {"picture.py", "chart.py"} <= set(drawing)
    assert all('font-family="{FONTS}"' in text for text in drawing.values())


def test_a_text_leaves_a_mark() -> None:
    if not pictures._has_font():
        pytest.skip("no font is installed")
    text = BOX.format(f'<text x="2" y="30" font-family="{pictures.FONTS}">Fed</text>')
    assert pictures.png(text) != pictures.png(BOX.format(""))
    assert pictures.png(text).startswith(b"\x89PNG")


def test_without_a_font_there_is_no_picture_without_texts() -> None:
    with (
        patch.object(pictures, "_has_font", return_value=False),
        pytest.raises(Unavailable, match=r"apt-get install fonts-dejavu-core"),
    ):
        pictures.png(BOX.format(""))
