"""Installs Augury as a stranger would, runs it as the systemd unit does, and writes down what came.

    sudo python3 deploy/transcript.py FILE.md

A wheel is built of this checkout and installed into an empty environment; the service is started on
an empty folder in a root made by bubblewrap, with those restrictions of the unit that it and
setpriv give; then it is asked, checked by `augury doctor` and ended by SIGTERM. Needs root, uv (of the
environment of ./augury), bwrap, setpriv and systemd-analyze. Ends with 1 where a step failed.
"""

# ruff: noqa: E501, S108, S603, S607

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
UNIT = ROOT / "deploy" / "systemd" / "augury.service"
PORT = "8765"
SEARCH = """
import json, urllib.request as u
asked = u.Request("http://127.0.0.1:8765/v1/search", b'{"query": "Fed rate cut"}',
                  {"Content-Type": "application/json"})
found = json.load(u.urlopen(asked, timeout=120))["results"]
for relation, markets in found.items():
    print(f"{relation}: {len(markets)}", f"({markets[0]['question'][:60]})" if markets else "")
"""


class Transcript:
    def __init__(self, folder: Path) -> None:
        self.folder, self.lines, self.ok = folder, [], True

    def tell(self, text: str) -> None:
        self.lines += [text, ""]

    def run(self, shown: str, *command: str | Path, last: int = 12) -> str:
        began = time.monotonic()
        done = subprocess.run(
            list(map(str, command)), cwd=self.folder, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.note(shown, done.stdout, done.returncode, time.monotonic() - began, last)
        return done.stdout

    def note(self, shown: str, said: str, status: int, seconds: float, last: int = 12) -> None:
        said = re.sub(r"aug_\w+", "aug_...", said.replace(str(self.folder), "/tmp/x"))
        kept = [line.rstrip()[:160] for line in said.splitlines() if line.strip()][-last:]
        self.lines += ["```console", f"$ {shown}", *kept, "```"]
        self.tell(f"Status {status} after {seconds:.1f} s.")
        self.ok &= status == 0


def confined(folder: Path, data: Path) -> list[str]:
    """What runs a command as the unit's user with the unit's restrictions, as far as it goes."""
    names = folder / "passwd"
    names.write_text(
        Path("/etc/passwd").read_text() + "augury:x:10001:10001::/var/lib/augury:/bin/false\n"
    )
    return [
        *("bwrap", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev"),
        *("--tmpfs", "/tmp", "--tmpfs", "/home", "--tmpfs", "/root", "--tmpfs", "/run"),
        *("--tmpfs", "/opt", "--ro-bind", str(folder / "venv"), "/opt/augury"),
        *("--tmpfs", "/var/lib", "--bind", str(data), "/var/lib/augury"),
        *("--ro-bind", str(names), "/etc/passwd", "--chdir", "/var/lib/augury"),
        *("--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try", "--die-with-parent"),
        *("--clearenv", "--setenv", "PATH", "/usr/bin:/bin", "--setenv", "HOME", "/var/lib/augury"),
        *("--setenv", "AUGURY_DATA_DIR", "/var/lib/augury", "--setenv", "AUGURY_PORT", PORT),
        *("--setenv", "AUGURY_SYNC", "off", "--"),
        *("setpriv", "--reuid=10001", "--regid=10001", "--clear-groups", "--no-new-privs"),
        *("--inh-caps=-all", "--bounding-set=-all"),
    ]


def main() -> int:
    target = Path(sys.argv[1]).resolve()
    folder = Path(tempfile.mkdtemp(prefix="augury-transcript-"))
    folder.chmod(0o755)
    told = Transcript(folder)
    head = subprocess.run(
        ["git", "-C", ROOT, "rev-parse", "--short", "HEAD"], capture_output=True, text=True
    ).stdout.strip()
    load = Path("/proc/loadavg").read_text().split()[0]
    told.tell("# Wheel, unit and clean root: a transcript")
    told.tell(
        f"Written by `deploy/transcript.py` on {datetime.now(UTC):%Y-%m-%d at %H:%M UTC}, at commit "
        f"`{head}`, at a system load of {load} from other programs. The names of folders are "
        "shortened, and outputs are cut to their last lines. Below each command is its exit status, "
        "with the time that it took."
    )
    uv = [str(ROOT / ".venv" / "bin" / "uv"), "--no-config", "--quiet"]
    try:
        told.tell("## The wheel, where nothing else is")
        told.run("uv build --wheel", *uv, "build", "--wheel", "--out-dir", folder / "w", ROOT)
        (wheel,) = (folder / "w").glob("*.whl")
        told.run(
            "uv venv /tmp/x/venv", *uv, "venv", "--python", "/usr/bin/python3", folder / "venv"
        )
        python = folder / "venv" / "bin" / "python"
        told.run(f"uv pip install {wheel.name}", *uv, "pip", "install", "--python", python, wheel)
        told.run("du -sm /tmp/x/venv", "du", "-sm", folder / "venv")
        told.tell("## The unit")
        analyze = shlex.split("systemd-analyze security --offline=true")
        told.run(f"{shlex.join(analyze)} augury.service", *analyze, UNIT, last=1)
        # Verified with a program that is there: the unit's own is in /opt.
        copy = folder / "augury.service"
        copy.write_text(UNIT.read_text().replace("/opt/augury/bin/augury", str(python)))
        told.run("systemd-analyze verify augury.service", "systemd-analyze", "verify", copy)
        told.tell("## Its service in a clean root")
        told.tell(
            "Here the service of the systemd unit `augury.service` runs without systemd. In the place "
            "of systemd, bubblewrap and setpriv provide these restrictions:\n\n"
            "- the user id 10001, without capabilities and without a way to gain privileges;\n"
            "- a read-only root folder, with `/tmp`, `/home`, `/root` and `/run` empty;\n"
            "- only the basic devices, and a separate IPC namespace and host name.\n\n"
            "Bubblewrap and setpriv do not provide the unit's other restrictions: filters of system "
            "calls, restricted address families and namespaces, and limits of memory and tasks."
        )
        data = folder / "data"
        data.mkdir(mode=0o700)
        shutil.chown(data, 10001, 10001)
        inside = confined(folder, data)
        augury = ["/opt/augury/bin/python", "-P", "-m", "augury"]
        began = time.monotonic()
        with (folder / "log").open("w") as log:
            service = subprocess.Popen(
                [*inside, *augury, "serve"], stdout=subprocess.PIPE, stderr=log, text=True
            )
        try:
            assert service.stdout is not None
            first = service.stdout.readline()
            told.note("augury serve", first or (folder / "log").read_text()[-900:], int(not first),
                      time.monotonic() - began)  # fmt: skip
            told.run("a search for 'Fed rate cut'", "python3", "-c", SEARCH)
            told.run("augury doctor", *inside, *augury, "doctor", last=30)
            told.run("augury upgrade --check", *inside, *augury, "upgrade", "--check")
            told.run("touch /opt/x /usr/x /etc/x; true", *inside, "sh", "-c",
                     "touch /opt/augury/x /usr/x /etc/x; true")  # fmt: skip
        finally:
            began = time.monotonic()
            children = Path(f"/proc/{service.pid}/task/{service.pid}/children").read_text().split()
            for pid in children or [str(service.pid)]:
                subprocess.run(["kill", "-TERM", pid])
            status = service.wait(60)
            # Ended by the signal itself, after everything was closed: systemd takes it for success.
            ended = "Terminated" if status in (0, 143) else (folder / "log").read_text()[-900:]
            told.note("kill -TERM", ended, status % 143, time.monotonic() - began)
    finally:
        target.write_text("\n".join(told.lines).rstrip() + "\n")
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if told.ok else 1


if __name__ == "__main__":
    sys.exit(main())
