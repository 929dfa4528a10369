"""Reads what a market's Yes, or a user's question, asserts, from the words of the text. Pure.

The parts are read in this order: dates, negations ("not", "fail to"), the quantity, the predicate,
the window of time, and the subject. Each part is cut from the text once it is read. The words that
are left over are the terms (stemmed words) of the subject.

Examples
--------
>>> p = read_question("Will Bitcoin fail to reach $120k by March 31, 2027?", date(2026, 11, 21))
>>> sorted(p.terms), p.predicate, p.threshold.low, p.window.end.isoformat(), p.positive
(['bitcoin'], 'touches', 120000.0, '2027-04-01', False)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final, NamedTuple, Protocol

import msgspec

from augury.propositions import games
from augury.propositions.blanked_text import BlankedText, clean, content_terms, ordered_terms
from augury.propositions.dates import WrittenDate
from augury.propositions.negations import cut_negations
from augury.propositions.predicates import PredicateReading, read_predicate
from augury.propositions.proposition import AMOUNTS, CONTESTS, Predicate, Proposition, WordsRead
from augury.propositions.thresholds import StrikeNumbers, quantity_predicate, read_threshold
from augury.propositions.windows import Window, window
from augury.propositions.wording import (
    ASYMMETRIC,
    PARTIES,
    STAYS,
    edition_of,
    game_day,
    league_of,
    names_teams,
)
from augury.propositions.written_dates import written_dates
from augury.search.text import terms as text_terms

_INDEFINITE: Final = re.compile(
    r"^(?:will\s+)?(?:an?|any|another|some|other|no\s+one|nobody|one\s+of|neither|none|field|"
    r"both|either|all)\b|^(?:other|others|another|none|field|no\s+one|nobody|draw|tie)\b|"
    r"\b(?:or|and)\b",
    re.I,
)
_NOT_ONE: Final = re.compile(
    r"\b(?:an?|any|\d+|at\s+least)\s+(?:\w+\s+)?(?:grammys?|oscars?|emmys?|medals?|awards?|seats?|"
    r"games?|titles?|match(?:es)?|races?|states?|sets?|maps?|rounds?|golds?)\b|\bwins\s+by\b|"
    r"\bwin\s+(?:by|over|at\s+least|more|fewer)\b|\b(?:series|game|match|set|map)\s+\d\b|"
    r"\bwin\s+(?:his|her|their|its|the\s+first|both|every|all)\b|\bqualif\w+|\bplayoffs?\b",
    re.I,
)
_OPEN_QUESTION: Final = re.compile(r"(?:who|which|what|how|when|where)\b", re.I)
_LASTS: Final = re.compile(rf"\b(?:{STAYS}|lasts?)\b", re.I)
_ONE_OF_PLACES: Final = re.compile(r"\ban?\s+(?:#|no\.)\s?\d", re.I)
_BEATS: Final = re.compile(r"\b(?:beat|beats|defeat|defeats|outperforms?)\b", re.I)
_SECURE: Final = frozenset(text_terms("secure clinch earn land grab rep sen gov"))
_STAGE_TERMS: Final = frozenset(
    "final semifin quarterfin semi quarter playoff four eight sixteen 16 8 4 round knockout stage "
    "grand".split()
)


class Readable(Protocol):
    """The fields of a market that are needed to read what the market's outcomes assert.
    `records.Market`, `store.StoredMarket` and `store.IndexRow` have them."""

    @property
    def question(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def subtitle(self) -> str | None: ...
    @property
    def event_id(self) -> str | None: ...
    @property
    def event_name(self) -> str | None: ...
    @property
    def slug(self) -> str | None: ...
    @property
    def outcomes(self) -> Sequence[str]: ...
    @property
    def closes_at(self) -> datetime | None: ...
    @property
    def created_at(self) -> datetime | None: ...


def read_market(market: Readable, outcome: int = 0) -> Proposition:
    """Read what the outcome with index `outcome` of a market asserts (0 is usually Yes)."""
    strike = getattr(market, "strike", None)
    kind, floor, cap = (
        (strike.kind, strike.floor, strike.cap) if strike is not None
        else (getattr(market, f"strike_{part}", None) for part in ("kind", "floor", "cap"))
    )  # fmt: skip
    return read(
        market.question,
        title=market.title,
        subtitle=market.subtitle,
        event_name=market.event_name,
        event_id=market.event_id,
        slug=market.slug,
        outcomes=tuple(market.outcomes),
        outcome=outcome,
        strike=(kind, floor, cap) if kind else None,
        closes=market.closes_at.date() if market.closes_at else None,
        opened=market.created_at.date() if market.created_at else None,
    )


def read_question(question: str, as_of: date | datetime) -> Proposition:
    """Read what a user's question asserts if it is asked on the day `as_of`. Relative dates ("next
    month") count from that day. A date without a year means its next occurrence, that day
    included."""
    day = as_of.date() if isinstance(as_of, datetime) else as_of
    return read(question, opened=day, asked=True)


class _Source(NamedTuple):
    """What the venue says about a market besides the market's question, title and subtitle."""

    event_name: str | None = None
    event_id: str | None = None
    slug: str | None = None
    closes: date | None = None
    opened: date | None = None


