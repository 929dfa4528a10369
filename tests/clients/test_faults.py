"""The Python client and servers that refuse, break off, dawdle, or are of another age."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any

import augury_client
import msgspec
import pytest
from augury_client import AsyncAugury, Augury, models
from augury_client.calls import moment
from tests.pace import SLACK

EMPTY = {"request_id": "r", "query": "x", "results": {}, "total_markets": 0, "latency_ms": 1}


def answer(body: object, status: int = 200, **headers: str) -> bytes:
    """A whole HTTP answer."""
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    lines = [f"HTTP/1.1 {status} x", f"Content-Length: {len(raw)}", "Connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + raw


FINE = answer(EMPTY)
LIMITED = answer({"detail": "Too many."}, 429, Retry_After="0", X_Error_Code="rate_limited")
AWAY = answer({"detail": "Starting."}, 503, Retry_After="0", X_Error_Code="unavailable")
NOTHING = b""

Script = list[bytes | Callable[[socket.socket], None]]


@contextmanager
def scripted(*script: bytes | Callable[[socket.socket], None]) -> Iterator[tuple[str, list[bytes]]]:
    """A server that gives these answers in turn, one a connection; what it was asked."""
    asked: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def run() -> None:
        for step in script:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            with connection:
                asked.append(_request(connection))
                try:
                    connection.sendall(step) if isinstance(step, bytes) else step(connection)
                except OSError:
                    pass  # the client had enough

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", asked
    finally:
        listener.close()


def _request(connection: socket.socket) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        data += connection.recv(65536)
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(line[15:]) for line in head.lower().split(b"\r\n") if line[:15] == b"content-length:"),
        0,
    )
    while len(body) < length:
        body += connection.recv(65536)
    return head + b"\r\n\r\n" + body


@pytest.mark.parametrize("refusal", [LIMITED, AWAY])
def test_a_refusal_for_now_is_waited_out(refusal: bytes) -> None:
    with scripted(refusal, refusal, FINE) as (url, asked), Augury(url) as client:
        assert client.search("x").results == {}
        assert len(asked) == 3


@pytest.mark.anyio
async def test_a_refusal_for_now_is_waited_out_by_coroutines() -> None:
    with scripted(LIMITED, AWAY, FINE) as (url, asked):
        async with AsyncAugury(url) as client:
            assert (await client.search("x")).results == {}
    assert len(asked) == 3


def test_retry_after_is_obeyed_and_patience_ends() -> None:
    patient = answer({"detail": "Too many."}, 429, Retry_After="1")
    with scripted(patient, FINE) as (url, _), Augury(url) as client:
        started = time.monotonic()
        client.search("x")
        assert time.monotonic() - started >= 1
    long = answer({"detail": "Too many."}, 429, Retry_After="3600", X_Error_Code="rate_limited")
    with scripted(long) as (url, _), Augury(url) as client:
        with pytest.raises(augury_client.RateLimited) as caught:
            client.search("x")
        assert caught.value.retry_after == 3600
        assert caught.value.code == "rate_limited"
        assert "patience" in str(caught.value)


def test_a_connection_that_breaks_off_is_tried_again_where_that_is_safe() -> None:
    cut = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"
    with scripted(NOTHING, cut, FINE) as (url, asked), Augury(url) as client:
        client.search("x")
        assert len(asked) == 3
    with scripted(NOTHING, FINE) as (url, asked), Augury(url) as client:
        with pytest.raises(augury_client.ConnectionFailed) as caught:
            client.watchlists.evaluate("wl_1")  # not known to have happened, and no key
        assert caught.value.sent
        assert len(asked) == 1


def test_what_creates_is_sent_again_under_the_same_key() -> None:
    made = {
        "id": "wl_1", "name": "n", "description": None, "created_at": "2026-11-22T00:00:00Z",
        "updated_at": "2026-11-22T00:00:00Z", "targets": 0, "rules": 0, "firing": 0, "delivery": [],
    }  # fmt: skip
    with scripted(NOTHING, answer(made, 201)) as (url, asked), Augury(url) as client:
        assert client.watchlists.create("n").id == "wl_1"
    keys = [
        line
        for request in asked
        for line in request.split(b"\r\n")
        if line.lower().startswith(b"idempotency-key:")
    ]
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_a_trickle_ends_with_the_timeout() -> None:
    def trickle(connection: socket.socket) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(1_000):
            connection.sendall(b" ")
            time.sleep(0.05)

    with scripted(trickle) as (url, _), Augury(url, timeout=0.4) as client:
        started = time.monotonic()
        with pytest.raises(augury_client.TimedOut, match="longer"):
            client.search("x")
        assert time.monotonic() - started < 0.4 + SLACK


@pytest.mark.anyio
async def test_silence_ends_with_the_timeout() -> None:
    with scripted(lambda connection: time.sleep(2)) as (url, _):
        async with AsyncAugury(url, timeout=0.3) as client:
            with pytest.raises(augury_client.TimedOut):
                await client.search("x")


def event(kind: str, data: object) -> bytes:
    body = msgspec.json.encode({"event_type": kind, "data": data})
    return b"id: 1\nevent: %s\ndata: %s\n\n" % (kind.encode(), body)


STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"
FINAL: dict[str, Any] = {
    "request_id": "r", "question": "q", "probability": 0.4, "confidence": 0.5, "reasoning": "",
    "engine_type": "oracle_port", "markets_used": [], "latency_ms": 1, "metadata": {},
}  # fmt: skip


def test_events_arrive_however_the_bytes_are_cut() -> None:
    raw = event("started", {"question": "a\u2028b é"}) + event("ping", {}) + event("final", FINAL)

    def bytewise(connection: socket.socket) -> None:
        connection.sendall(STREAM)
        for n in range(len(raw)):
            connection.sendall(raw[n : n + 1])

    with scripted(LIMITED, bytewise) as (url, _), Augury(url) as client:
        events = list(client.stream("q"))
    assert [one.type for one in events] == ["started", "final"]
    assert events[0].data == {"question": "a\u2028b é"}
    assert events[-1].answer is not None
    assert events[-1].answer.probability == 0.4


def test_a_cut_stream_is_no_answer() -> None:
    with scripted(STREAM + event("started", {})) as (url, _), Augury(url) as client:
        seen = []
        with pytest.raises(augury_client.StreamCut, match="Ask again"):
            seen.extend(one.type for one in client.stream("q"))
    failed = STREAM + event("error", {"detail": "It took too long.", "code": "deadline"})
    with scripted(failed) as (url, _), Augury(url) as client:
        with pytest.raises(augury_client.ServerFailed) as caught:
            list(client.stream("q"))
        assert caught.value.code == "deadline"


@pytest.mark.anyio
async def test_a_cut_stream_is_no_answer_for_coroutines_either() -> None:
    with scripted(STREAM + event("started", {})) as (url, _):
        async with AsyncAugury(url) as client:
            with pytest.raises(augury_client.StreamCut):
                [one async for one in client.stream("q")]


def test_a_newer_service_may_say_more() -> None:
    row = {
        "id": "a:1", "platform": "newvenue", "question": "q", "outcomes": ["Yes"],
        "status": "halted", "score": 1, "dimension": "direct", "current_prices": {"Yes": 0.5},
        "price_as_of": "2026-11-22T00:00:00Z", "closes_at": None, "volume": None, "event_id": None,
        "stale": False, "origin": "live", "twin_ids": [], "category": None, "reason": "",
        "novel": {"a": [1]},
    }  # fmt: skip
    more = EMPTY | {"results": {"direct": [row], "sideways": []}, "novel": 1}
    with scripted(answer(more)) as (url, _), Augury(url) as client:
        (found,) = client.search("x")
    assert (found.status, found.price) == ("halted", 0.5)
    assert found.price_as_of == datetime(2026, 11, 22, tzinfo=UTC)


@pytest.mark.parametrize(
    "strange",
    [
        answer(b"<html>Welcome</html>"),
        answer({"results": 1}),
        answer(b"", 302, Location="http://127.0.0.1:1/"),
    ],
)
def test_what_is_no_answer_of_the_service_is_said_to_be_none(strange: bytes) -> None:
    unexpected = pytest.raises(augury_client.UnexpectedAnswer)
    with scripted(strange) as (url, _), Augury(url) as client, unexpected:
        client.search("x")


def test_an_error_page_of_a_proxy_is_an_error_too() -> None:
    page = answer(b"<html>Bad gateway</html>", 502)
    with scripted(*[page] * 3) as (url, asked), Augury(url, retries=2) as client:
        with pytest.raises(augury_client.ServerFailed) as caught:
            client.search("x")
        assert caught.value.status == 502
        assert len(asked) == 3


def test_issues_are_told_by_place() -> None:
    issue = {"loc": ["body", "query"], "msg": "Field required", "type": "missing"}
    refused = answer({"detail": [issue]}, 422, X_Error_Code="invalid_input", X_Request_Id="r7")
    invalid = pytest.raises(augury_client.InvalidInput)
    with scripted(refused) as (url, _), Augury(url) as client, invalid as caught:
        client.search("x")
    assert caught.value.issues == [issue]
    assert "body.query: Field required" in str(caught.value)
    assert "r7" in str(caught.value)


def test_the_key_goes_to_the_service_and_into_no_text() -> None:
    secret = "augury_very-secret"
    denied = answer({"detail": "This API key is not valid."}, 401)
    with scripted(denied) as (url, asked), Augury(url, secret) as client:
        with pytest.raises(augury_client.Unauthenticated) as caught:
            client.search("x")
        assert secret.encode() in asked[0]
        assert secret not in str(caught.value) + repr(caught.value) + repr(client) + repr(
            client.api._connection.settings
        )
        assert "AUGURY_API_KEY" in str(caught.value)


def test_the_next_page_is_asked_of_the_same_service() -> None:
    row = {"model_id": "m", "model_version": "1", "aliases": []}
    first = answer([row], Link='<http://evil.example/v1/x?cursor=abc&limit=1>; rel="next"')
    with scripted(first, answer([row])) as (url, asked), Augury(url) as client:
        assert len(list(client.rvol.models())) == 2
    assert asked[1].startswith(b"GET /v1/rvol/models?cursor=abc ")


def test_no_service_there_says_what_to_do() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    nobody = pytest.raises(augury_client.ConnectionFailed, match="augury serve")
    with Augury(f"http://127.0.0.1:{port}", retries=0) as client, nobody:
        client.health()
    for wrong in (
        "localhost:8000",
        "ftp://x",
        "http://u:secret@host",
        "http://x:port",
        "http://[::1",
    ):
        with pytest.raises(augury_client.InvalidValue, match="address") as caught:
            Augury(wrong)
        assert "secret" not in str(caught.value)
    with Augury("http://127.0.0.1:1") as client:
        client.close()
        with pytest.raises(augury_client.ConnectionFailed, match="Make a new one"):
            client.health()


def test_a_key_with_a_line_end_is_taken_and_one_that_is_none_stays_out_of_the_error() -> None:
    with scripted(FINE) as (url, asked), Augury(url, "aug_key\n") as client:
        client.search("x")
    assert b"\r\nAuthorization: Bearer aug_key\r\n" in asked[0]
    for wrong in ("aug_secr\u00e9t", "aug_secr t", "aug_secr\nX-Other: t"):
        with pytest.raises(augury_client.InvalidValue, match="AUGURY_API_KEY") as caught:
            Augury("http://127.0.0.1:1", wrong)
        assert "secr" not in str(caught.value)


def test_a_moment_has_a_zone() -> None:
    naive = datetime(2026, 3, 1)
    with scripted(FINE) as (url, asked), Augury(url) as client:
        for ask in (
            lambda: client.forecasts.make("q", as_of=naive),
            lambda: client.forecast_many([("q", naive)]),
            lambda: client.forecast_many([{"question": "q", "as_of": naive}]),
            lambda: client.history("polymarket:1", start=naive),
            lambda: list(client.stream("q", as_of=naive)),
        ):
            with pytest.raises(augury_client.InvalidValue, match=r"tzinfo=timezone\.utc") as caught:
                ask()
            assert isinstance(caught.value, ValueError)  # what it was before it had its own type
        assert asked == []
    assert moment(date(2026, 3, 1)) == "2026-03-01T00:00:00+00:00"
    assert moment("2026-03-01") == "2026-03-01"


@pytest.mark.parametrize("id_", ["", ".", "..", None])
def test_what_is_no_id_asks_for_nothing_else(id_: Any) -> None:
    with scripted(FINE) as (url, asked), Augury(url) as client:
        with pytest.raises(augury_client.InvalidValue, match="market_id"):
            client.markets.get(id_)
        with pytest.raises(augury_client.InvalidValue, match="can't send"):
            client.search(object())  # type: ignore[arg-type]
        assert asked == []


def test_what_can_not_be_unpacked_is_no_answer() -> None:
    packed = answer(b"no gzip at all", Content_Encoding="gzip")
    unreadable = pytest.raises(augury_client.UnexpectedAnswer, match="compressed")
    with scripted(packed) as (url, _), Augury(url, retries=0) as client, unreadable:
        client.search("x")


FRAMES = [("to_polars", "polars", "polars"), ("to_pandas", "pandas", "pandas"),
          ("to_arrow", "pyarrow", "arrow")]  # fmt: skip


@pytest.mark.anyio
@pytest.mark.parametrize(("method", "module", "extra"), FRAMES)
async def test_a_missing_library_is_told_before_a_page_is_fetched(
    method: str, module: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    missing = pytest.raises(augury_client.MissingPackage, match=rf"augury-client\[{extra}\]")
    started = models.RunStarted(run_id="r", status="queued")
    with scripted() as (url, asked), Augury(url) as client:
        for lists in (client.rvol.models(), augury_client.Run(client.forecasts, started)):
            with missing as caught:
                getattr(lists, method)()
            assert (caught.value.name, isinstance(caught.value, ImportError)) == (module, True)
        async with AsyncAugury(url) as other:
            for lists in (other.rvol.models(), augury_client.AsyncRun(other.forecasts, started)):
                with missing:
                    await getattr(lists, method)()
        assert asked == []
