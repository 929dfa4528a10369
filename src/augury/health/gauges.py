"""Gauges for Prometheus on the data: the number of markets, how old their prices are, how far the
search index is behind, the sizes of the database.

They are set from a health report (`HealthService.report`). A value that the report lacks is removed
from its gauge, or set to NaN, so that no old value stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from prometheus_client import Gauge

DATABASE_UP = Gauge("augury_database_up", "1 while the database answers, 0 while it does not.")
MARKETS = Gauge("augury_markets", "Markets in the catalogue.", ["venue", "status"])
AGE = Gauge(
    "augury_data_age_seconds",
    "Age of the newest data in seconds, by venue and part (catalogue, prices, volatility, series); "
    "venue is empty for volatility and series.",
    ["venue", "part"],
)
QUARANTINED = Gauge(
    "augury_quarantined", "Quotes and recorded prices held in quarantine.", ["venue", "reason"]
)
LAG = Gauge("augury_index_lag", "Changes of the catalogue that are not in the search index yet.")
DOCUMENTS = Gauge("augury_index_documents", "Markets in the search index.")
DATABASE_BYTES = Gauge("augury_database_bytes", "Bytes that the database takes on disk.")
INDEX_BYTES = Gauge(
    "augury_index_bytes", "Bytes that the search index takes on disk; 0 with a search server."
)

UNKNOWN: Final = float("nan")


def follow(report: Mapping[str, Any]) -> None:
    """Set the gauges of `/metrics` to the values in a health report (`HealthService.report`)."""
    MARKETS.clear()
    AGE.clear()
    QUARANTINED.clear()
    up = report["database"]["status"] == "ok"
    DATABASE_UP.set(up)
    index = report["index"]
    DOCUMENTS.set(index["documents"])
    LAG.set(UNKNOWN if index["lag"] is None else index["lag"])
    if not up:
        return
    for venue, entry in report["catalogue"].items():
        if not isinstance(entry, dict):
            continue
        for status, count in entry["by_status"].items():
            MARKETS.labels(venue, status).set(count)
        _age(venue, "catalogue", entry["age_seconds"])
        _age(venue, "prices", entry["price_age_seconds"])
    for venue, reasons in report["quarantine"]["by_venue"].items():
        for reason, count in reasons.items():
            QUARANTINED.labels(venue, reason).set(count)
    for part in ("volatility", "series"):
        _age("", part, report["parts"][part]["age_seconds"])


def sizes(database: int | None, index: int) -> None:
    """Set the gauges of the sizes of the database and of the search index, in bytes. `database`
    None: not known at present."""
    DATABASE_BYTES.set(UNKNOWN if database is None else database)
    INDEX_BYTES.set(index)


def _age(venue: str, part: str, seconds: int | None) -> None:
    if seconds is not None:
        AGE.labels(venue, part).set(seconds)
