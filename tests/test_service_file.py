"""Commands find the service of their folder, and nobody else gets the key they are lent."""

from __future__ import annotations

import json
import os
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from tests.processes import augury, serving

from augury import service_file
from augury.settings import Settings


class Squatter(BaseHTTPRequestHandler):
    """Says that it is well, and remembers what it was sent."""

    seen: list[str]

    def do_GET(self) -> None:
        self.seen.append(f"{self.command} {self.path} {self.headers.get('Authorization')}")
        body = b'{"status": "ok", "index": {"position": 1}, "results": []}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def squatter() -> Iterator[tuple[str, list[str]]]:
    """Address of whoever listens on a noted port, and what it was sent."""
    seen: list[str] = []
    server = HTTPServer(("127.0.0.1", 0), type("One", (Squatter,), {"seen": seen}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", seen
    server.shutdown()
    server.server_close()


def test_a_noted_port_that_is_another_program_s_by_now(
    tmp_path: Path, squatter: tuple[str, list[str]]
) -> None:
    url, seen = squatter
    settings = Settings(data_dir=tmp_path)
    (tmp_path / "service.json").write_text(json.dumps({"url": url, "pid": 1}))
    assert service_file.health(settings) is None
    service_file.listen(settings).close()  # a killed service leaves its socket too
    assert (tmp_path / "service.sock").exists()
    assert service_file.health(settings) is None
    assert seen == []


def test_a_command_asks_through_the_folder(tmp_path: Path, squatter: tuple[str, list[str]]) -> None:
    """Also where the folder's path is longer than a socket's address may be."""
    url, seen = squatter
    folder = tmp_path / ("long" * 30)
    folder.mkdir(mode=0o700)
    with serving(folder):
        made = (folder / "service.sock").stat()
        assert stat.S_ISSOCK(made.st_mode)
        assert stat.S_IMODE(made.st_mode) == 0o600
        (folder / "service.json").write_text(json.dumps({"url": url, "pid": os.getpid()}))
        found = service_file.health(Settings(data_dir=folder))
        assert found is not None
        assert found[1]["status"] in ("ok", "degraded")
        done = augury(folder, "search", "fed rate cut", "--json")
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)["results"]
        assert seen == []


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to give a file away")
def test_a_socket_that_a_stranger_made_is_not_asked(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    seen: list[str] = []
    handler = type("One", (Squatter,), {"seen": seen})
    server = HTTPServer(("127.0.0.1", 0), handler, bind_and_activate=False)
    server.socket.close()
    server.socket = service_file.listen(settings)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    service_file.announce(settings, "http://127.0.0.1:1")
    assert service_file.health(settings) is not None
    os.chown(tmp_path / "service.sock", 12345, 12345)
    assert service_file.health(settings) is None
    assert seen == ["GET /v1/health None"]
    server.shutdown()
    server.server_close()


def test_note_and_socket_go_with_the_service_and_not_before(tmp_path: Path) -> None:
    settings = Settings(data_dir=tmp_path)
    (tmp_path / "service.sock").write_text("left over")
    with service_file.listen(settings), service_file.listen(settings):
        service_file.announce(settings, "http://127.0.0.1:1")
        (tmp_path / "service.json").write_text('{"url": "http://127.0.0.1:1", "pid": 1}')
        service_file.withdraw(settings)  # the process that was there before
        assert (tmp_path / "service.sock").exists()
        service_file.announce(settings, "http://127.0.0.1:1")
        service_file.withdraw(settings)
        assert list(tmp_path.iterdir()) == []
