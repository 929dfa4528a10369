"""Clients that take and give nothing: slow readers, idle sockets by the thousand (R3)."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.http.raw_answers import Answer, receive
from tests.http.running_server import BIG, Running, running
from tests.pace import PATIENCE, SLACK, wait_until

from augury.http.connections import Connections


@pytest.mark.parametrize("path", ["/big", "/parts"])
def test_who_never_reads_an_answer_is_cut_off(path: str, tmp_path: Path) -> None:
    ask = f"GET {path} HTTP/1.1\r\nHost: augury\r\n\r\n".encode()
    with running(tmp_path) as service, ExitStack() as stack:
        for _ in range(20):
            stack.enter_context(closing(service.connect(SO_RCVBUF=4096))).sendall(ask)
        wait_until(lambda: len(service.open_ones) > 10, "connections are open")
        wait_until(lambda: not service.open_ones, "all are cut off")
        assert service.health() == 200


def test_who_reads_too_slowly_is_cut_off_and_who_reads_steadily_is_not(tmp_path: Path) -> None:
    ask = b"GET /big HTTP/1.1\r\nHost: augury\r\nConnection: close\r\n\r\n"
    with running(tmp_path, drain_window=1.0) as service:
        with service.connect(SO_RCVBUF=65536) as steady:
            steady.sendall(ask)
            got, until = 0, time.monotonic() + 3
            while time.monotonic() < until:  # a part of the answer, over three windows
                got += len(steady.recv(65536))
                time.sleep(0.01)
            assert len(service.open_ones) == 1
        assert got < BIG
        with service.connect(SO_RCVBUF=4096) as slow:
            slow.sendall(ask)
            for _ in range(30):
                if not service.open_ones:
                    break
                slow.recv(8)
                time.sleep(0.1)
            assert len(service.open_ones) == 0


def test_a_body_that_trickles_on_after_its_answer_is_cut_off(tmp_path: Path) -> None:
    head = b"POST /nothing HTTP/1.1\r\nHost: augury\r\nContent-Length: 60000\r\n\r\n"
    whole = b"POST /nothing HTTP/1.1\r\nHost: augury\r\nContent-Length: 9\r\n\r\n123456789"
    with running(tmp_path, header_timeout=1.0) as service, service.connect() as sock:
        for request in (whole, head):  # the first one leaves the connection as it was
            sock.sendall(request)
            got = b""
            while not got.endswith(b"}"):
                got += sock.recv(65536)
            assert b" 404 " in got

        def cut() -> bool:
            with suppress(OSError):
                sock.sendall(b" ")
            time.sleep(0.2)
            return not service.open_ones

        wait_until(cut, "it is cut off", 1.0 + SLACK)


def test_connections_of_one_address_are_bounded_and_refused_in_words(tmp_path: Path) -> None:
    with running(tmp_path, max_connections_per_address=10) as service, ExitStack() as stack:
        for _ in range(10):
            stack.enter_context(service.connect("127.0.0.3"))
        wait_until(lambda: len(service.open_ones) == 10, "ten are open")
        with service.connect("127.0.0.3") as refused:
            answer = Answer(receive(refused))
        assert (answer.status, answer.headers["retry-after"]) == (429, "5")
        assert "connections" in answer.detail
        assert service.health("127.0.0.4") == 200


def test_a_trusted_proxy_carries_the_connections_of_many(tmp_path: Path) -> None:
    changed: dict[str, Any] = {"max_connections_per_address": 5, "trusted_proxies": ("127.0.0.3",)}
    with running(tmp_path, **changed) as service, ExitStack() as stack:
        for _ in range(50):
            stack.enter_context(service.connect("127.0.0.3"))
        assert service.health("127.0.0.3") == 200


def test_ten_thousand_idle_sockets_keep_nobody_out(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < 14_000:
        pytest.skip(f"needs 14,000 descriptors, the hard limit is {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, 14_000), hard))
    with running(tmp_path, max_connections=2000) as service, ExitStack() as stack:
        for n in range(10_000):
            stack.enter_context(service.connect(f"127.0.1.{n // 400 + 1}"))
            if n % 250 == 249:
                assert service.health() == 200
        assert len(service.open_ones) <= 2000


def test_a_service_with_256_descriptors_is_not_stopped_by_230_sockets(tmp_path: Path) -> None:
    program = f"""
import resource, sys, time
resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from tests.http.running_server import running
with running(Path({str(tmp_path)!r}), drain_window=30.0) as service:
    print("port", service.address[1], flush=True)
    sys.stdin.read()
"""
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert child.stdout is not None
        port = next(line for line in child.stdout if line.startswith("port")).split()[1]
        service = Running(("127.0.0.1", int(port)), Connections(1, 1))
        with ExitStack() as stack:
            for n in range(530):  # 230 that never read an answer, and 300 that ask nothing
                source = "127.0.2.1" if n < 230 else f"127.0.3.{n // 60}"
                sock = stack.enter_context(service.connect(source, SO_RCVBUF=4096))
                if n < 230:
                    with suppress(OSError):  # refused already
                        sock.sendall(b"GET /parts HTTP/1.1\r\nHost: augury\r\n\r\n")
            wait_until(lambda: {service.health() for _ in range(20)} == {200}, "it is well", 20)
    finally:
        child.communicate(timeout=PATIENCE)
