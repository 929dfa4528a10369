"""Decides which markets may be shown as advertisements on other people's pages. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Final, Protocol

from augury.search.text import fold

NEAR_CERTAIN: Final = 0.95
"""A market is not advertised if its result is nearly certain, i.e. if the price (0 to 1) of one of
its outcomes is at least this. A market with at most two outcomes is also not advertised if a price
is 0.05 (1 minus this number) or less. Chosen by hand."""
MAX_SPREAD: Final = 0.10
"""A market is not advertised if its best ask is more than this above its best bid, in probability
(0 to 1). Chosen by hand."""
LEAST_LIQUIDITY, LEAST_DAY, LEAST_VOLUME = 1_000.0, 500.0, 10_000.0
"""A market is liquid enough to be advertised if it reaches at least one of these amounts, in US
dollars (Kalshi's volumes: in contracts). `LEAST_LIQUIDITY`: resting orders; `LEAST_DAY`: volume of
the last 24 hours; `LEAST_VOLUME`: volume since the market opened. Chosen by hand."""

# Death, violence, war, sexual subjects, disasters, illness, crimes against people. A word too many
# costs an advertisement; a missing word puts a death beside a story for children.
_UNSAFE = re.compile(
    r"\b(?:nukes?|nuked|re(?:captur|tak)\w*|explo(?:des?|ded|sions?|sive\w*)|militar\w*|"
    r"strikes?\b(?! (?:an?|out|price|rate|zone)\b)|russian? (?:forces )?enters?|peace deal|"
    r"prison(?! break)\w*|arrest\w*|sentenced|"
    r"die[ds]?|dying|deaths?|dead|deadly|deceased|kill\w*|murder\w*|manslaughter|homicides?|"
    r"assassin\w*|suicid\w*|execut(?:ed|ions?)|behead\w*|funeral|obituar\w*|mortality|fatal\w*|"
    r"casualt\w*|massacre\w*|genocid\w*|ethnic cleansing|lynch\w*|stabb\w*|shooting|shootings|"
    r"shot (?:at|dead|by)|gun(?:men|man|shot|fire)|mass shooter|shooter|hostages?|kidnap\w*|"
    r"abduct\w*|"
    r"tortur\w*|terror\w*|bomb\w*|airstrikes?|air strikes?|drone strikes?|missiles?|"
    r"strikes? (?:on|in|against)|military (?:strikes?|action|operation|clash)|warheads?|nuclear "
    r"(?:weapons?|test|strike|attack|detonation|war)|detonat\w*|invasions?|invad\w*|"
    r"attacks?(?! rate)|attacked|troops|war|wars|wartime|warfare|ceasefire|frontline|captures?|"
    r"captured|occup(?:y|ied|ation)|insurgen\w*|coup|civil war|riots?|hamas|hezbollah|houthis?|"
    r"isis|"
    r"isil|al-?qaeda|taliban|gaza|rape[ds]?|rapist|sex|sexual\w*|sexually|porn\w*|onlyfans|nudes?|"
    r"naked|escorts?|prostitut\w*|pedophil\w*|paedophil\w*|molest\w*|groom(?:ing|er)|epstein|diddy|"
    r"weinstein|assault\w*|abus\w*|harass\w*|traffick\w*|incest|overdos\w*|fentanyl|heroin|cocaine|"
    r"meth|drug cartels?|cartels?|cancer|tumou?r|terminal(?:ly)? ill\w*|hospitali[sz]ed|coma|"
    r"pandemic|epidemic|outbreaks?|ebola|measles|bird flu|h5n1|mpox|covid\w*|coronavirus|virus|"
    r"plague|famine|starv\w*|refugees?|earthquakes?|tsunami|eruption|volcan\w*|hurricane(?!s)|"
    r"typhoon|cyclone|tornado|tornadoes|wildfires?|floods?|flooding|landslide|disasters?|tragedy|"
    r"tragic|(?:plane|train|car|helicopter) crash|crash(?:es|ed)? (?:into|on)|shipwreck|"
    r"submersible|"
    r"meltdown|abortions?|miscarriage|divorce|death penalty|hanged|serial killer|"
    r"school shooting|mass grave|hate crime|slavery|slurs?|nazi\w*|hitler|n-word|kkk|antisemit\w*|"
    r"deport\w*|assisted dying|euthanasia|self-harm|missing person|found alive|survive|"
    r"second coming|jesus|messiah|human remains|cannibal\w*|arson\w*|lethal|mangione|"
    r"impact earth|asteroid|doomsday|apocalypse|extinct\w*|world war)\b"
)


class Offered(Protocol):
    """The attributes of a market that decide whether it may be shown as an advertisement."""

    @property
    def question(self) -> str: ...
    @property
    def event_name(self) -> str | None: ...
    @property
    def tags(self) -> Sequence[str]: ...
    @property
    def status(self) -> str: ...
    @property
    def prices(self) -> Sequence[float | None]: ...
    @property
    def closes_at(self) -> datetime | None: ...
    @property
    def best_bid(self) -> float | None: ...
    @property
    def best_ask(self) -> float | None: ...
    @property
    def liquidity(self) -> float | None: ...
    @property
    def volume_24h(self) -> float | None: ...
    @property
    def volume(self) -> float | None: ...


def is_safe(*texts: str) -> bool:
    """Whether none of the texts speaks of death, violence, sex, or a disaster."""
    return not any(_UNSAFE.search(fold(text)) for text in texts)


def is_open(market: Offered, now: datetime) -> bool:
    """Whether a market trades now and its outcome is in doubt.

    The outcome is in doubt if no price is `NEAR_CERTAIN` or more. If the market has at most two
    outcomes, no price may be 1 - `NEAR_CERTAIN` or less, either. False if no price is known.
    """
    known = [price for price in market.prices if price is not None]
    return (
        market.status == "active"
        and (market.closes_at is None or market.closes_at > now)
        and bool(known)
        and max(known) < NEAR_CERTAIN
        and (len(market.prices) > 2 or min(known) > 1 - NEAR_CERTAIN)
    )


def is_liquid(market: Offered) -> bool:
    """Whether a reader who follows a market's advertisement can trade there: the spread between bid
    and ask is at most `MAX_SPREAD` (or unknown), and resting orders or volume are large enough."""
    bid, ask = market.best_bid, market.best_ask
    if bid is not None and ask is not None and ask - bid > MAX_SPREAD:
        return False
    return (
        (market.liquidity or 0) >= LEAST_LIQUIDITY
        or (market.volume_24h or 0) >= LEAST_DAY
        or (market.volume or 0) >= LEAST_VOLUME
    )


def is_fit(market: Offered, now: datetime) -> bool:
    """Whether a market may be shown as an advertisement on any page: it is open, liquid, and its
    texts are safe (see `is_open`, `is_liquid` and `is_safe`)."""
    return (
        is_open(market, now)
        and is_liquid(market)
        and is_safe(market.question, market.event_name or "", " ".join(market.tags))
    )


def worth(market: Offered, relevance: float, overlap: float) -> float:
    """The value, in [0, 1], of showing a market as an advertisement on a page. Markets that are fit
    to be shown (`is_fit`) are ordered by it.

    `relevance`: the market's search score divided by the highest score of the fit markets (0 to 1).
    Its square root counts, because scores fall steeply after the first results. `overlap`: share (0
    to 1) of the market's distinctive words that are on the page.
    """
    known = [price for price in market.prices if price is not None]
    likely = known[0] if known else 1.0
    doubt = 4 * likely * (1 - likely)
    traded = math.log10(1 + max(market.volume_24h or 0, (market.volume or 0) / 30)) / 6
    return 0.35 * math.sqrt(relevance) + 0.45 * overlap + 0.1 * min(1.0, traded) + 0.1 * doubt
