"""Reads markets on a single game: who plays, and for which results an outcome of the market pays.
Pure.

A game between A and B can end in up to three ways, here called its ends: A wins, B wins, a draw. An
outcome of a market claims (pays for) a set of ends, and a question asks for a set of ends
(`results.asked_result`). Comparing the two sets (equal, complement, subset, disjoint) shows how
question and market relate. The side that a market's Yes means may be named in the outcome's label,
after a dash, in the subtitle, or only in the market's rules: "If Minnesota wins the Northwestern
St. at Minnesota college football game ...".

Markets on margins, totals, sets, maps, halves and players claim no end and are not read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Flag
from typing import Final, Literal, Protocol

Bearing = Literal["same", "opposite", "implies", "implied", "excludes", "apart"]
"""How a question about a game relates to a market on that game. same: the question asks the same;
opposite: it asks the complement; implies: the market's Yes follows from the question's Yes;
implied: the question's Yes follows from the market's Yes; excludes: the two can't both be Yes;
apart: none of these."""


class Ends(Flag):
    """The ways in which a game can end: side 1 wins, side 2 wins, a draw. A value can be a set of
    them: `FIRST | DRAW` means that side 1 does not lose."""

    FIRST = 1
    SECOND = 2
    DRAW = 4


NOTHING: Final = Ends(0)


class ContestMarket(Protocol):
    """The fields of a market from which `contest` reads the game that the market is about."""

    @property
    def question(self) -> str: ...
    @property
    def subtitle(self) -> str | None: ...
    @property
    def event_name(self) -> str | None: ...
    @property
    def description(self) -> str | None: ...
    @property
    def outcomes(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Contest:
    """The game that a market is about, as seen from one outcome of the market. `claim`: the results
    of the game (side 1 wins, side 2 wins, a draw) with which this outcome pays."""

    sides: tuple[tuple[str, ...], tuple[str, ...]]
    """For each side of the game, all names that the market gives it: ("Minnesota", "Golden
    Gophers") for one college team. The second side has none if the market names only one side."""
    claim: Ends
    draws: bool
    """Whether the game can end in a draw."""
    sport: str
    """Sport or league of the game ("ncaa", "soccer"), spelled as in the `topic` of teams in the
    vocabulary; empty if the market does not say."""
    side: str
    """Name of the side (a team or player) whose win decides the market's outcome, as the market
    writes it; "Tie" or "Draw" for a draw. An outcome labeled No pays if this win or draw does
    not come; any other outcome pays if it does."""

    @property
    def all(self) -> Ends:
        """Every way in which the game can end: side 1 or side 2 wins or, if possible, a draw."""
        wins = Ends.FIRST | Ends.SECOND
        return wins | Ends.DRAW if self.draws else wins

    def bearing(self, asked: Ends) -> Bearing:
        """How a question relates to the outcome of the market: same, opposite, implies ... (see
        `Bearing`).

        asked : the results of the game for which the question's answer is Yes, e.g. side 1 wins
        """
        asked, claim = asked & self.all, self.claim & self.all
        if asked == claim:
            return "same"
        if asked == self.all & ~claim:
            return "opposite"
        if not asked & claim:
            return "excludes"
        if asked & claim == asked:
            return "implies"
        return "implied" if asked & claim == claim else "apart"


_GAME: Final = re.compile(
    r"^(?:(?P<where>[^:?]{2,60}): )?(?P<a>[^:?—]{1,50}?) (?:at|vs\.?|v\.?|@) (?P<b>[^:?—]{1,50}?)"
    r"(?: \((?:Game \d|BO\d|[^)]*(?:weight|Main Card|Prelims)[^)]*)\)(?: - [^:?—]+)?)?"
    r"(?:,? \(?(?:\d{4}-\d\d-\d\d|\d\d/\d\d/\d{4})\)?)?(?: Winner\?)?(?: — (?P<side>.+))?$"
)
_WHO: Final = re.compile(r"\bWho will win:? (?P<a>[^:?]+?) vs\.? (?P<b>[^:?]+?)(?:,|\?|$)")
_WINS_GAME: Final = re.compile(
    r"^Will (?P<side>.{1,80}?) win the (?P<a>.{1,80}?) vs\.? (?P<b>.{1,80}?) professional "
)
_WINS_DAY: Final = re.compile(r"^Will (?P<side>.+?) win on \d{4}-\d\d-\d\d\?$")
_DRAW: Final = re.compile(r"^Will (?P<a>.+?) vs\.? (?P<b>.+?) end in a draw\?$")
_RULE: Final = re.compile(
    r"^If (?P<side>.{1,50}?) wins the (?P<a>.{1,50}?) (?:vs\.?|at) (?P<b>.{1,50}?) "
    r"(?:professional|college|men's|women's)\b(?P<rest>.*?)(?:then the market|, the market|$)"
)
_PART: Final = re.compile(
    r"\b(?:spreads?|o/u|over|under|totals?|handicap|set \d|sets|map \d|game \d winner|1h|2h|half|"
    r"quarter|period|inning|round|rounds|corners?|goals?|points|runs|score[sd]?|scorer|batter|toss|"
    r"kills?|first|exact|margin|series|by more than|over \d|distance|method)\b|[+-]\d",
    re.I,
)
"""Matches words which show that a market is about a part of a game or about its numbers, not about
its winner: "set 1", "corners"."""
_PLACED: Final = re.compile(r"^Game \d$|^(?:Quarter|Semi)?-?finals?$|\bRound\b", re.I)
_DRAW_LABELS: Final = frozenset({"tie", "draw"})
_YES_NO: Final = frozenset({"yes", "no"})
_SPORTS: Final = (
    (r"\bcollege (?:foot|basket|base)ball\b|\bNCAA\w?\b|\bCBB\b|\bCFB\b", "ncaa"),
    (r"\bwomen's basketball\b|\bWNBA\b", "wnba"),
    (r"\bsoccer\b|\bMLS\b|\bEPL\b|\bUCL\b|\b90 minutes\b", "soccer"),
    (r"\bprofessional football\b|\bNFL\b", "nfl"),
    (r"\bprofessional baseball\b|\bMLB\b", "mlb"),
    (r"\bprofessional basketball\b|\bNBA\b", "nba"),
    (r"\bhockey\b|\bNHL\b", "nhl"),
    (r"\btennis\b|\bATP\b|\bWTA\b", "tennis"),
    (r"\bMMA\b|\bUFC\b", "mma"),
)
_TOPICS: Final = tuple((re.compile(pattern), topic) for pattern, topic in _SPORTS)


def contest(market: ContestMarket, outcome: int) -> Contest | None:
    """The game that a market is about, with the results (a win, a draw) for which the outcome with
    index `outcome` pays. None if the market is not on the winner of a game, or if it is not clear
    who plays or for which results the outcome pays."""
    title = " ".join(market.question.split())
    yes = _yes(market, outcome)
    if yes is not None and (found := _WINS_DAY.match(title)):
        sides = (found["side"],), ()
        claim = Ends.FIRST if yes else ~Ends.FIRST
        return Contest(sides, claim, draws=True, sport="soccer", side=found["side"])
    if yes is not None and (found := _DRAW.match(title)):
        sides = (found["a"],), (found["b"],)
        claim = Ends.DRAW if yes else ~Ends.DRAW
        return Contest(sides, claim, draws=True, sport="soccer", side="Tie")
    found = _WINS_GAME.match(title) or _GAME.match(title) or _WHO.search(title)
    if found is None or _is_part(found, title):
        return None
    rules = " ".join((market.description or "")[:400].split())
    sport = next((topic for pattern, topic in _TOPICS if pattern.search(f"{title} {rules}")), "")
    rule = _RULE.match(rules)
    if rule is not None and _PART.search(rule["rest"]):
        return None
    return _game(market, outcome, found, rule, sport)


def _is_part(found: re.Match[str], title: str) -> bool:
    groups = found.groupdict()
    where = groups.get("where") or ""
    if where and _PLACED.search(where):
        where = ""
    game = " ".join(filter(None, (where, groups["a"], groups["b"], groups.get("side"))))
    # "Game 2 Winner" is about a part of a match; "A at B Winner?" is about the whole game.
    return bool(_PART.search(game)) or ("Winner" in title and "Winner?" not in title)


def _game(
    market: ContestMarket,
    outcome: int,
    found: re.Match[str],
    rule: re.Match[str] | None,
    sport: str,
) -> Contest | None:
    names: list[tuple[str, ...]] = [(found["a"],), (found["b"],)]
    if rule is not None:
        order = _order(names, rule)
        if order is not None:
            names = [(*name, rule[one]) for name, one in zip(names, order, strict=True)]
        else:  # the title has abbreviations: "PHX at LA"
            names = [(rule["a"],), (rule["b"],)]
    groups = found.groupdict()
    labels = [label.strip() for label in market.outcomes]
    side = groups.get("side") or (rule["side"] if rule is not None else None)
    if side is None and market.subtitle and market.subtitle.casefold() not in _YES_NO:
        side = market.subtitle
    if {label.casefold() for label in labels} == _YES_NO:
        yes = _yes(market, outcome)
        if side is None or yes is None:
            return None
    elif outcome < len(labels) and len(labels) in (2, 3):
        side, yes = labels[outcome], True
    else:
        return None
    draws = sport == "soccer" or side.casefold() in _DRAW_LABELS
    if side.casefold() in _DRAW_LABELS:
        claim = Ends.DRAW
    else:
        which = _side_index(side, names)
        if which is None:
            return None
        names[which] = tuple(dict.fromkeys((*names[which], side)))
        if len(labels) == 2 and labels[0].casefold() not in _YES_NO:
            names[1 - which] = tuple(dict.fromkeys((*names[1 - which], labels[1 - outcome])))
        claim = Ends.SECOND if which else Ends.FIRST
    first, second = (tuple(dict.fromkeys(name)) for name in names)
    return Contest((first, second), claim if yes else ~claim, draws, sport, side)


def _yes(market: ContestMarket, outcome: int) -> bool | None:
    """Whether the outcome with index `outcome` is Yes (True) or No (False); None if the market's
    outcomes are not Yes and No. The first outcome of a market without labels counts as Yes."""
    labels = [label.casefold() for label in market.outcomes]
    if set(labels) == _YES_NO and outcome < len(labels):
        return labels[outcome] == "yes"
    return True if not labels and outcome == 0 else None


def _order(names: Sequence[tuple[str, ...]], rule: re.Match[str]) -> tuple[str, str] | None:
    """Match the two sides that a market's rules name with the two sides of its title. Returns the
    names of the groups of `rule` in the order of the title: ("a", "b") if the rules name the sides
    in the same order, ("b", "a") if in reverse, None if this is not clear.

    names : the names of the sides in the title
    rule : match of `_RULE` in the rules; its groups "a" and "b" are the two sides
    """
    a, b = rule["a"], rule["b"]
    there = _likeness(names[0][0], a) + _likeness(names[1][0], b)
    back = _likeness(names[0][0], b) + _likeness(names[1][0], a)
    if there == back:
        return None
    return ("a", "b") if there > back else ("b", "a")


def _side_index(label: str, names: Sequence[tuple[str, ...]]) -> int | None:
    """Index (0 or 1) of the side of the game that a label names; None if that is not clear.

    names : for each side, the names that the market gives it
    """
    first, second = (max(_likeness(label, name) for name in given) for given in names)
    return None if first == second else int(second > first)


def _likeness(one: str, other: str) -> float:
    """Likeness of two names: 3 if they are equal; between 1 and 2 if they share words (1 plus the
    number of shared words divided by the number of words of the longer name); 0.5 if one begins
    with the first three letters of the other; else 0."""
    a, b = one.casefold().replace(".", ""), other.casefold().replace(".", "")
    if a == b:
        return 3.0
    ours, theirs = set(re.findall(r"[^\W_]+", a)), set(re.findall(r"[^\W_]+", b))
    if shared := len(ours & theirs):
        return 1.0 + shared / max(len(ours), len(theirs))
    return 0.5 if a and b and (a.startswith(b[:3]) or b.startswith(a[:3])) else 0.0
