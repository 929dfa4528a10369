"""Where the service on a data folder answers: a note it leaves there for other commands."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import httpx2

from augury.settings import Settings

_NAME = "service.json"


def announce(settings: Settings, url: str) -> None:
    """Leave the note; `withdraw` takes it away."""
    (Path(settings.data_dir) / _NAME).write_text(json.dumps({"url": url, "pid": os.getpid()}))


def withdraw(settings: Settings) -> None:
    """Take the note away."""
    (Path(settings.data_dir) / _NAME).unlink(missing_ok=True)


def health(settings: Settings) -> tuple[str, dict[str, Any]] | None:
    """Address and health of the service on this data folder; None where none answers.

    A service that was killed leaves its note behind, so a note alone proves nothing.
    """
    try:
        url = json.loads((Path(settings.data_dir) / _NAME).read_text())["url"]
        answer = httpx2.get(f"{url}/v1/health", timeout=5, trust_env=False).raise_for_status()
        return url, answer.json()
    except (OSError, ValueError, KeyError, TypeError, httpx2.HTTPError):
        return None
