"""Asking a model: faults, caps, kept answers, one request for many, and what a log never holds."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import subprocess
import sys
import time
from datetime import date
from pathlib import Path

import pytest
from tests.llm.conftest import Make
from tests.llm.fake import HTTP_FAULTS, KEY, FakeModel, data_of
from tests.llm.small_task import DATA, TASK, Answer
from tests.pace import SLACK

from augury.llm import store
from augury.llm.service import LanguageModel, NoAnswer
from augury.llm.store import Cost
from augury.llm.task import Control, Task
from augury.settings import Settings
from augury.storage.database import Database

pytestmark = pytest.mark.anyio


async def test_an_answer_is_asked_for_as_the_field_does(
    model: LanguageModel, fake: FakeModel
) -> None:
    assert (await model.ask(TASK, DATA)).word == "same"
    (request,) = fake.requests
    assert request["model"] == "fake-1"
    assert request["temperature"] == 0
    assert request["max_tokens"] == 20
    assert request["response_format"] == {"type": "json_object"}
    assert [m["role"] for m in request["messages"]] == ["system", "user"]
    assert data_of(request) == DATA
    assert fake.headers[0]["authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("format", "expected"),
    [
        ("schema", {"type": "json_schema", "json_schema": {
            "name": "answer", "schema": TASK.schema, "strict": True}}),
        ("grammar", {"type": "json_object", "schema": TASK.schema}),
        ("none", None),
    ],
)  # fmt: skip
async def test_json_is_asked_for_in_the_servers_own_way(
    make: Make, fake: FakeModel, format: str, expected: object
) -> None:
    await make(format=format).ask(TASK, DATA)
    assert fake.requests[0].get("response_format") == expected


# Faults (R10)


@pytest.mark.parametrize("fault", HTTP_FAULTS)
async def test_every_fault_is_no_answer_in_time(
    model: LanguageModel, fake: FakeModel, fault: str
) -> None:
    fake.fault = fault
    started = time.monotonic()
    with pytest.raises(NoAnswer) as caught:
        await model.ask(TASK, DATA)
    assert time.monotonic() - started < 1.5 + SLACK
    assert KEY not in str(caught.value)
    assert "inner workings" not in str(caught.value)
    assert not fake.trapped


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/v1", "http://no-such-host.invalid/v1", "https://127.0.0.1:1/v1"]
)
async def test_no_endpoint_is_no_answer_and_costs_nothing(make: Make, url: str) -> None:
    model = make(url=url)
    with pytest.raises(NoAnswer):
        await model.ask(TASK, DATA)
    assert (await model.spent_today()).tokens == 0


async def test_a_429_is_obeyed(make: Make, fake: FakeModel) -> None:
    now = [0.0]
    model = make(monotonic=lambda: now[0])
    fake.fault = "429_retry_after"
    with pytest.raises(NoAnswer) as caught:
        await model.ask(TASK, DATA)
    assert caught.value.retry_in == 7
    fake.fault = None
    now[0] = 6.9
    with pytest.raises(NoAnswer):
        await model.ask(TASK, DATA)
    now[0] = 7.0
    await model.ask(TASK, DATA)
    assert len(fake.requests) == 2
    assert (await model.spent_today()).tokens == 110


async def test_the_breaker_opens_at_five_and_probes_at_thirty_seconds(
    make: Make, fake: FakeModel
) -> None:
    now = [0.0]
    model = make(monotonic=lambda: now[0])
    fake.fault = "500"
    for n in range(8):
        with pytest.raises(NoAnswer):
            await model.ask(TASK, {"n": n})
    assert len(fake.requests) == 5
    now[0] = 30.0
    with pytest.raises(NoAnswer):
        await model.ask(TASK, DATA)
    assert len(fake.requests) == 6
    fake.fault = None
    now[0] = 60.0
    await model.ask(TASK, DATA)


async def test_an_answer_too_late_for_its_caller_is_there_for_the_next(
    model: LanguageModel, fake: FakeModel
) -> None:
    fake.delay = 0.3
    with pytest.raises(NoAnswer) as caught:
        await model.ask(TASK, DATA, deadline=0.05)
    assert caught.value.outcome == "timeout"
    await asyncio.sleep(0.6)
    assert (await model.ask(TASK, DATA, deadline=0.25)).word == "same"
    assert len(fake.requests) == 1


# Kept answers


async def test_a_hundred_at_once_are_asked_once(model: LanguageModel, fake: FakeModel) -> None:
    for n in range(5):
        await asyncio.gather(*(model.ask(TASK, {"n": n}) for _ in range(100)))
        assert len(fake.requests) == n + 1


async def test_answers_outlive_the_process(make: Make, fake: FakeModel) -> None:
    await make().ask(TASK, DATA)
    assert (await make().ask(TASK, DATA)).word == "same"
    assert len(fake.requests) == 1
    await make(model="fake-2").ask(TASK, DATA)
    assert len(fake.requests) == 2


async def test_what_was_of_no_use_is_not_asked_again_at_once(make: Make, fake: FakeModel) -> None:
    fake.fault = "not_json"
    for model in (make(), make()):
        with pytest.raises(NoAnswer) as caught:
            await model.ask(TASK, DATA)
        assert caught.value.outcome == "unusable"
    assert len(fake.requests) == 1


async def test_a_failure_is_not_kept(model: LanguageModel, fake: FakeModel) -> None:
    fake.fault = "500"
    with pytest.raises(NoAnswer):
        await model.ask(TASK, DATA)
    fake.fault = None
    assert (await model.ask(TASK, DATA)).word == "same"


# The day's allowance


def booked(data: object) -> int:
    """The most that one question may cost, in tokens: a request's bytes and an answer's length."""
    sent = sum(len(m["content"].encode()) for m in TASK.messages(data))  # type: ignore[arg-type]
    return sent + len(json.dumps(TASK.schema)) + 64 + 20


async def test_many_at_once_in_two_processes_never_exceed_the_cap(
    make: Make, fake: FakeModel, database: Database
) -> None:
    one = booked({"n": 10})
    fake.usage = {"prompt_tokens": one - 20, "completion_tokens": 20}  # all that it may be
    cap = Cost(7 * one, 10**9)
    models = [make(cap=cap), make(cap=cap)]
    results = await asyncio.gather(
        *(models[n % 2].ask(TASK, {"n": 10 + n}) for n in range(40)), return_exceptions=True
    )
    answered = [r for r in results if isinstance(r, Answer)]
    assert len(answered) == len(fake.requests) == 7
    assert {r.outcome for r in results if isinstance(r, NoAnswer)} == {"cap"}
    assert await models[0].spent_today() == (7, 7 * one, 0)


async def test_money_is_capped_by_the_prices(make: Make, fake: FakeModel) -> None:
    model = make(cap=Cost(10**9, 5_000_000), price_in=2.5, price_out=10)  # half a cent
    fake.usage = {"prompt_tokens": 300, "completion_tokens": 20}
    asked = 0
    try:
        while asked < 1000:
            await model.ask(TASK, {"n": asked})
            asked += 1
    except NoAnswer as error:
        assert error.outcome == "cap"  # noqa: PT017
    spent = await model.spent_today()
    assert spent.nanos == asked * (300 * 2_500 + 20 * 10_000)
    most = 1000 * (booked({"n": asked}) - 20) * 2.5 + 1000 * 20 * 10
    assert 5_000_000 - most < spent.nanos <= 5_000_000


@pytest.mark.parametrize(
    "usage", [None, {"prompt_tokens": 0, "completion_tokens": 0}, {"prompt_tokens": None}]
)
async def test_who_does_not_tell_or_tells_too_little_is_counted_in_full(
    model: LanguageModel, fake: FakeModel, usage: dict[str, int] | None
) -> None:
    fake.usage = usage
    await model.ask(TASK, DATA)
    assert (await model.spent_today()).tokens == booked(DATA)


async def test_usage_that_is_no_usage_is_no_answer_and_counted_in_full(
    model: LanguageModel, fake: FakeModel
) -> None:
    fake.usage = {"prompt_tokens": -5_000, "completion_tokens": 1e30}
    with pytest.raises(NoAnswer):
        await model.ask(TASK, DATA)
    assert (await model.spent_today()).tokens == booked(DATA)


async def test_a_failure_that_may_have_cost_is_counted_in_full(
    model: LanguageModel, fake: FakeModel
) -> None:
    fake.fault = "truncated"
    with pytest.raises(NoAnswer):
        await model.ask(TASK, DATA)
    assert (await model.spent_today()).tokens == booked(DATA)


@pytest.mark.whole
async def test_a_killed_process_has_spent_what_it_booked(
    fake: FakeModel, url: str, database: Database, make: Make, tmp_path: Path
) -> None:
    fake.fault = "silent"
    script = (
        "import asyncio, sys\n"
        "from tests.llm.small_task import TASK, DATA\n"
        "from augury.llm.endpoint import ModelEndpoint\n"
        "from augury.llm.service import LanguageModel\n"
        "from augury.llm.store import Cost\n"
        "from augury.storage.database import Database\n"
        "async def main(url, db):\n"
        "    database = Database(db, db, pool_size=2)\n"
        "    await database.start()\n"
        "    model = LanguageModel(database, ModelEndpoint(url, 'fake-1'), tasks=frozenset(),"
        " cap=Cost(10_000, 0))\n"
        "    await model.ask(TASK, DATA)\n"
        "asyncio.run(main(*sys.argv[1:]))\n"
    )
    root = Path(__file__).parents[2]
    process = subprocess.Popen(
        [sys.executable, "-c", script, url, database.url],
        env=os.environ | {"PYTHONPATH": f"{root / 'src'}:{root}"},
    )
    while not fake.requests:
        assert process.poll() is None
        await asyncio.sleep(0.02)
    process.kill()
    process.wait()
    fake.fault = None
    model = make(cap=Cost(2 * booked(DATA) - 1, 0))
    assert (await model.spent_today()).tokens == booked(DATA)
    with pytest.raises(NoAnswer) as caught:
        await model.ask(TASK, DATA)
    assert caught.value.outcome == "cap"


async def test_a_new_day_has_a_new_allowance(database: Database) -> None:
    cap = Cost(100, 0)
    async with database.reading() as conn:
        for day in (date(2026, 11, 21), date(2026, 11, 22)):
            assert await store.book(conn, day, Cost(100, 0), cap)
            assert not await store.book(conn, day, Cost(1, 0), cap)
        assert not await store.book(conn, date(2026, 11, 23), Cost(101, 0), cap)


async def test_without_a_database_nothing_is_asked(
    make: Make, fake: FakeModel, database: Database
) -> None:
    model = make()
    await database.close()
    with pytest.raises(NoAnswer) as caught:
        await model.ask(TASK, DATA)
    assert caught.value.outcome == "no_store"
    assert not fake.requests


# Controls

EXAMINED = Task(
    "match", 1, "Judge.", Answer, 20,
    tuple(Control({"n": n}, lambda a, n=n: (a.word == "same") == (n % 2 == 0)) for n in range(10)),
)  # fmt: skip


async def test_a_model_that_answers_all_alike_is_not_used(
    model: LanguageModel, fake: FakeModel
) -> None:
    assert not await model.qualified(EXAMINED)
    assert len(fake.requests) == 10
    assert not await model.qualified(EXAMINED)
    assert len(fake.requests) == 10


async def test_a_model_that_gets_most_right_is_used(make: Make, fake: FakeModel) -> None:
    def says(request: dict) -> object:
        n = data_of(request)["n"]
        return {"word": "same" if n % 2 == 0 and n != 4 else "different"} if n != 7 else "I think"

    fake.says = says
    assert await make().qualified(EXAMINED)
    assert await make().qualified(EXAMINED)
    assert len(fake.requests) == 10  # another process finds the answers kept


async def test_a_model_that_can_not_be_asked_is_examined_later(
    model: LanguageModel, fake: FakeModel
) -> None:
    fake.fault = "503"
    assert not await model.qualified(EXAMINED)
    fake.fault = None
    fake.says = lambda r: {"word": "same" if data_of(r)["n"] % 2 == 0 else "different"}
    assert await model.qualified(EXAMINED)


# Secrets and settings


async def test_the_key_never_reaches_a_log_or_the_store(
    model: LanguageModel,
    fake: FakeModel,
    database: Database,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    for n, fault in enumerate((None, "repeats_key", "500", "401", "redirect", "truncated")):
        fake.fault = fault
        try:
            await model.ask(TASK, {"n": n})
        except NoAnswer as error:
            assert KEY not in repr(error)  # noqa: PT017
    out, err = capfd.readouterr()
    assert fake.headers  # it was sent, to the endpoint alone
    assert KEY not in caplog.text + out + err
    async with database.reading() as conn:
        rows = await (await conn.execute("select a::text from llm_answers a")).fetchall()
    assert rows
    assert KEY not in json.dumps(rows)
    assert KEY.encode().hex() not in json.dumps(rows)


async def test_without_an_address_there_is_no_model(settings: Settings, database: Database) -> None:
    assert LanguageModel.of(settings, database) is None
    own = Settings(llm_url="http://localhost:1/v1", llm_key=KEY, llm_tasks="label, match")  # type: ignore[arg-type]
    model = LanguageModel.of(own, database)
    assert model is not None
    assert model.does("match")
    assert not model.does("wording")
    assert not re.search(KEY, repr(own))
    await model.aclose()
