"""Starts commands of the service as forks of one process that has imported and read everything.

    python -m tests.zygote

Reads one JSON object a line from standard input: {"name", "argv", "env"}. The command runs in a
process of its own, as `python -m augury ARGV` would, only without the seconds that imports and the
reading of data take; beside NAME it leaves NAME.out (its output), NAME.err, NAME.pid and, when it
has ended, NAME.rc. Tests that start the service use it, most through the one that a process of
tests shares.
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    """Fork until standard input ends."""
    from augury import app, cli, serving
    from augury.language import vocabulary
    from augury.relations.causal import knowledge
    from augury.rvol import garch
    from augury.search import service

    if garch.available():
        import_module("arch")
    knowledge.load()
    vocabulary.default()
    service.shared_embedder()
    assert app
    assert serving
    gc.freeze()
    print("ready", flush=True)
    for line in sys.stdin:
        given = json.loads(line)
        if os.fork() == 0:  # it stays to say how the command ended
            _watch(given, cli.main)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass


def _watch(given: dict[str, Any], command: Any) -> None:
    name = given["name"]
    pid = os.fork()
    if pid == 0:
        os.environ.update(given["env"])
        sys.argv = ["augury", *given["argv"]]
        for descriptor, kind in ((1, "out"), (2, "err")):
            file = os.open(f"{name}.{kind}", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
            os.dup2(file, descriptor)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        code: Any = 1
        try:
            command()
            code = 0
        except SystemExit as leaving:
            code = leaving.code
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code if isinstance(code, int) else int(code is not None))
    _write(f"{name}.pid", str(pid))
    _, status = os.waitpid(pid, 0)
    _write(f"{name}.rc", str(os.waitstatus_to_exitcode(status)))
    os._exit(0)


def _write(path: str, text: str) -> None:
    Path(f"{path}.new").write_text(text)
    Path(f"{path}.new").rename(path)


class Zygote:
    """The process, as a test sees it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.zygote"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        assert self._process.stdout
        assert self._process.stdout.readline() == "ready\n"

    def start(self, *argv: str, env: dict[str, str]) -> Command:
        """Start a command."""
        self._count += 1
        name = str(self._folder / f"{self._count}-{argv[0]}")
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"name": name, "argv": argv, "env": env}) + "\n")
        self._process.stdin.flush()
        return Command(name)

    def close(self) -> None:
        """End it; commands that still run are their starter's to end."""
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(10)
        assert self._process.stdout
        self._process.stdout.close()


@cache
def shared() -> Zygote:
    """The zygote of this process, started when it is first asked for."""
    folder = tempfile.TemporaryDirectory(prefix="augury-z-")
    zygote = Zygote(Path(folder.name))
    atexit.register(folder.cleanup)
    atexit.register(zygote.close)
    return zygote


class Command:
    """A command that was started. Beside its files, what a Popen offers."""

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, kind: str) -> str:
        """What it has said so far: out, err, pid or rc."""
        try:
            return Path(f"{self.name}.{kind}").read_text()
        except FileNotFoundError:
            return ""

    @property
    def pid(self) -> int:
        while not (text := self.read("pid")):
            time.sleep(0.002)
        return int(text)

    @property
    def code(self) -> int | None:
        """How it ended; None while it runs."""
        text = self.read("rc")
        return int(text) if text else None

    def poll(self) -> int | None:
        return self.code

    def wait(self, timeout: float | None = None) -> int:
        deadline = time.monotonic() + (timeout or 120)
        while (code := self.code) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(self.name, timeout or 120, self.read("out"))
            time.sleep(0.005)
        return code

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


if __name__ == "__main__":
    main()
