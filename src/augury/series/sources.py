"""The source of an external series (where its points come from), and the checks that refuse a
source."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal

from augury.errors import InvalidInput
from augury.net.addresses import AddressPolicy, Refused
from augury.series import parse

SourceType = Literal["csv", "json", "fred", "push"]

SHORTEST_REFRESH = timedelta(minutes=1)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}", re.ASCII)
_VALUE = re.compile(r"[\x20-\x7e]{1,2000}", re.ASCII)
_VALIDATOR = re.compile(r"[\x20-\x7e]{1,500}", re.ASCII)
_RESERVED_HEADERS = {
    "host", "content-length", "content-type", "connection", "transfer-encoding", "te", "trailer",
    "upgrade", "expect", "keep-alive", "accept-encoding", "if-none-match", "if-modified-since",
    "range", "proxy-authorization", "proxy-connection", "forwarded", "x-forwarded-for",
}  # fmt: skip
"""HTTP headers, in lower case, that callers may not set for a source, because Augury itself sets or
omits them when it fetches."""

_PUSHED = "A series of type push is not fetched. Leave this out."


@dataclass(frozen=True)
class Source:
    """Where the points of a series come from. With the type `push` nothing is fetched: the series'
    owner sends the points."""

    type: SourceType
    url: str | None = None
    time_path: str | None = None
    value_path: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


def check(source: Source, refresh_every: timedelta | None, policy: AddressPolicy) -> None:
    """Check that a series' source can be fetched at this interval and that its address is
    permitted.

    Raises
    ------
    InvalidInput
        A field is wrong or not permitted; the error names the field.
    """
    if (source.type == "push") != (source.url is None):
        raise InvalidInput.at(
            "body", "source", "url",
            msg=(
                "A series of type push can't have a URL. Leave it out."
                if source.url
                else "Field required"
            ),
            type="missing" if source.url is None else "value_error",
        )  # fmt: skip
    if source.url is None:
        if source.headers or source.time_path or source.value_path:
            raise InvalidInput.at("body", "source", msg=_PUSHED)
        if refresh_every is not None:
            raise InvalidInput.at("body", "refresh_every", msg=_PUSHED)
        return
    try:
        policy.check_url(source.url)
    except Refused as refused:
        raise InvalidInput.at(
            "body", "source", "url", msg=str(refused), type="url_refused"
        ) from None
    if refresh_every is not None and refresh_every < SHORTEST_REFRESH:
        raise InvalidInput.at("body", "refresh_every", msg="Should be at least 1m.")
    for name, value in source.headers.items():
        if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise InvalidInput.at(
                "body",
                "source",
                "headers",
                msg=(
                    "The name or the value of a header is not valid. Use printable ASCII, at "
                    "most 100 characters in a name and 2,000 in a value."
                ),
            )
        if name.lower() in _RESERVED_HEADERS:
            raise InvalidInput.at(
                "body",
                "source",
                "headers",
                msg=(
                    f"The header {name.lower()} is set by Augury and can't be given here. "
                    "Leave it out."
                ),
            )
    for field_name in ("time_path", "value_path"):
        path = getattr(source, field_name)
        if path is None:
            continue
        if source.type == "fred":
            raise InvalidInput.at(
                "body",
                "source",
                field_name,
                msg="Leave this field out: Augury knows the layout of FRED's answers.",
            )
        if source.type == "json":
            try:
                parse.check_path(path)
            except ValueError as error:
                raise InvalidInput.at("body", "source", field_name, msg=str(error)) from None


def is_sendable(validator: str | None) -> bool:
    """Whether an ETag or Last-Modified that a source sent is valid in a request header, so that it
    can be sent back."""
    return validator is not None and _VALIDATOR.fullmatch(validator) is not None
