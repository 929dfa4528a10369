"""Reads the body of an HTTP response, compressed or not, up to a maximum size."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable, Iterator

import httpx2

STEP_BYTES = 262_144
"""Largest number of bytes that are decompressed in one step, before other tasks may run. A step
takes about half a millisecond."""


class BodyError(Exception):
    """Raised if the body of an HTTP response can't be used. The error's text continues a sentence
    that begins with the sender's name, e.g. "answered in an encoding that was not requested"."""


class TooLarge(BodyError):
    """Raised if the body of an HTTP response is larger than the limit."""


class Broken(BodyError):
    """Raised if the compressed body of an HTTP response ended too early."""


async def read(
    response: httpx2.Response, most: int, meter: Callable[[int], None] | None = None
) -> bytes:
    """Read the body of an HTTP response, at most `most` bytes. It is decompressed here in steps, so
    that no chunk can expand past the limit. `meter` is called with the size of each piece as it
    comes, even if the body fails later.

    Raises
    ------
    BodyError
        The body is too large (TooLarge), compressed and cut short (Broken), compressed and
        damaged, or in an encoding that was not requested.
    """
    encoding = response.headers.get("content-encoding", "identity").strip().lower()
    if encoding not in ("", "identity", "gzip", "deflate"):
        raise BodyError(f"answered in an encoding that was not requested ({encoding[:40]})")
    inflate = zlib.decompressobj(47) if encoding in ("gzip", "deflate") else None
    body = bytearray()
    try:
        async for chunk in response.aiter_raw():
            for piece in _inflated(inflate, chunk) if inflate is not None else (chunk,):
                if meter is not None:
                    meter(len(piece))
                body += piece
                if len(body) > most:
                    raise TooLarge(f"sent more than {most / 1_048_576:g} MiB")
                if len(piece) == STEP_BYTES:
                    await asyncio.sleep(0)
    except zlib.error:
        raise BodyError("sent a compressed answer that is damaged") from None
    if inflate is not None and not inflate.eof:
        raise Broken("ended its compressed answer too early")
    return bytes(body)


def _inflated(inflate: zlib._Decompress, chunk: bytes) -> Iterator[bytes]:
    while chunk and not inflate.eof:
        piece = inflate.decompress(chunk, STEP_BYTES)
        yield piece
        chunk = inflate.unconsumed_tail
        if not piece and not chunk:
            return
