"""Where the service on a data folder answers: a note it leaves there, by which other commands
ask it, because the search index is that service's alone."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2

from augury.errors import AuguryError
from augury.net.cookies import no_cookies
from augury.settings import Settings

_NAME = "service.json"


def announce(settings: Settings, url: str) -> None:
    """Leave the note; `withdraw` takes it away."""
    (Path(settings.data_dir) / _NAME).write_text(json.dumps({"url": url, "pid": os.getpid()}))


def withdraw(settings: Settings) -> None:
    """Take the note away."""
    (Path(settings.data_dir) / _NAME).unlink(missing_ok=True)


def health(settings: Settings) -> tuple[str, dict[str, Any]] | None:
    """Address and health of the service on this data folder; None where none answers.

    A service that was killed leaves its note behind, so a note alone proves nothing.
    """
    try:
        url = json.loads((Path(settings.data_dir) / _NAME).read_text())["url"]
        answer = httpx2.get(f"{url}/v1/health", timeout=5, trust_env=False).raise_for_status()
        return url, answer.json()
    except (OSError, ValueError, KeyError, TypeError, httpx2.HTTPError):
        return None


@asynccontextmanager
async def service(settings: Settings, *scopes: str) -> AsyncIterator[httpx2.AsyncClient | None]:
    """A client of the service on this data folder with a key lent for these `scopes`; None where
    no service answers."""
    from augury.access.service import AccessService
    from augury.storage.database import Database

    found = await asyncio.to_thread(health, settings)
    if found is None:
        yield None
        return
    database = await Database.open(settings)
    try:
        async with (
            AccessService(database).lent(*scopes) as key,
            httpx2.AsyncClient(
                base_url=found[0],
                headers={"Authorization": f"Bearer {key}"},
                timeout=60,
                cookies=no_cookies(),
                trust_env=False,
            ) as client,
        ):
            yield client
    finally:
        await database.close()


async def ask(client: httpx2.AsyncClient, path: str, body: dict[str, Any] | None = None) -> Any:
    """The answer of the service to a POST of `body`, or to a GET; waits where it says so.

    Raises
    ------
    AuguryError
        What the service said, where it refused.
    """
    while True:
        answer = await (client.get(path) if body is None else client.post(path, json=body))
        if answer.status_code == 429:
            seconds = float(answer.headers["Retry-After"])
            print(f"The service asks to wait {seconds:.0f} s.", file=sys.stderr)
            await asyncio.sleep(seconds)
            continue
        if answer.is_error:
            detail = answer.json()["detail"]
            if not isinstance(detail, str):
                detail = "; ".join(f"{issue['loc'][-1]}: {issue['msg']}" for issue in detail)
            raise AuguryError(f"The running service said: {detail}")
        return answer.json()
