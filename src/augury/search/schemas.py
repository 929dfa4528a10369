"""Request and response schemas of the search API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from augury.markets.records import ShownOrigin, Status

Dimension = Literal["direct", "upstream", "downstream", "correlated"]
DIMENSIONS: tuple[Dimension, ...] = ("direct", "upstream", "downstream", "correlated")

MAX_QUERY = 2000
"""Longest query, in code points: room for a pasted headline, paragraph or address."""


def _whole_number(value: Any) -> Any:
    # JSON Schema's integer: 20 and 20.0, but neither "20" nor true.
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        raise PydanticCustomError("int_type", "Input should be a whole number")
    return int(value)


WholeNumber = Annotated[int, BeforeValidator(_whole_number)]


def _not_blank(value: Any) -> Any:
    if isinstance(value, str) and not is_readable(value):
        raise PydanticCustomError(
            "string_blank", "Query should have at least one visible character"
        )
    return value


def is_readable(text: str) -> bool:
    """Whether `text` has a visible character, i.e. one that is neither a space nor a control or
    format character (such as U+200B)."""
    return any(c.isprintable() and not c.isspace() for c in text)


class SearchFilters(BaseModel):
    """Restrictions on the markets that a search returns."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"status": "active"}]}
    )

    status: Status | None = Field(
        None,
        description="Return only markets with this status; null: with any. `active` leaves out a "
        "market if its close has passed and its venue has sent nothing since.",
    )


