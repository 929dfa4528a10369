"""Games between two sides: whether a text is about a game, what the sides are called, and which
teams these names mean. Pure."""

from __future__ import annotations

import re
from typing import Final

from augury.propositions.blanked_text import BlankedText, content_terms
from augury.propositions.teams import leagues_of, team
from augury.propositions.wording import LEAGUES

_FIXTURE: Final = re.compile(r"(?P<a>\S.*?)\s+(?:vs?\.?|@|at)\s+(?P<b>\S[^:(–—]*)", re.I)
_VERSUS: Final = re.compile(r"\svs?\.?\s", re.I)
_PROP: Final = re.compile(
    r"\bo/u\b|\bover/under\b|\bodd/even\b|^(?:\w+\s)?(?:spread|handicap)\b|\btotal\s+(?:kills|maps|"
    r"games|sets|rounds)\b|\b(?:game|map|set|quarter|inning)\s\d|\bboth\s+teams\b|"
    r"\banytime\s+(?:goalscorer|touchdown)\b|\bdouble[- ]double\b|\b[12](?:st|nd)\s+half\b",
    re.I,
)
_WINNER_LAST: Final = re.compile(r"(?<!\s)\s+winner\Z", re.I)
_GAME_MORE: Final = re.compile(r":\s|(?<!\s)\s+-\s")


def names_two_sides(text: BlankedText) -> bool:
    """Whether the text names both sides of a game. Either it has a "vs". Or its title is written as
    Kalshi writes it, "Minnesota at California", and its subtitle names one of the two sides."""
    if _VERSUS.search(f" {text.raw} "):
        return True
    found = text.side and _FIXTURE.fullmatch(
        re.sub(r"\s*(?:winner)?\s*\??\s*$", "", text.about, flags=re.I)
    )
    if not found:
        return False
    side = content_terms(text.side)
    return bool(side) and (side <= content_terms(found["a"]) or side <= content_terms(found["b"]))


def is_of_a_game(raw: str) -> bool:
    """Whether a text is about one game ("Lakers vs. Celtics"), a part of a game ("Map 2"), or a
    statistic of a game ("Total Kills")."""
    return _VERSUS.search(raw) is not None or _PROP.search(raw) is not None


def sides(about: str) -> tuple[frozenset[str], ...]:
    """The two sides of a game, each as the terms (stemmed words) of its name: "Lakers vs. Celtics"
    -> {laker}, {celtic}. Empty if the text does not name both."""
    plain = _without_tail(about).replace("\x1f", " ")
    lead, _, rest = plain.partition(": ")
    found = _FIXTURE.fullmatch((rest or lead).strip(" ?-"))
    return (content_terms(found["a"]), content_terms(found["b"])) if found else ()


def _without_tail(about: str) -> str:
    """The text on a game, cut off after the names of the two sides: without "(Game 2)", "- Map 1",
    ": Total", "winner" and "?"."""
    plain = about.rstrip().removesuffix("?").rstrip()
    ends = [len(plain)]
    if plain.endswith(")") and (opened := plain.find("(", 0, -1)) >= 0:
        ends.append(len(plain[:opened].rstrip()))
    ends += [m.start() for m in (_WINNER_LAST.search(plain), _GAME_MORE.search(about)) if m]
    return about[: min(ends)]


def with_teams(
    contest: frozenset[str],
    choice: frozenset[str],
    sides: tuple[frozenset[str], ...],
    league: str | None,
) -> tuple[frozenset[str], frozenset[str]]:
    """The terms (stemmed words) of a contest and of a choice (the contender that is said to win),
    with the city or nickname of a team replaced by the team's key ("nba:pistons"). Nothing is
    replaced if the league or a team is not clear.

    sides : terms of the names of both sides of a game; empty if the contest is no game
    league : the league, if it is known already; None: find it from the terms
    """
    if league is None:
        named = [name for name, trophy, _ in LEAGUES if contest & (trophy | {name})]
        if not named and sides:
            named = leagues_of(*sides)
        if len(named) != 1:
            return contest, choice
        league = named[0]
    elif not sides and not any(contest & (trophy | {n}) for n, trophy, _ in LEAGUES):
        contest |= {league}
    if sides:
        keys = [team(side, league) for side in sides]
        if None in keys or len(set(keys)) < 2:
            return contest, choice
        rest = contest - sides[0] - sides[1] - {league}
        contest = rest | {key for key in keys if key} | {league}
    key = team(choice - {league}, league)
    return contest, frozenset({key}) if key else choice
