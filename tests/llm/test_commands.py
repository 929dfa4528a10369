"""`augury llm examine`, `augury relations label` and `labels`."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
import typer
from tests.llm.fake import KEY, FakeModel
from typer.testing import CliRunner

from augury.llm import commands as llm
from augury.relations import commands as relations


@pytest.fixture
def run(database_url: str, url: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in (
        ("DATABASE_URL", database_url), ("LLM_URL", url), ("LLM_KEY", KEY), ("LLM_MODEL", "m-1"),
    ):  # fmt: skip
        monkeypatch.setenv(f"AUGURY_{name}", value)
    app = typer.Typer()
    app.add_typer(llm.app, name="llm")
    app.add_typer(relations.app, name="relations")
    return lambda *arguments: CliRunner().invoke(app, list(arguments))


def test_examine_says_what_the_model_is_used_for(run: Any, fake: FakeModel) -> None:
    fake.says = lambda _: {"answer": "same"}
    report = json.loads(run("llm", "examine", "--json").stdout)
    assert report["model"] == "m-1"
    used = {one["task"]: (one["right"], one["usable"], one["passed"]) for one in report["tasks"]}
    assert used == {
        "label": (0, 0, False), "review": (0, 0, False), "rewrite": (0, 0, False),
        "match": (0, 0, False),
    }  # fmt: skip
    assert report["tokens_today"] > 0
    asked = len(fake.requests)
    shown = run("llm", "examine")
    assert "match" in shown.stdout
    assert KEY not in shown.output
    assert len(fake.requests) == asked  # the answers are kept


def test_examine_says_why_it_can_not(run: Any, fake: FakeModel) -> None:
    fake.fault = "401"
    result = run("llm", "examine")
    assert result.exit_code == 1
    assert "refused the request with status 401" in str(result.exception)
    assert KEY not in str(result.exception)


def test_without_an_address_it_says_so(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AUGURY_LLM_URL")
    for arguments in (("llm", "examine"), ("relations", "label")):
        result = run(*arguments)
        assert result.exit_code == 1
        assert "AUGURY_LLM_URL" in str(result.exception)


def test_a_model_that_fails_its_controls_labels_nothing(run: Any) -> None:
    result = run("relations", "label", "--limit", "5", "--json")
    assert result.exit_code == 1
    assert json.loads(result.stdout.splitlines()[-1])["ended"] == "not qualified"


def test_labels_are_listed_judged_and_removed(run: Any, database_url: str) -> None:
    assert "No labels are stored" in run("relations", "labels").stdout
    with psycopg.connect(database_url, autocommit=True) as conn:
        for n in (1, 2):
            conn.execute(
                "insert into markets (id, platform, platform_id, question, title, outcomes, prices,"
                " status, origin) values (%s, 'polymarket', %s, 'Q?', 'Q?', '{Yes,No}',"
                " '{0.5,0.5}', 'active', 'dump')",
                (f"polymarket:{n}", str(n)),
            )
        conn.execute(
            "insert into relation_labels (pair, first_seq, second_seq, relation, sign, lag_days,"
            " reason, model, made_at) values ('x', 1, 2, 'causes', 1, 3, 'So it is.', 'm-1', now())"
        )
    (one,) = json.loads(run("relations", "labels", "--confirm", "1", "--json").stdout)["labels"]
    assert (one["status"], one["model"], one["reason"]) == ("confirmed", "m-1", "So it is.")
    assert run("relations", "labels", "--reject", "7").exit_code == 1
    (one,) = json.loads(run("relations", "labels", "--reject", "1", "--json").stdout)["labels"]
    assert one["status"] == "rejected"
    gone = json.loads(run("relations", "labels", "--remove-model", "m-1", "--json").stdout)
    assert gone == {"removed": 1, "labels": []}
