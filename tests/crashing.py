"""A service that is killed, those who use it, and what they were told."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import psycopg
from tests.processes import dump
from tests.zygote import Command, Zygote

KILLS = int(os.environ.get("AUGURY_TEST_KILLS", "3"))
SEED = int(os.environ.get("AUGURY_TEST_SEED", "1"))
LIFE = 4.0
"""Seconds a life lasts at most once the service answers."""
MARKETS = 120
RVOL_DAYS = 12
SECRET = "whsec_" + "A" * 32
QUESTIONS = ("Will {} win?", "Will the rate be above {}%?", "Will it rain more than {} inches?")
PATIENCE = 150.0
"""Seconds until all is quiet after the last kill: leases and claims of the dead run out (120)."""

UNLIMITED = {
    "AUGURY_ANONYMOUS_SEARCH_RATE": "100000/s",
    "AUGURY_ANONYMOUS_SEARCH_BURST": "100000",
    "AUGURY_SEARCH_RATE": "100000/s",
    "AUGURY_SEARCH_IN_FLIGHT": "1000",
    "AUGURY_FORECAST_RATE": "100000/s",
    "AUGURY_FORECAST_IN_FLIGHT": "1000",
    "AUGURY_RVOL_RATE": "100000/s",
}


class Down(Exception):
    """The service did not answer: what was asked may or may not have been done."""


class Service:
    """The service through its lives."""

    def __init__(self, zygote: Zygote, env: dict[str, str], data_dir: Path) -> None:
        self.zygote, self.env, self.data_dir = zygote, env, data_dir
        self.url = ""
        self.up = asyncio.Event()
        self.process: Command | None = None
        self.client = httpx2.AsyncClient(
            timeout=20, limits=httpx2.Limits(max_keepalive_connections=0)
        )
        self.key = ""
        self.statuses: Counter[int] = Counter()
        self.broken: list[str] = []
        self.slowest_start = 0.0
        self.lives = 0

    async def start(self, *, wait: bool = True) -> None:
        # Mostly in one process: the worker of its own takes seconds of CPU to start each time.
        work = "child" if self.lives % 5 == 0 else "here"
        self.lives += 1
        self.process = self.zygote.start("serve", env=self.env | {"AUGURY_WORK": work})
        began = time.monotonic()
        while wait and not self.up.is_set():
            line = self.process.read("out")
            if "\n" in line:
                self.url = line.split()[3]
                self.slowest_start = max(self.slowest_start, time.monotonic() - began)
                self.up.set()
            assert self.process.code is None, self.process.read("err")[-3000:]
            assert time.monotonic() - began < 120, "it does not start"
            await asyncio.sleep(0.02)

    def server(self) -> list[int]:
        """The database's processes, its first one first."""
        file = self.data_dir / "postgres" / "data" / "postmaster.pid"
        try:
            first = int(file.read_text().split("\n", 1)[0])
            children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        except (OSError, ValueError):
            return []
        return [first, *map(int, children)]

    def told(self) -> str:
        """What there is to know of a service that does not answer: how it ended, its last log
        lines and its database's, and the database's processes."""
        assert self.process
        log = self.data_dir / "postgres" / "server.log"
        return "\n".join(
            [
                f"ended with {self.process.code}; database processes {self.server()};"
                f" statuses {dict(self.statuses)}",
                self.process.read("err")[-3000:],
                log.read_text(errors="replace")[-3000:] if log.exists() else "no database log",
            ]
        )

    def database(self) -> psycopg.Connection:
        record = json.loads((self.data_dir / "postgres" / "server.json").read_text())
        return psycopg.connect(
            host=record["socket_dir"], port=5432, user="augury", dbname="augury", autocommit=True
        )

    async def kill(self, *, power: bool = False) -> None:
        assert self.process
        self.up.clear()
        victims = self.server() if power else []
        for pid in (self.process.pid, *victims):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        while self.process.code is None:
            await asyncio.sleep(0.01)

    async def stop(self) -> float:
        """Ask it to end; the seconds that took."""
        assert self.process
        self.up.clear()
        began = time.monotonic()
        os.kill(self.process.pid, signal.SIGTERM)
        while self.process.code is None:
            assert time.monotonic() - began < 30, "it does not end"
            await asyncio.sleep(0.02)
        assert self.process.code in (0, -signal.SIGTERM), self.process.read("err")[-2000:]
        return time.monotonic() - began

    async def ask(
        self, method: str, path: str, body: Any = None, *, once: str = "", key: str | None = None
    ) -> httpx2.Response:
        """One request while the service is up; Down when it was lost with a life."""
        await self.up.wait()
        headers = {"authorization": f"Bearer {self.key if key is None else key}"}
        if once:
            headers["idempotency-key"] = once
        if key == "":
            del headers["authorization"]
        try:
            answer = await self.client.request(
                method, f"{self.url}{path}", json=body, headers=headers
            )
        except (httpx2.TransportError, httpx2.TimeoutException) as error:
            raise Down from error
        self.statuses[answer.status_code] += 1
        if answer.status_code == 503:
            raise Down
        if answer.status_code >= 500:
            self.broken.append(f"{method} {path}: {answer.status_code} {answer.text[:200]}")
        is_json = answer.headers.get("content-type", "").startswith("application/json")
        if answer.status_code != 204 and not is_json:
            told = dict(answer.headers)
            self.broken.append(
                f"{method} {path}: {answer.status_code} no JSON, {answer.text[:200]!r}, {told}"
            )
            raise Down
        return answer


