"""Does what Containerfile says in a clean root, where no container engine runs.

    sudo python3 deploy/clean_root.py [--suite trixie] [--base FOLDER] [--keep FOLDER]
        [--build-arg NAME=VALUE]

The root is a bare Debian with its Python (debootstrap), in place of the images that FROM names
("scratch" is an empty one). Each instruction is done in it by bubblewrap. Then containers are
started of it as an engine would: the root read-only, /data the only folder that stays, no
capability but those given, no new privilege, process number 1, a network of its own without a way
out. Tried as the image's user and as root with five capabilities: the image's own health check, a
search, SIGTERM, and a second container that finds what the first one kept. Prints a JSON object and
ends with 1 where something is amiss.

Needs root, debootstrap, bwrap, nsenter and setpriv; the packages come by pip's own settings.
"""

# ruff: noqa: S108, S603, S607

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
HELPERS = "/mnt"
"""Where pip's settings and certificates are while an instruction runs; empty afterwards."""
AS_ROOT = "chown", "dac_override", "kill", "setgid", "setuid"
STARTS_IN, STOPS_IN = 120.0, 30.0
ASKING = """
import json, sys, urllib.request as u
path, body = sys.argv[1], sys.argv[2].encode() or None
key = {"Authorization": "Bearer " + sys.argv[3]} if sys.argv[3:] else {}
asked = u.Request("http://127.0.0.1:8000" + path, body, {"Content-Type": "application/json", **key})
print(u.urlopen(asked, timeout=60).read().decode())
"""


