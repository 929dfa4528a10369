"""Behind real nginx, Caddy and HAProxy: whoever calls counts as who they are, whatever they claim.

The proxies are the distribution's, with the configuration of `deploy/proxy` (its address, port and
certificate replaced). Callers connect from 127.0.0.2, the proxies from 127.0.0.1.
"""

from __future__ import annotations

import datetime
import random
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from tests.http.conftest import VirtualLimiter, make_app
from tests.pace import PATIENCE
from tests.serving import served

from augury.settings import Settings

DEPLOY = Path(__file__).parents[2] / "deploy" / "proxy"
CALLER = "127.0.0.2"
CLAIMS = (
    "Forwarded: for={}",
    "X-Forwarded-For: {}",
    "X-Real-IP: {}",
    "X-Forwarded-For: {0}, 127.0.0.1",
    'Forwarded: for="{}", for=127.0.0.1',
    "Forwarded: for={0}\r\nX-Forwarded-For: {0}\r\nX-Forwarded-For: 127.0.0.1",
    "X-Client-IP: {0}\r\nTrue-Client-IP: {0}\r\nCF-Connecting-IP: {0}\r\nVia: 1.1 {0}",
    "Connection: x-forwarded-for, forwarded",
)
"""What a caller may say about itself, each with another address."""


def _nginx(folder: Path, text: str) -> tuple[list[str], Path, str]:
    text = text.replace("443 ssl http2", "{port} ssl http2")
    for name in ("fullchain", "privkey"):
        text = text.replace(f"/etc/letsencrypt/live/augury.example.com/{name}.pem", "{pem}")
    body = "\n".join(
        f"{kind}_temp_path {folder}/{kind};"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = (
        f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off;\n{body}\n{text}\n}}"
    )
    where = folder / "nginx.conf"
    return ["nginx", "-p", str(folder), "-e", f"{folder}/error.log", "-c", str(where)], where, main


def _nginx_of_a_tutorial(folder: Path, text: str) -> tuple[list[str], Path, str]:
    """As most pages tell it: the address appended to the caller's, `Forwarded` passed on."""
    text = text.replace('proxy_set_header Forwarded "";', "")
    text = text.replace("For $remote_addr", "For $proxy_add_x_forwarded_for")
    return _nginx(folder, text)


def _caddy(folder: Path, text: str) -> tuple[list[str], Path, str]:
    text = text.replace("augury.example.com {\n", "https://:{port} {\n\ttls {pem} {pem}\n")
    options = f"admin off\n\tauto_https disable_redirects\n\tstorage file_system {folder}"
    main = f"{{\n\t{options}\n}}\n{text}"
    return ["caddy", "run", "--adapter", "caddyfile", "--config"], folder / "Caddyfile", main


def _haproxy(folder: Path, text: str) -> tuple[list[str], Path, str]:
    text = text.replace(":443 ssl crt /etc/haproxy/augury.pem", "127.0.0.1:{port} ssl crt {pem}")
    return ["haproxy", "-db", "-f"], folder / "haproxy.cfg", text


PROXIES = {
    "nginx": ("nginx.conf", "nginx", _nginx),
    "nginx of a tutorial": ("nginx.conf", "nginx", _nginx_of_a_tutorial),
    "caddy": ("Caddyfile", "caddy", _caddy),
    "haproxy": ("haproxy.cfg", "haproxy", _haproxy),
}


@dataclass
class Behind:
    """A service behind a proxy."""

    port: int
    limiter: VirtualLimiter

    def ask(self, claim: str = "") -> int:
        """The status of a search by the caller, who says `claim` in its headers."""
        body = b'{"query":"rain"}'
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with (
            socket.create_connection(("127.0.0.1", self.port), 5, (CALLER, 0)) as plain,
            context.wrap_socket(plain, server_hostname="127.0.0.1") as sock,
        ):
            sock.sendall(
                (
                    "POST /v1/search HTTP/1.1\r\nHost: augury.example.com\r\n"
                    f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                    + (f"{claim}\r\n" if claim else "")
                    + ("" if "Connection:" in claim else "Connection: close\r\n")
                    + "\r\n"
                ).encode()
                + body
            )
            return int(sock.recv(4096).split(b" ")[1])


