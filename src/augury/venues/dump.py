"""Reads dump files of markets or prices (parquet, jsonl, csv) into records, and refuses bad rows.

A file's columns tell whether it holds markets or prices. Times without a zone are UTC. A price of 0
or 1 is taken as "no quote" unless the market is resolved. If a row has no outcome labels, they are
derived from its question (`derive_outcomes`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

import polars as pl

from augury.errors import SetupProblem
from augury.markets.doors import MAX_SHRUNKEN, MIN_BATCH, MIN_EVENTS
from augury.markets.records import PLATFORMS, STATUSES, Market, PricePoint, Status, Strike
from augury.venues.kalshi_queries import series_of
from augury.venues.kalshi_records import PARLAY_PREFIX
from augury.venues.records import KnownMarket, Refusal
from augury.venues.wire import (
    EMPTY_BOOK,
    LABEL_LIMIT,
    QUESTION_LIMIT,
    TEXT_LIMIT,
    BadPrice,
    amount,
    identifier,
    is_placeholder,
    items,
    labels,
    line,
    moment,
    number,
    probability,
    text,
)

Kind = Literal["markets", "prices"]
Row = Mapping[str, Any]

MARKET_COLUMNS = {"id", "platform"}  # and a question, or a title in its place
PRICE_COLUMNS = {"market_id", "ts", "price"}
SLICE_ROWS = 5_000
"""Number of rows of a file of markets that are turned into records at a time."""


class DumpFile:
    """A dump file, read into the data frame `frame`.

    Raises
    ------
    SetupProblem
        The file is missing, can't be read, or does not hold what `kind` says (markets or prices).
    """

    def __init__(self, path: Path, *, kind: Kind | None = None) -> None:
        self.path = path
        self.unreadable = 0
        """Number of lines of a jsonl file that are not JSON objects."""
        if not path.is_file():
            if path.is_dir():
                raise SetupProblem(f"{path} is a folder. Name a file in it.")
            raise SetupProblem(f"The file {path} does not exist.")
        try:
            self.frame = self._read(path)
        except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as problem:
            raise SetupProblem(f"{path} can't be read: {str(problem).splitlines()[0]}") from None
        columns = set(self.frame.columns)
        if columns >= MARKET_COLUMNS and columns & {"question", "title"}:
            self.kind: Kind = "markets"
        elif columns >= PRICE_COLUMNS:
            self.kind = "prices"
        else:
            raise SetupProblem(
                f"{path} has neither a market's columns (id, platform, question, ...)"
                f" nor a price's (market_id, ts, price, ...)."
            )
        if kind is not None and self.kind != kind:
            raise SetupProblem(f"{path} contains {self.kind}, but {kind} were expected.")

    def __len__(self) -> int:
        return self.frame.height

    def _read(self, path: Path) -> pl.DataFrame:
        suffix = path.suffix.lower()
        if suffix in (".parquet", ".pq"):
            return pl.read_parquet(path)
        if suffix == ".csv":
            # Every value is read as text, so that no id or label turns into a number.
            return pl.read_csv(path, infer_schema=False)
        if suffix in (".jsonl", ".ndjson"):
            return self._read_lines(path)
        raise SetupProblem(f"{path}: only .parquet, .jsonl and .csv files can be imported.")

    def _read_lines(self, path: Path) -> pl.DataFrame:
        rows: list[dict[str, Any]] = []
        names: dict[str, None] = {}
        with path.open("rb") as lines:
            for raw in lines:
                if not raw.strip():
                    continue
                try:
                    row = json.loads(raw)
                except (ValueError, RecursionError):
                    row = None
                if not isinstance(row, dict):
                    self.unreadable += 1
                    continue
                rows.append(row)
                names.update(dict.fromkeys(row))
        # Nested values become JSON text, as in a csv, so that each column has one type.
        columns = {
            name: [_as_text(row.get(name)) for row in rows] for name in names if name.isprintable()
        }
        return pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))


def _as_text(value: object) -> str | None:
    if value is None:
        return None
    found = value if isinstance(value, str) else json.dumps(value)
    return found.encode("utf-8", "ignore").decode()


# --- markets -------------------------------------------------------------------------------


def read_markets(file: DumpFile) -> Iterator[list[Market | Refusal]]:
    """The rows of a file of markets, `SLICE_ROWS` at a time, each as a market or as a refusal with
    its reason. They are sorted so that the rows of an event follow each other."""
    frame = file.frame
    keys = [name for name in ("platform", "event_id") if name in frame.columns]
    for part in frame.sort(keys, maintain_order=True).iter_slices(SLICE_ROWS):
        yield [market(row) for row in part.iter_rows(named=True)]


def _parted(question: str) -> tuple[str, str | None]:
    """Split a Kalshi question "title — subtitle" in two. A question of another form is returned
    whole, with None for the subtitle."""
    title, dash, subtitle = question.rpartition(" — ")
    return (title, subtitle) if dash and title and subtitle else (question, None)


def market(row: Row) -> Market | Refusal:
    """One row of a file of markets as a market, or as a refusal with its reason."""
    platform = row.get("platform")
    id_ = identifier(row.get("id"), 300)
    if platform not in PLATFORMS:
        return Refusal(id_, "unknown platform", str(platform)[:60])
    if id_ is not None and ":" not in id_:
        id_ = f"{platform}:{id_}"
    if id_ is None or not id_.startswith(f"{platform}:") or len(id_) == len(platform) + 1:
        return Refusal(id_, "no id")
    own = identifier(row.get("platform_id"), 300) or id_.split(":", 1)[1]
    event_id = identifier(row.get("event_id"))
    if platform == "kalshi" and own.startswith(PARLAY_PREFIX):
        return Refusal(id_, "parlay")
    question = line(row.get("question") or row.get("title"), QUESTION_LIMIT)
    if question is None:
        return Refusal(id_, "no question")
    title = line(row.get("title"), QUESTION_LIMIT) or question
    subtitle = line(row.get("subtitle"))
    if platform == "kalshi" and subtitle is None and title == question:
        title, subtitle = _parted(question)
    if is_placeholder(question, subtitle):
        return Refusal(id_, "placeholder", question[:120])
    status = row.get("status")
    if status not in STATUSES:
        return Refusal(id_, "unknown status", str(status)[:60])
    result = text(row.get("result"))
    outcomes = _outcomes(row, question, result)
    if outcomes is None:
        return Refusal(id_, "bad outcomes", str(row.get("outcomes"))[:120])
    try:
        prices = _prices(row, status, outcomes)
        bid, ask = probability(row.get("best_bid")), probability(row.get("best_ask"))
    except BadPrice as bad:
        return Refusal(id_, "bad price", str(bad))
    if prices is None:
        return Refusal(id_, "prices do not match outcomes")
    as_of = moment(row.get("as_of"))
    if as_of is None or all(price is None for price in prices):
        # A price without a time may be stale, so it is not used.
        prices = (None,) * len(outcomes)
    priced = any(price is not None for price in prices)
    resolved = status == "resolved"
    return Market(
        id=id_,
        platform=platform,
        platform_id=own,
        question=question,
        title=title,
        subtitle=subtitle,
        description=text(row.get("description"), TEXT_LIMIT),
        outcomes=outcomes,
        prices=prices,
        price_as_of=as_of if priced else None,
        status=status,
        resolution=resolution(result, outcomes) if resolved else None,
        created_at=moment(row.get("opens_at")),
        closes_at=moment(row.get("closes_at")),
        resolved_at=moment(row.get("resolved_at")) if resolved else None,
        event_id=event_id,
        event_name=line(row.get("event_title"), QUESTION_LIMIT),
        series_id=series_of(event_id or own) if platform == "kalshi" else None,
        exclusive=_flag(row.get("exclusive")),
        category=line(row.get("category"), 100),
        tags=labels(items(row.get("tags")) or ()),
        volume=amount(row.get("volume")),
        volume_24h=amount(row.get("volume_24h")),
        liquidity=amount(row.get("liquidity")),
        open_interest=amount(row.get("open_interest")),
        best_bid=bid if bid and bid < 1 and not resolved else None,
        best_ask=ask if ask and ask < 1 and not resolved else None,
        strike=_strike(row.get("strike")),
        url=_url(row.get("url")),
        slug=identifier(row.get("slug"), 300),
        origin="dump",
        observed_at=as_of,
    )


_YES_NO = re.compile(
    r"^\W*(?:will|is|are|was|were|does|do|did|has|have|had|can|could|should|would|shall|may|if)\b",
    re.IGNORECASE,
)
_OPEN_QUESTION = re.compile(r"^\W*(?:who|whom|which|what|when|where|how|why)\b", re.IGNORECASE)
_EITHER = (
    (re.compile(r"\bup or down\b", re.IGNORECASE), ("Up", "Down")),
    (re.compile(r"\bO/U\b|\bover/under\b", re.IGNORECASE), ("Over", "Under")),
    (re.compile(r"\bodd/even\b", re.IGNORECASE), ("Odd", "Even")),
    (
        re.compile(r"\bboth teams\b|\bcompleted match\b|\bany player\b", re.IGNORECASE),
        ("Yes", "No"),
    ),
)
_VERSUS = re.compile(r"\s+(?:vs\.?|v\.)\s+", re.IGNORECASE)
_WHO_WINS = re.compile(r"^who (?:will )?wins?\b[:,]?\s*(?:the\s+)?", re.IGNORECASE)
_AFTER_SIDES = re.compile(r"\s*(?:\(BO\d+\)|[:\[,?]|\s[-–—]\s).*$", re.IGNORECASE)
UNKNOWN_OUTCOMES = ("Outcome 1", "Outcome 2")


def derive_outcomes(question: str, result: str | None = None) -> tuple[str, str]:
    """Two outcome labels, in the venue's order, for a market whose row has none. The first rule
    that fits:

    1. The result is Yes or No, or the question begins like a yes/no question: Yes and No.
    2. The question contains e.g. "up or down" (Up and Down) or "both teams" (Yes and No).
    3. The question contains "A vs. B": A and B.
    4. The text ends in "?" and does not begin with "Who" or the like: Yes and No.
    5. None of these: `UNKNOWN_OUTCOMES`.
    """
    if (result or "").casefold() in ("yes", "no") or _YES_NO.match(question):
        return "Yes", "No"
    for pattern, sides in _EITHER:
        if pattern.search(question):
            return sides
    sides = _VERSUS.split(question, maxsplit=1)
    if len(sides) == 2:
        # "LoL: A vs B (BO3) - Playoffs": only the names next to "vs" are kept.
        first = _WHO_WINS.sub("", sides[0].rsplit(": ", 1)[-1]).strip()
        second = _AFTER_SIDES.sub("", sides[1]).strip()
        if first and second and first != second:
            return first[:LABEL_LIMIT], second[:LABEL_LIMIT]
    if question.endswith("?") and not _OPEN_QUESTION.match(question):
        return "Yes", "No"
    return UNKNOWN_OUTCOMES


_BY_NUMBER = re.compile(r"^outcome\[(\d{1,2})\]$")


def resolution(result: str | None, outcomes: Sequence[str]) -> str | None:
    """The winning label of `outcomes`; None if `result` names none of them. `result` is a label
    (upper and lower case are the same) or e.g. `outcome[1]` for the second label."""
    if result is None:
        return None
    if (numbered := _BY_NUMBER.match(result)) is not None:
        place = int(numbered[1])
        return outcomes[place] if place < len(outcomes) else None
    for label in outcomes:
        if label.casefold() == result.casefold():
            return label
    return None


def _outcomes(row: Row, question: str, result: str | None) -> tuple[str, ...] | None:
    raw = row.get("outcomes")
    if raw is None or raw == "":
        return derive_outcomes(question, result)
    found = [line(label) for label in items(raw) or ()]
    complete = tuple(label for label in found if label is not None)
    if not 2 <= len(complete) == len(found) == len(set(complete)) <= 100:
        return None
    return complete


def _prices(row: Row, status: Status, outcomes: tuple[str, ...]) -> tuple[float | None, ...] | None:
    raw = items(row.get("prices"))
    nothing: tuple[float | None, ...] = (None,) * len(outcomes)
    if not raw:
        return nothing
    found = tuple(probability(price) for price in raw)
    if len(found) != len(outcomes):
        return None
    if status == "resolved":
        return found if sum(price or 0 for price in found) > 0.5 else nothing
    if any(price is None or price in (0, 1) for price in found):
        return nothing
    bid, ask = number(row.get("best_bid")), number(row.get("best_ask"))
    empty = bid is not None and ask is not None and bid <= EMPTY_BOOK[0] and ask >= EMPTY_BOOK[1]
    # A price of 0.5 in an empty book is only the book's midpoint, not a quote.
    return nothing if empty and all(abs((p or 0) - 0.5) < 0.005 for p in found) else found


def _strike(value: object) -> Strike | None:
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return None
    if not isinstance(value, Mapping) or not isinstance(kind := value.get("strike_type"), str):
        return None
    return Strike(
        kind=kind[:40],
        floor=number(value.get("floor_strike")),
        cap=number(value.get("cap_strike")),
    )


def _flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(str(value).strip().lower())


def _url(value: object) -> str | None:
    found = identifier(value, 1_000)
    return found if found is not None and found.startswith(("https://", "http://")) else None


# --- prices --------------------------------------------------------------------------------


def match_prices(file: DumpFile, known: Iterable[KnownMarket]) -> pl.DataFrame:
    """A price file's rows, each with its market and outcome, or with the reason for refusing it.

    The market id `kalshi:event:TICKER` names a whole event. The row's label is then the subtitle of
    the market meant, or Yes or No if the event has only one market.

    Returns
    -------
    DataFrame
        `given, label, market_id, outcome (index), at (UTC), price, source, reason`; reason is null
        for a row that can be stored.
    """
    frame = file.frame
    rows = frame.select(
        given=pl.col("market_id").cast(pl.String),
        label=(pl.col("outcome").cast(pl.String) if "outcome" in frame.columns else pl.lit("Yes")),
        at=_utc(frame, "ts"),
        price=pl.col("price").cast(pl.Float64, strict=False),
        source=pl.lit("dump:")
        + (
            pl.col("kind").cast(pl.String).fill_null("price").str.slice(0, 40)
            if "kind" in frame.columns
            else pl.lit("price")
        ),
    )
    lookup = _lookup(known, unlabelled="outcome" not in frame.columns)
    rows = rows.with_columns(key=_folded(pl.col("label"))).join(
        lookup, on=["given", "key"], how="left", maintain_order="left"
    )
    known_series = rows["given"].is_in(lookup["given"].unique().implode())
    price, is_event = pl.col("price"), pl.col("given").str.contains(":event:", literal=True)
    reason = (
        pl.when(pl.col("given").is_null() | pl.col("given").str.ends_with(":"))
        .then(pl.lit("no id"))
        .when(price.is_null() | price.is_nan() | (price < 0) | (price > 1))
        .then(pl.lit("bad price"))
        .when(pl.col("at").is_null())
        .then(pl.lit("bad time"))
        .when(pl.col("market_id").is_null() & is_event)
        .then(pl.lit("no one market for this label of an event"))
        .when(pl.col("market_id").is_null() & ~known_series)
        .then(pl.lit("unknown market"))
        .when(pl.col("market_id").is_null())
        .then(pl.lit("unknown outcome"))
        .when((price == 0) | (price == 1))
        .then(pl.lit("no quote (0 or 1)"))
    )
    return rows.with_columns(reason=reason).select(
        "given", "label", "market_id", "outcome", "at", "price", "source", "reason"
    )


def in_another_unit(rows: pl.DataFrame, known: Iterable[KnownMarket]) -> pl.DataFrame:
    """Those of `rows` (from `match_prices`) whose prices look a hundred times too small: all Yes
    prices of one venue, source and time are at most a cent, although they are of many events."""
    events = {market.id: market.event_id or market.id for market in known}
    key = ["venue", "source", "at"]
    rows = rows.with_columns(
        venue=pl.col("market_id").str.split(":").list.first(),
        event=pl.col("market_id").replace(events),
    )
    small = rows.group_by(key).agg(
        n=pl.col("market_id").n_unique(), events=pl.col("event").n_unique(), most=_yes().max()
    )
    small = small.filter(
        (pl.col("n") >= MIN_BATCH)
        & (pl.col("events") >= MIN_EVENTS)
        & (pl.col("most") <= MAX_SHRUNKEN)
    )
    return rows.join(small.select(key), on=key, how="semi").drop("venue", "event")


def _yes() -> pl.Expr:
    """Polars expression: a row's price if it is the price of the first outcome, else null."""
    return pl.when(pl.col("outcome") == 0).then(pl.col("price"))


