"""How commands find the service that runs on a data folder: a Unix socket in the folder, through
which they send requests, and a note with its address, for people.

Commands need the service, because only one process can use the search index. They send it API keys,
so they check that the socket was made by their own user or the owner of the folder. They never send
a key to the address in the note: the service may have been killed, and another program may use its
port by now.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import stat
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2

from augury import remote
from augury.errors import AuguryError
from augury.net.cookies import no_cookies
from augury.settings import Settings

_NAME = "service.json"
_SOCKET = "service.sock"
_BASE = "http://localhost"
_MAX_PATH_BYTES = 107
"""Maximum number of bytes in the path of a Unix socket."""


@contextmanager
def _socket_path(settings: Settings) -> Iterator[str]:
    """Yields a path to the socket in the data folder. The path is short enough for a Unix
    socket."""
    path = str(Path(settings.data_dir) / _SOCKET)
    if len(os.fsencode(path)) <= _MAX_PATH_BYTES:
        yield path
        return
    folder = os.open(settings.data_dir, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{_SOCKET}"
    finally:
        os.close(folder)


def listen(settings: Settings) -> socket.socket:
    """Open the Unix socket in the data folder on which the service answers commands; only its owner
    may connect.

    Raises
    ------
    OSError
        The file system of the folder does not support sockets.
    """
    listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _socket_path(settings) as path:
            Path(path).unlink(missing_ok=True)  # left behind by a service that was killed
            listening.bind(path)
            os.chmod(path, 0o600)
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def announce(settings: Settings, url: str) -> None:
    """Write the address of the running service into a file in the data folder; `withdraw` deletes
    it."""
    (Path(settings.data_dir) / _NAME).write_text(json.dumps({"url": url, "pid": os.getpid()}))


def withdraw(settings: Settings) -> None:
    """Delete the file with the service's address, and the service's socket, if this process made
    them."""
    note = Path(settings.data_dir) / _NAME
    try:
        if json.loads(note.read_text())["pid"] != os.getpid():
            return  # another service has taken the folder over
    except (OSError, ValueError, KeyError, TypeError):
        return
    note.unlink(missing_ok=True)
    note.with_name(_SOCKET).unlink(missing_ok=True)


def _is_trusted(path: str, settings: Settings) -> bool:
    """Whether the process that listens on the Unix socket at `path` can be trusted with an API key:
    the socket was made by this user or by the owner of the data folder. Raises OSError if no
    process listens on it."""
    made = os.stat(path, follow_symlinks=False)
    owners = (os.geteuid(), os.stat(settings.data_dir).st_uid)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as trial:
        trial.settimeout(5)
        trial.connect(path)
    return stat.S_ISSOCK(made.st_mode) and made.st_uid in owners


def health(settings: Settings) -> tuple[str, dict[str, Any]] | None:
    """Address and health report of the service that runs on this data folder; None if no service
    answers."""
    try:
        url = json.loads((Path(settings.data_dir) / _NAME).read_text())["url"]
        with _socket_path(settings) as path:
            if not _is_trusted(path, settings):
                return None
            transport = httpx2.HTTPTransport(uds=path)
            with httpx2.Client(
                transport=transport,
                base_url=_BASE,
                timeout=5,
                cookies=no_cookies(),
                trust_env=False,
            ) as client:
                return url, client.get("/v1/health").raise_for_status().json()
    except (OSError, ValueError, KeyError, TypeError, httpx2.HTTPError):
        return None


@asynccontextmanager
async def service(
    settings: Settings, *scopes: str, url: str | None = None
) -> AsyncIterator[httpx2.AsyncClient | None]:
    """Yields a client of the service that runs on this data folder, with a temporary API key that
    has these `scopes`; None if no service runs on it. With `url`, yields a client of the service at
    that address, with the key in AUGURY_API_KEY."""
    if url is not None:
        async with remote.client(url) as elsewhere:
            yield elsewhere
        return
    from augury.access.service import AccessService
    from augury.storage.database import Database

    if await asyncio.to_thread(health, settings) is None:
        yield None
        return
    database = await Database.open(settings)
    try:
        async with (
            AccessService(database).temporary_key(*scopes) as key,
            client(settings, key) as found,
        ):
            yield found
    finally:
        await database.close()


@asynccontextmanager
async def client(
    settings: Settings, key: str, *, patience: float = 60
) -> AsyncIterator[httpx2.AsyncClient]:
    """Yields a client of the service that runs on this data folder; it signs in with `key`.
    `patience`: seconds to wait for an answer."""
    with _socket_path(settings) as path:
        async with httpx2.AsyncClient(
            transport=httpx2.AsyncHTTPTransport(uds=path),
            base_url=_BASE,
            headers={"Authorization": f"Bearer {key}"},
            timeout=patience,
            cookies=no_cookies(),
            trust_env=False,
        ) as found:
            yield found


async def ask(client: httpx2.AsyncClient, path: str, body: dict[str, Any] | None = None) -> Any:
    """POST `body` to the service, or send a GET if there is no body, and return the JSON of the
    answer. On status 429 (rate limit), wait and try again.

    Raises
    ------
    AuguryError
        The service refused the request, or the answer is not from Augury.
    """
    while True:
        answer = await (client.get(path) if body is None else client.post(path, json=body))
        if answer.status_code == 429:
            seconds = float(answer.headers["Retry-After"])
            print(f"Too many requests. Trying again in {seconds:.0f} s.", file=sys.stderr)
            await asyncio.sleep(seconds)
            continue
        if answer.is_error:
            raise AuguryError(f"The service answered with an error: {_detail(answer)}")
        try:
            return answer.json()
        except ValueError:
            raise AuguryError(
                "The server at this address is not Augury. Check --url or AUGURY_URL."
            ) from None


def _detail(answer: httpx2.Response) -> str:
    try:
        detail = answer.json()["detail"]
        if not isinstance(detail, str):
            detail = "; ".join(f"{issue['loc'][-1]}: {issue['msg']}" for issue in detail)
    except (ValueError, KeyError, TypeError, IndexError):
        return f"HTTP {answer.status_code}"  # not an error of Augury, e.g. a proxy's page
    if answer.status_code == 401:
        detail += " Put a key of that service in AUGURY_API_KEY."
    return detail
