"""The macro runtime's URL for a caller's request, made from the part of the request's path that
follows `/v1/macro-runtime/`. Pure.

The path is taken as it was sent, split into segments, and each segment is decoded, checked and
encoded again. A path is refused if any parser could read it as "one level up" or "another host":
`..`, `%2e`, encoded slashes, `//host`, backslashes, double encodings, `..;`.
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
    """Raised for a request that is not passed on to the upstream service (the macro runtime),
    because its path might lead to an address outside the upstream service's base URL, or because
    its query has characters that are not allowed."""

    code = "path_refused"


def base_of(url: str) -> str:
    """The base URL of the upstream service (the macro runtime), without a slash at its end.

    Raises
    ------
    SetupProblem
        The address is not http or https, or it has a credential, a query or a fragment.
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
    """The upstream service's URL for a request: `base`, the part of the request's path that follows
    `PREFIX` (`/v1/macro-runtime/`), and the request's query.

    Raises
    ------
    PathRefused
        The path or the query is not allowed. The error's text does not repeat any part of them.
    NotFound
        The path does not begin with `PREFIX`.
    """
    path, query_text = raw_path.decode("latin-1"), query.decode("latin-1")
    if not path.startswith(PREFIX):
        raise NotFound("Not found. See /docs for the available routes.")
    if not _QUERY.fullmatch(query_text) or "#" in query_text:
        raise PathRefused(
            "The query should consist of visible ASCII characters other than #. "
            "Percent-encode all others."
        )
    segments = path[len(PREFIX) :].split("/")
    last = len(segments) - 1
    written = "/".join(_segment(part, may_be_empty=n == last) for n, part in enumerate(segments))
    return f"{base}/{written}" + (f"?{query_text}" if query_text else "")


def _segment(raw: str, *, may_be_empty: bool) -> str:
    try:
        text = unquote_to_bytes(raw).decode("utf-8")
    except UnicodeDecodeError:
        raise PathRefused("The path is not valid UTF-8 once its %-escapes are decoded.") from None
    if _ESCAPES.search(raw) or _UNSAFE.search(text):
        raise PathRefused(
            "The path contains a character that is not allowed even when percent-encoded, or "
            "a % that is not followed by two hexadecimal digits."
        )
    if not text and not may_be_empty:
        raise PathRefused("The path should not contain an empty part (//).")
    if text.partition(";")[0] in (".", ".."):
        raise PathRefused("The path may not contain . or .. parts.")
    return quote(text, safe=_PLAIN)
