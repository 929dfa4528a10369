"""The queue of unjudged pairs, a fake model over real HTTP that fills it, and what is accepted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
import typer
from pydantic import SecretStr
from tests.llm.fake import KEY, FakeModel, data_of, served
from tests.relations.stored_markets import market, put
from typer.testing import CliRunner

from augury.llm.endpoint import ModelEndpoint
from augury.llm.service import LanguageModel
from augury.llm.store import Cost
from augury.llm.task import Unusable
from augury.relations import commands
from augury.relations.causal import knowledge, own_verdicts, review, reviewing
from augury.relations.causal.judged import Judged, PairVerdict, read
from augury.relations.causal.paths import FactorGraph
from augury.relations.causal.review import REVIEW, UnjudgedPair, unjudged
from augury.relations.causal.reviewing import Reviewer, ReviewReport, accept
from augury.relations.linking import Linker
from augury.storage.database import Database

TEXT = """
domain = "test"
[entities.town]
fields = ["key", "name"]
rows = [["rome", "Rome"], ["oslo", "Oslo"], ["bern", "Bern"]]
[factors."rain-{town}"]
name = "Rain in {name}"
up = "it rains more"
match = ["{name} & rain"]
effects = [["floods-{key}", "+", 3, 1, "Rain floods streets."]]
[factors."floods-{town}"]
name = "Floods in {name}"
up = "more floods"
match = ["{name} & floods"]
[factors.monsoon]
name = "Monsoon"
up = "there is a monsoon"
match = ["monsoon"]
effects = [["rain-rome", "+", 3, 1, "It brings rain."], ["rain-oslo", "+", 2, 1, "And there."],
           ["harvest", "-", 2, 90, "Fields drown."]]
