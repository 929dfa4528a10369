"""What venues and models write is shown as it is: no styles, links or pictures of theirs."""

from __future__ import annotations

import ast
import io
import json

import pytest
from rich.console import Console as Terminal
from rich.table import Table
from tests.source_code import SOURCE, calls, modules, text_of

from augury import cli, clock
from augury.access import commands
from augury.access.records import ApiKey
from augury.errors import SetupProblem
from augury.search.commands import _show
from augury.tables import Console
from augury.terminal import Visible
from augury.venues.wire import line

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
    # Of the evaluations' tables the texts are the operator's own file's.
    drawing = [p for p in modules() if "from rich.console import Console" in text_of(p)]
    texts_of_others = {"graph", "language", "llm", "relations", "rvol", "venues"}
    assert not [p for p in drawing if p.relative_to(SOURCE).parts[0] in texts_of_others]
    made = [
        (path, call)
        for path, call in calls("rich")
        if isinstance(call.func, ast.Name) and call.func.id in ("Console", "TextColumn")
    ]
    assert len(made) >= 10
    careless = [
        f"{path.relative_to(SOURCE)}:{call.lineno}"
        for path, call in made
        if not any(k.arg == "markup" and ast.unparse(k.value) == "False" for k in call.keywords)
    ]
    assert careless == []
    assert not [p for p in modules() if "from rich import print" in text_of(p)]


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
    assert said == ("augury: made by Augury \\u001b[31m\\u001b]0;pwn\\u0007\\u202e 2 –\nUpdate.\n")


ESCAPES = "mine \x1b]0;pwn\x07\x9b31m\u202e"
SHOWN = "mine \\u001b]0;pwn\\u0007\\u009b31m\\u202e"


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_stored_label_moves_no_cursor(
    form: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Labels of an older version, or of a restored backup, may hold anything."""
    key = ApiKey(
        "key_1", "acc_1", ESCAPES, "aug_x", ["search:read"], ESCAPES, clock.now(), None, None, None
    )
    monkeypatch.setattr(commands, "_with_access", lambda _: [key])
    monkeypatch.setattr("sys.argv", ["augury", "keys", "list", *form])
    monkeypatch.setattr(cli, "_log_to_stderr", lambda: None)
    with pytest.raises(SystemExit) as left:
        cli.main()
    assert left.value.code == 0
    said = capsys.readouterr().out
    assert said.count(SHOWN) == 2
    assert all(c.isprintable() or c == "\n" for c in said)
    if form:
        assert json.loads(said)[0]["label"] == ESCAPES


def test_a_label_in_a_table_moves_no_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("title")
    table.add_row(ESCAPES)
    Console(markup=False, emoji=False, width=200).print(table)
    assert SHOWN in capsys.readouterr().out


def test_what_is_written_past_text_still_works() -> None:
    """Shells' completions, the tools for models over standard output, styles of rich."""
    raw = io.TextIOWrapper(io.BytesIO())
    stream = Visible(raw)
    with pytest.raises(TypeError):
        stream.write(b"x")  # type: ignore[arg-type]
    stream.buffer.write(b"\x1b")
    Terminal(file=stream, force_terminal=True).print("x", style="red")  # type: ignore[arg-type]
    stream.flush()
    assert raw.buffer.getvalue().startswith(b"\x1b\x1b[31mx")  # type: ignore[attr-defined]
