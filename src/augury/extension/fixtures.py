"""Which game a headline or a market's question names: two sides, a league, a day. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from string import capwords
from typing import Final

from augury.caches import cached
from augury.extension import names
from augury.extension.names import TeamName, league_of, name
from augury.extension.times import Start
from augury.propositions.teams import TEAMS, team
from augury.search.text import fold, terms


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game of two sides (teams or players), as a text names it. If the text does not say who
    plays at home, `home` is the side named first."""

    home: TeamName
    away: TeamName
    league: str | None = None
    start: Start | None = None
    number: int | None = None
    """1 or 2: the first or second game of a doubleheader; None if the text does not say."""
    squad: str = ""
    """Which team of the clubs or countries plays: "women", "youth" or "reserves"; empty for the
    first men's team."""
    played: bool = False
    """Whether the text says that the game is over."""


_SQUADS: Final = {
    "women": r"women(?:'?s)?|ladies|wsl|nwsl|femenin[oa]|feminine?s?|frauen|femminile|lionesses|"
    r"uswnt|matildas|liga f",
    "youth": r"u-?(?:17|18|19|20|21|23)s?|under-?(?:17|18|19|20|21|23)s?|academy|youth|primavera|"
    r"juvenil|jong|challengers league|lck challengers",
    "reserves": r"reserves?|ii|b team|castilla|next gen|atletic",
}
_SQUAD = re.compile("|".join(rf"(?P<{squad}>\b(?:{words})\b)" for squad, words in _SQUADS.items()))


def squad_of(text: str, league: str | None) -> str:
    """Which team of a club or country a text is about: "women", "youth" or "reserves". Empty for
    the first men's team, and in leagues where clubs have only one team."""
    if league is not None and not has_squads(league):
        return ""
    found = _SQUAD.search(fold(text))
    return (found.lastgroup or "") if found else ""


def has_squads(league: str | None) -> bool:
    """Whether clubs or countries have several teams in the sport of this league, e.g. a men's and a
    women's team, a youth team or reserves. False if the league is unknown."""
    return league is not None and names.broad(league) in _WITH_SQUADS


_WITH_SQUADS: Final = frozenset({"football", "cricket", "rugby", "esports", "ncaa", "olympics"})
_PLAYED = re.compile(
    r"\b(?:beats?|beaten|defeats?|defeated|edges?|edged|downs|downed|stuns?|stunned|routs?|"
    r"thrash(?:es|ed)?|outpoints?|outlasts?|battles past|eases past|cruises? past|past|won|"
    r"highlights|recap|results?|final score|full[- ]time|box score|post-?match|player ratings|"
    r"takeaways|reaction|storms? into|advances?|survives?|holds? off|sinks?|blanks?|snaps?|"
    r"sweeps?|falls? to|lost to|loses? to|wins?|victory|knocks? out)\b"
    r"|\b\d{1,3}\s?[-–:]\s?\d{1,3}\b"
)


def is_played(text: str) -> bool:
    """Whether a headline reports a game as over, by a score or by words such as "beat" or "recap",
    and has no words that announce a game."""
    folded = fold(text)
    return _PLAYED.search(folded) is not None and _AHEAD.search(folded) is None


_AHEAD = re.compile(
    r"\b(?:will|to face|preview|prediction|predicted|odds|how to watch|tonight|tomorrow|picks|"
    r"line-?ups?|betting|best bets|where to watch|can|what time|probable|game thread)\b"
)


