"""Bodies of answers, read whole but never beyond a size, compressed or not."""

from __future__ import annotations

import zlib

import httpx2


class BodyError(Exception):
    """A body that can't be used; the text goes on from the sender's name."""


class TooLarge(BodyError):
    """More than the cap."""


class Broken(BodyError):
    """It ended before its time."""


async def read(response: httpx2.Response, most: int) -> bytes:
    """The body of at most `most` bytes, decompressed here so that no chunk can grow past the cap
    unnoticed.

    Raises
    ------
    BodyError
        TooLarge, Broken, or damaged or in an encoding that was not asked for.
    """
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip", "deflate"):
        raise BodyError(f"answered in an encoding not asked for ({encoding[:40]})")
    inflate = zlib.decompressobj(47) if encoding in ("gzip", "deflate") else None
    body = bytearray()
    try:
        async for chunk in response.aiter_raw():
            if inflate is not None:
                chunk = inflate.decompress(chunk, most - len(body) + 1)
            body += chunk
            if len(body) > most:
                raise TooLarge(f"sent more than {most / 1_048_576:g} MiB")
    except zlib.error:
        raise BodyError("sent a damaged compressed answer") from None
    if inflate is not None and not inflate.eof:
        raise Broken("broke off its answer (compressed)")
    return bytes(body)
