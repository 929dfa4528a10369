"""Pictures: texts are drawn, or the caller is told why not."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch
from xml.etree import ElementTree

import pytest

from augury import pictures
from augury.errors import Unavailable

BOX = '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="40">{}</svg>'


def test_one_module_writes_documents_and_texts_with_fonts_that_machines_have() -> None:
    folder = Path(pictures.__file__).parent
    files = {path: path.read_text(encoding="utf-8") for path in folder.rglob("*.py")}
    for written in ("<svg ", "<text ", "font-family="):
        assert [path.name for path, text in files.items() if written in text] == ["pictures.py"]
    assert f'font-family="{pictures.FONTS}"' in pictures.document(1, 1, "")


def test_what_is_said_is_safe_in_xml_and_where_it_should_be() -> None:
    said = "Will <b>it</b> & \x00\x1b more?"
    drawn = pictures.document(
        200, 40, said, pictures.text(2, 30, said, fill="#111", size=9, anchor="end", halo=True)
    )
    (text,) = ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
    assert text.text == "Will <b>it</b> &    more?"
    assert (text.get("text-anchor"), text.get("font-size"), text.get("y")) == ("end", "9", "30.0")
    assert pictures.cut("abcdef", 4) == "abc…"


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
