"""HTTP at its edges over real sockets: limits, slowness, smuggling, pipelines (R3)."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse
from tests.http.conftest import OpenLimiter, make_app
from tests.http.open_access import OpenAccess
from tests.http.raw_answers import Answer, head, receive
from tests.pace import PATIENCE, SLACK, slower, wait_until

from augury.http import server
from augury.settings import Settings

SEARCH = b'{"query":"rain"}'


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, int]]:
    """A real server with short patience."""
    settings = Settings(data_dir=tmp_path_factory.mktemp("data"), sync="off", sample="off", port=0)
    app = make_app(settings, access=OpenAccess())
    app.state.traffic.limiter = OpenLimiter()
    _add_routes(app)
    config = server.config(app, settings)
    config.http = server.protocol(settings, header_timeout=1.5)
    runner = server.Server(config)
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    thread = threading.Thread(
        target=lambda: asyncio.run(runner.serve(sockets=[listener])), daemon=True
    )
    thread.start()
    wait_until(lambda: runner.started, "the server has started", every=0.01)
    yield listener.getsockname()
    runner.should_exit = True
    thread.join(PATIENCE)
    listener.close()


def _add_routes(app: FastAPI) -> None:
    @app.get("/slow")
    async def slow() -> dict[str, bool]:
        await asyncio.sleep(0.3)
        return {"slow": True}

    @app.get("/stream")
    async def stream(request: Request) -> StreamingResponse:
        async def parts() -> AsyncIterator[str]:
            for n in range(3):
                yield f"data: {n}\n\n"

        return StreamingResponse(parts(), media_type="text/event-stream")


def exchange(
    address: tuple[str, int], *parts: bytes, pause: float = 0, half: bool = False
) -> bytes:
    """Send parts, read until the other side closes or falls silent."""
    with socket.create_connection(address, timeout=PATIENCE) as sock:
        for n, part in enumerate(parts):
            if n and pause:
                time.sleep(pause)
            try:
                sock.sendall(part)
            except (BrokenPipeError, ConnectionResetError):
                break
        if half:
            with contextlib.suppress(OSError):  # the other side may have closed already
                sock.shutdown(socket.SHUT_WR)
        return receive(sock)


def refusal(address: tuple[str, int], *parts: bytes, **options: Any) -> Answer:
    answer = Answer(exchange(address, *parts, **options))
    assert answer.detail
    assert answer.headers["x-request-id"].startswith("req_")
    return answer


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


def test_an_ordinary_search(address: tuple[str, int]) -> None:
    answer = Answer(
        exchange(address, head("POST /v1/search HTTP/1.1", "Content-Length: 16"), SEARCH)
    )
    assert answer.status == 200
    assert "server" not in answer.headers


def test_length_and_chunks_together_are_refused(address: tuple[str, int]) -> None:
    both = head("POST /v1/search HTTP/1.1", "Content-Length: 16", "Transfer-Encoding: chunked")
    answer = refusal(address, both, b"0\r\n\r\n", b"GET /smuggled HTTP/1.1\r\n\r\n")
    assert answer.status == 400
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize(
    "headers",
    [
        ("Content-Length: 16", "Content-Length: 17"),
        ("Content-Length: -1",),
        ("Content-Length: abc",),
        ("Content-Length: 0x10",),
        ("Transfer-Encoding: chunked, identity",),
        ("Bad Header: x",),
        ("X: a\x00b",),
        (" folded: x",),
    ],
)
def test_headers_that_two_servers_read_differently(
    address: tuple[str, int], headers: tuple[str, ...]
) -> None:
    answer = refusal(address, head("POST /v1/search HTTP/1.1", *headers), SEARCH, half=True)
    assert answer.status == 400


def test_an_unknown_coding_is_cut(address: tuple[str, int]) -> None:
    # The parser sees it only after the headers, when the request is already on its way.
    opened = head("POST /v1/search HTTP/1.1", "Transfer-Encoding: xchunked")
    got = exchange(address, opened, SEARCH, half=True)
    assert not got or Answer(got).status == 400


@pytest.mark.parametrize(
    "raw",
    [b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"\xff" * 50],
)
def test_what_is_not_http(address: tuple[str, int], raw: bytes) -> None:
    assert refusal(address, raw).status == 400


@pytest.mark.parametrize("size", [65_537, 200_000, 5_000_000])
def test_a_body_over_the_limit_is_413_and_its_sender_reads_it(
    address: tuple[str, int], size: int
) -> None:
    announced = head("POST /v1/forecast HTTP/1.1", f"Content-Length: {size}", *KEY)
    answer = refusal(address, announced, b"x" * size)
    assert answer.status == 413
    assert answer.headers["x-error-code"] == "body_too_large"


def test_a_body_of_just_the_limit_passes(address: tuple[str, int]) -> None:
    body = SEARCH.ljust(65_536)
    answer = Answer(
        exchange(address, head("POST /v1/search HTTP/1.1", "Content-Length: 65536"), body)
    )
    assert answer.status == 200


@pytest.mark.parametrize("size", [1, 100, 8192])
def test_chunks_over_the_limit_are_413_before_the_end(address: tuple[str, int], size: int) -> None:
    opened = head("POST /v1/forecast HTTP/1.1", "Transfer-Encoding: chunked", *KEY)
    piece = chunk(b"x" * size) * (70_000 // size + 1)
    answer = refusal(address, opened, piece)  # the last chunk never comes
    assert answer.status == 413


def test_endless_trailers_are_cut(address: tuple[str, int]) -> None:
    opened = head("POST /v1/search HTTP/1.1", "Transfer-Encoding: chunked")
    trailers = b"".join(b"x-%d: %s\r\n" % (n, b"y" * 1000) for n in range(3000))
    assert exchange(address, opened, chunk(SEARCH) + b"0\r\n", trailers) == b""


def test_trailers_are_not_headers(address: tuple[str, int]) -> None:
    opened = head("POST /v1/search HTTP/1.1", "Transfer-Encoding: chunked")
    raw = opened + chunk(SEARCH) + b"0\r\nAuthorization: Bearer nonsense\r\n\r\n"
    assert Answer(exchange(address, raw)).status == 200


def test_nobody_uploads_without_a_key(address: tuple[str, int]) -> None:
    announced = head("POST /v1/forecast HTTP/1.1", "Content-Length: 5000000")
    assert refusal(address, announced, b"x" * 100_000).status == 401


KEY = ("Authorization: Bearer aug_aaaaaaaa_" + "b" * 43,)


@pytest.mark.parametrize("size", [16_385, 17_000, 32_000, 60_000])
@pytest.mark.parametrize("pieces", [1, 7])
def test_headers_over_the_limit_are_431(address: tuple[str, int], size: int, pieces: int) -> None:
    raw = head("POST /v1/forecast HTTP/1.1", *KEY, "Content-Length: 0", "X-Fill: " + "a" * size)
    step = -(-len(raw) // pieces)
    parts = [raw[i : i + step] for i in range(0, len(raw), step)]
    answer = refusal(address, *parts, pause=0.01)
    assert answer.status == 431
    assert answer.headers["x-error-code"] == "headers_too_large"
    assert answer.headers["connection"] == "close"


@pytest.mark.parametrize("size", [100_000, 3_000_000])
def test_headers_far_over_the_limit_are_431_or_cut(address: tuple[str, int], size: int) -> None:
    got = exchange(address, b"GET /v1/health HTTP/1.1\r\nX-Fill: " + b"a" * size)
    assert not got or Answer(got).status == 431


def test_many_small_headers_count_too(address: tuple[str, int]) -> None:
    headers = [f"X-{n}: y" for n in range(2500)]
    assert refusal(address, head("GET /v1/health HTTP/1.1", *headers)).status == 431


def test_a_long_address_counts_too(address: tuple[str, int]) -> None:
    assert refusal(address, head(f"GET /v1/health?{'a' * 20_000} HTTP/1.1")).status == 431


def test_headers_within_the_limit_pass(address: tuple[str, int]) -> None:
    answer = Answer(exchange(address, head("GET /v1/health HTTP/1.1", "X-Fill: " + "a" * 16_000)))
    assert answer.status == 200


def test_200_slow_callers_hold_up_nobody(address: tuple[str, int]) -> None:
    slow = [socket.create_connection(address, timeout=PATIENCE) for _ in range(200)]
    try:
        for sock in slow:
            sock.sendall(b"GET /v1/health HTTP/1.1\r\nX-Slow: ")
        took = []
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            for sock in slow[::20]:
                sock.sendall(b"a")
            start = time.monotonic()
            assert Answer(exchange(address, head("GET /v1/health HTTP/1.1"))).status == 200
            took.append(time.monotonic() - start)
            time.sleep(0.02)
        took.sort()
        assert took[len(took) // 2] < 0.2 * slower()
        for sock in slow:
            answer = Answer(receive(sock))
            assert answer.status == 408
            assert answer.headers["connection"] == "close"
    finally:
        for sock in slow:
            sock.close()


def test_a_caller_who_says_nothing_is_let_go(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=PATIENCE) as sock:
        assert Answer(receive(sock)).status == 408


def test_blank_lines_do_not_keep_a_line_open(address: tuple[str, int]) -> None:
    with socket.create_connection(address, timeout=PATIENCE) as sock:
        sock.sendall(head("GET /v1/health HTTP/1.1"))
        assert Answer(receive(sock)).status == 200
        sock.sendall(b"\r\n")
        start = time.monotonic()
        assert Answer(receive(sock)).status == 408
        assert time.monotonic() - start < 1 + SLACK


def test_a_pipeline_is_answered_in_order(address: tuple[str, int]) -> None:
    first = head("GET /slow HTTP/1.1")
    last = head("GET /nothing HTTP/1.1", "Connection: close")
    with socket.create_connection(address, timeout=PATIENCE) as sock:
        sock.sendall(first + head("GET /v1/health HTTP/1.1") + last)
        got = b""
        while data := sock.recv(65536):
            got += data
    statuses = [int(part[:3]) for part in got.split(b"HTTP/1.1 ")[1:]]
    assert statuses == [200, 200, 404]
    assert got.index(b"slow") < got.index(b"status")


def test_rubbish_behind_a_request_never_mixes_with_its_answer(address: tuple[str, int]) -> None:
    got = exchange(address, head("GET /slow HTTP/1.1") + b"\x00\x01rubbish\r\n\r\n")
    assert got.count(b"HTTP/1.1") <= 1


def test_half_closed_in_the_middle_of_a_body(address: tuple[str, int]) -> None:
    opened = head("POST /v1/search HTTP/1.1", "Content-Length: 100")
    got = exchange(address, opened, b'{"query":', half=True)
    assert not got or Answer(got).status in (400, 408)


def test_expect_100_is_refused_without_the_body(address: tuple[str, int]) -> None:
    announced = head("POST /v1/search HTTP/1.1", "Content-Length: 1000000", "Expect: 100-continue")
    got = exchange(address, announced)
    assert got.startswith(b"HTTP/1.1 413")


def test_an_event_stream_is_not_compressed(address: tuple[str, int]) -> None:
    raw = head("GET /stream HTTP/1.1", "Accept-Encoding: gzip", "Connection: close")
    answer = Answer(exchange(address, raw))
    assert "content-encoding" not in answer.headers
    assert b"data: 2" in answer.body
