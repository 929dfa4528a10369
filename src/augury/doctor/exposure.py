"""Finds ways in which others can reach an installation or read its data, possibly without its
operator knowing."""

from __future__ import annotations

import os

from augury.http.door import is_local
from augury.settings import Settings


def exposure_warnings(settings: Settings) -> list[str]:
    """Warnings about the settings, as sentences, e.g. that keys travel without TLS; empty with the
    default settings on a laptop."""
    found = []
    if os.geteuid() == 0:
        found.append(
            "Augury runs as root. Give the data folder to an ordinary user and run it as that "
            "user; the embedded database runs as an unprivileged user in any case."
        )
    if not is_local(settings.host):
        if not settings.trusted_proxies:
            found.append(
                f"Augury listens on {settings.host} without TLS: keys travel in plain text. Put a "
                "proxy before it (docs/production.md) and name it in AUGURY_TRUSTED_PROXIES."
            )
        if not settings.allowed_hosts:
            found.append(
                "Requests with any host name are answered. Set AUGURY_ALLOWED_HOSTS to the "
                "service's own names."
            )
    if settings.metrics == "open" and not is_local(settings.host):
        found.append(
            "/metrics can be read by everybody who reaches the port (AUGURY_METRICS=open)."
        )
    if settings.worker_metrics_port and not is_local(settings.worker_metrics_host):
        found.append(
            "A worker's /metrics can be read by everybody who reaches its port "
            "(AUGURY_WORKER_METRICS_HOST)."
        )
    if settings.search_url and settings.search_key is None and not _on_this_machine(settings):
        found.append("Requests to the search server carry no key. Set AUGURY_SEARCH_KEY.")
    return found


def _on_this_machine(settings: Settings) -> bool:
    from urllib.parse import urlsplit

    return is_local(urlsplit(settings.search_url or "").hostname or "")
