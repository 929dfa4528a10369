"""The sample: a small invented catalogue that a new installation shows until real markets arrive.
Pure.

The markets are in samples.toml. Their times are relative to the moment at which the sample is made,
and their price histories are random walks that end at the price in that file. The same moment
always gives the same sample.
"""

from __future__ import annotations

import re
import tomllib
import zlib
from calendar import monthrange
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from importlib import resources
from typing import Literal

import msgspec
import numpy as np
import numpy.typing as npt

from augury.markets.records import Market, Platform, PricePoint, Status

HISTORY_DAYS = 60
"""Length, in days, of the invented price histories of the sample markets."""

_DAILY_VOLATILITY = 0.12
"""The invented price of a sample market changes from day to day with this standard deviation, in
log odds."""

_DAILY_VOLUME = 0.02
"""Share (0 to 1) of a sample market's invented total volume that is traded on the last day of its
history."""

_DAILY_TRADING = 0.5
"""The invented volume that is traded between two neighboring points of a sample market's history
varies by a random factor. This is the standard deviation of the factor's natural logarithm."""

_FADING = 30.0
"""Time constant of a sample market's invented trading, in days: the daily volume was smaller by a
factor of e for every 30 days before the last day."""

_PLACEHOLDER = re.compile(r"\{(month|end|day|year):(-?\d+)\}")

Kind = Literal["single", "versus", "winner", "buckets", "ladder", "deadlines"]
_Array = npt.NDArray[np.float64]


