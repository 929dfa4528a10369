"""What a forecast costs on this machine: in process by stage, through the routes, and as a run."""

from __future__ import annotations

import os
import random
import time
from collections import defaultdict
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from augury.markets import store as markets
from augury.markets.generator import generate
from augury.search.load import percentiles
from augury.settings import Settings

CHUNK: Final = 5_000


async def run(n: int, *, requests: int, questions: int) -> dict[str, Any]:
    """Measure forecasts over `n` generated markets, quoted as of now."""
    import httpx2

    from augury.app import create_app

    result: dict[str, Any] = {"markets": n, "cpus": os.cpu_count()}
    now = datetime.now(UTC)
    with TemporaryDirectory(prefix="augury-bench-") as folder:
        settings = Settings(
            data_dir=Path(folder), sync="off", sample="off", search_url=None,
            forecast_rate="1000000/s", log_level="error",
        )  # fmt: skip
        app = create_app(settings)
        async with app.router.lifespan_context(app):
            services = app.state.services
            made = generate(n, now=now)
            while chunk := list(islice(made, CHUNK)):
                async with services.database.transaction() as conn:
                    await markets.upsert_markets(conn, chunk)
            await services.search.catch_up()
            asked = _questions(n, max(requests, questions), now)
            stages: defaultdict[str, list[float]] = defaultdict(list)
            answered = 0
            for text in asked[:requests]:
                forecast = await services.forecast.forecast(text)
                answered += forecast.estimate.probability is not None
                for stage, ms in forecast.timings.items():
                    stages[stage].append(ms / 1000)
            result["answered_share"] = round(answered / requests, 3)
            result["stages_ms"] = {name: percentiles(spent) for name, spent in stages.items()}
            _, key = await services.access.create_key("bench", ["forecast:read"])
            async with httpx2.AsyncClient(
                transport=httpx2.ASGITransport(app),
                base_url="http://bench",
                headers={"authorization": f"Bearer {key}"},
            ) as client:
                for graph in (True, False):
                    name = "route_with_graph_ms" if graph else "route_without_graph_ms"
                    result[name] = percentiles(await _asked(client, asked[:requests], graph))
            began = time.perf_counter()
            run_id = await services.forecast.start_run(
                [{"question": text, "as_of": None} for text in asked[:questions]],
                include_graph=False,
                account_id=None,
            )
            while (await services.forecast.run(run_id, None)).answered < questions:
                await _pause()
            result["run_questions_per_second"] = round(questions / (time.perf_counter() - began), 1)
    return result


async def _pause() -> None:
    import asyncio

    await asyncio.sleep(0.05)


async def _asked(client: Any, texts: list[str], graph: bool) -> list[float]:
    seconds = []
    for text in texts:
        started = time.perf_counter()
        answer = await client.post("/v1/forecast", json={"question": text, "include_graph": graph})
        answer.raise_for_status()
        seconds.append(time.perf_counter() - started)
    return seconds


def _questions(n: int, count: int, now: datetime) -> list[str]:
    """The questions of markets spread over the catalogue, some asked the other way round."""
    step = max(1, n // count)
    texts = [m.question[:480] for k, m in enumerate(generate(n, now=now)) if k % step == 0][:count]
    for k in range(0, len(texts), 3):
        texts[k] = texts[k].replace(" win ", " fail to win ").replace(" reach ", " fail to reach ")
    random.Random(7).shuffle(texts)
    return texts