[factors.harvest]
name = "Rice harvest"
up = "more rice is harvested"
match = ["rice harvest"]
"""
BASE = knowledge.parse({"test.toml": TEXT})
FACTORS = tuple(BASE.factors.values())
NUMBERS = {key: number for number, key in enumerate(BASE.factors, 1)}
HARVEST = UnjudgedPair(
    "harvest", "monsoon", "", ((BASE.factors["harvest"], BASE.factors["monsoon"]),), 4
)


def queue(
    events: dict[str, int], rows: str = "", waiting: set[Any] | None = None
) -> list[tuple[str, str, str, int]]:
    base = knowledge.parse({"test.toml": TEXT, "test.tsv": rows})
    found = unjudged(
        FACTORS, FactorGraph(base), Judged(base.verdicts, FACTORS),
        {NUMBERS[key]: n for key, n in events.items()}, waiting or set(),
    )  # fmt: skip
    return [(pair.one, pair.other, pair.side, pair.events) for pair in found]


def test_the_queue_has_what_markets_touch_and_nobody_judged_most_used_first() -> None:
    events = {"monsoon": 9, "harvest": 4, "rain-rome": 5}
    assert queue(events) == [
        ("monsoon", "rain-rome", "", 5),
        ("harvest", "monsoon", "", 4),
    ]
    judged = "harvest\t\tcause\t2\t-\t90\ta\tmonsoon\tIt drowns.\n"
    assert queue(events, judged) == [("monsoon", "rain-rome", "", 5)]
    assert queue(events, judged, {("monsoon", "rain-rome", "")}) == []


def test_a_pattern_is_asked_for_once_where_it_holds_of_most() -> None:
    events = {f"{thing}-{town}": 2 for thing in ("rain", "floods") for town in ("rome", "oslo")}
    assert queue(events) == [
        ("floods-{town}", "rain-{town}", "same", 4),
        ("floods-{town}", "floods-{town}", "other", 2),
        ("rain-{town}", "rain-{town}", "other", 2),
    ]
    # The monsoon reaches two of the three that markets touch, with what floods follow.
    events = {"monsoon": 9, "rain-rome": 1, "rain-oslo": 2, "rain-bern": 3}
    assert ("monsoon", "rain-{town}", "", 3) in queue(events)


def test_the_model_sees_names_and_others_of_the_kind() -> None:
    pair = UnjudgedPair(
        "monsoon", "rain-{town}", "",
        tuple((BASE.factors["monsoon"], BASE.factors[f"rain-{t}"]) for t in ("rome", "oslo")), 3,
    )  # fmt: skip
    assert pair.data == {
        "first": "Monsoon", "first_up": "there is a monsoon", "first_also": [],
        "second": "Rain in Rome", "second_up": "it rains more", "second_also": ["Rain in Oslo"],
    }  # fmt: skip


ANSWER = {
    "relation": "second_causes_first", "strength": 2, "direction": "opposite", "lag": "months",
    "reason": "Heavy rain drowns the fields.",
}  # fmt: skip


def said(**changes: Any) -> review.FactorPairAnswer:
    return msgspec.convert(ANSWER | changes, review.FactorPairAnswer)


def test_an_answer_becomes_a_line_and_is_read_back() -> None:
    found = review.verdict(HARVEST, said(), "model:fake@2026-11-23")
    assert found.line == (
        "harvest\t\tcause\t2\t-\t60\tmodel:fake@2026-11-23\tmonsoon\tHeavy rain drowns the fields."
    )
    none = review.verdict(HARVEST, said(relation="none", strength=0), "model:fake@2026-11-23")
    assert none.line == "harvest\t\tnone\tmodel:fake@2026-11-23\tmonsoon"
    for one in (found, none):
        assert list(read("x", one.line, [])) == [one]
        assert (one.readers, one.is_own) == (1, True)


@pytest.mark.parametrize(
    "changes",
    [
        {"strength": 0}, {"relation": "none"}, {"reason": "Yes."},
        {"reason": "It is 40 % more likely then."}, {"reason": "See http://evil.example for it."},
    ],
)  # fmt: skip
def test_an_answer_that_contradicts_itself_or_says_nothing_is_none(changes: Any) -> None:
    with pytest.raises(Unusable):
        review.verdict(HARVEST, said(**changes), "model:fake@2026-11-23")


# Over the wire


CONTROLS = {
    str(sorted(control.data.items())): next(
        relation
        for relation in review.CODE_OF
        if control.right(said(relation=relation, strength=1))
    )
    for control in REVIEW.controls
}


def able(request: dict[str, Any]) -> Any:
    known = CONTROLS.get(str(sorted(data_of(request).items())))
    if known is None:
        return ANSWER
    return ANSWER | {"relation": known, "strength": 0 if known == "none" else 2}


def only_controls(answer: Any) -> Any:
    def says(request: dict[str, Any]) -> Any:
        is_control = str(sorted(data_of(request).items())) in CONTROLS
        return able(request) if is_control else answer

    return says


@pytest.fixture
def fake() -> FakeModel:
    return FakeModel(able)


@pytest.fixture
def url(fake: FakeModel) -> Iterator[str]:
    with served(fake) as url:
        yield url


@pytest.fixture
async def model(database: Database, url: str) -> AsyncIterator[LanguageModel]:
    made = LanguageModel(
        database, ModelEndpoint(url, "fake 1", key=SecretStr(KEY)), tasks=frozenset({"review"}),
        timeout=30.0, cap=Cost(10**7, 0),
    )  # fmt: skip
    yield made
    await made.aclose()


async def no_sleep(_: float) -> None:
    pass


def different(n: int) -> UnjudgedPair:
    """Another pair each time, so that no answer is kept from before."""
    harvest = replace(BASE.factors["harvest"], name=f"Harvest of field {n}")
    return HARVEST._replace(one=f"field-{n}", examples=((harvest, BASE.factors["monsoon"]),))


async def run(model: LanguageModel, folder: Path, *pairs: int, limit: int = 100) -> ReviewReport:
    reviewer = Reviewer(model, folder, sleep=no_sleep)
    return await reviewer.run([different(n) for n in pairs], limit, lambda *_: None)


def proposals(folder: Path) -> list[PairVerdict]:
    problems: list[str] = []
    found = own_verdicts.read(own_verdicts.proposed_folder(folder), problems)
    assert problems == []
    return found


@pytest.mark.anyio
async def test_proposals_are_written_with_model_and_day_and_change_nothing(
    model: LanguageModel, tmp_path: Path
) -> None:
    report = await run(model, tmp_path, 1, 2, 3, limit=2)
    assert (report.ended, report.proposed, report.queue) == ("limit", 2, 3)
    assert report.by_verdict == {"cause": 2}
    one, two = proposals(tmp_path)
    assert (one.one, two.one, one.other) == ("field-1", "field-2", "monsoon")
    assert one.judge.startswith("model:fake-1@20")
    assert report.file is not None
    assert "# Harvest of field 1 | Monsoon (4 events)\n" in Path(report.file).read_text("utf-8")
    assert own_verdicts.with_accepted(BASE, tmp_path) is BASE
    assert reviewing.proposed(tmp_path) == {("field-1", "monsoon", ""), ("field-2", "monsoon", "")}


@pytest.mark.anyio
@pytest.mark.parametrize(
    "lie",
    [
        "I'm sorry, but I can't help with that.",
        '{"relation": "none", "strength": 0',
        {"relation": "none"},
        ANSWER | {"relation": "implies"},
        ANSWER | {"strength": 4},
        ANSWER | {"strength": "2"},
        ANSWER | {"also": "more"},
        ANSWER | {"reason": ""},
        ANSWER | {"relation": "none"},
        [ANSWER],
    ],
)
async def test_what_is_no_verdict_is_not_proposed(
    model: LanguageModel, fake: FakeModel, tmp_path: Path, lie: Any
) -> None:
    fake.says = only_controls(lie)
    report = await run(model, tmp_path, 1, 2)
    assert (report.ended, report.unusable, report.proposed) == ("all asked", 2, 0)
    assert report.file is None
    assert proposals(tmp_path) == []


@pytest.mark.anyio
@pytest.mark.parametrize(
    "fault", ["silent", "500", "401", "html", "truncated", "429_retry_after", "redirect", "deep"]
)
async def test_a_model_that_fails_ends_the_run_with_what_is_done(
    model: LanguageModel, fake: FakeModel, tmp_path: Path, fault: str
) -> None:
    assert (await run(model, tmp_path, 1)).proposed == 1
    model._timeout = 0.3 if fault == "silent" else model._timeout
    fake.fault = fault
    report = await run(model, tmp_path, *range(2, 20))
    assert (report.ended, report.failed, report.proposed) == ("failing", 5, 0)
    assert report.why
    assert KEY not in report.why
    assert [verdict.one for verdict in proposals(tmp_path)] == ["field-1"]


@pytest.mark.anyio
@pytest.mark.parametrize("fault", ["cut_off", "content_null", "tool_call", "empty"])
async def test_an_answer_cut_off_or_filtered_is_not_proposed(
    model: LanguageModel, fake: FakeModel, tmp_path: Path, fault: str
) -> None:
    await run(model, tmp_path, 1)
    fake.fault = fault
    report = await run(model, tmp_path, 2)
    assert report.unusable + report.failed == 1
    assert len(proposals(tmp_path)) == 1


@pytest.mark.anyio
async def test_a_model_that_fails_its_controls_proposes_nothing(
    model: LanguageModel, fake: FakeModel, tmp_path: Path
) -> None:
    fake.says = lambda _: ANSWER
    report = await run(model, tmp_path, 1)
    assert report.ended == "not qualified"
    assert proposals(tmp_path) == []


@pytest.mark.anyio
async def test_the_days_allowance_ends_a_run(
    model: LanguageModel, fake: FakeModel, tmp_path: Path
) -> None:
    assert await model.qualified(REVIEW)
    model._cap = Cost((await model.spent_today()).tokens + 5_000, 0)
    fake.usage = None
    report = await run(model, tmp_path, *range(20))
    assert report.ended == "cap"
    assert report.proposed == len(proposals(tmp_path)) < 20


# What a person accepts


LINE = "harvest\t\tcause\t2\t-\t90\tana@2026-11-23\tmonsoon\tFields drown.\n"


def accepted(folder: Path, text: str, name: str = "x.tsv") -> reviewing.Acceptance:
    file = own_verdicts.proposed_folder(folder) / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(review.HEADER + text, encoding="utf-8")
    return accept(BASE, folder, file)


def code_of(base: knowledge.Base, one: str, other: str) -> str | None:
    found = Judged(base.verdicts, tuple(base.factors.values())).verdict(
        NUMBERS[one], NUMBERS[other]
    )
    return found and found.code


def test_what_is_accepted_counts_and_leaves_the_proposals(tmp_path: Path) -> None:
    done = accepted(tmp_path, LINE)
    assert (done.accepted, done.problems) == (1, [])
    assert reviewing.proposed(tmp_path) == set()
    base = own_verdicts.with_accepted(BASE, tmp_path)
    assert code_of(base, "harvest", "monsoon") == "cause"
    assert code_of(base, "monsoon", "harvest") == "effect"
    assert base.version == BASE.version
    again = accepted(tmp_path, LINE)
    assert (again.accepted, again.already, again.problems) == (0, 1, [])
    more = accepted(tmp_path, "monsoon\t\tnone\tana@2026-11-23\train-bern\n")
    assert (more.accepted, len(own_verdicts.with_accepted(BASE, tmp_path).verdicts)) == (1, 2)


def test_an_own_verdict_stands_in_the_place_of_the_shipped_one(tmp_path: Path) -> None:
    shipped = knowledge.parse({"test.toml": TEXT, "test.tsv": "monsoon\t\tnone\ta\tharvest\n"})
    accepted(tmp_path, LINE)
    base = own_verdicts.with_accepted(shipped, tmp_path)
    assert code_of(base, "harvest", "monsoon") == "cause"
    assert not [problem for problem in knowledge.lint(base) if "judged" in problem]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (LINE.replace("monsoon", "moonsun"), "does not exist"),
        (LINE + LINE.replace("-\t90", "+\t9"), "has 2 verdicts"),
        (LINE.replace("\tcause\t2", "\tcause\t4"), "not a verdict"),
        (LINE.replace("\tcause\t", "\tbecause\t"), "not a verdict"),
        (LINE.replace("ana@2026-11-23", "a"), "should have the form NAME@DATE"),
        ("harvest monsoon cause\n", "not a verdict"),
    ],
)
def test_with_a_problem_nothing_is_accepted(tmp_path: Path, text: str, problem: str) -> None:
    done = accepted(tmp_path, "monsoon\t\tnone\tana@2026-11-23\train-bern\n" + text)
    assert done.accepted == 0
    assert any(problem in one for one in done.problems)
    assert own_verdicts.with_accepted(BASE, tmp_path) is BASE
    assert len(list(own_verdicts.proposed_folder(tmp_path).iterdir())) == 1


def test_a_person_fills_open_lines_in_and_the_rest_stays(tmp_path: Path) -> None:
    file = reviewing.proposals_file(tmp_path, "Ana María", "2026-11-23")
    assert file.name == "2026-11-23-ana-mar-a.tsv"
    for n in (1, 2):
        reviewing.propose(file, different(n)._replace(one="harvest"), "ana@2026-11-23")
    text = file.read_text(encoding="utf-8")
    assert text.count("harvest\t\t?\t?\t?\t?\tana@2026-11-23\tmonsoon\t") == 2
    assert reviewing.proposed(tmp_path) == {("harvest", "monsoon", "")}
    file.write_text(text.replace("\t?\t?\t?\t?\t", "\tnone\t0\t0\t0\t", 1), encoding="utf-8")
    done = accept(BASE, tmp_path, file)
    assert (done.accepted, done.left_open, done.problems) == (1, 1, [])
    assert reviewing.proposed(tmp_path) == {("harvest", "monsoon", "")}


# The command


@pytest.fixture
def command(database_url: str, url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    for name, value in (
        ("DATABASE_URL", database_url), ("LLM_URL", url), ("LLM_KEY", KEY), ("LLM_MODEL", "m-1"),
        ("DATA_DIR", str(tmp_path)),
    ):  # fmt: skip
        monkeypatch.setenv(f"AUGURY_{name}", value)
    monkeypatch.setattr(knowledge, "load", lambda: BASE)
    app = typer.Typer()
    app.add_typer(commands.app, name="relations")
    return lambda *arguments: CliRunner().invoke(app, ["relations", "review", *arguments])


@pytest.fixture
async def markets(database: Database) -> None:
    await put(
        database,
        market("polymarket", "1", "Will there be a monsoon in 2027?", volume=9.0),
        market("polymarket", "2", "Will the rice harvest fail in 2027?", volume=8.0),
    )
    await Linker(database).catch_up()


@pytest.mark.anyio
@pytest.mark.usefixtures("markets")
async def test_the_command_lists_asks_and_accepts(
    command: Any, fake: FakeModel, tmp_path: Path
) -> None:
    def say(*arguments: str) -> Any:
        outcome = command(*arguments)
        assert outcome.exception is None or isinstance(outcome.exception, SystemExit)
        return outcome

    dry = await asyncio.to_thread(say, "--dry-run", "--json")
    (pair,) = json.loads(dry.stdout)["pairs"]
    assert (pair["a"], pair["b"], pair["events"], pair["stands_for"]) == (
        "harvest", "monsoon", 1, 1,
    )  # fmt: skip
    assert fake.requests == []
    assert "1 pairs of factors" in (await asyncio.to_thread(say, "--dry-run")).stdout
    asked = json.loads((await asyncio.to_thread(say, "--json")).stdout.splitlines()[-1])
    assert (asked["proposed"], asked["model"], asked["ended"]) == (1, "m-1", "all asked")
    empty = json.loads((await asyncio.to_thread(say, "--dry-run", "--json")).stdout)
    assert empty["queue"] == 0
    done = await asyncio.to_thread(say, "--accept", asked["file"])
    assert done.exit_code == 0
    assert "1 verdicts accepted" in done.stdout
    assert [v.code for v in own_verdicts.with_accepted(BASE, tmp_path).verdicts] == ["cause"]


@pytest.mark.anyio
@pytest.mark.usefixtures("markets")
async def test_without_a_model_a_person_can_judge(
    command: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AUGURY_LLM_URL")
    refused = await asyncio.to_thread(command)
    assert refused.exit_code == 1
    assert "AUGURY_LLM_URL" in str(refused.exception)
    listed = await asyncio.to_thread(command, "--by", "ana", "--dry-run", "--json")
    assert json.loads(listed.stdout)["file"] is None
    by_hand = await asyncio.to_thread(command, "--by", "ana", "--json")
    file = Path(json.loads(by_hand.stdout)["file"])
    assert "\t?\t?\t?\t?\tana@" in file.read_text(encoding="utf-8")
    bad = tmp_path / "bad.tsv"
    bad.write_text("harvest\t\tcause\t2\t-\t90\tana@2026-11-23\tmoon\tIt is so.\n")
    refused = await asyncio.to_thread(command, "--accept", str(bad))
    assert refused.exit_code == 1
    assert "does not exist" in refused.stdout
    assert (await asyncio.to_thread(command, "--accept", str(bad), "--dry-run")).exit_code == 2