def run(*command: str | Path, **more: Any) -> subprocess.CompletedProcess[str]:
    """A command that has to succeed; its output is shown where it does not."""
    done = subprocess.run(
        list(map(str, command)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **more
    )
    if done.returncode:
        raise SystemExit(f"{shlex.join(map(str, command))[:300]}\n{done.stdout[-4000:]}")
    return done


def instructions(text: str) -> list[tuple[str, str]]:
    """What a Containerfile says: ("RUN", "...")."""
    lines = re.sub(r"^\s*#.*\n", "", text, flags=re.MULTILINE).replace("\\\n", " ").splitlines()
    return [(word, rest.strip()) for word, _, rest in (s.partition(" ") for s in lines) if word]


class Image:
    """A root in the making, and what the Containerfile says about running it."""

    def __init__(self, folder: Path, base: Path | None, given: Mapping[str, str]) -> None:
        """`base`: None for an empty root. `given`: arguments of the build, over the defaults."""
        self.folder, self._given = folder, given
        if base is None:
            folder.mkdir()
        else:
            run("cp", "-a", "--reflink=auto", base, folder)
        self.env = {"PATH": PATH}
        self.user = "0:0"
        self.workdir = "/"
        self.stop = "SIGTERM"
        self.health: list[str] = []
        self.command: list[str] = []

    def do(self, word: str, rest: str, built: dict[str, Image], helpers: Path) -> None:
        match word:
            case "RUN":
                self._run(rest, helpers)
            case "COPY":
                self._copy(shlex.split(rest), built)
            case "ARG":
                name, _, value = rest.partition("=")
                self.env[name] = self._given.get(name, value)
            case "ENV":
                for pair in shlex.split(rest):
                    name, _, value = pair.partition("=")
                    self.env[name] = value.replace(f"${name}", self.env.get(name, ""))
            case "USER":
                self.user = rest
            case "WORKDIR":
                self.workdir = rest
            case "STOPSIGNAL":
                self.stop = rest
            case "HEALTHCHECK":
                self.health = json.loads(rest[rest.index("CMD") + 3 :])
            case "ENTRYPOINT" | "CMD":
                self.command += json.loads(rest)
            case "VOLUME" | "EXPOSE":
                pass
            case _:
                raise SystemExit(f"clean_root.py does not know {word}.")

    def _run(self, command: str, helpers: Path) -> None:
        settings = {
            name: f"{HELPERS}/{file}"
            for name, file in (
                ("PIP_CONFIG_FILE", "pip.conf"), ("PIP_CERT", "ca.pem"), ("SSL_CERT_FILE", "ca.pem")
            )
            if (helpers / file).exists()
        }  # fmt: skip
        run(
            "bwrap", "--bind", self.folder, "/", "--dev", "/dev", "--proc", "/proc",
            "--ro-bind", "/etc/resolv.conf", "/etc/resolv.conf", "--ro-bind", helpers, HELPERS,
            "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--clearenv",
            *_setenv({**self.env, **settings}), "--chdir", self.workdir, "/bin/sh", "-c", command,
        )  # fmt: skip

    def _copy(self, words: Sequence[str], built: dict[str, Image]) -> None:
        source = ROOT
        if words[0].startswith("--from="):
            source = built[words[0].partition("=")[2]].folder
            words = words[1:]
        *names, target = words
        there = self.folder / target.lstrip("/")
        for name in names:
            given = source / name.lstrip("/")
            if given.is_dir() and source != ROOT:
                there.mkdir(parents=True, exist_ok=True)
                run("cp", "-a", "--reflink=auto", f"{given}/.", there)
            elif given.is_dir():
                ignored = shutil.ignore_patterns("__pycache__")
                shutil.copytree(given, there, symlinks=True, ignore=ignored, dirs_exist_ok=True)
            else:
                file = there / given.name if target.endswith("/") else there
                file.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(given, file)


def _setenv(env: dict[str, str]) -> list[str]:
    return [part for name, value in env.items() for part in ("--setenv", name, value)]


def build(folder: Path, base: Path, helpers: Path, given: Mapping[str, str]) -> Image:
    """Every stage of the Containerfile; the last one is the image."""
    built: dict[str, Image] = {}
    image: Image | None = None
    for word, rest in instructions((ROOT / "Containerfile").read_text()):
        if word == "FROM":
            source, _, name = rest.partition(" AS ")
            name = name or "image"
            image = built[name] = Image(
                folder / f"stage-{name}", None if source == "scratch" else base, given
            )
        else:
            assert image is not None
            image.do(word, rest, built, helpers)
    assert image is not None
    return image


def debian(folder: Path, suite: str) -> None:
    """A bare Debian in which `python` is Python, less what the slim images of Debian leave out."""
    run(
        "debootstrap", "--variant=minbase", "--include=python3,python3-venv,ca-certificates",
        suite, folder,
    )  # fmt: skip
    (folder / "usr/local/bin/python").symlink_to("/usr/bin/python3")
    run("chroot", folder, "apt-get", "clean")
    shutil.rmtree(folder / "var/lib/apt/lists")
    share = folder / "usr/share"
    for place in (
        share / "doc",
        share / "man",
        share / "info",
        share / "lintian",
        share / "locale",
    ):
        shutil.rmtree(share / place, ignore_errors=True)


class Container:
    """A process in the image's root, as an engine starts it."""

    def __init__(self, image: Image, data: Path, user: str, capabilities: Sequence[str]) -> None:
        self.image, self.user = image, user
        self._reads, writes = os.pipe()
        uid, _, gid = user.partition(":")
        rights = ",".join(["-all", *(f"+{name}" for name in capabilities)])
        command = [
            *("bwrap", "--ro-bind", str(image.folder), "/", "--proc", "/proc", "--dev", "/dev"),
            *("--perms", "1777", "--size", str(64 << 20), "--tmpfs", "/dev/shm"),
            *("--perms", "1777", "--tmpfs", "/tmp", "--bind", str(data), "/data"),
            *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-net", "--as-pid-1"),
            *("--clearenv", *_setenv(image.env), "--chdir", image.workdir),
            *("--info-fd", str(writes), "--die-with-parent", "--"),
            *("setpriv", f"--reuid={uid}", f"--regid={gid}", "--clear-groups", "--no-new-privs"),
            *(f"--inh-caps={rights}", f"--bounding-set={rights}", *image.command),
        ]
        self._log = tempfile.TemporaryFile("w+")  # noqa: SIM115  (closed with the container)
        self._began = time.monotonic()
        self._process = subprocess.Popen(
            command, pass_fds=[writes], stdout=self._log, stderr=self._log
        )
        os.close(writes)
        with os.fdopen(self._reads) as told:
            self._pid: int = json.load(told)["child-pid"]

    def execute(self, *command: str) -> subprocess.CompletedProcess[str]:
        """A command beside the service, as `docker exec` does it."""
        uid, _, gid = self.user.partition(":")
        environment = [f"{name}={value}" for name, value in self.image.env.items()]
        return subprocess.run(
            ["nsenter", f"--target={self._pid}", "--mount", "--pid", "--net", "--ipc", "--uts",
             f"--root=/proc/{self._pid}/root", f"--wd=/proc/{self._pid}/root", f"--setuid={uid}",
             f"--setgid={gid}", "env", "-i", *environment, *command],
            text=True, capture_output=True, timeout=120,
        )  # fmt: skip

    def ask(self, path: str, body: object = None, key: str | None = None) -> Any:
        done = self.execute(
            "python", "-c", ASKING, path, json.dumps(body) if body else "", *([key] if key else [])
        )
        if done.returncode:
            raise SystemExit(f"{path}: {done.stderr[-1000:]}\n{self.log()}")
        return json.loads(done.stdout)

    def healthy(self) -> float:
        """Seconds until the image's own health check passed."""
        while self.execute(*self.image.health).returncode:
            if self._process.poll() is not None or time.monotonic() - self._began > STARTS_IN:
                raise SystemExit(f"The container is not healthy.\n{self.log()}")
            time.sleep(0.2)
        return time.monotonic() - self._began

    def stop(self) -> tuple[float, int]:
        """Seconds that the stop signal took, and the exit status."""
        began = time.monotonic()
        os.kill(self._pid, getattr(signal, self.image.stop))
        try:
            status = self._process.wait(STOPS_IN)
        except subprocess.TimeoutExpired:
            raise SystemExit(f"{self.image.stop} did not end it.\n{self.log()}") from None
        return time.monotonic() - began, status

    def kill(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()

    def log(self) -> str:
        self._log.seek(0)
        return self._log.read()[-4000:]


@contextmanager
def container(
    image: Image, data: Path, user: str, capabilities: Sequence[str]
) -> Iterator[Container]:
    made = Container(image, data, user, capabilities)
    try:
        yield made
    finally:
        made.kill()


def live(image: Image, data: Path, user: str, capabilities: Sequence[str]) -> dict[str, Any]:
    """One container, and another one after it with the same /data."""
    data.mkdir(mode=0o700)
    os.chown(data, *map(int, user.split(":")))
    found: dict[str, Any] = {"user": user, "capabilities": list(capabilities)}
    with container(image, data, user, capabilities) as first:
        found["healthy_after_s"] = round(first.healthy(), 1)
        results = first.ask("/v1/search", {"query": "Will the Fed cut rates in December?"})
        found["results"] = len(results["results"]["direct"])
        made = first.execute(
            "augury", "keys", "create", "--account", "kept", "--scope", "watch:write", "--json"
        )
        key = json.loads(made.stdout)["key"]
        watchlist = first.ask("/v1/watchlists", {"name": "Kept"}, key)
        outside = first.execute("sh", "-c", "touch /opt/x /etc/x /usr/x 2>&1 | wc -l")
        found["writes_refused"] = int(outside.stdout)
        seconds, found["status"] = first.stop()
        found["stopped_after_s"] = round(seconds, 1)
    with container(image, data, user, capabilities) as second:
        found["replaced_healthy_after_s"] = round(second.healthy(), 1)
        again = second.ask(f"/v1/watchlists/{watchlist['id']}", key=key)
        found["kept"] = again["name"] == "Kept"
        second.stop()
    good = found["results"] and found["kept"] and found["writes_refused"] == 3
    found["ok"] = bool(good and found["status"] == 0)
    return found


def megabytes(folder: Path) -> int:
    return round(int(run("du", "-s", "-B1", folder).stdout.split()[0]) / 1e6)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--suite", default="trixie", help="Debian's; default: trixie.")
    parser.add_argument("--base", type=Path, help="A bare Debian, made here where it is missing.")
    parser.add_argument("--keep", type=Path, help="Build here and leave it; default: remove it.")
    parser.add_argument("--build-arg", action="append", default=[], help="NAME=VALUE, repeatedly.")
    given = parser.parse_args()
    missing = [p for p in ("debootstrap", "bwrap", "nsenter", "setpriv") if not shutil.which(p)]
    if os.geteuid() or missing:
        raise SystemExit(f"Needs root{''.join(f', {p}' for p in missing)}.")
    folder = given.keep or Path(tempfile.mkdtemp(prefix="augury-clean-"))
    try:
        base = given.base or folder / "base"
        if not base.exists():
            debian(base, given.suite)
        helpers = folder / "helpers"
        helpers.mkdir(parents=True)
        for file, names in (
            ("pip.conf", [os.environ.get("PIP_CONFIG_FILE"), "/etc/pip.conf"]),
            ("ca.pem", [os.environ.get("PIP_CERT"), os.environ.get("SSL_CERT_FILE")]),
        ):
            if there := next((n for n in names if n and Path(n).is_file()), None):
                shutil.copy(there, helpers / file)
        began = time.monotonic()
        arguments = dict(one.split("=", 1) for one in given.build_arg)
        image = build(folder, base, helpers, arguments)
        found: dict[str, Any] = {
            "suite": given.suite,
            "python": run("chroot", image.folder, "python", "--version").stdout.split()[1],
            "build_s": round(time.monotonic() - began),
            "base_mb": megabytes(base),
            "image_mb": megabytes(image.folder),
            "packages_mb": megabytes(image.folder / "opt/augury"),
            "containers": [
                live(image, folder / "data-user", image.user, ()),
                live(image, folder / "data-root", "0:0", AS_ROOT),
            ]
            if arguments.get("EMBEDDED") != "no"  # that one needs servers elsewhere
            else [],
        }
        print(json.dumps(found, indent=1))
        return 0 if all(one["ok"] for one in found["containers"]) else 1
    finally:
        if given.keep is None:
            shutil.rmtree(folder)


if __name__ == "__main__":
    sys.exit(main())
