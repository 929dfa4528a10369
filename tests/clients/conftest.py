"""A running service on the sample, and servers that fail in chosen ways."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from augury_client import Augury
from tests.processes import augury, serving

SCOPES = ("search:read", "forecast:read", "rvol:read", "watch:write")


@pytest.fixture(scope="session")
def service() -> Iterator[tuple[str, str]]:
    """Address of a running service on the sample, and a key that may do everything."""
    with tempfile.TemporaryDirectory(prefix="augury-clients-") as folder:
        data = Path(folder)
        rates = {f"AUGURY_{n}_RATE": "1000000/s" for n in ("SEARCH", "FORECAST", "RVOL")}
        with serving(data, AUGURY_WORK="here", **rates) as (url, _):
            flags = [part for scope in SCOPES for part in ("--scope", scope)]
            made = augury(data, "keys", "create", "--account", "c1", *flags, "--json")
            assert made.returncode == 0, made.stderr
            assert augury(data, "accounts", "approve-rvol", "c1").returncode == 0
            yield url, json.loads(made.stdout)["key"]


@pytest.fixture
def client(service: tuple[str, str]) -> Iterator[Augury]:
    """A client of that service."""
    with Augury(*service, timeout=300) as found:
        yield found
