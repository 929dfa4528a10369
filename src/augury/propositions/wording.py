"""Words that say nothing about the subject of a proposition, and different names of the same thing.
Pure.

This goes beyond `augury.search.aliases`: names that search keeps apart for ranking (a nominee and
the primary, a trophy and its league) become one term here, so that propositions can be compared.
"""

from __future__ import annotations

import re
from datetime import date, datetime
from typing import Final

from augury.caches import cached
from augury.search.text import term, terms

GENERIC: Final = frozenset(
    term(word)
    for word in """happen happens get gets getting got become becomes became take takes see sees
    hit hits reach reaches reached price level value many much number count total how high low
    official officially election elections race races seat party candidate candidacy person
    someone somebody anyone anything something player team winner win champion championship title
    trophy time times any some point end start year date et est utc pm am
    most least exactly between least more less fewer greater higher lower above below
    under over again ever still yet already go goes going make makes made come comes there
    set per finish finishes honor honors turn market mean one choose pick itself
    himself herself question following current currently conduct carry following resolve
    probability odds chance likely award wil vs versus v""".split()
)
"""Terms (stemmed words) that do not tell what a question is about: "happen", "reach",
"official"."""

ASYMMETRIC: Final = frozenset(
    term(word)
    for word in """beat acquire buy invade strike attack sue visit pardon endorse fire replace
    overtake surpass outperform recognize sanction kill arrest extradite tariff ban hack flip
    capture withdraw cede outsell block annex deport indict charge convict own follow
    unfollow""".split()
)
"""Terms (stemmed words) of verbs for which it matters who acts on whom: "A strikes B" is not "B
strikes A"."""

STAGES: Final = {"round16": 1, "quarterfinal": 2, "semifinal": 3, "final": 4, "wins": 5}
"""Stage of a knock-out contest -> position of the stage, 1 being the first. Whoever reaches a stage
has reached all earlier ones.

The `playoffs` of leagues are left out, since the rounds of playoffs have other names.
"""

STAYS: Final = r"still|remains?|stays?|holds?|survives?|keeps?|continu(?:es?|ing)|persists?"
"""Source of a regular expression for words which say that something stays as it is ("still",
"remains")."""

PARTIES: Final = frozenset(
    term(word) for word in "democrat republican libertarian green independent".split()
)
"""Terms (stemmed words) of the parties, and of "independent", in elections of the United States."""
OFFICES: Final = frozenset(
    terms("president senate governor mayor congress house parliament prime minister chancellor")
)
"""Terms (stemmed words) of offices that are elected on only one day of a year. So the month of such
an election tells no more than the year."""

LEAGUES: Final[tuple[tuple[str, frozenset[str], frozenset[str]], ...]] = tuple(
    (league, frozenset(terms(trophy)), frozenset(terms(conferences)))
    for league, trophy, conferences in (
        ("nba", "nba finals", "eastern western east west conference"),
        ("nfl", "super bowl", "afc nfc conference"),
        ("mlb", "world series", "american national al nl league"),
        ("nhl", "stanley cup", "eastern western east west conference"),
    )
)
"""Sports leagues, each as (name, terms of the league's title, terms of the league's conferences). A
term is a stemmed word."""

STATES: Final = {
    "alabama": "al", "alaska": "ak", "arizona": "az", "arkansas": "ar", "california": "ca",
    "colorado": "co", "connecticut": "ct", "delaware": "de", "florida": "fl", "georgia": "ga",
    "hawaii": "hi", "idaho": "id", "illinois": "il", "indiana": "in", "iowa": "ia",
    "kansas": "ks", "kentucky": "ky", "louisiana": "la", "maine": "me", "maryland": "md",
    "massachusetts": "ma", "michigan": "mi", "minnesota": "mn", "mississippi": "ms",
    "missouri": "mo", "montana": "mt", "nebraska": "ne", "nevada": "nv", "new hampshire": "nh",
    "new jersey": "nj", "new mexico": "nm", "new york": "ny", "north carolina": "nc",
    "north dakota": "nd", "ohio": "oh", "oklahoma": "ok", "oregon": "or", "pennsylvania": "pa",
    "rhode island": "ri", "south carolina": "sc", "south dakota": "sd", "tennessee": "tn",
    "texas": "tx", "utah": "ut", "vermont": "vt", "virginia": "va", "washington": "wa",
    "west virginia": "wv", "wisconsin": "wi", "wyoming": "wy",
}  # fmt: skip
_STATE = "|".join(sorted(STATES, key=len, reverse=True)).replace(" ", r"\s+")
_CODES: Final = frozenset(STATES.values())
_DISTRICT: Final = re.compile(
    rf"\b(?:(?P<state>{_STATE})(?:'s?)?\s+(?P<n>\d{{1,2}})(?:st|nd|rd|th)\s+"
    r"(?:congressional\s+)?district|(?P<code>[a-z]{2})-(?P<m>\d{1,2}|al)(?![\d-]))"
    r"(?:\s+(?:congressional\s+)?(?:district|house|seat)\b)*",
    re.I,
)


def districts(text: str) -> str:
    """The text with each congressional district written as one word: "Missouri's 6th District" and
    "MO-06" both become "cdmo6"."""
    if "-" not in text and "istrict" not in text:
        return text
    return _DISTRICT.sub(_district, text)


def _district(found: re.Match[str]) -> str:
    state = found["state"]
    code = STATES[" ".join(state.casefold().split())] if state else found["code"].casefold()
    if code not in _CODES:
        return found[0]
    number = found["n"] or found["m"]
    return f" cd{code}{int(number) if number.isdecimal() else number.casefold()} "


