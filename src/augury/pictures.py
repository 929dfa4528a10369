"""Helpers for drawings: the parts of SVG documents that all drawings share (document, texts,
fonts), and the conversion from SVG to PNG."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import Final, Literal

from augury.errors import Unavailable

FONTS: Final = (
    "'DejaVu Sans','Liberation Sans','Noto Sans',Roboto,'Open Sans',Helvetica,Arial,sans-serif"
)
"""Font families for the texts of drawings; the first one that is installed is used. The generic
name `sans-serif` alone is not enough: the renderer takes it for Arial and draws no text if Arial is
missing."""


def document(width: float, height: float, title: str, *parts: str, size: int = 12) -> str:
    """An SVG document that shows the elements `parts` on a white background. `width` and `height`
    are in pixels; `size` is the font size, in pixels, of texts that set none."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}" role="img" aria-label="{shown(title)}" '
        f'font-family="{FONTS}" font-size="{size}">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>'
    )


def text(
    x: float,
    y: float,
    content: str,
    *,
    fill: str,
    size: int | None = None,
    anchor: Literal["start", "middle", "end"] = "start",
    bold: bool = False,
    halo: bool = False,
) -> str:
    """An SVG element with one line of text, whose `anchor` is at (x, y). A `halo` keeps the text
    readable where lines cross it."""
    attributes = f'x="{x:.1f}" y="{y:.1f}" fill="{fill}"'
    attributes += f' font-size="{size}"' if size else ""
    attributes += f' text-anchor="{anchor}"' if anchor != "start" else ""
    attributes += ' font-weight="bold"' if bold else ""
    attributes += ' paint-order="stroke" stroke="#fff" stroke-width="4"' if halo else ""
    return f"<text {attributes}>{shown(content)}</text>"


def cut(content: str, most: int) -> str:
    """The text `content`, cut to at most `most` characters; a cut text ends in an ellipsis."""
    return content if len(content) <= most else f"{content[: most - 1]}…"


def shown(content: str) -> str:
    """The text `content`, escaped for SVG; characters that are not printable become spaces."""
    return escape("".join(c if c.isprintable() else " " for c in content))


def png(drawn: str, *, width: int | None = None) -> bytes:
    """An SVG drawing as a PNG image.

    Parameters
    ----------
    drawn
        The SVG document. Its texts have to use the fonts `FONTS`.
    width
        Width of the image in pixels; None: the width that the SVG states.

    Raises
    ------
    Unavailable
        No font is installed, so the image would have no text.
    """
    import resvg_py

    if not _has_font():
        raise Unavailable(
            "A PNG needs a font, and this machine has none. Install one (on Debian: apt-get "
            "install fonts-dejavu-core), or ask for SVG.",
            code="no_font",
        )
    return bytes(resvg_py.svg_to_bytes(svg_string=drawn, width=width))


@cache
def _has_font() -> bool:
    """Whether a font is installed, found by checking whether drawing a letter changes a picture."""
    import resvg_py

    box = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'
    letter = f'<text x="2" y="16" font-family="{FONTS}">M</text>'
    drawn, empty = (resvg_py.svg_to_bytes(svg_string=box.format(one)) for one in (letter, ""))
    return bytes(drawn) != bytes(empty)