def points(rows: pl.DataFrame) -> list[PricePoint]:
    """Price rows (as `match_prices` returns them, none of them refused) as price points."""
    columns = rows.select("market_id", "outcome", "at", "price", "source")
    return [
        PricePoint(market_id=id_, outcome=outcome, at=at, price=price, source=source)
        for id_, outcome, at, price, source in columns.iter_rows()
    ]


def _utc(frame: pl.DataFrame, name: str) -> pl.Expr:
    """Polars expression: column `name` as UTC times. Naive times are UTC, numbers epoch seconds or
    ms."""
    dtype = frame.schema[name]
    if isinstance(dtype, pl.Datetime):
        column = pl.col(name).cast(pl.Datetime("us", dtype.time_zone))
        if dtype.time_zone is None:
            return column.dt.replace_time_zone("UTC")
        return column.dt.convert_time_zone("UTC")
    aware = pl.Datetime("us", "UTC")
    if dtype.is_numeric():
        value = pl.col(name).cast(pl.Float64)
        seconds = pl.when(value.abs() > 1e11).then(value / 1000).otherwise(value)
        return (seconds * 1e6).cast(pl.Int64, strict=False).cast(pl.Datetime("us")).cast(aware)
    # Text: each distinct value is parsed once.
    stamps = frame[name].unique().drop_nulls().cast(pl.String)
    read: dict[str, datetime | None] = {stamp: moment(stamp) for stamp in stamps}
    return pl.col(name).cast(pl.String).replace_strict(read, default=None, return_dtype=aware)


