"""Finds leagues, teams and players in texts, by all names that pages and venues use for them. Pure.

Teams and players come from three sources: `propositions.teams`, the lists of teams and players in
the factor base (`augury.relations.causal.knowledge`), and `extension.team_names`. The last one has
college teams, clubs of Major League Soccer, more players, and other names that the news uses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from augury.caches import cached
from augury.extension.team_names import (
    ALSO_CALLED,
    CLUB_FURNITURE,
    COLLEGE_TEAMS,
    CRICKET_TEAMS,
    ENTITY_LISTS,
    LEAGUES,
    MLS_CLUBS,
    NICKNAMES_THAT_ARE_WORDS,
    PEOPLE,
    WNBA_PLACES,
)
from augury.propositions.teams import TEAMS, team
from augury.relations.causal import knowledge
from augury.search.text import fold, is_number, terms

_LEAGUE = re.compile(
    r"(?<![\w-])(?:" + "|".join(f"(?P<{k}>{v})" for k, v in LEAGUES.items()) + r")(?![\w])"
)

_ALSO_NAMED = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(sorted(map(re.escape, ALSO_CALLED), key=len, reverse=True))
    + r")(?![\w-])"
)

_FOOTBALL: Final = frozenset(
    {"epl", "ucl", "uel", "laliga", "seriea", "bundesliga", "ligue1", "mls", "football"}
)
FULLY_KNOWN: Final = frozenset({*TEAMS, "wnba", "ncaa"})
"""Leagues of which all teams are known: each team is listed by its nickname (in `known`) and by its
city or school (in `places` or `known`). No other part of such a team's name identifies the team."""
_OF_A_PLACE = 0.4
"""How strongly, from 0 (not at all) to 1, a football club's name of a single word shows that a text
is on sports. The weight is low because such a name is often that of a town ("Liverpool"). It equals
the weight of a nickname that is an ordinary word ("Magic"). Chosen by hand."""
_SURNAME = 0.05
"""How strongly, 0 to 1, a player's surname alone shows that a text is on sports. The weight is so
small that a surname only counts together with another name of the same league. Chosen by hand."""
_MANY_SPORTS: Final = frozenset({"olympics", "other"})


class TeamName(NamedTuple):
    """A team or player as a text names it."""

    text: str
    terms: frozenset[str]
    """Terms (stemmed words) of the name, without words that many clubs have in their name ("fc",
    "club")."""
    keys: frozenset[str]
    """Keys (`league:name`) of all known teams or players that the name may mean."""


def is_common(nickname: str) -> bool:
    """Whether a team's nickname is also an ordinary word ("Magic")."""
    return set(terms(nickname)) <= NICKNAMES_THAT_ARE_WORDS


@cache
def known() -> dict[tuple[str, ...], frozenset[tuple[str, float]]]:
    """All known names of teams and players: terms of a name -> the teams or players that it may
    mean. Each team or player is a pair: its key (`league:name`), and how strongly, 0 to 1, the name
    shows that a text is on sports."""
    found: dict[tuple[str, ...], set[tuple[str, float]]] = {}

    def add(name: str, key: str, weight: float) -> None:
        words = tuple(terms(name))
        if words:
            found.setdefault(words, set()).add((key, weight))

    for teams in TEAMS.values():
        for one in teams:
            nickname = one.key.partition(":")[2]
            key = "nba:trail blazers" if nickname == "blazers" else one.key
            add(nickname, key, 0.4 if is_common(nickname) else 1.0)
            add(f"{one.place} {nickname}", key, 1.0)
    for line in " ".join(COLLEGE_TEAMS.split()).split(";"):
        school, nickname, *others = line.strip().split("|")
        key = f"ncaa:{school.casefold()}"
        for form in (school, school.replace("State", "St."), *others):
            add(form, key, 0.0)
            add(f"{form} {nickname}", key, 1.0)
        add(nickname, key, 0.4 if is_common(nickname) else 0.8)
    for club, _, nicknames in _mls_clubs():
        for form in (club, *nicknames):
            add(form, f"football:{club.casefold()}", 0.4)
    for league, players in PEOPLE.items():
        for person in players.split(";"):
            key = f"{league}-player:{person.casefold()}"
            add(person, key, 1.0)
            if " " in person:
                add(person.split()[-1], key, _SURNAME)
    for kind, (league, weight) in ENTITY_LISTS.items():
        for row in knowledge.load().entities.get(kind, ()):
            key = f"{league}:{row['name'].casefold()}"
            is_place = kind == "football-club" and len(terms(row["name"])) == 1
            sure = _OF_A_PLACE if is_place else weight
            add(row["name"], key, sure)
            if kind == "wnba-team":
                add(row["name"].split()[-1], key, 0.4)
            for alias in row.get("match", "").split("|"):
                # "sinner & !film": a name that is also an ordinary word
                plain, *others = (part.strip() for part in alias.split("&"))
                if all(part.startswith("!") for part in others):
                    add(plain, key, sure / 2 if others else sure)
    # A word that occurs in the name of only one club ("Werder", "Bremen") means that club, but
    # alone it is no evidence of sports.
    clubs = [row["name"] for row in knowledge.load().entities.get("football-club", ())]
    in_names = Counter(word for club in clubs for word in set(terms(club)))
    for club in clubs:
        for word in terms(club):
            if in_names[word] == 1 and len(word) > 3 and word not in CLUB_FURNITURE:
                add(word, f"football:{club.casefold()}", 0.0)
    return {words: frozenset(keys) for words, keys in found.items()}


