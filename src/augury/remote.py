"""The HTTP client that commands use to call a remote Augury service, and the output of its answers
as CSV."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Annotated, Any
from urllib.parse import urlsplit

import httpx2
import typer

from augury.errors import SetupProblem
from augury.net.cookies import no_cookies
from augury.spreadsheet import cell

_LOCAL = ("127.0.0.1", "localhost", "::1")

Url = Annotated[
    str | None,
    typer.Option(
        "--url",
        envvar="AUGURY_URL",
        help="Address of a remote Augury service to ask, with the API key in AUGURY_API_KEY.",
    ),
]
"""The option `--url` of commands that can ask a remote service."""


@asynccontextmanager
async def client(
    url: str, *, named: str = "--url", key: str = "AUGURY_API_KEY"
) -> AsyncIterator[httpx2.AsyncClient]:
    """Yields an HTTP client of the Augury service at `url`. `key`: name of the environment variable
    that holds the API key. `named`: option or setting that the address comes from, for error
    texts.

    Raises
    ------
    SetupProblem
        `url` is not an address, or no service answers there.
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise SetupProblem(
            f"{named} is not the address of a service. It should look like http://HOST:PORT."
        )
    secret = os.environ.get(key)
    try:
        async with httpx2.AsyncClient(
            base_url=url.rstrip("/"),
            headers={"Authorization": f"Bearer {secret}"} if secret else {},
            timeout=60,
            cookies=no_cookies(),
            trust_env=parts.hostname not in _LOCAL,
        ) as made:
            yield made
    except httpx2.TimeoutException:
        raise SetupProblem(
            f"The service at {url} did not answer within 60 s. Try again later."
        ) from None
    except httpx2.TransportError:
        raise SetupProblem(f"No service answers at {url}. Check {named}.") from None


def as_csv(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV for spreadsheets, without a final line break; the columns are
    those of the first row.

    A list or an object becomes JSON. A text that a spreadsheet would take for a formula gets
    an apostrophe before it.
    """
    out = io.StringIO()
    if rows:
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(rows[0])
        writer.writerows([_cell(row.get(name)) for name in rows[0]] for row in rows)
    return out.getvalue().rstrip("\n")


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return cell(value)