_BETWEEN = re.compile(
    r"\s+(?:vs?\.?|versus|@)\s+|\s+v\.?\s+", re.IGNORECASE
)  # fmt: skip
_BETWEEN_LOOSELY = re.compile(rf"{_BETWEEN.pattern}|\s+[-–—]\s+|\s+and\s+", re.IGNORECASE)
_BETWEEN_OR_AT = re.compile(rf"{_BETWEEN.pattern}|\s+at\s+", re.IGNORECASE)
_PLAYED_AT: Final = frozenset(TEAMS) | {"wnba", "ncaab", "ncaaf"}
"""Leagues whose games are written "A at B", the visitors first."""
_BETWEEN_KNOWN = re.compile(
    r"\s+(?P<at>at|visits?|travels? to)\s+|\s+(?:hosts?|welcomes?|take on|takes on|faces?|to face|"
    r"against|meets?|beats?|defeats?|edges?|tops?|downs?|stuns?|thrash(?:es)?|clash with|"
    r"play|plays|battle|battles|rout|routs|blank|blanks|hold off|holds off|and)\s+|\s+[-–—]\s+|"
    r"\s+\d{1,3}\s?[-–:]\s?\d{1,3}\s+|(?<=[a-z0-9])[-–](?=[A-Z])|,\s+"
)
_CUT = re.compile(r"[:|•·(\[,;?!]|\s[-–—]+\s|\s/\s")
_RIGHT_NOISE = re.compile(
    r"(?:^|\s)(?:predictions?|odds|previews?|live|score|scores|highlights?|betting|tips|picks?|"
    r"props?|how|where|when|what|start|time|tv|stream|streaming|line-?ups?|team news|result|"
    r"results|"
    r"recap|report|stats|game|match|fight|winner|set|map|in|on|at|for|to|and|from|ends?|end|as|"
    r"with|is|are|will|tonight|today|tomorrow|yesterday|mma|prediction|h2h|head|expert|best|latest|"
    r"updates?|series|final|semi-?final|moneyline|spread|total|o/u|professional|analysis|first|"
    r"second|third|after|before|go|win|winner\?|free|preview|clash|showdown|bout|tickets?|"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]* \d{1,2}|\d{4}-\d\d-\d\d|"
    r"\d{1,2}/\d{1,2}(?:/\d+)?|bo\d|20\d\d|preseason|"
    r"ppd|nightcap|kick-?off|group|round|week|matchday|fifa|ipl|nba|nfl|nhl|mlb|epl|kalshi)"
    r"(?=$|[\s.,:?!])",
    re.IGNORECASE,
)
_LEFT_NOISE = re.compile(
    r"^.*\b(?:watch|will|the|preview|prediction|live|game \d|match|score|highlights|of|for|in|"
    r"when|does|do|is|odds|expect from|between|stream|tickets|recap|result|tonight|today)\s+",
    re.IGNORECASE,
)


def fixture_of(text: str, *, league: str | None = None, loosely: bool = False) -> Fixture | None:
    """The game that a headline or a market's question names: "A vs B", "A at B", "A 2-1 B". None if
    it names none.

    The names on both sides of "vs" may be unknown; with `loosely`, the names on both sides of a
    dash or "and" may be unknown, too. If another word stands between the names ("hosts", "beats"),
    both must be names of known teams or players.
    """
    text = " ".join(text.replace("\u00a0", " ").split())
    league = league or league_of(text)
    between_any = _BETWEEN_OR_AT if league in _PLAYED_AT else _BETWEEN
    between_any = _BETWEEN_LOOSELY if loosely else between_any
    for between in between_any.finditer(text):
        left, right = _left(text[: between.start()]), _right(text[between.end() :])
        if left and right:
            away_first = between.group().strip() in ("@", "at")
            found = _pair(left, right, league, away_first=away_first)
            if found is not None:
                return found
    for between in _BETWEEN_KNOWN.finditer(text):
        left, right = _last_known(text[: between.start()]), _first_known(text[between.end() :])
        if left and right:
            found = _pair(left, right, league, away_first=bool(between["at"]), known=True)
            if found is not None:
                return found
    return None


_DEALS = re.compile(
    r"\b(?:trade[ds]?|sign(?:s|ed|ing)?|deal|draft\w*|contract|rumou?rs?|transfer)\b"
)


def named_pair(text: str, league: str | None = None) -> Fixture | None:
    """The game of the two teams that a text names without a word such as "vs" between them, e.g. in
    a URL. None if the text does not name exactly two teams of one league. Also None if the text is
    about players who change teams."""
    if _DEALS.search(fold(text)):
        return None
    of: dict[str, list[str]] = {}
    for mention in names.mentions(terms(names.replaced(text))):
        for key, _ in mention.keys:
            one = names.league_of_key(key)
            if (one in TEAMS or one == "wnba") and league in (None, one):
                of.setdefault(one, []).append(key)
    for one, keys in of.items():
        if len(keys) == 2 and keys[0] != keys[1]:
            home, away = (name(capwords(key.partition(":")[2]), one) for key in keys)
            return Fixture(home, away, one)
    return None


