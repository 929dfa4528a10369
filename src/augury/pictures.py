"""Pictures: the fonts that SVG texts name, and SVG as PNG."""

from __future__ import annotations

from functools import cache
from typing import Final

from augury.errors import Unavailable

FONTS: Final = (
    "'DejaVu Sans','Liberation Sans','Noto Sans',Roboto,'Open Sans',Helvetica,Arial,sans-serif"
)
"""Font families of texts; the first that a machine has counts. The generic name is not enough: the
renderer takes it for Arial, and draws no text where that is not installed."""


def png(drawn: str, *, width: int | None = None) -> bytes:
    """An SVG as PNG.

    Parameters
    ----------
    drawn
        The SVG, its texts in `FONTS`.
    width
        Pixels; the SVG's own width by default.

    Raises
    ------
    Unavailable
        No font is installed, so that the picture would have no text.
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
    """Whether a letter leaves a mark."""
    import resvg_py

    box = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20">{}</svg>'
    letter = f'<text x="2" y="16" font-family="{FONTS}">M</text>'
    drawn, empty = (resvg_py.svg_to_bytes(svg_string=box.format(one)) for one in (letter, ""))
    return bytes(drawn) != bytes(empty)
