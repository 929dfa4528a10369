"""Hostile bodies by the thousand: only 4xx with `{detail}`, nothing echoed, no memory kept (R2)."""

from __future__ import annotations

import gc
import json
import random
import time
from collections import Counter
from functools import cache
from typing import Any

import psutil
import pytest
import structlog
from tests.http.conftest import OpenLimiter, make_app
from tests.http.open_access import OpenAccess, call
from tests.pace import slower

from augury.access.keys import mint
from augury.settings import Settings

pytestmark = pytest.mark.anyio

CANARY = "kanarienvogel"


def _noise(rng: random.Random, good: bytes, at: int) -> bytes:
    return b"\x80" + rng.randbytes(rng.randrange(2000))


def _flipped(rng: random.Random, good: bytes, at: int) -> bytes:
    return good[:at] + bytes([good[at] ^ (1 << rng.randrange(8))]) + good[at + 1 :]


def _utf8(rng: random.Random, good: bytes, at: int) -> bytes:
    bad = rng.choice([b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82"])
    return good.replace(b"vogel", bad)


def _number(rng: random.Random, good: bytes, at: int) -> bytes:
    bad = [
        b"NaN",
        b"Infinity",
        b"-Infinity",
        b"1e400",
        b"-1e999",
        b"1" * 5000,
        b"0x1",
        b"01",
        b"+1",
    ]
    return good.replace(b"3", rng.choice(bad))


def _nested(rng: random.Random, good: bytes, at: int) -> bytes:
    opening = rng.choice([b"[", b'{"a":'])
    depth = rng.choice([65, 66, 100, 999, 1000, 1001, 5000, 10_000])
    closing = {b"[": b"]"}.get(opening, b"}") * (depth if rng.random() < 0.5 else 0)
    return opening * depth + (b"1" if closing else b"") + closing


def _twice(rng: random.Random, good: bytes, at: int) -> bytes:
    return good[:-1] + rng.choice([b',"query":"a","query":"b"}', b',"a":{"b":1,"b":1}}'])


def _half(rng: random.Random, good: bytes, at: int) -> bytes:
    half = rng.choice([b"\\ud800", b"\\udfff", b"\\ud83d\\ud83d", b"\\u0000", b"a\\u0000b"])
    return good.replace(b"vogel", half)


def _cut(rng: random.Random, good: bytes, at: int) -> bytes:
    return good[: max(1, at)]


def _type(rng: random.Random, good: bytes, at: int) -> bytes:
    junk: list[Any] = [None, True, 7, 1.5, CANARY, [], [[CANARY]], {CANARY: 1}]
    key = rng.choice(["query", "question", "dimensions", "filters"])
    value = rng.choice([7, True, [CANARY], {CANARY: CANARY}, CANARY if key != "query" else 7])
    return json.dumps(rng.choice([rng.choice(junk), {key: value, CANARY: 1}])).encode()


def _keys(rng: random.Random, good: bytes, at: int) -> bytes:
    return json.dumps({f"{CANARY}{n}": n for n in range(rng.choice([500, 3000]))}).encode()


def _million(rng: random.Random, good: bytes, at: int) -> bytes:
    return _million_keys()


@cache
def _million_keys() -> bytes:
    return b"{" + b",".join(b'"%d":1' % n for n in range(1_000_000)) + b"}"


def _control(rng: random.Random, good: bytes, at: int) -> bytes:
    return good.replace(b"vogel", bytes([rng.randrange(32)]))


_KINDS: dict[str, Any] = {
    "noise": _noise,
    "flipped": _flipped,
    "utf-8": _utf8,
    "number": _number,
    "nested": _nested,
    "twice": _twice,
    "half a pair": _half,
    "cut": _cut,
    "type": _type,
    "keys": _keys,
    "control": _control,
}
_MANY = list(_KINDS)
_KINDS["million"] = _million


@pytest.mark.heavy
@pytest.mark.parametrize("cases", [4000, pytest.param(20_000, marks=pytest.mark.slow)])
async def test_hostile_bodies(settings: Settings, cases: int) -> None:
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(30))
    try:
        await _bombard(settings, cases)
    finally:
        structlog.reset_defaults()


async def _bombard(settings: Settings, cases: int) -> None:
    app = make_app(settings, access=OpenAccess())
    app.state.traffic.limiter = OpenLimiter()
    rng = random.Random(2)
    headers = [
        (b"content-type", b"application/json"),
        (b"authorization", f"Bearer {mint().text}".encode()),
    ]
    seen: Counter[int] = Counter()
    process = psutil.Process()
    before = 0
    started = time.process_time()
    for n in range(cases):
        if n == 1000:
            gc.collect()
            before = process.memory_info().rss
        kind = "million" if n % 2000 == 0 else rng.choice(_MANY)
        good = b'{"query":"kanarienvogel","top_k_per_dimension":3}'
        if rng.random() < 0.5:
            good = b'{"question":"kanarienvogel","x":3}'
        body = _KINDS[kind](rng, good, rng.randrange(len(good)))
        path = rng.choice(["/v1/search", "/v1/forecast"])
        status, answer = await call(app, path, headers, body, pieces=rng.choice([1, 1, 3]))
        seen[status] += 1
        if status in (200, 503):
            assert kind == "flipped", (kind, body[:200])
            continue
        assert status in (413, 422), (status, kind, body[:200])
        detail = json.loads(answer)["detail"]
        for issue in detail if isinstance(detail, list) else []:
            assert set(issue) == {"loc", "msg", "type"}
            assert CANARY not in issue["msg"]
    seconds = time.process_time() - started
    gc.collect()
    assert process.memory_info().rss - before < 50 * 2**20
    assert seconds < 1.5 * slower() * cases / 1000, seconds
    assert seen[422] > 0.9 * cases
    assert seen[413] >= cases / 2000
