"""Completion works in a real shell, and `man` reads its page."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from tests.pace import PATIENCE

from augury.handbook import shell
from augury.handbook.reference import every_command


def completed(line: str) -> set[str]:
    """What bash offers at the end of a line, files left out."""
    words = " ".join(f'"{word}"' for word in line.split(" "))
    count = len(line.split(" ")) - 1
    script = f"""{shell.completion("bash")}
        COMP_WORDS=({words}); COMP_CWORD={count}; _augury; printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "-u", "-c", script], capture_output=True, text=True, timeout=PATIENCE, cwd="/"
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_commands_and_options_are_completed() -> None:
    assert {name.split()[0] for name in every_command()} <= completed("augury ")
    assert completed("augury ke") == {"keys"}
    assert {"create", "list", "revoke", "rotate"} <= completed("augury keys ")
    assert completed("augury keys create --acc") == {"--account"}
    assert {"--top-k", "--json", "--help"} <= completed("augury search fed --")
    assert completed("augury --url http://x keys cr") == {"create"}
    assert "bashcompinit" in shell.completion("zsh")


SHELLS = {"zsh": ["zsh", "-f", "-i"], "bash": ["bash", "--norc", "--noprofile", "-i"]}


@pytest.mark.parametrize("name", SHELLS)
def test_tabs_complete_in_a_shell_that_somebody_types_in(name: str, tmp_path: Path) -> None:
    if shutil.which(name) is None:
        pytest.skip(f"no {name} on this machine")
    (tmp_path / "completion").write_text(shell.completion(name))
    env = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TERM": "dumb", "PS1": "> "}
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(tmp_path)
        os.execvpe(SHELLS[name][0], SHELLS[name], env)
    try:
        # What is typed comes back too, so each step waits for what only the shell can add.
        for typed, shown in (
            (". ./completion; echo re''ady\n", "ready"),
            ("augury ke\t", "keys "),
            ("cr\t", "create "),
            ("--acc\t", "--account "),
            ("\x15augury eval \t\t", "leave-one-out"),
        ):
            os.write(terminal, typed.encode())
            _wait_for(terminal, shown)
    finally:
        os.close(terminal)  # hangs up
        os.waitpid(pid, 0)


def _wait_for(terminal: int, text: str) -> None:
    seen, until = b"", time.monotonic() + PATIENCE
    while text.encode() not in seen:
        left = until - time.monotonic()
        assert left > 0, f"{text!r} did not come, but {seen!r}"
        if select.select([terminal], [], [], left)[0]:
            seen += os.read(terminal, 65536)


def test_man_reads_the_page() -> None:
    page = shell.man()
    for name in every_command():
        assert f".SS augury {name}".replace("-", "\\-") in page
    if (groff := shutil.which("groff")) is None:
        pytest.skip("no groff on this machine")
    done = subprocess.run(
        [groff, "-man", "-Tutf8", "-ww", "-z"],
        input=page,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert (done.returncode, done.stderr) == (0, "")