def _folded(column: pl.Expr) -> pl.Expr:
    return column.fill_null("").str.strip_chars().str.to_lowercase()


def _lookup(known: Iterable[KnownMarket], *, unlabelled: bool) -> pl.DataFrame:
    """Maps (id in the price file, label in lower case) to (market id, index of the outcome).
    Ambiguous keys are left out. `unlabelled`: the file has no outcome column, so "Yes" stands for a
    market's first outcome."""
    given: list[str] = []
    keys: list[str] = []
    ids: list[str] = []
    places: list[int] = []

    def note(series: str, label: str, id_: str, place: int) -> None:
        given.append(series)
        keys.append(label.strip().lower())
        ids.append(id_)
        places.append(place)

    of_event: dict[str, list[KnownMarket]] = {}
    for one in known:
        for place, label in enumerate(one.outcomes):
            note(one.id, label, one.id, place)
        if unlabelled and "yes" not in {label.strip().lower() for label in one.outcomes}:
            note(one.id, "Yes", one.id, 0)
        for place, token in enumerate(one.token_ids):
            for label in one.outcomes[place : place + 1]:
                note(f"polymarket:token:{token}", label, one.id, place)
        if one.event_id is not None and one.id.startswith("kalshi:"):
            of_event.setdefault(f"kalshi:event:{one.event_id}", []).append(one)
    for series, members in of_event.items():
        for one in members:
            if one.subtitle:
                note(series, one.subtitle, one.id, 0)
        if len(members) == 1:
            note(series, "Yes", members[0].id, 0)
            note(series, "No", members[0].id, 1)
    return pl.DataFrame(
        {"given": given, "key": keys, "market_id": ids, "outcome": places},
        schema={
            "given": pl.String,
            "key": pl.String,
            "market_id": pl.String,
            "outcome": pl.Int16,
        },
        # If two markets of one event have the same label, it identifies neither of them.
    ).unique(["given", "key"], keep="none")