def read(
    question: str,
    *,
    title: str | None = None,
    subtitle: str | None = None,
    event_name: str | None = None,
    event_id: str | None = None,
    slug: str | None = None,
    outcomes: Sequence[str] = ("Yes", "No"),
    outcome: int = 0,
    strike: StrikeNumbers | None = None,
    closes: date | None = None,
    opened: date | None = None,
    asked: bool = False,
) -> Proposition:
    """Read what an outcome of a market, or a user's question, asserts.

    Parameters
    ----------
    question, title, subtitle
        As in `records.Market`. If there is a subtitle, the title says what is asked and the
        subtitle which side, level or date is meant; else the question says all.
    event_name, event_id, slug
        Used only to find a year, date or league that the texts do not name.
    outcomes, outcome
        The labels of all outcomes, and the index of the outcome that is asserted.
    strike
        Kind, floor and cap of the market's level, as in `records.Strike`.
    closes, opened
        Days on which the market closes and was opened; for a user's question, `opened` is the day
        on which it was asked.
    asked
        Whether the text is a user's question. It decides which year a date without a year gets. In
        a question, the date gets the first year in which its last day is `opened` or later. In a
        market's text, it gets the year that brings it nearest to `closes`.
    """
    side = (subtitle or "").strip(" :")
    if side.casefold() == "yes":
        side = ""
    about = (title or question) if side else question
    anchor = opened if asked else closes
    text = BlankedText(clean(about), clean(side), anchor=anchor, opened=opened, asked=asked)
    source = _Source(event_name, event_id, slug, closes, opened)
    return _read(text, source, tuple(outcomes), outcome, strike)


def _read(
    text: BlankedText,
    source: _Source,
    outcomes: tuple[str, ...],
    outcome: int,
    strike: StrikeNumbers | None,
) -> Proposition:
    labels = tuple(label.casefold() for label in outcomes)
    known = 0 <= outcome < len(outcomes)
    paired = labels in (("yes", "no"), ("up", "down"), ("over", "under"))
    label = outcomes[outcome] if known and not paired else None
    text.blank_dates()
    if "\x1f" in text.about and "_" in text.about:
        text.about = text.about.replace("_", " ")

    negations = cut_negations(text)
    level = read_threshold(text, strike, stays=negations.stays)
    reading = read_predicate(
        text, level.threshold, label=label, up_or_down=labels == ("up", "down"),
        may_deny=negations.may_deny,
    )  # fmt: skip
    flips = (
        negations.denials + (negations.stays and level.threshold is not None)
        + reading.denied + (paired and outcome == 1)
    )  # fmt: skip
    never_in_window = negations.never_in_window or reading.never_in_window

    win = _window(text, source, reading)
    edition = _edition(win, text, source) if reading.predicate in CONTESTS else None
    if never_in_window or flips % 2:
        win = _lasting(
            win, never_in_window=never_in_window, over=_OVER_WITHOUT.search(text.raw) is not None
        )
    predicate: Predicate = reading.predicate
    if reading.threshold is not None and predicate == "happens":
        predicate = quantity_predicate(
            text, reading.threshold, touch=level.touch, stays=negations.stays,
            by_a_day=win.kind == "by" and win.clock is None,
        )  # fmt: skip
        if negations.stays:
            win = _lasting(win, never_in_window=True)
    lasts = predicate == "happens" and win.kind == "by" and not never_in_window
    if lasts and _LASTS.search(text.raw):
        # "Lasts until a day" is not "happens by a day": with an earlier day it asserts less.
        win = msgspec.structs.replace(win, vague=True)

    reading = reading._replace(predicate=predicate)
    who = _who(text, reading, source, edition, label)
    if reading.threshold is not None and predicate != "ranks" and level.words:
        text.read.append(WordsRead("threshold", level.words))
    if win.text:
        text.read.append(WordsRead("window", win.text))
    return Proposition(
        actor=_actor(text) if predicate in ("happens", "announces") else "",
        contest=who.contest, choice=who.choice, predicate=predicate, threshold=reading.threshold,
        window=win, edition=edition, stage=reading.stage, positive=flips % 2 == 0,
        exclusive=who.exclusive, indefinite=who.indefinite, fixture=reading.fixture,
        unclear=(not known and (paired or len(outcomes) != 2)) or _is_unclear(text, reading, win),
        read=tuple(text.read),
    )  # fmt: skip


