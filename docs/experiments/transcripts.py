"""Writes transcripts.md: one session with a stale import, one with the sample.

    python docs/experiments/transcripts.py

Starts a service on a folder of its own, asks it over HTTP, and writes down what it answers. All
markets are invented; the sample comes with Augury.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

HERE = Path(__file__).parent
NOW = datetime.now(UTC)
AGE = 108
"""Days since the last price of the import."""
SERVICE = [sys.executable, "-P", "-m", "augury"]

HEAD = f"""\
# Two sessions, written down

This page was made by `python docs/experiments/transcripts.py` on {NOW:%Y-%m-%d}. The script
starts a service on an empty data folder, sends it the requests on this page, and writes down the
answers. Of each long answer, only the fields that show the age and origin of the data are kept, and
of each list only the first rows ("..." stands for more). All markets are invented.

"""
STALE = f"""\
## A stale import

This session has an import whose last price is {AGE} days old, `AUGURY_SAMPLE=off`, and no sync.
What to look for:

- health is `degraded`, with the reason;
- each market has its price with the date and `stale: true`;
- a rule on an old price is in the state `no_data` and does not fire;
- a forecast has no number; it names the market, its last price and the moment of this price; if
  the question is asked again with this moment as its `as_of`, it gets a number;
- the graph has no node with an old price;
- there is no volatility.

"""
SAMPLE = """\
## The sample

This session has the sample catalogue that comes with Augury, `AUGURY_SAMPLE=on`, and no sync. What
to look for: everything is marked as a sample, and nothing looks live.

"""


def invented() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Markets and prices that end `AGE` days ago."""
    rng = random.Random(1)
    last = NOW - timedelta(days=AGE)
    year = NOW.year + 1
    titles = [
        (f"Will Freedonia join the customs union by December 31, {year}?", 0.44),
        (f"Will Freedonia hold a referendum by December 31, {year}?", 0.21),
        (f"Will the US fall into recession in {year}?", 0.31),
        (f"Will the US unemployment rate rise above 6% in {year}?", 0.12),
        (f"Will crude oil hit $150 in {year}?", 0.07),
    ]
    markets, prices = [], []
    for n, (title, price) in enumerate(titles, 1):
        name = f"polymarket:90000{n}"
        markets.append(
            {"id": name, "platform": "polymarket", "platform_id": f"90000{n}", "question": title,
             "status": "active", "outcomes": ["Yes", "No"],
             "prices": [price, round(1 - price, 2)], "volume": 1000.0 * n,
             "opens_at": (last - timedelta(days=200)).isoformat(),
             "closes_at": f"{year}-12-31T23:59:00+00:00", "as_of": last.isoformat()}
        )  # fmt: skip
        prices += [
            {"market_id": name, "outcome": "Yes", "ts": (last - timedelta(days=day)).isoformat(),
             "price": round(price + rng.uniform(-0.03, 0.03), 3) if day else price, "kind": "daily"}
            for day in range(20)
        ]  # fmt: skip
    return markets, prices


class Session:
    """What is asked of one service, and the text it becomes."""

    def __init__(self, url: str, key: str) -> None:
        self.client = httpx2.Client(
            base_url=url, headers={"authorization": f"Bearer {key}"}, timeout=60
        )
        self.text: list[str] = []

    def ask(
        self, method: str, path: str, body: Any = None, *, show: Sequence[str] | None = None
    ) -> Any:
        """Ask, and write down the answer's fields `show` (in whatever depth); None: nothing."""
        answer = self.client.request(method, path, json=body)
        told = answer.json()
        if show is not None:
            asked = f"{method} {path}" + (f"\n{json.dumps(body)}" if body is not None else "")
            kept = cut(told, frozenset(show))
            shown = json.dumps(kept, indent=1, ensure_ascii=False)
            self.text.append(f"```\n{asked}\n\n{answer.status_code}\n{shown}\n```\n")
        return told

    def say(self, text: str) -> None:
        self.text.append(f"{text}\n")


ROWS = 3
HIDDEN = {"evidence", "rejected", "source_status", "markets", "database"}


def cut(value: Any, show: frozenset[str]) -> Any:
    """The fields named, with whatever holds them; the first rows of lists."""
    if isinstance(value, dict):
        if not show:
            return value
        found = {
            key: inner if key in show and not isinstance(inner, dict | list)
            else cut(inner, frozenset() if key in show else show)
            for key, inner in value.items()
            if key not in HIDDEN and (key in show or isinstance(inner, dict | list))
        }  # fmt: skip
        return {key: inner for key, inner in found.items() if key in show or inner not in ({}, [])}
    if isinstance(value, list):
        rows = [cut(one, show) for one in value]
        kept = [row for row in rows if row not in ({}, [])] if show else rows
        more = ["..."] if len(kept) > ROWS else []
        return [row for row in kept if show == frozenset() or not isinstance(row, str)][
            :ROWS
        ] + more
    return value


ROW = ("id", "question", "current_prices", "price_as_of", "stale", "origin", "closes_at")


