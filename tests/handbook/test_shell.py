"""Completion works in a real shell, and `man` reads its page."""

from __future__ import annotations

import shutil
import subprocess

import pytest

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
        ["bash", "-u", "-c", script], capture_output=True, text=True, timeout=60, cwd="/"
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
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")
