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
from augury.watchlists.service import CreatedWatchlist
from augury.watchlists.store import Target, Watchlist


class WatchlistRequest(BaseModel):
    """A watchlist to create. Its targets (what it watches) and rules (when it alerts) are added
    afterwards."""

    model_config = request_example(
        name="Rates", delivery=[{"type": "webhook", "url": "https://hooks.example.org/augury"}]
    )

    name: Name
    description: Note | None = None
    delivery: list[DeliveryRequest] = Field(
        default=[], max_length=10, description="Endpoints to send the watchlist's alerts to."
    )


class WatchlistChange(BaseModel):
    """Changes to a watchlist. Fields that are left out keep their values."""

    model_config = request_example(name="Rates and inflation")

    name: Name | None = None
    description: Note | None = Field(None, description="New description. Null removes it.")


class WatchlistRecord(BaseModel):
    """A watchlist, with the number of its targets (what it watches), rules (when it alerts) and
    open alerts."""

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
    """A watchlist that was just created, with its deliveries (endpoints that alerts are sent to).
    Their signing secrets are shown only in this answer."""

    model_config = example(**WATCHLIST, delivery=[])

    delivery: list[DeliveryMade] = Field(
        description="The endpoints that the watchlist's alerts are sent to."
    )


class WatchlistList(BaseModel):
    """One page of the account's watchlists, oldest first."""

    model_config = example(items=[WATCHLIST], next_cursor=None)

    items: list[WatchlistRecord]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )


class TargetRequest(BaseModel):
    """A target to add to a watchlist: the market, event, search, asset or external series that it
    should watch."""

    model_config = request_example(kind="market", ref="kalshi:KXRATECUT-27MAR-T25", outcome="Yes")

    kind: Kind = Field(description="What kind of thing to watch; decides what `ref` is.")
    ref: Annotated[str, Field(min_length=1, max_length=500, strict=True)] = Field(
        description="What to watch. For a market: its id. For an event: the platform and the "
        "venue's event id, as in kalshi:KXFED-27JAN. For an asset: its key, e.g. BTC. For a "
        "series: the id of an external series. For a search: a query; the markets that fit it "
        "best are watched."
    )
    outcome: Name | None = Field(
        None,
        description="Label of the outcome to watch, e.g. Yes. Default: the first outcome of each "
        "market. Not allowed for a series or an asset.",
    )
    label: Name | None = Field(
        None,
        description="Name to show for the target, e.g. as the title of its chart. Default: a "
        "market's question, a series' name, else `ref`.",
    )


class TargetRecord(BaseModel):
    """A target of a watchlist: a market, event, search, asset or external series that it
    watches."""

    model_config = example(**TARGET)

    id: str
    watchlist_id: str
    kind: Kind
    ref: str = Field(
        description="What is watched, depending on `kind`: a market's id; an event, as "
        "platform:event id (kalshi:KXFED-27JAN); a query; an asset's key; or a series' id."
    )
    outcome: str | None = Field(
        description="Label of the outcome that is watched. Null: the first outcome of each "
        "market. Always null for a series or an asset."
    )
    label: str | None = Field(description="Name to show for the target. Null: none was given.")
    created_at: datetime


MOST_AT_ONCE = 500
"""Maximum number of targets or rules that one request may add to a watchlist."""


class TargetsRequest(BaseModel):
    """Several targets to add to a watchlist. Either all are added or none."""

    model_config = request_example(
        targets=[{"kind": "market", "ref": "kalshi:KXRATECUT-27MAR-T25"}]
    )

    targets: list[TargetRequest] = Field(min_length=1, max_length=MOST_AT_ONCE)


class TargetsMade(BaseModel):
    """The targets that were added to a watchlist, in the order of the request."""

    model_config = example(items=[TARGET])

    items: list[TargetRecord]


class TargetList(BaseModel):
    """One page of a watchlist's targets, oldest first."""

    model_config = example(items=[TARGET], next_cursor=None)

    items: list[TargetRecord]
    next_cursor: str | None = Field(
        description="Pass as `cursor` for the next page. Null: this is the last one."
    )


def watchlist(found: Watchlist) -> dict[str, Any]:
    """A watchlist as the fields of the API record `WatchlistRecord`."""
    return found._asdict()


def made(new: CreatedWatchlist) -> dict[str, Any]:
    """A new watchlist with its endpoints, as the fields of the API record `WatchlistMade`."""
    delivery = [
        {**delivery_fields(endpoint), "secret": secret} for endpoint, secret in new.endpoints
    ]
    return {**watchlist(new.watchlist), "delivery": delivery}


def target(found: Target) -> dict[str, Any]:
    """A watched target as the fields of the API record `TargetRecord`."""
    return {name: getattr(found, name) for name in TargetRecord.model_fields}
