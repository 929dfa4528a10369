"""Answers the same requests over a database and an index of its own, and writes the answers down.

    python -m tests.answering DATABASE_URL DATA_DIR COUNT OUT

One line a request: searches in all relations, graphs and forecasts (as of a fixed moment), each
as JSON without its timings.
"""

from __future__ import annotations

import asyncio
import random
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
from pydantic import SecretStr

from augury.forecast import schemas
from augury.forecast.service import ForecastService
from augury.graph.schemas import answer
from augury.markets.samples import generate
from augury.services import running
from augury.settings import Settings

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def questions(count: int) -> list[str]:
    """Questions of the sample, parts of them, and pairs of parts."""
    rng = random.Random(17)
    asked = [market.question for market in generate(NOW)[0]]
    made = []
    for n in range(count):
        words = rng.choice(asked).split()
        other = rng.choice(asked).split()
        cut = rng.randrange(1, len(words) + 1)
        made.append(" ".join((words, words[:cut], words[:3] + other[-3:])[n % 3]))
    return made


async def main(url: str, folder: str, count: int, out: Path) -> None:
    """Answer, and write."""
    settings = Settings(
        data_dir=Path(folder), database_url=SecretStr(url), sync="off", sample="off"
    )
    async with running(settings) as services:
        await services.search.catch_up()
        forecasts = ForecastService(
            services.database, services.search, services.graph, clock=lambda: NOW
        )
        with out.open("wb") as file:
            for n, question in enumerate(questions(count)):
                found: list[Any] = [question]
                found.append(await services.search.search(question, top_k=20))
                if n % 5 == 0:
                    drawn = answer(await services.graph.build(question)).model_dump(mode="json")
                    del drawn["trace"]["timings_ms"]
                    found.append(drawn)
                if n % 5 == 1:
                    made = await forecasts.forecast(question)
                    graph = await forecasts.draw(made)
                    shown = schemas.response(made, question, "", graph=graph, seconds=0)
                    found.append(shown.model_dump(mode="json"))
                file.write(msgspec.json.encode(found) + b"\n")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
