"""Generates any number of invented markets that resemble real ones, for benchmarks and load tests.

The mix follows what the two venues list: about half are games of sports and esports, a fifth are
daily ladders (rising levels) of crypto prices and weather, and the rest are contests, deadlines and
thresholds of politics, macroeconomics, companies and entertainment. Groups are as large as real
ones (a ladder of 8 to 20 levels, a contest of up to 24 names). Names follow a Zipf law over a
vocabulary whose size grows with the number of markets. The same arguments always give the same
markets.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

from augury.language.calendar import MONTHS
from augury.markets.records import Market, Platform, Status, Strike

_ONSETS = [
    "b",
    "br",
    "c",
    "ch",
    "d",
    "dr",
    "f",
    "g",
    "gr",
    "h",
    "j",
    "k",
    "kl",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "w",
    "z",
]
_NUCLEI = ["a", "e", "i", "o", "u", "ai", "ea", "io", "ou"]
_CODAS = ["", "", "n", "r", "l", "s", "m", "nd", "rt", "ck"]

_OFFICES = ["President", "Governor", "Senate", "Mayor", "Prime Minister", "House seat"]
_SEATS = ["election", "primary", "runoff", "nomination", "by-election"]
_COUNTRIES = [
    "Argentina",
    "Australia",
    "Austria",
    "Belgium",
    "Brazil",
    "Canada",
    "Chile",
    "China",
    "Colombia",
    "Denmark",
    "Egypt",
    "Finland",
    "France",
    "Germany",
    "Greece",
    "Hungary",
    "India",
    "Indonesia",
    "Iran",
    "Ireland",
    "Israel",
    "Italy",
    "Japan",
    "Kenya",
    "Mexico",
    "Netherlands",
    "Nigeria",
    "Norway",
    "Pakistan",
    "Peru",
    "Poland",
    "Portugal",
    "Romania",
    "Russia",
    "Spain",
    "Sweden",
    "Switzerland",
    "Taiwan",
    "Thailand",
    "Turkey",
    "Ukraine",
    "Venezuela",
    "Vietnam",
]
_INDICATORS = [
    ("CPI inflation", "%", 2.0, 0.1),
    ("core PCE inflation", "%", 2.2, 0.1),
    ("unemployment rate", "%", 3.8, 0.1),
    ("GDP growth", "%", 1.0, 0.5),
    ("nonfarm payrolls", "K", 50, 25),
    ("retail sales growth", "%", -0.4, 0.1),
    ("10-year yield", "%", 3.6, 0.1),
    ("mortgage rate", "%", 5.8, 0.1),
]
_COINS = [
    ("Bitcoin", "BTC", 60_000, 2_000),
    ("Ethereum", "ETH", 1_800, 100),
    ("Solana", "SOL", 90, 5),
    ("XRP", "XRP", 1.2, 0.1),
    ("Dogecoin", "DOGE", 0.08, 0.01),
]
_COMMODITIES = [("WTI crude oil", 60, 2), ("gold", 3_200, 50), ("natural gas", 2.5, 0.1)]
_LEAGUES = ["NBA", "MLB", "NHL", "NFL", "Premier League", "La Liga", "Serie A", "ATP", "WTA"]
_GAMES = ["Counter-Strike", "Dota 2", "LoL", "Valorant"]
_AWARDS = ["Best Picture", "Album of the Year", "Best Actor", "Game of the Year", "Record Label"]
_VERBS = [
    "announce a merger",
    "launch a new model",
    "file for an IPO",
    "resign",
    "be indicted",
    "release a new album",
    "sign a trade deal",
    "declare a ceasefire",
    "default on its debt",
    "raise its policy rate",
    "hold a snap election",
    "win approval for a drug",
]


class _Names:
    """Invented names, drawn from a fixed pool by a Zipf law, so that some names are common."""

    def __init__(self, rng: random.Random, size: int) -> None:
        self._rng = rng
        self._pool = [self._invent() for _ in range(size)]

    def _invent(self) -> str:
        rng = self._rng
        return "".join(
            rng.choice(_ONSETS) + rng.choice(_NUCLEI) + rng.choice(_CODAS)
            for _ in range(rng.choice((1, 2, 2, 3)))
        ).capitalize()

    def one(self) -> str:
        rank = int(len(self._pool) ** self._rng.random()) - 1
        return self._pool[rank]

    def rivals(self) -> tuple[str, str]:
        """Two different invented names, for the two sides of a game."""
        a = b = self.one()
        while a == b:
            b = self.one()
        return a, b

    def person(self) -> str:
        return f"{self.one()} {self.one()}"


class _InventedEvent:
    """One invented event, to which `side` adds one market at a time."""

    def __init__(self, rng: random.Random, now: datetime, number: int, category: str) -> None:
        self.rng, self.now, self.number, self.category = rng, now, number, category
        self.platform: Platform = rng.choice(("polymarket", "polymarket", "kalshi"))
        self.status: Status = rng.choices(("active", "closed", "resolved"), (10, 5, 85))[0]
        ahead = self.status == "active"
        self.closes = now + timedelta(days=rng.uniform(1, 300) if ahead else -rng.uniform(1, 900))
        self.markets: list[Market] = []

    def date(self) -> str:
        return f"{MONTHS[self.closes.month - 1].title()} {self.closes.day}, {self.closes.year}"

    def side(
        self,
        title: str,
        subtitle: str | None,
        question: str,
        strike: Strike | None = None,
        outcomes: tuple[str, str] = ("Yes", "No"),
        exclusive: bool | None = None,
    ) -> None:
        rng, k = self.rng, len(self.markets)
        price = round(min(0.98, max(0.02, rng.betavariate(0.6, 1.2))), 3)
        number = f"g{self.number}-{k}"
        kalshi = self.platform == "kalshi"
        platform_id = (
            f"KXGEN{self.number}-{k}" if kalshi else str(10_000_000 + self.number * 64 + k)
        )
        self.markets.append(
            Market(
                id=f"{self.platform}:{platform_id}",
                platform=self.platform,
                platform_id=platform_id,
                question=f"{title} — {subtitle}" if kalshi and subtitle else question,
                title=title if kalshi else question,
                subtitle=subtitle,
                description=(
                    f"This market resolves to {outcomes[0]} if {question.rstrip('?')} by "
                    f"{self.date()}, according to official sources. Otherwise {outcomes[1]}."
                ),
                outcomes=outcomes,
                prices=(price, round(1 - price, 3)),
                price_as_of=self.now - timedelta(seconds=rng.randrange(600)),
                status=self.status,
                resolution=rng.choice(outcomes) if self.status == "resolved" else None,
                created_at=self.closes - timedelta(days=rng.uniform(2, 200)),
                closes_at=self.closes,
                resolved_at=self.closes if self.status == "resolved" else None,
                event_id=f"E{self.number}",
                event_name=title,
                exclusive=exclusive,
                category=self.category,
                volume=round(rng.paretovariate(0.6) * 100, 2),
                volume_24h=round(rng.paretovariate(0.8) * 5, 2),
                liquidity=round(rng.paretovariate(0.7) * 50, 2),
                strike=strike,
                url=f"https://example.com/{self.platform}/{number}",
                slug=number,
                observed_at=self.now,
            )
        )


def _fixture(e: _InventedEvent, names: _Names) -> None:
    league, (a, b) = e.rng.choice(_LEAGUES), names.rivals()
    title = f"{league}: {a} vs. {b}"
    e.side(title, a, f"{a} vs. {b}", outcomes=(a, b))
    for total in range(e.rng.randrange(1, 6)):
        e.side(title, f"Over {200.5 + total}", f"{a} vs. {b}: O/U {200.5 + total}")


def _esport(e: _InventedEvent, names: _Names) -> None:
    game, (a, b) = e.rng.choice(_GAMES), names.rivals()
    for k in range(e.rng.randrange(1, 4)):
        e.side(f"{game}: {a} vs {b}", f"Game {k + 1}", f"{game}: {a} vs {b} - Game {k + 1} Winner")


def _ladder(
    e: _InventedEvent, subject: str, base: float, step: float, unit: str = "", word: str = "above"
) -> None:
    start = base + step * e.rng.randrange(0, 12)
    title = f"{subject} on {e.date()}?"
    for k in range(e.rng.randrange(8, 21)):
        level = round(start + k * step, 4)
        money = f"{level:,g}{unit}" if unit else f"${level:,g}"
        e.side(
            title,
            f"{word} {money}",
            f"Will {subject} be {word} {money} on {e.date()}?",
            strike=Strike(kind="greater", floor=level),
        )


def _coin(e: _InventedEvent, names: _Names) -> None:
    coin, _ticker, base, step = e.rng.choice(_COINS)
    _ladder(e, f"the price of {coin}", base, step)


def _commodity(e: _InventedEvent, names: _Names) -> None:
    name, base, step = e.rng.choice(_COMMODITIES)
    _ladder(e, f"the price of {name}", base, step)


def _indicator(e: _InventedEvent, names: _Names) -> None:
    name, unit, base, step = e.rng.choice(_INDICATORS)
    _ladder(e, f"{e.rng.choice(_COUNTRIES)} {name}", base, step, unit)


def _weather(e: _InventedEvent, names: _Names) -> None:
    _ladder(e, f"the highest temperature in {names.one()}", 40, 2, "°F")


def _contest(e: _InventedEvent, names: _Names) -> None:
    country, office = e.rng.choice(_COUNTRIES), e.rng.choice(_OFFICES)
    title = f"{country} {office} {e.rng.choice(_SEATS)} {e.closes.year} winner"
    for _ in range(e.rng.randrange(2, 25)):
        who = names.person()
        e.side(title, who, f"Will {who} win the {title.removesuffix(' winner')}?", exclusive=True)


def _award(e: _InventedEvent, names: _Names) -> None:
    title = f"{e.rng.choice(_AWARDS)} at the {e.closes.year} {names.one()} Awards"
    for _ in range(e.rng.randrange(4, 12)):
        who = names.person()
        e.side(title, who, f"Will {who} win {title}?", exclusive=True)


def _deadline(e: _InventedEvent, names: _Names) -> None:
    who = e.rng.choice((names.person(), e.rng.choice(_COUNTRIES), names.one()))
    deed = e.rng.choice(_VERBS)
    for month in range(e.rng.randrange(1, 6)):
        by = f"{MONTHS[(e.closes.month + month) % 12].title()} {e.closes.year}"
        e.side(f"Will {who} {deed} by...?", by, f"Will {who} {deed} by {by}?")


_KINDS: list[tuple[int, str, Callable[[_InventedEvent, _Names], None]]] = [
    (90, "Sports", _fixture),
    (50, "Esports", _esport),
    (5, "Crypto", _coin),
    (2, "Commodities", _commodity),
    (4, "Economics", _indicator),
    (5, "Weather", _weather),
    (6, "Politics", _contest),
    (4, "Entertainment", _award),
    (14, "World", _deadline),
]


def generate(
    n: int, *, seed: int = 1, now: datetime | None = None, first: int = 1
) -> Iterator[Market]:
    """Yield `n` invented markets, event by event, dated relative to `now` (default 2026-11-01 UTC).

    `first` is the number of the first event. Market ids contain the number of their event, so two
    calls whose event numbers do not overlap share no market id.
    """
    rng = random.Random(seed)
    names = _Names(rng, max(500, int(12 * n**0.6)))
    now = now or datetime(2026, 11, 1, tzinfo=UTC)
    weights = [weight for weight, _, _ in _KINDS]
    made, number = 0, first - 1
    while made < n:
        number += 1
        _, category, build = rng.choices(_KINDS, weights)[0]
        event = _InventedEvent(rng, now, number, category)
        build(event, names)
        yield from event.markets[: n - made]
        made += len(event.markets)