@cache
def countries() -> frozenset[str]:
    """Keys (`league:name`) of the teams that are countries, e.g. "football:france"."""
    rows = knowledge.load().entities.get("football-nation", ())
    return frozenset(f"football:{row['name'].casefold()}" for row in rows)


def _mls_clubs() -> list[tuple[str, str, list[str]]]:
    out: list[tuple[str, str, list[str]]] = []
    for line in " ".join(MLS_CLUBS.split()).split(";"):
        club, city, *others = line.strip().split("|")
        out.append((club, city, list[str](others)))
    return out


@cache
def places() -> dict[tuple[str, ...], frozenset[str]]:
    """City, as a tuple of terms -> keys (`league:name`) of the teams that may be called by its
    name."""
    found: dict[tuple[str, ...], set[str]] = {}
    for teams in TEAMS.values():
        for one in teams:
            found.setdefault(tuple(terms(one.place)), set()).add(one.key)
    for row in knowledge.load().entities.get("wnba-team", ()):
        city = tuple(terms(row["name"].rpartition(" ")[0]))
        found.setdefault(city, set()).add(f"wnba:{row['name'].casefold()}")
    for club, city, _ in _mls_clubs():
        found.setdefault(tuple(terms(city)), set()).add(f"football:{club.casefold()}")
    return {words: frozenset(keys) for words, keys in found.items()}


@cache
def _longest() -> int:
    return max(map(len, known()))


class TeamMention(NamedTuple):
    """A known name of a team or player in a sequence of terms, from position `start` up to `end`.
    `keys`: the teams or players that the name may mean. Each is a pair of a key (`league:name`) and
    a weight, 0 to 1. The weight says how strongly the name shows that a text is on sports."""

    start: int
    end: int
    keys: frozenset[tuple[str, float]]


def mentions(words: Sequence[str]) -> list[TeamMention]:
    """Known names of teams and players in a sequence of terms, from left to right. Of several names
    that begin at one position the longest is taken, and names do not overlap."""
    table, longest, at = known(), _longest(), 0
    out: list[TeamMention] = []
    while at < len(words):
        for size in range(min(longest, len(words) - at), 0, -1):
            keys = table.get(tuple(words[at : at + size]))
            if keys:
                out.append(TeamMention(at, at + size, keys))
                at += size
                break
        else:
            at += 1
    return out


def replaced(text: str) -> str:
    """The text in lower case, without accents, and with less usual names of teams (the keys of
    `ALSO_CALLED`) replaced by the usual ones."""
    return _ALSO_NAMED.sub(lambda match: ALSO_CALLED[match.group()], fold(text))


_SMALL = frozenset("de da di del der den van von la le el al dos das st. st of".split())
_CAPITALISED = re.compile(r"[^\w]*[A-Z0-9À-ÖØ-ÞŁŚŠŽĆČ]")


def runs(text: str) -> list[str]:
    """The parts of a text that may contain names: "Real Madrid beat Ajax" -> "Real Madrid", "Ajax".
    They are runs of capitalized words, with small words such as "de" in them. A text without
    capitals, e.g. the words of a page's URL, is one part."""
    words = text.split()
    capital = [_CAPITALISED.match(word) is not None for word in words]
    if not any(capital):
        return [text]
    out: list[list[str]] = [[]]
    for word, is_capital in zip(words, capital, strict=True):
        if is_capital or (out[-1] and word.lower() in _SMALL):
            out[-1].append(word)
        elif out[-1]:
            out.append([])
    return [" ".join(run) for run in out if run]


