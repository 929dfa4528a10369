"""Which process owns the embedded PostgreSQL server of a data folder: the owner's lock, and the
record that the owner writes for other processes."""

from __future__ import annotations

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path


@dataclass(frozen=True)
class Record:
    """What the process that owns the embedded server writes to the data folder (server.json), for
    processes that use the same server and for its next owner."""

    folder: str
    """Path of the data folder's `postgres` folder when the record was written. If the record is
    read at another path, the data folder was moved or copied."""
    socket_dir: str
    identity: str
    """User that the server runs as, in the form that the script launch.py takes: `same` (the user
    of the process that starts the server), `namespace:UID:GID` or `user:UID:GID`."""

    @classmethod
    def read(cls, folder: Path) -> Record | None:
        try:
            found = json.loads((folder / "server.json").read_text())
            return cls(found["folder"], found["socket_dir"], found["identity"])
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return None

    def write(self, folder: Path) -> None:
        new = folder / "server.json.new"
        new.write_text(json.dumps(asdict(self), indent=2) + "\n")
        new.chmod(0o600)
        new.replace(folder / "server.json")


class OwnerLock:
    """The lock of a data folder. Its holder owns the folder's PostgreSQL server; the kernel drops
    the lock when the holder dies."""

    def __init__(self, path: Path) -> None:
        self._descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def acquire(self) -> bool:
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
        self._descriptor = -1