class SampleEvent(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One invented event with its markets: an entry [[event]] of samples.toml. The comment at the
    top of that file explains the fields."""

    id: str
    platform: Platform
    domain: str
    category: str
    name: str
    kind: Kind
    about: str
    volume: float
    question: str | None = None
    label: str = "{item}"
    items: dict[str, float] = msgspec.field(default_factory=dict)
    sides: tuple[str, ...] = ("Yes", "No")
    price: float = 0.5
    closes: int = 30
    resolved: tuple[str, ...] | None = None
    """Keys of `items` (the markets of this invented event) that resolved Yes; None if the event is
    not resolved."""


class _SampleMarket(msgspec.Struct, frozen=True):
    """One market of a sample event, before it is made into a `Market`."""

    key: str
    label: str | None
    price: float
    closes_at: datetime


def load() -> list[SampleEvent]:
    """The invented events in the file samples.toml."""
    text = resources.files("augury.markets").joinpath("samples.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text)["event"], list[SampleEvent])


def generate(at: datetime) -> tuple[list[Market], list[PricePoint]]:
    """The sample, a small invented catalogue, as of the time `at`: markets with their current
    prices, and their price histories."""
    at = at.astimezone(UTC).replace(microsecond=0)
    markets: list[Market] = []
    points: list[PricePoint] = []
    for event in load():
        sides = _sides(event, at)
        times, paths = _paths(event, sides, at)
        for n, side in enumerate(sides):
            market = _market(event, side, n, at, price=paths[n][-1], quoted_at=times[-1])
            markets.append(market)
            points += [
                PricePoint(market_id=market.id, outcome=0, at=t, price=p, source="sample", volume=v)
                for t, p, v in zip(times, paths[n], _volumes(market, times), strict=True)
            ]
    return markets, points


def _sides(event: SampleEvent, at: datetime) -> list[_SampleMarket]:
    closes_at = _closing(event, at)
    if event.kind in ("single", "versus"):
        return [_SampleMarket("", None, event.price, closes_at)]
    sides: list[_SampleMarket] = []
    for key, price in event.items.items():
        if event.kind == "deadlines":
            last = _month_end(at.date(), int(key))
            # A label with "Before" names the next day: "Before May 1" means by April 30.
            named = last + timedelta(days=1) if "Before" in event.label else last
            closes = datetime(last.year, last.month, last.day, tzinfo=UTC) + timedelta(days=1)
            sides.append(
                _SampleMarket(key, event.label.replace("{item}", _long(named)), price, closes)
            )
        else:
            sides.append(_SampleMarket(key, key, price, closes_at))
    return sides


def _closing(event: SampleEvent, at: datetime) -> datetime:
    """When the markets of a sample event close.

    If the event's text names a day, month or year, they close at the end of it ("before 2027": at
    the start of 2027). If it names none, or if the event is over (`event.closes` is not above 0),
    they close `event.closes` days after midnight UTC of the day of `at`.
    """
    text = f"{event.name} {event.question or ''}"
    midnight = at.replace(hour=0, minute=0, second=0)
    if event.closes > 0 and (found := re.search(r"(before )?\{(end|day|year):(\d+)\}", text)):
        count = int(found[3])
        if found[2] == "day":
            return midnight + timedelta(days=count + 1)
        if found[2] == "end":
            last = _month_end(at.date(), count)
            return datetime(last.year, last.month, last.day, tzinfo=UTC) + timedelta(days=1)
        return datetime(at.year + count + (0 if found[1] else 1), 1, 1, tzinfo=UTC)
    return midnight + timedelta(days=event.closes)


def _market(
    event: SampleEvent,
    side: _SampleMarket,
    n: int,
    at: datetime,
    *,
    price: float,
    quoted_at: datetime,
) -> Market:
    over = side.closes_at <= at
    status: Status = "active" if not over else "closed" if event.resolved is None else "resolved"
    name = dated(event.name, at)
    label = None if side.label is None else dated(side.label, at)
    if event.platform == "kalshi":
        platform_id = f"SAMPLE-{event.id}" + (f"-{n + 1}" if label else "")
        question = f"{name} — {label}" if label else name
        title = name
    else:
        platform_id = f"sample-{int(event.id) * 100 + n}"
        question = title = dated(event.question or "", at).replace("{item}", label or "")
        question = title = question.replace("the another", "another")
    won = None
    if status == "resolved":
        won = event.sides[0 if side.key in (event.resolved or ()) else 1]
    share = event.volume * (0.4 * price + 0.1) if label else event.volume
    prices = (price, round(1 - price, 6))
    if won is not None:
        prices = (1.0, 0.0) if won == event.sides[0] else (0.0, 1.0)
    return Market(
        id=f"{event.platform}:{platform_id}",
        platform=event.platform,
        platform_id=platform_id,
        question=question,
        title=title,
        subtitle=label if event.platform == "kalshi" else None,
        description=dated(event.about, at) + " This is a sample market, not a real one.",
        outcomes=event.sides,
        prices=prices,
        price_as_of=quoted_at,
        status=status,
        resolution=won,
        created_at=at - timedelta(days=HISTORY_DAYS + 30),
        closes_at=side.closes_at,
        resolved_at=side.closes_at + timedelta(hours=12) if won is not None else None,
        event_id=f"SAMPLE-{event.id}" if event.platform == "kalshi" else f"sample-{event.id}",
        event_name=name,
        series_id=f"SAMPLE-{event.id}" if event.platform == "kalshi" else None,
        exclusive=event.kind in ("winner", "buckets") or (False if label else None),
        category=event.category,
        tags=(event.domain, "sample"),
        volume=round(share, 2),
        volume_24h=round(share * _DAILY_VOLUME, 2) if status == "active" else 0.0,
        liquidity=round(share * 0.05, 2) if status == "active" else 0.0,
        open_interest=round(share * 0.3, 2) if event.platform == "kalshi" else None,
        best_bid=round(max(price - 0.005, 0.001), 4) if status == "active" else None,
        best_ask=round(min(price + 0.005, 0.999), 4) if status == "active" else None,
        origin="sample",
        observed_at=at,
    )


def _paths(
    event: SampleEvent, sides: Sequence[_SampleMarket], at: datetime
) -> tuple[list[datetime], list[list[float]]]:
    """Times common to all markets of a sample event and, for each market, its prices at these
    times.

    The prices are coherent at every time: exclusive markets share a softmax, so that their sum
    stays constant; nested ones move together in log odds, so that their order stays the same.
    """
    end = min(at - timedelta(minutes=5), min(s.closes_at for s in sides))
    recent = [end - timedelta(hours=4 * n) for n in range(42)]
    older = [end - timedelta(days=n) for n in range(7, HISTORY_DAYS)]
    times = sorted({*recent, *older})
    seed = np.random.default_rng(zlib.crc32(f"{event.platform}:{event.id}".encode()))
    days = np.diff([t.timestamp() for t in times]) / 86_400
    final = np.array([s.price for s in sides])
    exclusive = event.kind in ("winner", "buckets")
    walkers = len(sides) if exclusive else 1
    steps = seed.normal(0, _DAILY_VOLATILITY, (walkers, len(days))) * np.sqrt(days)
    # Each walk is summed backwards from 0 today, so that each path ends at today's price.
    walk = np.zeros((walkers, len(times)))
    walk[:, :-1] = np.cumsum(steps[:, ::-1], axis=1)[:, ::-1]
    shape: Callable[[_Array, _Array], _Array] = _softmax if exclusive else _shift
    paths = np.clip(shape(final, walk), 0.0005, 0.9995).round(4)
    return times, paths.tolist()


def _volumes(market: Market, times: Sequence[datetime]) -> list[float]:
    """The market's cumulative volume at each of these times; the last is its total volume."""
    seed = np.random.default_rng(zlib.crc32(market.id.encode()))
    ages = (times[-1].timestamp() - np.array([t.timestamp() for t in times])) / 86_400
    usual = np.diff(_DAILY_VOLUME * _FADING * np.exp(-ages / _FADING))
    noise = seed.lognormal(0, _DAILY_TRADING, len(usual))
    traded = usual * noise * usual.sum() / (usual * noise).sum()
    shares = 1 - usual.sum() + np.concatenate([[0.0], np.cumsum(traded)])
    return ((market.volume or 0.0) * shares).round(2).tolist()


def _softmax(final: _Array, walk: _Array) -> _Array:
    weights = final[:, None] * np.exp(walk)
    return weights / weights.sum(axis=0) * final.sum()


def _shift(final: _Array, walk: _Array) -> _Array:
    odds = np.log(final / (1 - final))[:, None] + walk
    return 1 / (1 + np.exp(-odds))


def dated(text: str, at: datetime) -> str:
    """`text` with its placeholders replaced by dates counted from `at`: in May 2026, "{month:1}"
    becomes "June 2026"."""

    def written(found: re.Match[str]) -> str:
        count = int(found[2])
        match found[1]:
            case "month":
                return f"{_month_end(at.date(), count):%B %Y}"
            case "end":
                return _long(_month_end(at.date(), count))
            case "day":
                return _long((at + timedelta(days=count)).date())
            case _:
                return str(at.year + count)

    return _PLACEHOLDER.sub(written, text)


def _month_end(day: date, months: int) -> date:
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, monthrange(year, month + 1)[1])


def _long(day: date) -> str:
    return f"{day:%B} {day.day}, {day.year}"