def certificate(folder: Path) -> Path:
    """A key and its own certificate, in one file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    today = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(today - datetime.timedelta(days=1))
        .not_valid_after(today + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    pem = folder / "both.pem"
    pem.write_bytes(
        made.public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return pem


@contextmanager
def behind(which: str, folder: Path, **changed: object) -> Iterator[Behind]:
    """A service behind the proxy `which`, or a skip that says what is missing."""
    file, program, configure = PROXIES[which]
    found = shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/local/sbin")
    if found is None:
        pytest.skip(f"{program} is not installed (Debian, Ubuntu: apt-get install {program})")
    settings = Settings.model_validate(
        {"data_dir": folder, "trusted_proxies": ("127.0.0.1",), "sync": "off", **changed}
    )
    app = make_app(settings)
    limiter = app.state.traffic.limiter = VirtualLimiter()
    with ExitStack() as stack:
        port = stack.enter_context(served(app))
        outer = _free_port()
        text = (DEPLOY / file).read_text().replace("127.0.0.1:8000", f"127.0.0.1:{port}")
        (command, where, text) = configure(folder, text)
        text = text.replace("{port}", str(outer)).replace("{pem}", str(certificate(folder)))
        where.write_text(text)
        if which in ("caddy", "haproxy"):
            command.append(str(where))
        log = stack.enter_context((folder / "proxy.log").open("wb"))
        process = subprocess.Popen([found, *command[1:]], stdout=log, stderr=log)
        stack.callback(process.wait, 10)
        stack.callback(process.terminate)
        made = Behind(outer, limiter)
        until = time.monotonic() + PATIENCE
        while True:
            try:
                if made.ask() != 503:  # HAProxy says so until its first check
                    break
            except (OSError, IndexError):
                pass
            said = (folder / "proxy.log").read_text()[-2000:]
            assert process.poll() is None, said
            assert time.monotonic() < until, said
            time.sleep(0.05)
        limiter.tats.clear()
        yield made


def _free_port() -> int:
    """Below those that outgoing connections take: a proxy opens it a moment later."""
    for port in random.sample(range(20_000, 32_000), 50):
        with socket.socket() as free, suppress(OSError):
            free.bind(("0.0.0.0", port))
            return port
    raise AssertionError("no free port")


@pytest.mark.parametrize("which", PROXIES)
def test_a_caller_is_one_whatever_it_claims(which: str, tmp_path: Path) -> None:
    with behind(which, tmp_path) as service:
        statuses = [
            service.ask(claim.format(f"203.0.113.{n}")) for n, claim in enumerate(CLAIMS * 2)
        ]
    assert set(service.limiter.tats) == {f"anonymous-search:{CALLER}"}
    assert statuses[0] == 200
    assert set(statuses[1:]) == {429}


def test_the_other_header_where_the_settings_name_it(tmp_path: Path) -> None:
    """A proxy that writes `Forwarded` only: the caller's X-Forwarded-For, passed on, is nothing."""

    def configure(folder: Path, text: str) -> tuple[list[str], Path, str]:
        text = text.replace("proxy_set_header X-Forwarded-For $remote_addr;", "")
        text = text.replace('Forwarded "";', 'Forwarded "for=$remote_addr";')
        return _nginx(folder, text)

    PROXIES["forwarded"] = ("nginx.conf", "nginx", configure)
    try:
        with behind("forwarded", tmp_path, forwarded_header="forwarded") as service:
            statuses = [service.ask(claim.format("203.0.113.7")) for claim in CLAIMS]
    finally:
        del PROXIES["forwarded"]
    assert set(service.limiter.tats) == {f"anonymous-search:{CALLER}"}
    assert statuses == [200] + [429] * (len(CLAIMS) - 1)
