"""A model of ours behind a fake endpoint on real HTTP, over a real database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from pydantic import SecretStr
from tests.llm.fake import KEY, FakeModel, served

from augury.llm.endpoint import ModelEndpoint
from augury.llm.service import LanguageModel
from augury.llm.store import Cost
from augury.storage.database import Database

TASKS = frozenset({"label", "rewrite", "match", "wording"})
Make = Callable[..., LanguageModel]


@pytest.fixture
def fake() -> FakeModel:
    return FakeModel()


@pytest.fixture
def url(fake: FakeModel) -> Iterator[str]:
    with served(fake) as url:
        yield url


@pytest.fixture
async def make(database: Database, url: str) -> AsyncIterator[Make]:
    """Makes models over the fake; several are as several processes."""
    made: list[LanguageModel] = []

    def one(**more: Any) -> LanguageModel:
        endpoint = ModelEndpoint(
            more.pop("url", url), more.pop("model", "fake-1"), key=SecretStr(KEY),
            format=more.pop("format", "object"),
        )  # fmt: skip
        options: dict[str, Any] = {
            "tasks": TASKS, "timeout": 1.0, "cap": Cost(1_000_000, 10**9), **more,
        }  # fmt: skip
        made.append(LanguageModel(more.pop("database", database), endpoint, **options))
        return made[-1]

    yield one
    for model in made:
        with suppress(Exception):
            await model.aclose()


@pytest.fixture
def model(make: Make) -> LanguageModel:
    return make()