def _is_unclear(text: BlankedText, reading: PredicateReading, win: Window) -> bool:
    """Whether the text of a market does not say which game it is about, or which of several people
    or things ("Who will ...?"). Always False for a user's question."""
    if text.asked:
        return False
    if win.kind == "open" and games.is_of_a_game(text.raw):
        return True
    # "Who will ...?" without a subtitle that names somebody.
    return (
        not text.side and reading.threshold is None and _OPEN_QUESTION.match(text.raw) is not None
    )


# When


def _window(text: BlankedText, source: _Source, reading: PredicateReading) -> Window:
    contest = reading.predicate in CONTESTS
    found = _written_window(text, source, contest=contest)
    of_a_game = reading.fixture or (names_teams(source.event_id) and not text.asked)
    day = game_day(source.event_id, source.slug) if of_a_game else None
    # "Jan" may be a player's name; the day of a game lies within what its title says of the time.
    if day is None or (found.kind != "open" and _may_contain(found, day)):
        return found
    return Window(
        kind="on", start=day, end=day + timedelta(1), since=source.opened, years=found.years
    )


def _may_contain(found: Window, day: date) -> bool:
    """Whether the day lies within a window of time, which may be open at either end."""
    after_start = found.start is None or found.start <= day
    return after_start and (found.end is None or day < found.end)


def _written_window(text: BlankedText, source: _Source, *, contest: bool) -> Window:
    anchor, opened = None if text.asked else text.anchor, source.opened
    side = text.raw[-len(text.side) :] if text.side else ""
    found = window(text.side_dates, side, anchor=anchor, since=opened, contest=contest)
    if found.text:
        return found
    found = window(text.dates, text.raw, anchor=anchor, since=opened, contest=contest)
    if found.text or found.years or not source.event_name:
        return found
    named = written_dates(source.event_name, source.closes)
    return window(named, source.event_name, anchor=anchor, since=opened, contest=contest)


_OVER_WITHOUT: Final = re.compile(
    r"\b(?:(?:pass|go by|go past|elapse|expire|come and go)(?:e?s)?|(?:end|close|finish|wrap up"
    r"|reach|get through|get to|make it (?:to|through)|see out)(?:e?s)?\b.{0,60}?)\s+without\b",
    re.I,
)
"""Matches words which say that a time passes without an event: "will 2026 end without", "reach June
without"."""


def _lasting(win: Window, *, never_in_window: bool, over: bool = False) -> Window:
    """The window of time of a text which says that an event does NOT happen.

    "Past June 30 without a deal" means: no deal by June 30. So the result is a window of kind `by`
    in these cases:

    - `win` is of kind `after`. The result ends on the day on which `win` starts.
    - `win` is of kind `on`, and `over` or `never_in_window` is True. The result ends when
      `win` does.
    - `win` is of kind `in`, and `over` is True. The result ends when `win` does.

    Any other window is returned unchanged.

    never_in_window : the text says that the event happens at no time: "still unreleased on June 30"
    over : the text says that a time passes without the event: "2026 ends without"
    """
    if win.kind == "after" and win.start is not None:
        return msgspec.structs.replace(win, kind="by", start=None, end=win.start)
    waited = (over and win.kind in ("in", "on")) or (never_in_window and win.kind == "on")
    if waited and win.end is not None:
        return msgspec.structs.replace(win, kind="by", start=None, clock=None)
    return win


