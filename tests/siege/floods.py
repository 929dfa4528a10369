"""Requests as fast as they are answered: searches of strangers, and new hostile texts."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections import Counter
from typing import Any

from tests.siege.service import Found, Service, source


async def load(service: Service, scale: float) -> Found:
    """Searches as fast as they are answered, of 64 addresses, beside a caller with a key, who has
    searched alone for a while before."""
    ends: Counter[int] = Counter()

    async def stranger(n: int, until: float) -> None:
        rng = random.Random(n)
        while time.monotonic() < until:
            body = json.dumps({"query": f"{rng.choice(('Fed', 'Bitcoin', 'gold'))} {rng.random()}"})
            status, _ = await service.ask(
                source(n), service.request("POST", "/v1/search", body.encode())
            )
            ends[status] += 1

    async def user(until: float, word: str) -> dict[str, Any]:
        took: list[float] = []
        statuses: Counter[int] = Counter()
        while time.monotonic() < until:
            body = json.dumps({"query": f"Will the Fed cut rates in {word} {len(took)}?"})
            began = time.perf_counter()
            status, _ = await service.ask(
                "127.9.9.7", service.request("POST", "/v1/search", body.encode(), keyed=True)
            )
            took.append(time.perf_counter() - began)
            statuses[status] += 1
            await asyncio.sleep(0.1)
        took.sort()
        at = {"p50": len(took) // 2, "p99": len(took) * 99 // 100}
        ms = {name: round(took[n] * 1000) for name, n in at.items()}
        return {"asked": len(took), "ended": dict(statuses), **ms}

    await user(time.monotonic() + 2 * scale, "warmth")
    alone = await user(time.monotonic() + 10 * scale, "quiet")
    until = time.monotonic() + 20 * scale
    strangers = asyncio.gather(*(stranger(n, until) for n in range(64)))
    beside = await user(until, "noise")
    await strangers
    return {
        "tries": sum(ends.values()), "ended": {str(k): v for k, v in sorted(ends.items())},
        "with_a_key_ms": {"alone": alone, "beside": beside},
        "held": not any(status >= 500 and status != 503 for status in ends)
        and set(beside["ended"]) <= {200, 429},
    }  # fmt: skip


SCRIPTS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзиклмн", "αβγδεζηθ", "漢字仮名交文", "𐐀𐐁𐐂𐐃𐐄")


def hostile(rng: random.Random) -> str:
    """A text of words that nobody has written before, some of them long."""
    letters = rng.choice(SCRIPTS)
    lengths = [rng.choice((5, 12, 60, 400)) for _ in range(rng.choice((1, 4, 8)))]
    return " ".join("".join(rng.choices(letters, k=n)) for n in lengths)[:480]


async def texts(service: Service, scale: float) -> Found:
    """100,000 new hostile texts: searches, forecasts and pages, each from an address of its own."""
    count = max(300, round(100_000 * scale))
    rng = random.Random(14)
    ends: Counter[str] = Counter()
    marks: list[float] = []
    queue: asyncio.Queue[tuple[int, str]] = asyncio.Queue(100)
    began = time.monotonic()

    async def caller() -> None:
        while True:
            n, text = await queue.get()
            path, body = (
                ("/v1/forecast", {"question": text}) if n % 20 == 0
                else ("/extension/v1/search", {"title": text}) if n % 20 == 1
                else ("/v1/search", {"query": text})
            )  # fmt: skip
            # Without a key each address has a rate of its own; forecasts need a key.
            request = service.request("POST", path, json.dumps(body).encode(), keyed=n % 20 == 0)
            status, _ = await service.ask(source(n), request, 60)
            ends[f"{path} {status}"] += 1
            queue.task_done()

    callers = [asyncio.create_task(caller()) for _ in range(6)]
    for n in range(count):
        if n % (count // 10) == 0:
            await queue.join()
            marks.append(round(service.memory()))
        await queue.put((n, hostile(rng)))
    await queue.join()
    for one in callers:
        one.cancel()
    marks.append(round(service.memory()))
    return {
        "tries": count, "ended": dict(ends), "memory_mb_by_tenths": marks,
        "a_second": round(count / (time.monotonic() - began)),
        "held": marks[-1] - marks[len(marks) // 2] < 60
        and not any(name.split()[1] in ("0", "500") for name in ends),
    }  # fmt: skip