def _pair(
    left: str, right: str, league: str | None, *, away_first: bool, known: bool = False
) -> Fixture | None:
    one, other = name(left, league), name(right, league)
    if not one.terms or not other.terms:
        return None
    if one.terms == other.terms and one.keys == other.keys:
        return None
    together = {of for of in names.leagues(one) & names.leagues(other) if not names.is_player(of)}
    if known and not together:
        return None
    if league is None and len(together) == 1:
        league = next(iter(together))
        one, other = name(left, league), name(right, league)
    if known and one.keys & other.keys:
        return None
    home, away = (other, one) if away_first else (one, other)
    return Fixture(home, away, league)


def _left(text: str) -> str:
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", text)
    part = _CUT.split(text)[-1].strip()
    part = _LEFT_NOISE.sub("", f"{part} ").strip() if part[:1].isupper() or " " in part else part
    return _tail_name(part)


def _right(text: str) -> str:
    text = re.sub(r"^\s*\([^()]*\)", " ", text)
    part = _CUT.split(text.strip())[0].strip()
    cut = _RIGHT_NOISE.search(part)
    if cut is not None and cut.start() > 0:
        part = part[: cut.start()]
    return _head_name(part.strip(" .'\"“”"))


_SMALL = frozenset(
    "de da di del der den van von la le el al dos das st. st of and the du san".split()
)


def _tail_name(part: str) -> str:
    """The capitalized words at the end of a text; its last four words if none is capitalized."""
    words = part.split()
    if not any(w[:1].isupper() or w[:1].isdigit() for w in words):
        return " ".join(words[-4:])
    kept: list[str] = []
    for word in reversed(words):
        if not (word[:1].isupper() or word[:1].isdigit() or word.lower() in _SMALL or not kept):
            break
        kept.append(word)
    return _at_most_six_words(" ".join(reversed(kept)), last=True)


def _head_name(part: str) -> str:
    words = part.split()
    if not any(w[:1].isupper() or w[:1].isdigit() for w in words):
        return " ".join(words[:4])
    kept: list[str] = []
    for word in words:
        if kept and not (word[:1].isupper() or word[:1].isdigit() or word.lower() in _SMALL):
            break
        kept.append(word)
    return " ".join(kept[:6])


def _at_most_six_words(text: str, *, last: bool) -> str:
    """At most six words of `text`, to be taken as the name of a side of a game: the last six if
    `last` is set, else the first six. A longer run of capitalized words is not one name."""
    words = text.split()
    return " ".join(words[-6:] if last else words[:6])


def _last_known(text: str) -> str:
    return _named_at_edge(_CUT.split(text)[-1].split(), last=True)


def _first_known(text: str) -> str:
    return _named_at_edge(_CUT.split(text.strip())[0].split(), last=False)


def _named_at_edge(words: list[str], *, last: bool) -> str:
    """The longest known name of a team or player at the end (`last`) or at the start of a text;
    empty if there is none. A name has up to four words. At the start of a text, up to two words
    before the name are skipped; at the end, up to two words after it: "rampant Oilers" begins with
    the name "Oilers"."""
    for skipped in range(3):
        rest = words[: len(words) - skipped] if last else words[skipped:]
        for size in range(min(4, len(rest)), 0, -1):
            part = " ".join(rest[-size:] if last else rest[:size])
            ends_well = part.rpartition(" ")[2][:1].isupper() or part[-1:].isdigit()
            if part[:1].isupper() and ends_well and _is_name(part):
                return part
    return ""


@cached(4 << 20)
def _is_name(part: str) -> bool:
    """Whether `part`, taken as a whole, is the known name of a side (a team or, in individual
    sports, a player) or of a team's city."""
    words = tuple(terms(names.replaced(part)))
    keys = names.known().get(words, frozenset())
    if any(not names.is_player(key) for key, _ in keys):
        return True
    term_set = frozenset(words)
    return any(
        team(term_set, league) is not None or any(term_set == one.city for one in TEAMS[league])
        for league in TEAMS
    )