class SearchRequest(BaseModel):
    """A search for markets: the query, which relations to it the results may have, and how many
    results to return."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "query": "Will the Fed cut rates in December?",
                    "dimensions": ["direct", "upstream"],
                    "top_k_per_dimension": 10,
                    "filters": {"status": "active"},
                }
            ]
        },
    )

    query: Annotated[
        str,
        Field(
            min_length=1,
            max_length=MAX_QUERY,
            strict=True,
            description="A question, keywords, a headline, a market id, or the address of a "
            "market's page at its venue.",
        ),
        BeforeValidator(_not_blank),
    ]
    dimensions: list[Dimension] = Field(
        list(DIMENSIONS),
        min_length=1,
        description="Which relations to the query the results may have. direct: about the query's "
        "own subject. upstream: about what drives it. downstream: about what follows from it. "
        "correlated: about what moves with it. Default: all. A repeated value counts once.",
    )
    top_k_per_dimension: Annotated[
        WholeNumber,
        Field(
            ge=1,
            description="Maximum number of results per relation. Largest value: 20 without a key, "
            "100 with one, unless the operator has set other limits.",
        ),
        WithJsonSchema({"type": "integer", "minimum": 1, "default": 20}),
    ] = 20
    filters: SearchFilters | None = Field(
        None, description="Restrictions on the markets that are returned."
    )
    fold: bool = Field(
        False,
        strict=True,
        description="Return one row per family of markets (the candidates of a contest, the levels "
        "of one quantity, the dates of one question) instead of one per market. The row shows the "
        "member nearest to the query; `family` lists the others. In a list of related markets, at "
        "most two rows are about the same thing, not counting the same contract on another venue; "
        "`also` lists further markets about it. `top_k_per_dimension` then counts rows.",
    )


_RESULT = {
    "id": "kalshi:KXFEDDECISION-26DEC-C25",
    "platform": "kalshi",
    "question": "Fed decision in December? — Cut 25bps",
    "outcomes": ["Yes", "No"],
    "status": "active",
    "platform_url": "https://kalshi.com/markets/kxfeddecision",
    "score": 0.874,
    "dimension": "direct",
    "current_prices": {"Yes": 0.62, "No": 0.38},
    "price_as_of": "2026-11-21T09:30:00Z",
    "closes_at": "2026-12-09T19:00:00Z",
    "volume": 48210.0,
    "event_id": "KXFEDDECISION-26DEC",
    "category": "Economics",
    "stale": False,
    "origin": "live",
    "twin_ids": [],
    "reason": "It is about “Fed policy rate”, the query's own subject.",
    "family": None,
    "also": [],
}


_FAMILY: dict[str, Any] = {
    "kind": "contest",
    "label": "Cut 25bps",
    "size": 2,
    "more": [
        {
            "id": "kalshi:KXFEDDECISION-26DEC-H0",
            "label": "Fed maintains rate",
            "status": "active",
            "price": 0.36,
            "closes_at": "2026-12-09T19:00:00Z",
        }
    ],
}


class FamilyMember(BaseModel):
    """A market that has no search result of its own, because another one is shown for both: a
    market of its family (e.g. of the same event), or another market about the same thing."""

    model_config = ConfigDict(json_schema_extra={"examples": [_FAMILY["more"][0]]})

    id: str
    label: str = Field(
        description="The words that distinguish the market from the family's other members, e.g. "
        "a name, a level or a date. If no shorter text distinguishes it, and in `also`, its whole "
        "question."
    )
    status: Status
    price: float | None = Field(
        description="Price of the market's first outcome, 0 to 1. Null: no quote."
    )
    closes_at: datetime | None


class SearchFamily(BaseModel):
    """The family (e.g. the markets of one event) that a search result stands for, if the request
    asks for one row per family (`fold`)."""

    model_config = ConfigDict(json_schema_extra={"examples": [_FAMILY]})

    kind: Literal["contest", "ladder", "dates"] = Field(
        description="How the markets of the family differ. This decides how `more` is sorted. "
        "contest: they differ in a name; first those that the query names, then by price, then "
        "volume, largest first. ladder: in a level; sorted by level. dates: in a date; sorted by "
        "date. Active markets always come first."
    )
    label: str = Field(
        description="The words that distinguish the market shown from the other markets of its "
        "family, e.g. a name, a level or a date."
    )
    size: int = Field(
        description="Number of markets of the family that were found with the same relation to the "
        "query (e.g. direct). The market shown is one of them."
    )
    more: list[FamilyMember] = Field(
        description="The other markets found that belong to the same family (e.g. to one event)."
    )


class SearchResult(BaseModel):
    """A market that a search found, and its relation to the query."""

    model_config = ConfigDict(json_schema_extra={"examples": [_RESULT]})

    id: str = Field(description="Stable market identifier.")
    platform: str = Field(description="Venue of the market.")
    question: str
    outcomes: list[str] = Field(description="Labels of the outcomes, in the venue's order.")
    status: Status
    platform_url: str | None = None
    score: float = Field(
        description="Score by which the results of this relation are ordered; larger is better. "
        "Comparable only within one response and relation. Not a probability."
    )
    dimension: Dimension = Field(
        description="Relation of the market to the query. direct: about the query's own subject. "
        "upstream: about what drives it. downstream: about what follows from it. correlated: about "
        "what moves with it."
    )
    current_prices: dict[str, float | None] | None = Field(
        description="Probability by outcome label; null for an outcome without a quote. Null as a "
        "whole if there is no quote at all."
    )
    price_as_of: datetime | None = Field(description="When the venue quoted `current_prices`.")
    closes_at: datetime | None = Field(description="Announced close. Null: not known.")
    volume: float | None = Field(
        description="Volume traded so far: US dollars on Polymarket, contracts on Kalshi."
    )
    event_id: str | None = Field(description="The venue's own id of the market's event.")
    category: str | None = Field(description="The venue's category of the market.")
    stale: bool = Field(
        description="True if the market's close has passed and its venue has sent nothing since; "
        "its status is then `closed`. Also true if the market is active and its price is older "
        "than the operator allows (`AUGURY_PRICE_MAX_AGE`, 14 days by default)."
    )
    origin: ShownOrigin = Field(
        description="live: from the venue. import: from a file. sample: an invented market."
    )
    twin_ids: list[str] = Field(
        description="Ids of markets on other venues that are the same contract, or its exact "
        "opposite."
    )
    reason: str = Field(
        description="Why the market is among the results. For a related market: step by step, how "
        "the subject of the query is connected with the subject of the market, or that only the "
        "market's text suggests the relation."
    )
    family: SearchFamily | None = Field(
        None,
        description="Only with `fold`: the family of markets that the result stands for. Null: the "
        "result stands for its own market alone.",
    )
    also: list[FamilyMember] = Field(
        [],
        description="Only with `fold`, for related markets: further markets about the same thing "
        "as this one (e.g. the price of gold), at most 20. They have no row of their own, because "
        "two rows of the list are about it already.",
    )


class SearchResponse(BaseModel):
    """The markets that a search found, with one list for each relation to the query. Each list has
    the best market first."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "request_id": "req_01989d2c7f6b7c3f9d0e8f1a2b3c4d5e",
                    "query": "Will the Fed cut rates in December?",
                    "results": {
                        "direct": [_RESULT],
                        "upstream": [],
                    },
                    "total_markets": 1,
                    "latency_ms": 6,
                }
            ]
        }
    )

    request_id: str
    query: str
    results: dict[Dimension, list[SearchResult]] = Field(
        description="Found markets, best first, for each relation that was searched. A market in "
        "`direct` may also be in one of the other lists."
    )
    total_markets: int = Field(description="Number of results in all relations together.")
    latency_ms: int = Field(description="Time to answer, in milliseconds.")
