"""ETags: a GET whose answer the caller already has is answered 304 without a body."""

from __future__ import annotations

import hashlib

import msgspec
from fastapi import Request, Response


def etag(body: bytes) -> str:
    """A weak ETag of the content; weak, since it stays valid when the body is compressed on
    its way (RFC 9110 8.8.3)."""
    return f'W/"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def matches(request: Request, tag: str) -> bool:
    """Whether `If-None-Match` names `tag`, by weak comparison (RFC 9110 13.1.2)."""
    sent = ",".join(request.headers.getlist("if-none-match"))
    if not sent:
        return False
    opaque = tag.removeprefix("W/")
    return any(
        given == "*" or given.removeprefix("W/") == opaque
        for given in (part.strip() for part in sent.split(","))
    )


def tagged(
    request: Request,
    body: bytes,
    *,
    media_type: str = "application/json",
    headers: dict[str, str] | None = None,
) -> Response:
    """The answer to a GET with the ETag of `body`: 200 with `body`, or 304 without a body if the
    caller already has it.

    `Cache-Control` is `no-cache` unless `headers` sets it: a cache may keep the answer, but has to
    ask before using it again.
    """
    tag = etag(body)
    out = {"Cache-Control": "no-cache", **(headers or {}), "ETag": tag}
    if matches(request, tag):
        return Response(status_code=304, headers=out)
    return Response(body, headers=out, media_type=media_type)


def answer(request: Request, content: object) -> Response:
    """The answer to a GET for records of one account: `content` as JSON with an ETag. Shared caches
    must not keep it."""
    return tagged(
        request, msgspec.json.encode(content), headers={"Cache-Control": "private, no-cache"}
    )