@cached(16 << 20)
def name(text: str, league: str | None = None) -> TeamName:
    """The team or player that `text` is a name of: its terms, and the keys of all known teams and
    players that it may mean (none if unknown). `league` distinguishes teams of one city."""
    plain = fold(text)
    words = terms(CRICKET_TEAMS.get(plain, plain) if league == "cricket" else replaced(text))
    term_set = frozenset(words)
    kept = {w for w in words if len(w) > 1 and w not in CLUB_FURNITURE and not _is_year(w)}
    keys: set[str] = set()
    for mention in mentions(words):
        # "High Point Panthers": many schools share a nickname, so it must be all of the name.
        whole = kept <= set(words[mention.start : mention.end])
        keys |= {k for k, _ in mention.keys if whole or league_of_key(k) != "ncaa"}
    # "Los Angeles C" needs its letter; elsewhere single letters are initials.
    for one in TEAMS if league is None else [league] if league in TEAMS else []:
        if (key := team(term_set, one)) is not None:
            keys.add(key)
    if league in ("wnba", "mls"):
        place = tuple(terms(WNBA_PLACES.get(plain, plain)) if league == "wnba" else words)
        keys |= {key for key in places().get(place, ()) if league_of_key(key) == broad(league)}
    if league is not None and league not in _MANY_SPORTS:
        # The Kings of Punjab (cricket) are not those of Sacramento (NBA).
        keys = {key for key in keys if league_of_key(key) == broad(league)}
    return TeamName(text.strip(), frozenset(kept or term_set), frozenset(keys))


def initials(side: TeamName, league: str | None) -> set[str]:
    """The abbreviations, in lower case, by which texts may call a team or player: "Los Angeles
    Lakers" -> "lal"."""
    found = "".join(w[0] for w in side.text.split() if w[:1].isupper()).lower()
    out = {found} if len(found) > 2 else set[str]()
    if league == "cricket":
        out |= {letters for letters, whole in CRICKET_TEAMS.items() if whole == fold(side.text)}
    return out


def broad(league: str) -> str:
    """The group of leagues that share one list of names: all football leagues ("epl" ->
    "football"), all tennis, all college sports. Any other league is its own group."""
    if league in _FOOTBALL:
        return "football"
    if league in ("ncaab", "ncaaf"):
        return "ncaa"
    return "tennis" if league in ("atp", "wta") else league


def league_of_key(key: str) -> str:
    return key.partition(":")[0]


def is_player(key: str) -> bool:
    """Whether a key (`league:name`) belongs to a player in a team sport. The sides of a game in
    such a sport are teams; in tennis they are players."""
    league, is_one, _ = league_of_key(key).partition("-player")
    return bool(is_one) and league not in _OF_PEOPLE


_OF_PEOPLE: Final = frozenset({"tennis", "boxing", "ufc", "golf", "f1", "chess", "darts"})


def _is_year(word: str) -> bool:
    return is_number(word) and len(word) == 4 and word[:2] in ("19", "20")


def same(one: TeamName, other: TeamName) -> bool:
    """Whether two names may mean the same team or player."""
    if one.keys & other.keys:
        return True
    if one.keys and other.keys and leagues(one) & leagues(other):
        return False  # both are known, and they are different
    return bool(one.terms and other.terms) and (
        _within(one.terms, other.terms) or _within(other.terms, one.terms)
    )


def _within(few: frozenset[str], many: frozenset[str]) -> bool:
    """Whether each term of `few` is in `many`, in the same or almost the same spelling, e.g.
    "rawalpindi" and "rawalpindiz"."""
    return all(
        word in many
        or (len(word) > 5 and any(word[:6] == m[:6] and abs(len(word) - len(m)) < 3 for m in many))
        for word in few
    )


def leagues(one: TeamName) -> set[str]:
    return {league_of_key(key) for key in one.keys}


def league_of(text: str) -> str | None:
    """The key in `LEAGUES` of the league, tournament or sport that a text names first; None if it
    names none."""
    found = _LEAGUE.search(fold(text))
    return found.lastgroup if found else None
