"""What venues and models write is shown as it is: no styles, links or pictures of theirs."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from augury import cli
from augury.errors import SetupProblem
from augury.search.commands import _show
from augury.venues.wire import line

SOURCE = Path(__file__).parents[1] / "src" / "augury"
HOSTILE = "[link=https://evil.test]Will[/link] [blink red]it[/] :smiley: rain?"


def test_a_title_with_markup_is_shown_as_text(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "400")
    result = {
        "score": 1.0, "current_prices": {HOSTILE: 0.5}, "price_as_of": None, "closes_at": None,
        "volume": None, "status": "active", "stale": False, "question": HOSTILE, "id": "m",
        "platform_url": None, "reason": "[/] unbalanced", "origin": "venue",
    }  # fmt: skip
    _show({"upstream": [result]})
    said = capsys.readouterr().out
    assert HOSTILE in said
    assert "[/] unbalanced" in said


def test_escapes_never_come_into_the_catalogue() -> None:
    assert line("Will \x1b]8;;https://evil.test\x07it\x1b[2J \u202erain?") == (
        "Will ]8;;https://evil.testit[2J rain?"
    )


def test_no_console_reads_markup() -> None:
    made = [
        (path, call)
        for path in SOURCE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("Console", "TextColumn")
    ]
    assert len(made) >= 10
    careless = [
        f"{path.relative_to(SOURCE)}:{call.lineno}"
        for path, call in made
        if not any(k.arg == "markup" and ast.unparse(k.value) == "False" for k in call.keywords)
    ]
    assert careless == []
    assert not [p for p in SOURCE.rglob("*.py") if "from rich import print" in p.read_text()]


def test_an_error_holds_nothing_that_a_terminal_obeys(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail() -> None:
        raise SetupProblem("made by Augury \x1b[31m\x1b]0;pwn\x07\u202e 2 –\nUpdate.")

    monkeypatch.setattr(cli, "app", fail)
    monkeypatch.setattr(cli, "mount", lambda *_: None)
    with pytest.raises(SystemExit):
        cli.main()
    said = capsys.readouterr().err
    assert said == "augury: made by Augury \\x1b[31m\\x1b]0;pwn\\x07\\u202e 2 –\nUpdate.\n"
