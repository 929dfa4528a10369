"""Measures how long forecasts take on this machine: by stage within this process, over HTTP, and in
a run of many questions in the background."""

from __future__ import annotations

import json
import os
import random
import time
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

from augury.forecast.reader import Reader
from augury.markets.generator import generate
from augury.net.cookies import no_cookies
from augury.search.bench import import_generated, run_load, serving
from augury.search.load import percentiles
from augury.services import Services, running
from augury.settings import Settings


async def run(n: int, *, requests: int, questions: int) -> dict[str, Any]:
    """Measure how long forecasts take over `n` generated markets that are priced as of now. Returns
    the times and rates as JSON data.

    requests : number of forecasts timed within this process, and again over HTTP
    questions : number of questions answered in the background, as one run
    """
    result: dict[str, Any] = {"markets": n, "cpus": os.cpu_count()}
    now = datetime.now(UTC)
    asked = _questions(n, max(requests, questions), now)
    with TemporaryDirectory(prefix="augury-bench-") as folder:
        # A database that the environment names is in real use: no generated markets go into it.
        settings = Settings(
            data_dir=Path(folder), database_url=None, database_direct_url=None, search_url=None,
            sync="off", sample="off",
        )  # fmt: skip
        async with running(settings) as services:
            await import_generated(services, n, now=now)
            began = time.perf_counter()
            await Reader(services.database).catch_up()
            result["read_seconds"] = round(time.perf_counter() - began, 1)
            result |= await _in_process(services, asked[:requests])
            _, key = await services.access.create_key("bench", ["forecast:read", "internal"])
        result |= _over_http(folder, key, asked, requests=requests, questions=questions)
    return result


async def _in_process(services: Services, asked: list[str]) -> dict[str, Any]:
    stages: defaultdict[str, list[float]] = defaultdict(list)
    answered = 0
    for text in asked:
        forecast = await services.forecast.forecast(text)
        answered += forecast.estimate.probability is not None
        for stage, ms in forecast.timings.items():
            stages[stage].append(ms / 1000)
    return {
        "answered_share": round(answered / len(asked), 3),
        "stages_ms": {name: percentiles(spent) for name, spent in stages.items()},
    }


def _over_http(
    folder: str, key: str, asked: list[str], *, requests: int, questions: int
) -> dict[str, Any]:
    """Measure a service in another process that uses the data folder `folder`. One client asks the
    questions `asked` one by one, with and without causal graphs. Then the service answers the first
    `questions` of them in the background, as one run. Returns times of requests and
    `run_questions_per_second` as JSON data."""
    out: dict[str, Any] = {}
    with serving(folder) as (url, _):
        for graph in (True, False):
            bodies = Path(folder) / "asked.json"
            bodies.write_text(
                json.dumps([{"question": text, "include_graph": graph} for text in asked])
            )
            name = "http_with_graph" if graph else "http_without_graph"
            out[name] = run_load(
                url, bodies, key, clients=1, requests=requests, path="/v1/forecast"
            )
        headers = {"authorization": f"Bearer {key}"}
        with httpx2.Client(
            base_url=url, headers=headers, timeout=60, cookies=no_cookies(), trust_env=False
        ) as client:
            runs = "/internal/v1/forecast/runs"
            body = {"questions": [{"question": text} for text in asked[:questions]]}
            began = time.perf_counter()
            run_id = client.post(runs, json=body).raise_for_status().json()["run_id"]
            while client.get(f"{runs}/{run_id}?limit=1").json()["answered"] < questions:
                time.sleep(0.05)
            out["run_questions_per_second"] = round(questions / (time.perf_counter() - began), 1)
    return out


def _questions(n: int, count: int, now: datetime) -> list[str]:
    """At most `count` questions in random order. They are the titles of every k-th of `n` generated
    markets, with k = n // count. In every third title, "win" becomes "fail to win" and "reach"
    becomes "fail to reach"."""
    step = max(1, n // count)
    texts = [m.question[:480] for k, m in enumerate(generate(n, now=now)) if k % step == 0][:count]
    for k in range(0, len(texts), 3):
        texts[k] = texts[k].replace(" win ", " fail to win ").replace(" reach ", " fail to reach ")
    random.Random(7).shuffle(texts)
    return texts
