"""Wire shapes of search: spec section 2.5."""

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
    """Whether `text` has a character that is neither space, control nor format (U+200B)."""
    return any(c.isprintable() and not c.isspace() for c in text)


class SearchFilters(BaseModel):
    """Restrictions on the results."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"status": "active"}]}
    )

    status: Status | None = Field(
        None,
        description="Only markets in this state. `active` leaves out markets past their close "
        "without news from their venue.",
    )


class SearchRequest(BaseModel):
    """What to look for, in which relations, how much of it."""

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
            description="A question, keywords, a headline, a market id or a venue's address.",
        ),
        BeforeValidator(_not_blank),
    ]
    dimensions: list[Dimension] = Field(
        list(DIMENSIONS),
        min_length=1,
        description="Relations to search; all by default. Repeated ids count once.",
    )
    top_k_per_dimension: Annotated[
        WholeNumber,
        Field(
            ge=1,
            description="Maximum number of results per relation: 20 without a key, 100 with one.",
        ),
        WithJsonSchema({"type": "integer", "minimum": 1, "default": 20}),
    ] = 20
    filters: SearchFilters | None = Field(None, description="Restrictions on the results.")
    fold: bool = Field(
        False,
        strict=True,
        description="One row a family (a contest, a ladder, one question with several dates), its "
        "best member first; `family` has the others. `top_k_per_dimension` then counts families.",
    )


_RESULT = {
    "id": "kalshi:KXFEDDECISION-26DEC-C25",
    "platform": "kalshi",
    "question": "Fed decision in December? — Cut 25bps",
    "outcomes": ["Yes", "No"],
    "status": "active",
    "platform_url": "https://kalshi.com/markets/kxfeddecision",
    "score": 7.41,
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
    "reason": "Asks about the query's own subject, by its words and meaning.",
    "family": None,
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
    """A further market of a row's family."""

    model_config = ConfigDict(json_schema_extra={"examples": [_FAMILY["more"][0]]})

    id: str
    label: str = Field(description="What tells it from the others; its question where nothing is.")
    status: Status
    price: float | None = Field(description="Of its first outcome; null: no quote.")
    closes_at: datetime | None


class SearchFamily(BaseModel):
    """What a folded row stands for besides its own market."""

    model_config = ConfigDict(json_schema_extra={"examples": [_FAMILY]})

    kind: Literal["contest", "ladder", "dates"] = Field(
        description="Order of `more`: by price and volume, by level, or by date; open ones first."
    )
    label: str = Field(description="What tells the row's own market from the others.")
    size: int = Field(description="Members found in this relation, the row's own among them.")
    more: list[FamilyMember] = Field(description="The others.")


class SearchResult(BaseModel):
    """One market, with the relation that found it."""

    model_config = ConfigDict(json_schema_extra={"examples": [_RESULT]})

    id: str = Field(description="Stable market identifier.")
    platform: str = Field(description="Platform name.")
    question: str
    outcomes: list[str] = Field(description="Ordered outcome labels.")
    status: Status
    platform_url: str | None = None
    score: float = Field(
        description="For ranking within this response and dimension; not a probability."
    )
    dimension: Dimension
    current_prices: dict[str, float | None] | None = Field(
        description="Probability by outcome label. Null: no quote."
    )
    price_as_of: datetime | None
    closes_at: datetime | None
    volume: float | None = Field(description="US dollars on Polymarket, contracts on Kalshi.")
    event_id: str | None = Field(description="The venue's own id of the event.")
    category: str | None = Field(description="The venue's category of the market.")
    stale: bool = Field(
        description="True if the market is past its close without news from its venue (then "
        "`closed`), or active with a price older than `AUGURY_PRICE_MAX_AGE`."
    )
    origin: ShownOrigin = Field(
        description="live: from the venue. import: from a file. sample: an invented market."
    )
    twin_ids: list[str] = Field(
        description="The same contract on other venues, or its exact complement there."
    )
    reason: str = Field(
        description="Why it is among the results. For related markets: the path through the "
        "factor base."
    )
    family: SearchFamily | None = Field(
        None, description="In folded lists (`fold`), for a row that stands for several markets."
    )


class SearchResponse(BaseModel):
    """Results by relation."""

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
    results: dict[Dimension, list[SearchResult]]
    total_markets: int
    latency_ms: int
