"""R22: secrets sent through every input of a running service, then looked for everywhere.

Two kinds. A *secret* (keys, cookies, credentials in addresses, signing secrets, the service's own
tokens) may stand nowhere in the clear: not in a log, a metric, an answer, the database's files or
a backup. *Words* (questions, names, titles) may stand in the store, where they belong, and in the
answer to who sent them, but in no log, metric or error. The long run:

    ./augury test tests/test_canaries.py -m slow
"""

from __future__ import annotations

import base64
import io
import itertools
import json
import re
import subprocess
import sys
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.crashing import UNLIMITED
from tests.macro.upstream import Upstream
from tests.pace import PATIENCE
from tests.processes import augury, environment
from tests.serving import served

from augury.access.keys import mint
from augury.settings import Settings

SECRET, WORDS = "Kn4rySEC", "Kn4ryWRD"
_count = itertools.count()


def canary(kind: str = SECRET) -> str:
    """A new one: the mark by which it is looked for, and a number of its own."""
    return f"{kind}{next(_count):08d}"


def forms(mark: str) -> list[bytes]:
    """The mark as it is, backwards, in hexadecimal, and in base64 at each of its alignments."""
    raw = mark.encode()
    inside = [base64.b64encode(b"\0" * n + raw + b"\0" * 3) for n in range(3)]
    cut = [text[(n * 8 + 5) // 6 :][: (len(raw) * 8) // 6 - 1] for n, text in enumerate(inside)]
    return [raw, raw[::-1], raw.hex().encode(), raw.hex().upper().encode(), *cut]


def test_a_mark_is_found_however_it_is_written() -> None:
    for text in (f"a:{SECRET}1", f"ab:{SECRET}12", f"abc:{SECRET}123"):
        encoded = base64.b64encode(text.encode())
        assert any(form in encoded for form in forms(SECRET))
    assert not any(form in base64.b64encode(b"nothing of the kind" * 50) for form in forms(SECRET))


class Answers:
    """What the service said, and what of it should not have been said."""

    def __init__(self) -> None:
        self.statuses: Counter[int] = Counter()
        self.leaks: list[str] = []
        self._secret = re.compile(b"|".join(map(re.escape, forms(SECRET))))
        self._words = re.compile(b"|".join(map(re.escape, forms(WORDS))))

    def look(self, answer: httpx2.Response, *, told: str = "") -> None:
        """`told`: a secret that this answer may tell, once, to who made it."""
        self.statuses[answer.status_code] += 1
        whole = answer.content.replace(told.encode(), b"") if told else answer.content
        whole += repr(answer.headers.multi_items()).encode()
        if self._secret.search(whole) or (answer.status_code >= 400 and self._words.search(whole)):
            self.leaks.append(f"{answer.request.method} {answer.request.url.path}: {whole[:300]!r}")


@contextmanager
def serving(folder: Path, env: dict[str, str]) -> Iterator[str]:
    """The service at its most talkative, its output in files of `folder`."""
    with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        process = subprocess.Popen(
            [sys.executable, "-m", "augury", "serve"], env=env, stdout=subprocess.PIPE, stderr=err
        )
        try:
            assert process.stdout
            line = process.stdout.readline()
            out.write(line)
            assert line.startswith(b"Augury answers at "), line
            yield line.split()[3].decode()
        finally:
            process.terminate()
            out.write(process.communicate(timeout=PATIENCE)[0])


@pytest.mark.parametrize("secrets", [600, pytest.param(5_000, marks=pytest.mark.slow)])
def test_no_secret_is_found_anywhere(tmp_path: Path, secrets: int) -> None:
    upstream = Upstream()
    data = tmp_path / "data"
    said = Answers()
    with served(upstream) as port:
        env = environment(
            data,
            **UNLIMITED,
            AUGURY_LOG_LEVEL="debug",
            AUGURY_LOG_FORMAT="json",
            AUGURY_OUTBOUND_HTTP="on",
            AUGURY_OUTBOUND_ALLOW="127.0.0.1",
            AUGURY_EXTENSION_FETCH="on",
            AUGURY_MACRO_RUNTIME_URL=f"http://127.0.0.1:{port}/api",
            AUGURY_MACRO_RUNTIME_KEY=canary(),
            AUGURY_LLM_URL=f"http://127.0.0.1:{port}/llm",
            AUGURY_LLM_KEY=canary(),
        )
        with serving(tmp_path, env) as url:
            scopes = ("search:read", "forecast:read", "rvol:read", "watch:write", "macro:read",
                      "internal")  # fmt: skip
            flags = [part for scope in scopes for part in ("--scope", scope)]
            made = augury(data, "keys", "create", "--account", "c", *flags, "--json")
            assert made.returncode == 0, made.stderr
            key = json.loads(made.stdout)["key"]
            with httpx2.Client(base_url=url, timeout=PATIENCE) as client:
                while next(_count) < secrets:
                    _everything(client, key, upstream, said, port)
                said.look(client.get("/metrics"))
                said.look(client.get("/v1/health"))
                said.look(client.get("/v1/forecast/scorecard"))
                metrics = client.get("/metrics").content
            kept = tmp_path / "backup.zip"
            done = augury(data, "db", "backup", str(kept))
            assert done.returncode == 0, done.stderr
        sent = next(_count)
    assert sent >= secrets
    assert not said.leaks, (len(said.leaks), said.leaks[:3])
    assert said.statuses[201] > 10, said.statuses
    assert said.statuses[200] > 10, said.statuses
    assert not any(status >= 500 and status not in (502, 503) for status in said.statuses)

    logs = [tmp_path / "out", tmp_path / "err", *data.glob("postgres/*.log*")]
    assert sum(path.stat().st_size for path in logs) > 10_000, "nothing was logged at all"
    everywhere = {str(path): path.read_bytes() for path in data.rglob("*") if path.is_file()}
    everywhere |= {str(path): path.read_bytes() for path in logs}
    everywhere |= {"metrics": metrics, "a command": (made.stdout + done.stdout).encode()}
    everywhere |= dict(_unpacked(kept.read_bytes()))
    assert any(b"Kn4ryWRD" in content for content in everywhere.values()), "looked in the wrong way"
    for name, content in everywhere.items():
        for form in (*forms(SECRET), key[-43:].encode()):
            if name == "a command" and form == key[-43:].encode():
                continue  # where it was told
            at = content.find(form)
            assert at < 0, (name, content[max(0, at - 200) : at + 100])
        if name in ("metrics", *map(str, logs)):
            for form in forms(WORDS):
                at = content.find(form)
                assert at < 0, (name, content[max(0, at - 200) : at + 100])


def _unpacked(backup: bytes) -> Iterator[tuple[str, bytes]]:
    """A backup's members; the database's dump as SQL text."""
    from augury.storage.binaries import Binaries

    with zipfile.ZipFile(io.BytesIO(backup)) as archive:
        for name in archive.namelist():
            yield f"backup: {name}", archive.read(name)
            if name.endswith(".dump"):
                sql = subprocess.run(
                    [Binaries.find(None).program("pg_restore"), "-f", "-"],
                    input=archive.read(name), capture_output=True, check=True,
                ).stdout  # fmt: skip
                assert b"watch_deliveries" in sql
                yield f"backup: {name} as SQL", sql


def _everything(
    client: httpx2.Client, key: str, upstream: Upstream, said: Answers, port: int
) -> None:
    """One round through every input."""
    good = {"authorization": f"Bearer {key}"}

    # Whoever calls, with keys that are none and with what clients send along by mistake.
    private = {
        "cookie": f"session={canary()}; token={canary()}",
        "x-api-key": canary(),
        "proxy-authorization": f"Basic {base64.b64encode(f'u:{canary()}'.encode()).decode()}",
        "referer": f"https://u:{canary()}@example.org/?token={canary()}",
        "user-agent": f"client/{canary()}",
        "forwarded": f'for="{canary()}"',
        "x-forwarded-for": canary(),
        "traceparent": f"00-{canary()}-1",
        "x-request-id": canary(),
        **{f"x-service-{name}": canary() for name in (
            "attribution-code", "referrer", "channel", "tool", "client", "client-version",
        )},
    }  # fmt: skip
    private_labels = {  # as keys look that other services give out
        "x-service-tool": f"sk-{canary()}abcdef0123456789",
        "x-service-client": f"{canary()}@example.org",
    }
    near = mint().text
    for value in (
        f"Bearer {canary()}", f"Bearer aug_{canary()}", f"Bearer {near[:13]}{canary():A<43}"[:63],
        f"Basic {base64.b64encode(f'{canary()}:x'.encode()).decode()}", canary(),
    ):  # fmt: skip
        for path in ("/v1/search", "/v1/forecast"):
            headers = {**private, "authorization": value}
            said.look(client.post(path, json={"query": canary(WORDS)}, headers=headers))
    for method, path in (("GET", "/v1/markets"), ("GET", "/v1/rvol/latest"),
                         ("GET", "/v1/watchlists"), ("GET", "/nowhere"), ("PUT", "/v1/search"),
                         ("GET", "/v1/macro-runtime/series")):  # fmt: skip
        params = {"token": canary(), "api_key": canary(), "cursor": canary(), "limit": canary()}
        said.look(client.request(method, path, params=params, headers=good | private))
        said.look(client.request(method, path, params=params, headers={"cookie": canary()}))
    for path in ("/v1/watchlists/{}", "/v1/external-series/{}/points", "/v1/markets/{}", "/{}",
                 "/internal/v1/forecast/runs/{}", "/v1/macro-runtime/../{}"):  # fmt: skip
        said.look(client.get(path.format(canary()), headers=good))

    # Questions and pages: words. With a key in the labels that integrations may set.
    words = good | private_labels
    question = {"question": f"Will {canary(WORDS)} happen before 2030?"}
    said.look(client.post("/v1/forecast", json=question, headers=words))
    said.look(client.post("/v1/forecast/stream", json=question, headers=words))
    said.look(client.post("/v1/search", json={"query": canary(WORDS)}, headers=words))
    said.look(client.post("/internal/v1/graph/build", json=question, headers=good))
    run = {"questions": [question]}
    for path, body in (("/internal/v1/forecast/runs", run), ("/internal/v1/graph/jobs", question)):
        headers = good | {"idempotency-key": canary(WORDS)}
        said.look(client.post(path, json=body, headers=headers))
        said.look(client.post(path, json={**body, "more": canary(WORDS)}, headers=headers))
    page = {
        "url": f"http://u:{canary()}@127.0.0.1:{port}/api/page?session={canary()}#{canary()}",
        "title": canary(WORDS), "text": canary(WORDS),
    }  # fmt: skip
    for path in ("search", "sports-search", "graph"):
        said.look(client.post(f"/extension/v1/{path}", json=page, headers=good))
        only = {"url": f"http://127.0.0.1:{port}/api/page?session={canary()}"}
        said.look(client.post(f"/extension/v1/{path}", json=only, headers=good))
    said.look(client.post("/extension/v1/prices", json={"ids": [canary(WORDS)]}, headers=good))

    # Bodies that are wrong in every place, and no JSON at all.
    for path in ("/v1/search", "/v1/forecast", "/v1/watchlists", "/v1/external-series"):
        for wrong in ({"query": [canary()], "question": {"a": canary()}, "name": [canary()],
                       "source": canary(), "filters": canary(), "dimensions": [canary()]},
                      [canary()], canary()):  # fmt: skip
            said.look(client.post(path, json=wrong, headers=good))
        broken = f'{{"name": "{canary()}'.encode()
        said.look(client.post(path, content=broken, headers=good))

    # Addresses and secrets of webhooks, tried at once; the receiver fails, and echoes.
    hook = f"http://127.0.0.1:{port}/api/{canary()}?token={canary()}"
    secret = "whsec_" + f"{canary():A<40}"
    made = client.post(
        "/v1/watchlists",
        json={"name": canary(WORDS), "delivery": [{"type": "webhook", "url": hook,
                                                   "secret": secret}]},
        headers=good,
    )  # fmt: skip
    said.look(made, told=secret)
    assert made.status_code == 201, made.text
    at = f"/v1/watchlists/{made.json()['id']}"
    delivery = f"{at}/deliveries/{made.json()['delivery'][0]['id']}"
    upstream.fault = "500"
    said.look(client.post(f"{delivery}/ping", headers=good))
    said.look(client.get(f"{delivery}/log", headers=good))
    said.look(client.get(f"{at}/deliveries", headers=good))
    for url in (f"http://u:{canary()}@127.0.0.1:{port}/", f"ftp://{canary()}.example/",
                f"http://10.0.0.1/{canary()}", f"slack://{canary()}/{canary()}"):  # fmt: skip
        kind = "notify" if url.startswith("slack") else "webhook"
        for body in ({"type": kind, "url": url}, {"type": kind, "url": url, "secret": canary()}):
            said.look(client.post(f"{at}/deliveries", json=body, headers=good))
            said.look(client.patch(delivery, json={"url": url}, headers=good))
    for kind in ("market", "event", "asset", "series", "search"):
        body = {"kind": kind, "ref": canary(WORDS), "label": canary(WORDS)}
        said.look(client.post(f"{at}/targets", json=body, headers=good))

    # Addresses and credentials of series, fetched at once: healthy, failing, unreadable.
    source: dict[str, Any] = {
        "type": "json", "url": f"http://127.0.0.1:{port}/api/{canary()}?api_key={canary()}",
        "headers": {"authorization": f"Bearer {canary()}", "x-key": canary()},
    }  # fmt: skip
    series = client.post(
        "/v1/external-series",
        json={"name": canary(WORDS), "kind": "partner_feed", "source": source}, headers=good,
    )  # fmt: skip
    said.look(series)
    assert series.status_code == 201, series.text
    path = f"/v1/external-series/{series.json()['id']}"
    for fault in (None, "500", "html", "redirect_loop", "truncated"):
        upstream.fault = fault
        said.look(client.post(f"{path}/refresh", headers=good))
    said.look(client.get(path, headers=good))
    for url in (f"http://u:{canary()}@127.0.0.1:{port}/", f"http://{canary()}.invalid/{canary()}"):
        body = {"name": "x", "kind": "partner_feed", "source": {"type": "csv", "url": url}}
        said.look(client.post("/v1/external-series", json=body, headers=good))

    # The macro runtime: what the caller sends along, and an upstream that repeats the credential.
    for fault in (None, "repeats_credential", "500"):
        upstream.fault = fault
        answer = client.get(
            f"/v1/macro-runtime/series/{canary()}?token={canary()}", headers=good | private
        )
        if fault is None and answer.status_code == 200:
            continue  # it shows the path it was asked for, to who asked
        said.look(answer)
    upstream.fault = None


def test_every_setting_that_is_secret_hides_itself() -> None:
    """So that no log of settings can show one."""
    named = re.compile("key|secret|token|password|database|redis")
    open_ = {"llm_daily_tokens"}
    for name, field in Settings.model_fields.items():
        if named.search(name) and name not in open_ and "pool" not in name:
            assert "SecretStr" in str(field.annotation), name
    shown = repr(Settings(secret_key=canary(), database_url=canary()))  # type: ignore[arg-type]
    assert SECRET not in shown
