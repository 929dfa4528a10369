"""The boundary table of search and forecast bodies (R4)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

pytestmark = pytest.mark.anyio

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"  # three people, two joiners: 5 code points

TEXTS: dict[str, Any] = {
    "empty": "",
    "one": "a",
    "a space": " ",
    "tabs and newlines": "\t\r\n",
    "no-break space": "\u00a0",
    "ideographic space": "\u3000",
    "zero width space": "\u200b",
    "joiner": "\u200d",
    "byte order mark": "\ufeff",
    "right-to-left mark": "\u200f",
    "spaces round a word": "  rain  ",
    "no-break space in a word": "a\u00a0b",
    "emoji": "\U0001f600",
    "a family": FAMILY,
    "combining mark": "\u0301",
    "null": None,
    "number": 7,
    "true": True,
    "list": ["a"],
    "object": {"a": 1},
}
SIZES = (1, 2, 3, 10, 100, 499, 500, 501, 1000, 1999, 2000, 2001, 5000, 10_000)

TOP_K = (-1, 0, 1, 19, 20, 21, 49, 50, 51, 2**31 - 1, 2**31, 2**63, 10**30, 0.5, 20.0, 20.5)
NOT_NUMBERS: tuple[Any, ...] = ("20", "", "a", True, False, None, [], [20], {})
DIMENSIONS: dict[str, Any] = {
    "none": [],
    "direct": ["direct"],
    "all": ["direct", "upstream", "downstream", "correlated"],
    "twice": ["direct", "direct"],
    "five": ["direct", "upstream", "downstream", "correlated", "direct"],
    "unknown": ["sideways"],
    "upper case": ["Direct"],
    "blank": [""],
    "text": "direct",
    "null": None,
    "null inside": [None],
    "number inside": [1],
    "object": {"direct": True},
}
FILTERS: dict[str, Any] = {
    "null": None,
    "empty": {},
    "active": {"status": "active"},
    "closed": {"status": "closed"},
    "resolved": {"status": "resolved"},
    "status null": {"status": None},
    "unknown": {"status": "open"},
    "upper case": {"status": "ACTIVE"},
    "number": {"status": 1},
    "text": "active",
    "list": ["active"],
}
GRAPH: tuple[Any, ...] = (True, False, None, 0, 1, "true", "false", "", [], 1.0)


def search_bodies() -> dict[str, Any]:
    bodies: dict[str, Any] = {f"query: {name}": {"query": v} for name, v in TEXTS.items()}
    bodies |= {f"query of {n}": {"query": "a" * n} for n in SIZES}
    bodies |= {f"query of {n} emoji": {"query": "\U0001f600" * n} for n in (500, 501, 2000, 2001)}
    bodies |= {
        f"top_k {json.dumps(v)}": {"query": "a", "top_k_per_dimension": v}
        for v in (*TOP_K, *NOT_NUMBERS)
    }
    bodies |= {f"dimensions: {n}": {"query": "a", "dimensions": v} for n, v in DIMENSIONS.items()}
    bodies |= {f"filters: {n}": {"query": "a", "filters": v} for n, v in FILTERS.items()}
    bodies |= {
        "no query": {},
        "another field": {"query": "a", "extra": 1},
        "another filter": {"query": "a", "filters": {"platform": "kalshi"}},
        "everything wrong": {"query": 1, "dimensions": [], "top_k_per_dimension": 0, "filters": 1},
        "a list": [],
        "a text": "a",
        "null": None,
    }
    return bodies


def forecast_bodies() -> dict[str, Any]:
    bodies: dict[str, Any] = {f"question: {name}": {"question": v} for name, v in TEXTS.items()}
    bodies |= {f"question of {n}": {"question": "a" * n} for n in SIZES}
    for name, text in {"emoji": "\U0001f600", "e and accent": "e\u0301"}.items():
        for n in (499, 500, 501):
            question = (text * n)[:n]
            bodies[f"question of {n} code points of {name}"] = {"question": question}
    bodies["question of 100 families"] = {"question": FAMILY * 100}
    bodies["question of 500 blanks"] = {"question": " " * 500}
    bodies["question of 501 blanks"] = {"question": " " * 501}
    bodies |= {
        f"include_graph {json.dumps(v)}": {"question": "a", "include_graph": v} for v in GRAPH
    }
    bodies |= {
        "no question": {},
        "another field": {"question": "a", "extra": 1},
        "a list": [],
        "a text": "a",
        "null": None,
    }
    return bodies


async def test_bodies_at_the_boundaries(
    app: FastAPI, client: httpx2.AsyncClient, golden: Callable[[str, Any], None]
) -> None:
    _, key = await app.state.services.access.create_key("a", ["search:read", "forecast:read"])
    table: dict[str, dict[str, str]] = {}
    for path, bodies in {
        "/v1/search": search_bodies(),
        "/v1/forecast": forecast_bodies(),
    }.items():
        row = table.setdefault(path, {})
        for name, body in bodies.items():
            answer = await client.post(
                path,
                content=json.dumps(body),
                headers={"content-type": "application/json", "authorization": f"Bearer {key}"},
            )
            row[name] = _told(answer)
    assert sum(map(len, table.values())) >= 150
    golden("boundaries", table)


def _told(answer: httpx2.Response) -> str:
    if answer.status_code != 422:
        return str(answer.status_code)
    issues = answer.json()["detail"]
    return "422 " + "; ".join(
        f"{'.'.join(map(str, issue['loc']))}: {issue['msg']} ({issue['type']})" for issue in issues
    )