def session(asking: Session, question: str, market: str, asset: str) -> None:
    """The seven steps."""
    asking.say("### Health")
    asking.ask(
        "GET", "/v1/health",
        show=("status", "data", "problems", "origin", "newest", "age_seconds", "stale"),
    )  # fmt: skip
    asking.say("### Search")
    body = {"query": question, "dimensions": ["direct"], "top_k_per_dimension": 2}
    asking.ask("POST", "/v1/search", body, show=ROW)
    asking.say("### List")
    asking.ask("GET", "/v1/markets?sort=volume&limit=2", show=("status", *ROW))
    asking.say("### Rule")
    listed = asking.ask("POST", "/v1/watchlists", {"name": "Transcript"})["id"]
    asking.ask(
        "POST", f"/v1/watchlists/{listed}/targets",
        {"kind": "market", "ref": market, "outcome": "Yes"},
    )  # fmt: skip
    asking.ask(
        "POST", f"/v1/watchlists/{listed}/rules",
        {"name": "Likelier than 1%", "metric": "probability", "op": "gt", "value": 0.01},
    )  # fmt: skip
    asking.say('A rule "likelier than 1%" on the market found above, evaluated now:')
    path = f"/v1/watchlists/{listed}/evaluate"
    asking.ask(
        "POST", path, show=("state", "value", "reason", "as_of", "price_as_of", "origin", "source")
    )
    asking.say("### Forecast")
    made = asking.ask(
        "POST", "/v1/forecasts", {"question": question, "include_graph": False},
        show=("probability", "grade", "confidence", "reasoning", "origin", "data_as_of", "warnings",
              "error", "price", "price_as_of"),
    )  # fmt: skip
    if made["probability"] is None and (again := _as_of(made["error"] or "")):
        asking.say("The same question once more, with the `as_of` that the answer above names:")
        asking.ask(
            "POST", "/v1/forecasts", {"question": question, "as_of": again, "include_graph": False},
            show=("probability", "grade", "confidence", "origin", "data_as_of", "warnings"),
        )  # fmt: skip
    asking.say("### Graph")
    asking.ask(
        "POST", "/v1/graphs", {"question": f"Will the US fall into recession in {NOW.year + 1}?"},
        show=("status", "origin", "data_as_of", "label", "current_probability", "price_as_of",
              "relationship", "strength", "polarity", "warnings"),
    )  # fmt: skip
    asking.say("### Volatility")
    asking.ask(
        "GET", f"/v1/rvol/latest?asset={asset}&horizon=1d",
        show=("asset", "horizon", "as_of", "origin", "issued", "detail", "forecast_rv"),
    )  # fmt: skip


def _as_of(text: str) -> str | None:
    found = text.partition("as_of=")[2].split()
    return found[0].rstrip(".") if found else None


@contextmanager
def service(folder: Path, **settings: str) -> Iterator[tuple[str, dict[str, str]]]:
    """A service on a folder: its address, and the environment of commands beside it."""
    environment = {
        **os.environ, "AUGURY_DATA_DIR": str(folder), "AUGURY_SYNC": "off", "AUGURY_PORT": "0",
        "AUGURY_CONSOLE": "off", **settings,
    }  # fmt: skip
    process = subprocess.Popen(  # noqa: S603
        [*SERVICE, "serve"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        text=True,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[3], environment
    finally:
        process.terminate()
        process.wait(60)


def run(environment: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(  # noqa: S603
        [*SERVICE, *arguments], env=environment, text=True, capture_output=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"augury {' '.join(arguments)} failed: {done.stderr}")
    return done.stdout


def key(environment: dict[str, str]) -> str:
    scopes = ("search:read", "forecast:read", "watch:write", "rvol:read")
    given = [part for scope in scopes for part in ("--scope", scope)]
    made = run(environment, "keys", "create", "--account", "transcript", *given, "--json")
    run(environment, "accounts", "approve-rvol", "transcript")
    return str(json.loads(made)["key"])


def main() -> None:
    text = [HEAD]
    markets, prices = invented()
    with TemporaryDirectory() as folder:
        files = []
        for name, rows in (("markets", markets), ("prices", prices)):
            files.append(Path(folder) / f"{name}.jsonl")
            files[-1].write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
        with service(Path(folder) / "stale", AUGURY_SAMPLE="off") as (url, environment):
            run(environment, "import", *map(str, files))
            asking = Session(url, key(environment))
            session(asking, markets[0]["question"], markets[0]["id"], "BTC")
            text += [STALE, *asking.text]
        with service(Path(folder) / "sample", AUGURY_SAMPLE="on") as (url, environment):
            asking = Session(url, key(environment))
            [first] = asking.ask("GET", "/v1/markets?sort=volume&limit=1&status=active")["items"]
            session(asking, first["question"], first["id"], "BTC")
            text += [SAMPLE, *asking.text]
    told = "\n".join(text).replace("\n\n\n", "\n\n")
    (HERE / "transcripts.md").write_text(told, encoding="utf-8")


if __name__ == "__main__":
    main()
