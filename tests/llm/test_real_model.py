"""Every task with a real model, where one is configured: it may talk nonsense, but breaks nothing.

AUGURY_TEST_LLM_URL=http://127.0.0.1:8080/v1 (and AUGURY_TEST_LLM_MODEL, AUGURY_TEST_LLM_FORMAT)
name one; see docs/language-model.md for a small one that runs anywhere.
"""

from __future__ import annotations

import os
from typing import Any

import pytest

from augury.forecast.rewording import masked, rephrased
from augury.forecast.tasks import MATCH, REWRITE, WORDING
from augury.llm.endpoint import ModelEndpoint
from augury.llm.service import LanguageModel, NoAnswer
from augury.llm.store import Cost
from augury.llm.task import Task
from augury.relations.labels import LABEL
from augury.storage.database import Database

URL = os.environ.get("AUGURY_TEST_LLM_URL")
FORMAT: Any = os.environ.get("AUGURY_TEST_LLM_FORMAT", "grammar")

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(
        URL is None, reason="no language model is configured: AUGURY_TEST_LLM_URL names one"
    ),
]


@pytest.fixture
async def model(database: Database) -> Any:
    made = LanguageModel(
        database,
        ModelEndpoint(URL or "", os.environ.get("AUGURY_TEST_LLM_MODEL", "default"), format=FORMAT),
        tasks=frozenset({"label", "rewrite", "match", "wording"}),
        timeout=120,
        cap=Cost(1_000_000, 0),
    )
    yield made
    await made.aclose()


@pytest.mark.parametrize("task", [LABEL, REWRITE, MATCH], ids=lambda task: task.name)
async def test_a_task_is_examined(model: LanguageModel, task: Task[Any]) -> None:
    found = await model.examine(task)
    print(
        f"\n{task.name}: {found.right} right, {found.usable} usable of {found.of};"
        f" seconds {[round(s, 2) for s in found.seconds]}"
    )
    assert found.of == len(task.controls) == len(found.seconds)
    assert found.right <= found.usable <= found.of
    assert await model.qualified(task) == found.passed
    spent = await model.spent_today()
    assert spent.calls == found.of
    assert spent.tokens > 0


async def test_a_reason_keeps_its_figures_whatever_comes(model: LanguageModel) -> None:
    original = (
        'One open market asks this. "Will Zenda win?" on Kalshi stands at 30.0 % (1 h old). That'
        " gives 30.0 %; 80 % interval for the price a week on: 17.4 % to 46.6 %."
    )
    text, fixed = masked(original)
    try:
        said = await model.ask(WORDING, {"text": text})
    except NoAnswer as error:
        assert error.outcome == "unusable"  # noqa: PT017
        return
    told = rephrased(text, said.text, fixed)
    print(f"\nwording: {'taken' if told else 'refused'}: {said.text[:300]!r}")
    assert told is None or all(told.count(one) >= original.count(one) for one in fixed)