class Books:
    """What was acknowledged."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        """Name of each watchlist, by id, as last acknowledged; "" when a change is in doubt."""
        self.deleted: set[str] = set()
        self.points: dict[str, set[tuple[str, float]]] = {}
        self.alerts: dict[str, str] = {}
        """Rule that must have fired once, and its watchlist."""
        self.runs: dict[str, list[str]] = {}
        self.jobs: set[str] = set()
        self.canceled: dict[str, bool | None] = {}
        """Whether a job that was asked to end had been canceled; None: no answer came."""
        self.forecasts = 0
        self.keys: dict[str, bool] = {}
        """Text of each key told, and whether it is in force."""
        self.imported: set[str] = set()
        self.doubts: list[tuple[str, Any, str, str]] = []
        """POSTs without an answer: path, body, idempotency key, what to do with the answer."""


class Clients:
    """Everybody who uses the service, at once."""

    def __init__(self, service: Service, books: Books, hook: str, folder: Path) -> None:
        self.service, self.books, self.hook, self.folder = service, books, hook, folder
        self.rng = random.Random(SEED)
        self.number = 0
        self.done: Counter[str] = Counter()

    async def create(self, kind: str, path: str, body: Any) -> dict[str, Any] | None:
        """A POST under an idempotency key; in doubt it is noted down to be asked again."""
        self.number += 1
        once = f"{kind}-{SEED}-{self.number}"
        try:
            answer = await self.service.ask("POST", path, body, once=once)
        except Down:
            self.books.doubts.append((path, body, once, kind))
            return None
        assert answer.status_code in (201, 202), (path, answer.text)
        return self.note(kind, answer.json(), body)

    def note(self, kind: str, made: dict[str, Any], body: Any) -> dict[str, Any]:
        self.done[kind] += 1
        if kind == "watchlist":
            self.books.names[made["id"]] = body["name"]
        elif kind == "series":
            self.books.points[made["id"]] = set()
        elif kind == "run":
            self.books.runs[made["run_id"]] = [q["question"] for q in body["questions"]]
        elif kind == "job":
            self.books.jobs.add(made["job_id"])
        return made

    async def watching(self) -> None:
        """Makes a series, watches it, and pushes a point that must raise one alert."""
        hook = {"type": "webhook", "url": self.hook, "secret": SECRET}
        while True:
            # An account has at most 500 series and watchlists: they are spread over all lives.
            if len(self.books.points) > 10 + 300 * self.service.lives / max(KILLS, 30):
                await asyncio.sleep(0.1)
                continue
            n = self.number
            source = {"type": "push"}
            series = await self.create(
                "series", "/v1/external-series",
                {"name": f"s{n}", "kind": "macro_indicator", "source": source},
            )  # fmt: skip
            watchlist = await self.create(
                "watchlist", "/v1/watchlists", {"name": f"w{n}", "delivery": [hook]}
            )
            if not series or not watchlist:
                continue
            at = f"/v1/watchlists/{watchlist['id']}"
            target = await self.create(
                "target", f"{at}/targets", {"kind": "series", "ref": series["id"]}
            )
            rule = {"name": "High", "metric": "series_value", "op": "gt", "value": 5}
            made = await self.create("rule", f"{at}/rules", {**rule, "severity": "info"})
            if not target or not made:
                continue
            point = {"time": "2026-01-01T00:00:00Z", "value": 10 + n}
            path = f"/v1/external-series/{series['id']}/refresh"
            with suppress(Down):
                answer = await self.service.ask("POST", path, {"points": [point]})
                assert answer.status_code == 200, answer.text
                self.books.points[series["id"]].add((point["time"], point["value"]))
                self.books.alerts[made["id"]] = watchlist["id"]
                self.done["point"] += 1
            await asyncio.sleep(0.05)

    async def changing(self) -> None:
        """Renames and deletes watchlists of its own."""
        while True:
            made = await self.create("watchlist", "/v1/watchlists", {"name": "mine"})
            if made is None:
                continue
            path, id_ = f"/v1/watchlists/{made['id']}", made["id"]
            for turn in range(4):
                name = f"mine {turn}"
                self.books.names[id_] = ""
                with suppress(Down):
                    answer = await self.service.ask("PATCH", path, {"name": name})
                    assert answer.json()["name"] == name
                    self.books.names[id_] = name
                    self.done["change"] += 1
            if self.rng.random() < 0.9:
                del self.books.names[id_]
                with suppress(Down):
                    assert (await self.service.ask("DELETE", path)).status_code == 204
                    self.books.deleted.add(id_)
                    self.done["deletion"] += 1
            await asyncio.sleep(0.1)

    async def running(self) -> None:
        """Runs of questions, graphs in the background, and forecasts at once."""
        while True:
            asked = [self.rng.choice(QUESTIONS).format(self.rng.randrange(50)) for _ in range(12)]
            body = {"questions": [{"question": q} for q in asked], "include_graph": False}
            await self.create("run", "/internal/v1/forecast/runs", body)
            job = await self.create("job", "/internal/v1/graph/jobs", {"question": asked[0]})
            if job and self.rng.random() < 0.3:
                path, id_ = f"/internal/v1/graph/jobs/{job['job_id']}/cancel", job["job_id"]
                self.books.canceled[id_] = None  # in doubt until answered
                with suppress(Down):
                    answer = await self.service.ask("POST", path)
                    assert answer.status_code in (200, 409)
                    self.books.canceled[id_] = answer.status_code == 200
            with suppress(Down):
                answer = await self.service.ask("POST", "/v1/forecast", {"question": asked[1]})
                assert answer.status_code == 200, answer.text
                self.books.forecasts += 1
                self.done["forecast"] += 1
            await asyncio.sleep(0.2)

    async def reading(self) -> None:
        """Searches, pages of the extension, prices: nothing but 200 while it is up."""
        while True:
            with suppress(Down):
                for path, body in (
                    ("/v1/search", {"query": "Will it rain?"}),
                    ("/extension/v1/search", {"title": "Who wins the cup?", "mode": "ads"}),
                    ("/extension/v1/sports-search", {"title": "Lions vs Tigers tonight"}),
                    ("/extension/v1/graph", {"title": "The rate goes up"}),
                    ("/extension/v1/prices", {"ids": ["polymarket:1"]}),
                ):
                    answer = await self.service.ask("POST", path, body, key="")
                    assert answer.status_code == 200, (path, answer.text)
                    self.done["read"] += 1
            await asyncio.sleep(0.1)

    async def operating(self) -> None:
        """Keys made and revoked, and dumps imported, by commands beside the service."""
        while True:
            await self.service.up.wait()
            self.number += 1
            made = await self._run(
                "keys", "create", "--account", f"acc{self.number % 3}", "--scope", "watch:write",
                "--json",
            )  # fmt: skip
            if made is not None:
                self.books.keys[made["key"]] = True
                self.done["key"] += 1
                if self.rng.random() < 0.4:
                    del self.books.keys[made["key"]]
                    if await self._run("keys", "revoke", made["id"]) is not None:
                        self.books.keys[made["key"]] = False
                        self.done["revocation"] += 1
            if self.rng.random() < 0.3:
                path = self.folder / f"{self.number}.jsonl"
                # Their ids meet no market of the venues, which would have the last word.
                ids = dump(path, 60, seed=1000 + self.number, first=100_000 + 100 * self.number)
                if await self._run("import", str(path), "--json") is not None:
                    self.books.imported |= set(ids)
                    self.done["import"] += 1
            await asyncio.sleep(0.3)

    async def _run(self, *argv: str) -> dict[str, Any] | None:
        """What a command printed as JSON; None when it failed, as it may without a service."""
        command = self.service.zygote.start(*argv, env=self.service.env)
        while command.code is None:
            await asyncio.sleep(0.02)
        if command.code != 0:
            assert "Traceback" not in command.read("err") or command.code < 0, command.read("err")
            return None
        out = command.read("out").strip()
        if "--json" in argv:
            assert out.startswith("{"), (argv, out, command.read("err"))
        return json.loads(out) if "--json" in argv else {}

    async def clear_up(self) -> int:
        """Ask again what had no answer, under the same keys; how many are still in doubt."""
        open_ = self.books.doubts
        self.books.doubts = []
        for path, body, once, kind in open_:
            try:
                answer = await self.service.ask("POST", path, body, once=once)
            except Down:
                self.books.doubts.append((path, body, once, kind))
                continue
            if answer.status_code == 409:  # still claimed by the one who died
                self.books.doubts.append((path, body, once, kind))
            else:
                assert answer.status_code in (201, 202, 404), answer.text
                if answer.status_code != 404:
                    self.note(kind, answer.json(), body)
        return len(self.books.doubts)
