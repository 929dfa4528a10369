"""The JSON requests and records of watchlists and their targets."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from augury.deliveries.schemas import DeliveryMade, DeliveryRequest
from augury.deliveries.schemas import delivery as delivery_fields
from augury.http.examples import example, request_example
from augury.http.fields import Name, Note
from augury.watchlists.examples import TARGET, WATCHLIST
from augury.watchlists.rules import Kind
from augury.watchlists.service import Made
from augury.watchlists.store import Target, Watchlist


class WatchlistRequest(BaseModel):
    """A new watchlist."""

    model_config = request_example(
        name="Rates", delivery=[{"type": "webhook", "url": "https://hooks.example.org/augury"}]
    )

    name: Name
    description: Note | None = None
    delivery: list[DeliveryRequest] = Field(
        default=[], max_length=10, description="Endpoints to send the alerts to."
    )


class WatchlistChange(BaseModel):
    """The fields of a watchlist to change; fields left out stay."""

    model_config = request_example(name="Rates and inflation")

    name: Name | None = None
    description: Note | None = None


class WatchlistRecord(BaseModel):
    """A watchlist, with the number of its targets, rules and open alerts."""

    model_config = example(**WATCHLIST)

    id: str
    name: str
    description: str | None
    created_at: datetime
    updated_at: datetime
    targets: int = Field(description="Number of targets.")
    rules: int = Field(description="Number of rules.")
    firing: int = Field(description="Number of open alerts.")


class WatchlistMade(WatchlistRecord):
    """A new watchlist with its deliveries. Their signing secrets are shown only in this answer."""

    model_config = example(**WATCHLIST, delivery=[])

    delivery: list[DeliveryMade]


class WatchlistList(BaseModel):
    """One page of watchlists, oldest first."""

    model_config = example(items=[WATCHLIST], next_cursor=None)

    items: list[WatchlistRecord]
    next_cursor: str | None


class TargetRequest(BaseModel):
    """What to watch."""

    model_config = request_example(kind="market", ref="kalshi:KXRATECUT-27MAR-T25", outcome="Yes")

    kind: Kind
    ref: Annotated[str, Field(min_length=1, max_length=500, strict=True)] = Field(
        description="What to watch. market: its id. event: the platform and the venue's event id, "
        "as in kalshi:KXFED-27JAN. asset: its key, e.g. BTC. series: its id. search: a query, "
        "whose best markets are watched."
    )
    outcome: Name | None = Field(
        None,
        description="Label of the outcome to watch. Default: a market's first. Not for a series or "
        "an asset.",
    )
    label: Name | None = Field(
        None, description="Name of the target in alerts and charts. Default: the market's question."
    )


class TargetRecord(BaseModel):
    """A target of a watchlist, as it is stored."""

    model_config = example(**TARGET)

    id: str
    watchlist_id: str
    kind: Kind
    ref: str
    outcome: str | None = Field(description="Null: the first outcome.")
    label: str | None
    created_at: datetime


MOST_AT_ONCE = 500
"""Most targets or rules that one request may add to a watchlist."""


class TargetsRequest(BaseModel):
    """Several targets: all are added, or none."""

    model_config = request_example(
        targets=[{"kind": "market", "ref": "kalshi:KXRATECUT-27MAR-T25"}]
    )

    targets: list[TargetRequest] = Field(min_length=1, max_length=MOST_AT_ONCE)


class TargetsMade(BaseModel):
    """The targets, in the order of the request."""

    model_config = example(items=[TARGET])

    items: list[TargetRecord]


class TargetList(BaseModel):
    """One page of targets, oldest first."""

    model_config = example(items=[TARGET], next_cursor=None)

    items: list[TargetRecord]
    next_cursor: str | None


def watchlist(found: Watchlist) -> dict[str, Any]:
    """A watchlist as the fields of the API record `WatchlistRecord`."""
    return found._asdict()


def made(new: Made) -> dict[str, Any]:
    """A new watchlist as the fields of the API record `WatchlistMade`."""
    delivery = [
        {**delivery_fields(endpoint), "secret": secret} for endpoint, secret in new.endpoints
    ]
    return {**watchlist(new.watchlist), "delivery": delivery}


def target(found: Target) -> dict[str, Any]:
    """A watched target as the fields of the API record `TargetRecord`."""
    return {name: getattr(found, name) for name in TargetRecord.model_fields}
