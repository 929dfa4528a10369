"""Formats of answers that are lists: JSON, or a CSV or Parquet file."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Header, Query, Request, Response

from augury.http.conditional import tagged

Format = Literal["json", "csv", "parquet"]
MEDIA = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}
CACHING = {"Cache-Control": "private, no-cache", "Vary": "Accept"}
FILES: dict[str, Any] = {
    "text/csv": {"schema": {"type": "string"}},
    "application/vnd.apache.parquet": {"schema": {"type": "string", "format": "binary"}},
}
NOT_MODIFIED: dict[int | str, dict[str, Any]] = {
    304: {"description": "Not modified since the ETag in If-None-Match."}
}
_ACCEPTED: dict[str, Format] = {
    "application/json": "json",
    "application/*": "json",
    "*/*": "json",
    "text/csv": "csv",
    "text/*": "csv",
    "application/vnd.apache.parquet": "parquet",
}


async def _format(
    format: Annotated[
        Format | None,
        Query(
            description="Format of the answer. Default: the one that the Accept header asks for."
        ),
    ] = None,
    accept: Annotated[str | None, Header(include_in_schema=False)] = None,
) -> Format:
    if format is not None:
        return format
    choices: list[tuple[float, int, Format]] = []
    for n, part in enumerate((accept or "").split(",")):
        media, *parameters = (p.strip().lower() for p in part.split(";"))
        if known := _ACCEPTED.get(media):
            quality = next((p[2:] for p in parameters if p.startswith("q=")), "1")
            try:
                choices.append((-float(quality), n, known))
            except ValueError:
                continue
    return min(choices)[2] if choices else "json"


Wanted = Annotated[Format, Depends(_format)]


def download(
    request: Request, body: bytes, wanted: Format, name: str, next_cursor: str | None = None
) -> Response:
    """The CSV or Parquet file `body` as an HTTP answer, with its ETag. If there is a next page
    (`next_cursor` is not None), the answer has a link to it."""
    headers = attached(request, wanted, name, next_cursor)
    return tagged(request, body, media_type=MEDIA[wanted], headers=headers)


def attached(
    request: Request, wanted: Format, name: str, next_cursor: str | None
) -> dict[str, str]:
    """The headers of an answer that is a file called `name`. If there is a next page (`next_cursor`
    is not None), they contain a link to it."""
    return {
        **CACHING,
        **link(request, next_cursor, format=wanted),
        "Content-Disposition": f'attachment; filename="{name}.{wanted}"',
    }


def link(request: Request, next_cursor: str | None, **also: str) -> dict[str, str]:
    """The `Link` header that leads to the next page, as a dict; empty on the last page. `also`:
    query parameters to set in the link."""
    if next_cursor is None:
        return {}
    changed = {"cursor", *also}
    given = [(k, v) for k, v in request.query_params.multi_items() if k not in changed]
    target = urlencode([*given, *also.items(), ("cursor", next_cursor)])
    return {"Link": f'<{request.url.path}?{target}>; rel="next"'}
