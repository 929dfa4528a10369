"""Sends one message through apprise, in a separate process: `python -m augury.deliveries.notify`.

Apprise (a Python package) talks to about a hundred notification services through its own libraries,
which bypass our guard against internal addresses. So this process is confined by an audit hook of
the interpreter, which nothing can remove. The hook checks each connection, forbids starting
programs, and lets only files of Python and of the network setup be read, because the URLs of some
services can name a local template or key. The job is JSON on standard input; the exit status is 0
if the service accepted the message.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import zoneinfo
from ipaddress import ip_address
from typing import Any

from augury.net.addresses import AddressPolicy, Refused

_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork")


_CHANGES = (
    "os.chmod", "os.chown", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir",
    "os.symlink", "os.truncate", "sqlite3.connect",
)  # fmt: skip
_SYSTEM = (
    "/etc/resolv.conf", "/etc/hosts", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services",
    "/etc/localtime", "/etc/mime.types", "/etc/ssl", "/etc/pki", "/etc/ca-certificates",
    "/usr/share/ca-certificates", "/usr/share/zoneinfo", "/usr/lib/ssl", "/dev/null",
    "/dev/urandom",
)  # fmt: skip
"""Files and folders of the system that the process which sends notifications may read: name
resolution, certificates, time zones."""
_READING = os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_NONBLOCK


def confine(policy: AddressPolicy) -> None:
    """Confine this process for good: from now on it can connect only to addresses that `policy`
    allows, and the only files that it can read are those of Python and of the network setup."""
    readable = tuple(map(os.path.realpath, (*filter(None, sys.path), *zoneinfo.TZPATH, *_SYSTEM)))

    def judge_file(path: Any, flags: int) -> None:
        if isinstance(path, int):
            return  # the descriptor of a file that was opened before
        real = os.path.realpath(os.fsdecode(path))
        if flags & ~_READING or not any(
            real == place or real.startswith(f"{place}/") for place in readable
        ):
            raise PermissionError("this process may not open that file")

    def judge(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            return judge_file(arguments[0], arguments[2] or 0)
        if event in _STARTS or event in _CHANGES:
            raise PermissionError("this process may not start programs or change files")
        if event not in ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"):
            return
        connection, address = arguments[0], arguments[1]
        if connection.family not in (socket.AF_INET, socket.AF_INET6):
            raise PermissionError("this process may not use local sockets")
        if event == "socket.bind":
            raise PermissionError("this process may not listen on a port")
        if isinstance(address, tuple):
            try:
                policy.check_address(ip_address(address[0]))
            except (Refused, ValueError) as error:
                raise PermissionError("the address is not public") from error

    sys.addaudithook(judge)


def send(url: str, payload: dict[str, Any]) -> bool:
    """Send a message (an alert's JSON) to the service that apprise's `url` names. Returns whether
    the service accepted it."""
    import apprise

    target = apprise.Apprise()
    if not target.add(url):
        return False
    data = payload.get("data", {})
    title = data.get("title") or payload["type"]
    lines = [data.get("summary"), data.get("next_action")]
    body = "\n".join(line for line in lines if line) or title
    kind = (
        apprise.NotifyType.WARNING
        if payload["type"] in ("alert.fired", "alert.reminder")
        else "info"
    )
    return bool(target.notify(title=title, body=body, notify_type=kind))


def main() -> int:
    """Send the message that standard input describes as JSON. Returns the exit status: 0 if it was
    accepted."""
    job = json.load(sys.stdin)
    import apprise  # noqa: F401  (before the hook, which would refuse what the import does)

    confine(AddressPolicy.of(job["allowed"], http=job["http"]))
    return 0 if send(job["url"], json.loads(job["payload"])) else 1


if __name__ == "__main__":
    sys.exit(main())