_IMPLIED: Final[tuple[tuple[frozenset[str], frozenset[str]], ...]] = tuple(
    (frozenset(terms(left)), frozenset(terms(right)))
    for left, right in (
        # trophies and their leagues
        ("super bowl", "nfl league"), ("world series", "mlb"), ("nba finals", "nba"),
        ("stanley cup", "nhl"), ("premier league", "english"), ("la liga", "spain"),
        ("champions league", "uefa"), ("europa league", "uefa"), ("world cup", "fifa men"),
        ("bundesliga", "germany"), ("serie a", "italy"), ("ligue 1", "france"),
        ("oscar", "academy"), ("college football national", "playoff"), ("conference", "finals"),
        # offices that are American unless another country is named
        ("fed", "us"), ("president", "us"), ("senate", "us"), ("house", "us"), ("governor", "us"),
        ("democrat", "dfl"), ("supreme court", "us"),
        # people known by their last names
        ("trump", "donald"), ("putin", "vladimir"), ("zelenskyy", "volodymyr"), ("musk", "elon"),
        ("netanyahu", "benjamin"), ("erdogan", "recep tayyip"), ("maduro", "nicolas"),
        ("macron", "emmanuel"), ("starmer", "keir"), ("zuckerberg", "mark"), ("altman", "sam"),
        ("khamenei", "ali"), ("modi", "narendra"), ("orban", "viktor"), ("milei", "javier"),
        ("airdrop", "perform"), ("bitcoin", "crypto"), ("starship", "spacex"),
    )
)  # fmt: skip
"""Pairs of sets of terms (stemmed words): in a text that has all terms of the first set, the terms
of the second set add nothing and are dropped ("NHL" beside "Stanley Cup")."""


@cached(32 << 20)
def canonical(found: frozenset[str]) -> frozenset[str]:
    """The terms (stemmed words) of a text without those that other terms of the text imply: "NHL"
    is dropped beside "Stanley Cup"."""
    if found >= _VICE:
        found = (found - _VICE) | {"vicepresid"}
    dropped: frozenset[str] = frozenset()
    for name, implied in _IMPLIED:
        if name <= found:
            dropped |= implied - name
    if any(t.startswith("cd") and t[2:4] in _CODES and t[4:] for t in found):
        dropped |= _OF_DISTRICTS
    return found - dropped if dropped else found


_VICE: Final = frozenset(terms("vice presidency"))
_OF_DISTRICTS: Final = frozenset(terms("house congress district seat"))


_TICKER_LEAGUE: Final = re.compile(r"(?:KX)?(?P<league>NBA|NFL|MLB|NHL)(?=[A-Z-])")
_SLUG: Final = re.compile(r"(?P<league>nba|nfl|mlb|nhl)-[a-z]{2,4}-[a-z]{2,4}-\d{4}")
_SLUG_DAY: Final = re.compile(r"-(?P<day>20\d\d-\d\d-\d\d)(?=$|-)")
_TICKER_DAY: Final = re.compile(r"-(?P<y>2\d)(?P<m>[A-Z]{3})(?P<d>\d\d)")


def league_of(event_id: str | None, slug: str | None) -> str | None:
    """The league (nba, nfl, mlb, nhl) that an event's id (on Kalshi its ticker) or a market's slug
    (the name in its web address) begins with; None if neither does."""
    found = _TICKER_LEAGUE.match(event_id or "") or _SLUG.match(slug or "")
    return found["league"].lower() if found else None


def game_day(event_id: str | None, slug: str | None) -> date | None:
    """The day of a game, from the event's id ("-25SEP03" in a Kalshi ticker) or the market's slug
    ("-2026-04-12"); None if neither has a day."""
    try:
        if found := _SLUG_DAY.search(slug or ""):
            return date.fromisoformat(found["day"])
        if found := _TICKER_DAY.search(event_id or ""):
            return datetime.strptime("".join(found.groups()), "%y%b%d").date()
    except ValueError:
        return None
    return None


def names_teams(event_id: str | None) -> bool:
    """Whether an event's id (a Kalshi ticker) has names of teams after a day ("-25AUG28ELONDUKE").
    The day is then that of a game, and not a deadline."""
    return _TICKER_TEAMS.search(event_id or "") is not None


_TICKER_TEAMS: Final = re.compile(r"-2\d[A-Z]{3}\d{2,6}[A-Z]{4,}$")
_TICKER_YEAR: Final = re.compile(r"-(?P<year>2\d)(?![\d.])")
_NEXT: Final = re.compile(r"\bnext\b|\bfirst\b", re.I)
_NUMBERED: Final = re.compile(
    r"\b(?P<n>\d{2,3})(?:st|nd|rd|th)\s+(?:annual\s+)?(?:primetime\s+)?"
    r"(?P<award>academy|oscars?|grammy|emmy|golden\s+globe|tony)",
    re.I,
)
_YEAR_BEFORE_FIRST: Final = {"academy": 1928, "oscar": 1928, "grammy": 1958, "emmy": 1948,
                             "golden globe": 1943, "tony": 1946}  # fmt: skip
"""Award -> the year to which the number of an edition is added: the 98th Academy Awards are those
of 1928 + 98 = 2026."""


def edition_of(text: str, event_id: str | None) -> int | None:
    """The year of a contest if the text does not name it: from the number of an award ("98th
    Academy Awards" -> 2026) or from the event's id (a Kalshi ticker). None if neither tells it."""
    if found := _NUMBERED.search(text):
        award = " ".join(found["award"].casefold().split()).removesuffix("s")
        number = int(found["n"])
        return _YEAR_BEFORE_FIRST[award] + number if award in _YEAR_BEFORE_FIRST else None
    if event_id and not _NEXT.search(text) and (found := _TICKER_YEAR.search(event_id)):
        return 2000 + int(found["year"])
    return None
