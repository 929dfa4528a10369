"""Finds the PostgreSQL process that serves a data folder, and whether it accepts connections."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def cluster_name(data: Path) -> str:
    """Name that the PostgreSQL server of the folder `data` has in its command line, by which
    `serves` recognizes the server. Different for every folder."""
    stat = data.stat()
    return f"augury-{stat.st_dev:x}-{stat.st_ino:x}"


def pid_in(data: Path) -> int | None:
    """Process id that the pid file of the folder `data` names; None if there is no such file. The
    process may have ended, and its id may belong to another process now."""
    try:
        return int((data / "postmaster.pid").read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return None


def ready_server(data: Path) -> int | None:
    """Id of the PostgreSQL process that serves the folder `data`. None unless the server's pid file
    (`postmaster.pid`) says that the server accepts connections."""
    try:
        lines = (data / "postmaster.pid").read_text().splitlines()
        pid = int(lines[0])
    except (OSError, ValueError, IndexError):
        return None
    ready = len(lines) >= 8 and lines[7].strip() == "ready" and serves(pid, data)
    return pid if ready else None


def serves(pid: int, data: Path) -> bool:
    """Whether process `pid` is the PostgreSQL server of the folder `data`, not another process with
    a reused id."""
    if sys.platform == "linux":
        try:
            return os.path.samefile(os.readlink(f"/proc/{pid}/cwd"), data)
        except PermissionError:  # another user's, and no CAP_SYS_PTRACE: a container
            return cluster_name(data) in _command_line(pid)
        except OSError:
            return False
    listing = ["/bin/ps", "-o", "command=", "-p", str(pid)]
    answer = subprocess.run(listing, capture_output=True, text=True, check=False)  # noqa: S603
    return "postgres" in answer.stdout


def _command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().decode(errors="replace")
    except OSError:
        return ""
