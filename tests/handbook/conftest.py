from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from fastapi import FastAPI
from tests.processes import augury, serving

from augury.console.assets import Assets
from augury.handbook import routes
from augury.http import setup
from augury.settings import Settings

SCOPES = ("search:read", "forecast:read", "rvol:read", "watch:write", "metrics:read")


@pytest.fixture(scope="session")
def service() -> Iterator[tuple[str, str, Path]]:
    """Address of a running service on the sample, a key that may do everything, its folder."""
    with tempfile.TemporaryDirectory(prefix="augury-docs-") as folder:
        data = Path(folder)
        limited = ("ANONYMOUS", "SEARCH", "FORECAST", "RVOL", "EXPORT")
        rates = {f"AUGURY_{name}_RATE": "1000/s" for name in limited}
        with serving(data, AUGURY_WORK="here", AUGURY_METRICS="key", **rates) as (url, _):
            flags = [part for scope in SCOPES for part in ("--scope", scope)]
            made = augury(data, "keys", "create", "--account", "reader", *flags, "--json")
            assert made.returncode == 0, made.stderr
            assert augury(data, "accounts", "approve-rvol", "reader").returncode == 0
            yield url, json.loads(made.stdout)["key"], data


@pytest.fixture
def folder(settings: Settings) -> Path:
    """Where a site would be."""
    return Path(settings.data_dir) / "site"


@pytest.fixture
def app(settings: Settings, folder: Path) -> FastAPI:
    """The documentation by itself, without a console."""
    app = FastAPI(title="Test", openapi_url=None, docs_url=None, redoc_url=None)
    app.include_router(routes.router)
    setup.install(app, settings)
    app.state.services = SimpleNamespace(
        settings=settings, handbook=Assets(folder), console=Assets(folder.with_name("none"))
    )
    return app
