"""The URL of a proxied request: what follows the prefix, unless it is not plainly a path. Pure.

The path is taken undecoded, as it was sent, and written anew from its decoded segments. So nothing
passes that one parser reads as a name and another as "one level up" or "another host": `..`, `%2e`,
encoded slashes, `//host`, backslashes, double encodings, `..;`.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes, urlsplit

from augury.errors import InvalidInput, NotFound, SetupProblem

PREFIX = "/v1/macro-runtime/"

_ESCAPES = re.compile(r"%(?![0-9A-Fa-f]{2})")
_UNSAFE = re.compile(r"[\x00-\x20\x7f-\x9f/\\%?#]")
_QUERY = re.compile(r"[\x21-\x7e]*", re.ASCII)
# Characters that are not escaped in a segment (RFC 3986, section 3.3).
_PLAIN = "-._~!$&'()*+,;=:@"


class PathRefused(InvalidInput):
    """A path that is not plainly below the upstream's address."""

    code = "path_refused"


def base_of(url: str) -> str:
    """The upstream's address without a trailing slash.

    Raises
    ------
    SetupProblem
        It is not a plain http or https address: without credential, query and fragment.
    """
    parts = urlsplit(url)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or "@" in parts.netloc
        or parts.query
        or parts.fragment
    ):
        raise SetupProblem(
            "AUGURY_MACRO_RUNTIME_URL should be an address like https://host/path; a credential "
            "goes into AUGURY_MACRO_RUNTIME_KEY."
        )
    return url.rstrip("/")


def below(base: str, raw_path: bytes, query: bytes) -> str:
    """The URL below `base` to which a request to `raw_path` is passed on.

    Raises
    ------
    PathRefused, NotFound
        The text of the error does not repeat any part of the path.
    """
    path, searched = raw_path.decode("latin-1"), query.decode("latin-1")
    if not path.startswith(PREFIX):
        raise NotFound("Not found. See /docs for the available routes.")
    if not _QUERY.fullmatch(searched) or "#" in searched:
        raise PathRefused(
            "The query should consist of visible ASCII characters other than #. "
            "Percent-encode all others."
        )
    segments = path[len(PREFIX) :].split("/")
    last = len(segments) - 1
    written = "/".join(_segment(part, may_be_empty=n == last) for n, part in enumerate(segments))
    return f"{base}/{written}" + (f"?{searched}" if searched else "")


def _segment(raw: str, *, may_be_empty: bool) -> str:
    try:
        text = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise PathRefused("The percent-encoded path should be UTF-8.") from None
    if _ESCAPES.search(raw) or _UNSAFE.search(text):
        raise PathRefused(
            "The path contains a character that is not allowed even when percent-encoded, or "
            "a % that is not followed by two hexadecimal digits."
        )
    if not text and not may_be_empty:
        raise PathRefused("The path should have no empty part (//).")
    if text.partition(";")[0] in (".", ".."):
        raise PathRefused("The path may not contain . or .. parts.")
    return quote(text, safe=_PLAIN)