def _edition(win: Window, text: BlankedText, source: _Source) -> int | None:
    years = _years((*text.side_dates, *text.dates))
    if not years and source.event_name:
        years = _years(written_dates(source.event_name, None))
    if years:
        return max(years)
    if win.kind in ("in", "on") and win.start is not None and not win.vague:
        return win.start.year
    return edition_of(text.raw, source.event_id)


def _years(dates: Sequence[WrittenDate]) -> set[int]:
    return {m.start.year for m in dates if m.start and m.precision == "year"}


# Who


class _Who(NamedTuple):
    """The fields of a proposition that say whom or what the proposition is about."""

    contest: frozenset[str]
    choice: frozenset[str]
    exclusive: bool
    indefinite: bool


def _who(
    text: BlankedText,
    reading: PredicateReading,
    source: _Source,
    edition: int | None,
    label: str | None,
) -> _Who:
    contest, choice, words = _split(text, reading, label)
    exclusive = _is_exclusive(text.raw, reading, label, choice)
    indefinite = bool(_INDEFINITE.search(words.strip(" \x1f?")))
    if reading.stage is not None:
        contest -= _STAGE_TERMS
    if reading.predicate in CONTESTS:
        if choice:
            text.read.append(WordsRead("choice", " ".join(words.replace("\x1f", " ").split())))
        dated = text.dates or text.side_dates
        if source.event_name and edition is not None and not dated and "next" in contest:
            contest -= {"next"}  # the event's name says which one is next
        if len(choice) > 1:  # drop initials ("Donald J. Trump"), but not "Los Angeles L"
            last = content_terms(words.strip(" \x1f?").rpartition(" ")[2])
            choice = frozenset(t for t in choice if len(t) > 1 or t in last)
        sides = games.sides(text.about) if reading.fixture else ()
        league = league_of(source.event_id, source.slug)
        contest, choice = games.with_teams(contest, choice, sides, league)
    return _Who(contest, choice, exclusive, indefinite)


def _split(
    text: BlankedText, reading: PredicateReading, label: str | None
) -> tuple[frozenset[str], frozenset[str], str]:
    """Split what a text is about into the contest and the choice (the contender that is said to
    win).

    Returns three things: the terms (stemmed words) of the contest, or of the whole subject if there
    is no choice or the text is on a single game; the terms of the choice; and the words that name
    the choice.

    A text that is about an amount, or about whether something rises, has no choice. In all other
    texts, the choice is the market's subtitle or `reading.choice`. It is `reading.choice` if there
    is no subtitle, or if `label` is given and `reading.choice` is not empty.

    label : label of the asserted outcome, e.g. a contender's name; None for outcomes such as Yes
        and No
    """
    side, about = text.terms(text.side), text.terms(text.about)
    words = reading.choice
    everything = about | side
    amount = reading.predicate in AMOUNTS or reading.predicate == "rises"
    if side and not amount and not (words and label is not None):
        choice, words = side, text.side
    else:
        choice = text.terms(words) if words else frozenset[str]()
    if amount:
        return everything, frozenset(), words
    if reading.predicate == "nominated" and choice - PARTIES - _SECURE:
        choice = choice - PARTIES - _SECURE  # "the Republican X", "secure the Republican ..."
        everything -= _SECURE
    return everything if reading.fixture else everything - choice, choice, words


def _is_exclusive(
    raw: str, reading: PredicateReading, label: str | None, choice: frozenset[str]
) -> bool:
    match reading.predicate:
        case "wins" | "nominated":
            if reading.predicate == "wins" and label is not None:
                return True
            return bool(choice) and not _NOT_ONE.search(raw)
        case "ranks":
            # One contender has a rank; three contenders are among the top three.
            one = reading.threshold is not None and reading.threshold.low == reading.threshold.high
            return one and not _ONE_OF_PLACES.search(raw)
    return False


def _actor(text: BlankedText) -> str:
    """Who acts, in a text with a verb for which it matters who acts on whom: A in "A strikes B".
    The first term (stemmed word) of the text counts as the actor. Empty for any other text."""
    everything = text.terms(text.about) | text.terms(text.side)
    if not everything & ASYMMETRIC and not _BEATS.search(text.raw):
        return ""
    return next(iter(ordered_terms(text.about)), "")
