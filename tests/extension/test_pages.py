"""Page titles over the real catalogue: the right route, and the game of a sports page.

The misses of every title have been used, so this shows that nothing is lost, not how unseen pages
fare; docs/experiments/search.md has the first scores. A game counts as found where the first market
shown is one of it.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import pytest

from augury.extension.page import WebPage
from augury.extension.service import ExtensionService
from augury.extension.store import PageMarketRow
from augury.services import running
from augury.settings import Settings

pytestmark = [pytest.mark.anyio, pytest.mark.slow]

HERE = Path(__file__).parent
CATALOGUE = HERE.parents[2] / "shared" / "data" / "catalog" / "markets.parquet"


def is_of(row: PageMarketRow, game: list[str]) -> bool:
    """Whether a market is one of a game, told by beginnings of ids or slugs, or by a question."""
    for told in game:
        kind, _, rest = told.partition(":")
        if kind == "slug" and (row.slug or "").startswith(rest):
            return True
        if (kind == "q" and re.search(rest, row.question)) or row.id.startswith(told):
            return True
    return False


@pytest.mark.skipif(not CATALOGUE.exists(), reason="the shared catalogue is not beside the project")
async def test_titles(settings: Settings) -> None:
    imported = [sys.executable, "-m", "augury", "import", str(CATALOGUE)]
    subprocess.run(
        imported, env=os.environ | {"AUGURY_DATA_DIR": str(settings.data_dir)}, check=True
    )
    async with running(settings) as services:
        await services.search.catch_up()
        at = datetime(2026, 4, 15, tzinfo=UTC)
        service = ExtensionService(
            services.database,
            services.search,
            services.relations,
            services.graph,
            clock=lambda: at,
        )
        await service.catch_up()
        routed: list[bool] = []
        found: list[bool] = []
        seconds: list[float] = []
        groups: dict[str, list[dict[str, Any]]] = tomllib.loads(
            (HERE / "page_titles.toml").read_text(encoding="utf-8")
        )
        for group, titles in groups.items():
            for told in titles:
                at = datetime.fromisoformat(told.get("at", "2026-04-15")).replace(
                    hour=12, tzinfo=UTC
                )
                page = WebPage(url=told.get("url", ""), title=told["title"])
                began = perf_counter()
                answer = await service.search(page)
                seconds.append(perf_counter() - began)
                routed.append((answer.route == "search") == (group == "others"))
                if group == "games":
                    first = answer.results[0].row if answer.results else None
                    found.append(first is not None and is_of(first, told["game"]))
    shares = sum(routed) / len(routed), sum(found) / len(found)
    print(f"routed {shares[0]:.3f}, games {shares[1]:.3f}, p50 {1000 * median(seconds):.1f} ms")
    assert shares[0] >= 0.97
    assert shares[1] >= 0.95
    assert median(seconds) <= 0.025
