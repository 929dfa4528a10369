"""TLS through the guard: a pinned address, and still the certificate of the name."""

from __future__ import annotations

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from augury.net import guard
from augury.net.addresses import AddressPolicy

pytestmark = pytest.mark.anyio


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate of `name`, signed by itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    chain, secret = folder / "chain.pem", folder / "key.pem"
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    secret.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return chain, secret


@pytest.mark.parametrize(
    ("host", "trusted", "works"),
    [
        ("hooks.example.com", True, True),
        ("other.example.com", True, False),
        ("hooks.example.com", False, False),
    ],
)
async def test_the_certificate_must_be_the_names(
    tmp_path: Path, host: str, trusted: bool, works: bool
) -> None:
    chain, key = certificate(tmp_path, "hooks.example.com")
    serving = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    serving.load_cert_chain(chain, key)

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    async def here(host: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    running = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=serving)
    port = running.sockets[0].getsockname()[1]
    tls = ssl.create_default_context(cafile=str(chain)) if trusted else None
    policy = AddressPolicy.of(["127.0.0.1"], http=False)
    async with running, guard.client(policy, timeout=5, resolver=here, tls=tls) as client:
        if works:
            assert (await client.get(f"https://{host}:{port}/")).status_code == 204
        else:
            with pytest.raises(httpx2.ConnectError):
                await client.get(f"https://{host}:{port}/")
