"""Sports pages and sports markets, read: which game, of which league, when. Pure.

Teams and players come from `relations.teams` and from the entity lists of the factor base; what
is written here is only what news calls them besides, and the words around them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from augury.relations import knowledge
from augury.relations.teams import TEAMS, team
from augury.search.text import fold, is_number, terms

# Leagues. A line is the league, and how pages, tickers and slugs name it.

_LEAGUES: Final = {
    "nba": r"nba|kxnba\w*|national basketball association",
    "wnba": r"wnba|kxwnba\w*",
    "nfl": r"nfl|kxnfl\w*|super bowl|superbowl|afc championship|nfc championship",
    "mlb": r"mlb|kxmlb\w*|world series|major league baseball|al east|nl east|al west|nl west",
    "nhl": r"nhl|kxnhl\w*|stanley cup",
    "ncaab": r"ncaab|cbb|ncaam|kxncaa(?:mb|b)\w*|college basketball|march madness|final four",
    "ncaaf": r"ncaaf|cfb|kxncaaf\w*|college football|heisman",
    "epl": r"epl|premier league|kxepl\w*|fa cup|carabao cup|efl",
    "ucl": r"ucl|champions league|kxucl\w*",
    "uel": r"uel|europa league|kxuel\w*|conference league",
    "laliga": r"la ?liga|kxlaliga\w*|copa del rey",
    "seriea": r"serie a|kxseriea\w*|coppa italia",
    "bundesliga": r"bundesliga|kxbundesliga\w*|dfb[- ]pokal",
    "ligue1": r"ligue 1|kxligue1\w*",
    "mls": r"mls|kxmls\w*|leagues cup",
    "football": r"world cup|euro 20\d\d|copa america|nations league|fifa|uefa|libertadores|"
    r"eredivisie|liga mx|saudi pro league|a-league|ballon d'?or|soccer",
    "atp": r"atp|kxatp\w*",
    "wta": r"wta|kxwta\w*",
    "tennis": r"wimbledon|roland garros|french open|us open tennis|australian open|tennis|itf",
    "ufc": r"ufc|kxufc\w*|mma",
    "boxing": r"boxing|heavyweight title|welterweight|middleweight",
    "f1": r"f1|formula (?:1|one)|kxf1\w*|grand prix|motogp|indycar|nascar|daytona 500",
    "golf": r"pga|liv golf|ryder cup|the masters|golf|open championship",
    "cricket": r"cricket|ipl|psl|t20i?|odi|test match|the ashes|big bash|indian premier league|"
    r"pakistan super league",
    "rugby": r"rugby|six nations|nrl|super rugby",
    "esports": r"esports?|lol|league of legends|dota ?2|cs2|counter-strike|csgo|valorant|"
    r"call of duty|overwatch|rainbow six|mobile legends|rocket league|starcraft|lck|lpl|lec|lcs|"
    r"vct|blast premier|iem",
    "olympics": r"olympics?|olympic games|paralympics",
    "other": r"darts|snooker|chess|fide|cycling|tour de france|giro d'italia|vuelta|curling|"
    r"volleyball|handball|table tennis|badminton|khl|nll|lacrosse|afl|wrestlemania|wwe|"
    r"tour de suisse|marathon|athletics championships|ski world cup|biathlon|swimming|horse "
    r"racing|kentucky derby|preakness|belmont stakes",
}  # fmt: skip
_LEAGUE = re.compile(
    r"(?<![\w-])(?:" + "|".join(f"(?P<{k}>{v})" for k, v in _LEAGUES.items()) + r")(?![\w])"
)
_SPEAKS_OF_OTHER_THINGS = frozenset({"golf", "mls", "other", "football"})
"""Leagues whose names may stand in a headline on another subject (MLS listings, a marathon)."""

# What news calls teams besides. Left: folded words; right: the name that stands for them.
_ALSO_WRITTEN = """
a's=athletics;cavs=cavaliers;mavs=mavericks;wolves=wolverhampton;twolves=timberwolves;
t-wolves=timberwolves;dubs=warriors;niners=49ers;pats=patriots;bucs=buccaneers;jags=jaguars;
phins=dolphins;habs=canadiens;leafs=maple leafs;caps=capitals;canes=hurricanes;preds=predators;
bolts=lightning;sens=senators;nucks=canucks;isles=islanders;pens=penguins;avs=avalanche;
knights=golden knights;d-backs=diamondbacks;dbacks=diamondbacks;yanks=yankees;jays=blue jays;
nats=nationals;phils=phillies;cards=cardinals;guards=guardians;bosox=red sox;chisox=white sox;
chi sox=white sox;philly=philadelphia;nola=new orleans;okc=oklahoma city;gsw=golden state;
sa spurs=san antonio spurs;man u=manchester united;atleti=atletico madrid;barca=barcelona;
forest=nottingham forest;nottm forest=nottingham forest;gladbach=borussia monchengladbach;
m´gladbach=borussia monchengladbach;bilbao=athletic bilbao;juve=juventus;
inter milan=inter;internazionale=inter;los blancos=real madrid;gunners=arsenal;
red devils=manchester united;hammers=west ham;villa=aston villa;palace=crystal palace;
bvb=borussia dortmund;leverkusen=bayer leverkusen;sporting cp=sporting;
sporting lisbon=sporting;navi=natus vincere;vit=vitality;usmnt=usa;uswnt=usa;three lions=england;
blackcaps=new zealand
"""
_CRICKET_WRITTEN = """
rcb=royal challengers bengaluru;csk=chennai super kings;mi=mumbai indians;
kkr=kolkata knight riders;srh=sunrisers hyderabad;lsg=lucknow super giants;dc=delhi capitals;
gt=gujarat titans;pbks=punjab kings;rr=rajasthan royals
"""


def _pairs(text: str) -> dict[str, str]:
    lines = (pair.partition("=") for pair in " ".join(text.split()).split(";"))
    return {left.strip(): right.strip() for left, _, right in lines}


_ALSO: Final = _pairs(_ALSO_WRITTEN)
_CRICKET: Final = _pairs(_CRICKET_WRITTEN)
"""What cricket calls its teams: elsewhere these letters are other things."""
_ALSO_NAMED = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(sorted(map(re.escape, _ALSO), key=len, reverse=True))
    + r")(?![\w-])"
)
_FURNITURE: Final = frozenset(
    """fc cf sc ac afc as ss ssc us cd ud sd rc rcd ca cr club de calcio esport gamin team kv sv tsv
    vfb vfl fk if bk cp ec fr st saudi mma 1 ii academi women u21 u23 the of""".split()
)
"""Terms that tell no club from another."""

_FOOTBALL: Final = frozenset(
    {"epl", "ucl", "uel", "laliga", "seriea", "bundesliga", "ligue1", "mls", "football"}
)
_KINDS: Final = {
    "wnba-team": ("wnba", 1.0), "football-club": ("football", 0.8), "cbb-team": ("ncaab", 0.0),
    "cfb-team": ("ncaaf", 0.0), "football-nation": ("football", 0.0),
    "esports-team": ("esports", 0.3), "tennis-player": ("tennis", 1.0), "golfer": ("golf", 0.8),
    "f1-driver": ("f1", 0.9), "f1-team": ("f1", 0.1), "nfl-star": ("nfl", 0.9),
    "nba-star": ("nba", 0.9), "mlb-star": ("mlb", 0.9), "footballer": ("football", 0.9),
}  # fmt: skip
"""Entity lists of the factor base: their league, and how surely a name tells of sports."""
_ALSO_WORDS: Final = frozenset(
    """heat magic jazz thunder wild king star giant ranger jet bill bear bull brown saint eagl lion
    panther ram chief cowboy titan raven sun net hornet hawk rocket wizard spur buck angel athlet
    tiger twin ray red royal cardin brave nation pirat rocki brewer mariner duck flame hurrican
    shark blue lightn predat devil senat capit penguin dolphin patriot viking falcon colt jaguar
    command raider texan steeler guardian cub astro pacer warrior mammoth avalanch kraken storm
    dream sky fever aces liberti merc wing spark lynx sabr oiler""".split()
)
"""Stems of nicknames that are words of their own: alone they tell little."""


class Name(NamedTuple):
    """A team or player as a text names it."""

    text: str
    terms: frozenset[str]
    """What is left of the name without club furniture."""
    keys: frozenset[str]
    """`league:name` of everything known that it may be."""


class Start(NamedTuple):
    """When a game begins, as far as it is said."""

    day: date
    """By the calendar of the place, or of UTC where only that is known."""
    at: datetime | None
    exact: bool
    """False: the day of an article about it, so the game is near that day."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """One game. `home` and `away` in the order of the text where it does not tell."""

    home: Name
    away: Name
    league: str | None = None
    start: Start | None = None
    number: int | None = None
    """First or second of a doubleheader."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a page says of sports. `score` above `IS_SPORTS`: it is a sports page."""

    score: float
    league: str | None
    fixture: Fixture | None
    names: tuple[str, ...]
    """Teams and players found, as written."""

    @property
    def is_sports(self) -> bool:
        return self.score >= IS_SPORTS


IS_SPORTS: Final = 0.8

_HOSTS = re.compile(
    r"(?:^|\.)(?:espn|mlssoccer|espncricinfo|nba|nfl|mlb|nhl|wnba|skysports|uefa|fifa|flashscore|goal|marca|"
    r"bleacherreport|cbssports|foxsports|nbcsports|theathletic|sofascore|premierleague|atptour|"
    r"wtatennis|ufc|formula1|motorsport|pgatour|hltv|liquipedia|cricbuzz|transfermarkt|fotmob|"
    r"rotowire|actionnetwork|sportingnews|si|lequipe|kicker|gazzetta|eurosport|tennis|golfdigest|"
    r"mmafighting|sherdog|chess|vlr|espncdn|sports\.yahoo|livescore|whoscored|covers)\."
)
_PATHS = re.compile(
    r"/(?:sports?|football|soccer|nba|nfl|mlb|nhl|tennis|f1|cricket|esports|boxing|golf|rugby|mma|"
    r"ufc|motorsport|basketball|baseball|hockey)(?:[/-]|$)"
)
_WORDS_OF_SPORT = re.compile(
    r"\b(?:kick-?off|line-?ups?|injury report|playoffs?|quarterbacks?|touchdowns?|half-?time|"
    r"head coach|midfielder|striker|goalkeeper|hat-?trick|penalty shootout|pole position|"
    r"qualifying|knockouts?|fight card|fight night|weigh-in|tiebreak|wicket|innings|point spread|"
    r"against the spread|moneyline|over/under|fantasy|box score|final score|matchday|fixtures?|"
    r"season opener|preseason|free agen(?:t|cy)|transfer window|transfer news|loan deal|draft pick|"
    r"mock draft|power rankings|standings|semi-?finals?|quarter-?finals?|grand slam|mvp|"
    r"rookie of the year|cy young|home runs?|strikeouts?|rebounds|assists|shutout|overtime|"
    r"starting (?:xi|pitcher|lineup)|bullpen|relegation|top four|golden boot|title race|champions?|"
    r"championship|tournament|challenger|qualifiers?|prelims|flyweight|bantamweight|"
    r"featherweight|lightweight|best bets|picks|odds|highlights|live score|how to watch|tv channel|"
    r"team news|player ratings|match ?up|showdown|bout|singles|doubles|podium|league leaders|"
    r"all-star|trade deadline|coach|defen[cs]e of (?:his|her|their) title|undefeated|bo[135]|"
    r"map \d|"
    r"baseball|basketball|hockey|football|soccer|tennis|wrestling|week (?:one|two|\d+)|starters?|"
    r"draft(?:ed)?|goalscorer|division (?:winner|title)|wins this season|season-ending|benched|"
    r"derby|second leg|first leg|aggregate|extra time|preview|prediction|cup final|final)\b"
)
_OTHER_THINGS = re.compile(
    r"\b(?:election|elections|electoral|senate|senator|congress|parliament|president|presidential|"
    r"prime minister|governor|mayor|vote|votes|voters|poll|polls|campaign|republicans?|democrats?|"
    r"supreme court|lawsuit|indict(?:ed|ment)|tariffs?|inflation|interest rates?|fed|"
    r"federal reserve|rate (?:cut|hike)|recession|gdp|stocks?|shares?|earnings|ipo|bitcoin|"
    r"ethereum|"
    r"crypto|token|etf|oil|gold price|treasury|yields?|ceasefire|missiles?|troops|sanctions|"
    r"nuclear|"
    r"war|nato|box office|oscars?|grammys?|album|movie|film|netflix|tv series|iphone|android|"
    r"openai|chatgpt|gpt|ai model|spacex|rocket launch|hurricane season|earthquake|climate|"
    r"temperature|vaccine|outbreak|merger|acquisition|ceo|layoffs|immigration|border|pope|"
    r"wedding|sequel|director|actor|trailer|bridesmaid|groomsman|song|single|eurovision|concert|biopic|prices?|review|recipe|"
    r"minister|chancellor|bill|law|ban|budget|dollar|euro zone|yen)\b"
)

_BETWEEN = re.compile(
    r"\s+(?:vs?\.?|versus|@)\s+|\s+v\.?\s+", re.IGNORECASE
)  # fmt: skip
_BETWEEN_LOOSELY = re.compile(rf"{_BETWEEN.pattern}|\s+[-–—]\s+|\s+and\s+", re.IGNORECASE)
_BETWEEN_OR_AT = re.compile(rf"{_BETWEEN.pattern}|\s+at\s+", re.IGNORECASE)
_PLAYED_AT: Final = frozenset(TEAMS) | {"wnba", "ncaab", "ncaaf"}
"""Leagues whose games are written "A at B"."""
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


@cache
def _known() -> dict[tuple[str, ...], frozenset[tuple[str, float]]]:
    """Terms of a name -> what it may be: (`league:name`, how surely it tells of sports)."""
    found: dict[tuple[str, ...], set[tuple[str, float]]] = {}

    def add(name: str, key: str, weight: float) -> None:
        words = tuple(terms(name))
        if words:
            found.setdefault(words, set()).add((key, weight))

    for teams in TEAMS.values():
        for one in teams:
            nickname = one.key.partition(":")[2]
            key = "nba:trail blazers" if nickname == "blazers" else one.key
            stems = set(terms(nickname))
            add(nickname, key, 0.4 if stems <= _ALSO_WORDS else 1.0)
    for kind, (league, weight) in _KINDS.items():
        for row in knowledge.load().entities.get(kind, ()):
            key = f"{league}:{row['name'].casefold()}"
            add(row["name"], key, weight)
            if kind == "wnba-team":
                add(row["name"].split()[-1], key, 0.4)
            for alias in row.get("match", "").split("|"):
                # "sinner & !film": a name that is a word of its own
                plain, *others = (part.strip() for part in alias.split("&"))
                if all(part.startswith("!") for part in others):
                    add(plain, key, weight / 2 if others else weight)
    return {words: frozenset(keys) for words, keys in found.items()}


@cache
def _wnba_cities() -> dict[frozenset[str], set[str]]:
    found: dict[frozenset[str], set[str]] = {}
    for row in knowledge.load().entities.get("wnba-team", ()):
        city = frozenset(terms(row["name"].rpartition(" ")[0]))
        found.setdefault(city, set()).add(f"wnba:{row['name'].casefold()}")
    return found


@cache
def _longest() -> int:
    return max(map(len, _known()))


class _Mention(NamedTuple):
    start: int
    end: int
    keys: frozenset[tuple[str, float]]


def _mentions(words: Sequence[str]) -> list[_Mention]:
    """Known names in a row of terms, the longest first where they overlap."""
    known, longest, out, at = _known(), _longest(), [], 0
    while at < len(words):
        for size in range(min(longest, len(words) - at), 0, -1):
            keys = known.get(tuple(words[at : at + size]))
            if keys:
                out.append(_Mention(at, at + size, keys))
                at += size
                break
        else:
            at += 1
    return out


def _replaced(text: str) -> str:
    return _ALSO_NAMED.sub(lambda match: _ALSO[match.group()], fold(text))


@lru_cache(maxsize=1 << 14)
def name(text: str, league: str | None = None) -> Name:
    """A team or player by any of its names; `league` tells cities apart."""
    plain = fold(text)
    words = terms(_CRICKET.get(plain, plain) if league == "cricket" else _replaced(text))
    keys = {key for mention in _mentions(words) for key, _ in mention.keys}
    told = frozenset(words)
    # "Los Angeles C" needs its letter; elsewhere single letters are initials.
    for one in TEAMS if league is None else [league] if league in TEAMS else []:
        if (key := team(told, one)) is not None:
            keys.add(key)
    if league == "wnba":
        keys |= _wnba_cities().get(told, set())
    kept = {w for w in words if len(w) > 1 and w not in _FURNITURE and not _is_year(w)}
    if league is not None and any(_league_of_key(k) == _broad(league) for k in keys):
        keys = {k for k in keys if _league_of_key(k) == _broad(league)}
    return Name(text.strip(), frozenset(kept or told), frozenset(keys))


def cities(key: str) -> list[str]:
    """The cities of a team of the North American leagues, by its key."""
    if key.startswith("wnba:"):
        return [key.partition(":")[2].rpartition(" ")[0]]
    return [one.place for one in TEAMS.get(key.partition(":")[0], ()) if one.key == key]


def _broad(league: str) -> str:
    if league in _FOOTBALL:
        return "football"
    return "tennis" if league in ("atp", "wta") else league


def _league_of_key(key: str) -> str:
    return key.partition(":")[0]


def _is_year(word: str) -> bool:
    return is_number(word) and len(word) == 4 and word[:2] in ("19", "20")


def same(one: Name, other: Name) -> bool:
    """Whether two names may be of one team or player."""
    if one.keys & other.keys:
        return True
    if one.keys and other.keys and _leagues(one) & _leagues(other):
        return False  # both known, and known to be two
    return bool(one.terms and other.terms) and (
        _within(one.terms, other.terms) or _within(other.terms, one.terms)
    )


def _within(few: frozenset[str], many: frozenset[str]) -> bool:
    """Whether each of a few terms is one of many, or spelt nearly so ("Rawalpindiz")."""
    return all(
        word in many
        or (len(word) > 5 and any(word[:6] == m[:6] and abs(len(word) - len(m)) < 3 for m in many))
        for word in few
    )


def _leagues(one: Name) -> set[str]:
    return {_league_of_key(key) for key in one.keys}


def league_of(text: str) -> str | None:
    """The league, tournament or sport that a text names first."""
    found = _LEAGUE.search(fold(text))
    return found.lastgroup if found else None


# Fixtures


def fixture_of(text: str, *, league: str | None = None, loosely: bool = False) -> Fixture | None:
    """The game that a headline or a market's question names: "A vs B", "A at B", "A 2-1 B".

    Unknown names count between "vs" and its like, `loosely` also around a dash or "and"; between
    other words both must be known.
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
    """The game of the only two teams of one league that a text names, where nothing stands
    between them to say so, as in addresses; not where it speaks of players moving."""
    if _DEALS.search(fold(text)):
        return None
    of: dict[str, list[str]] = {}
    for mention in _mentions(terms(_replaced(text))):
        for key, _ in mention.keys:
            one = _league_of_key(key)
            if (one in TEAMS or one == "wnba") and league in (None, one):
                of.setdefault(one, []).append(key)
    for one, keys in of.items():
        if len(keys) == 2 and keys[0] != keys[1]:
            home, away = (name(key.partition(":")[2], one) for key in keys)
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
    together = _leagues(one) & _leagues(other)
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
    """The capitalised words at the end; all of a text in lower case, at most four words."""
    words = part.split()
    if not any(w[:1].isupper() or w[:1].isdigit() for w in words):
        return " ".join(words[-4:])
    kept: list[str] = []
    for word in reversed(words):
        if not (word[:1].isupper() or word[:1].isdigit() or word.lower() in _SMALL or not kept):
            break
        kept.append(word)
    return _known_part(" ".join(reversed(kept)), last=True)


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


def _known_part(text: str, *, last: bool) -> str:
    """Of many capitalised words ("NBA Finals Game 3 Celtics") those that name somebody."""
    words = text.split()
    return " ".join(words[-6:] if last else words[:6])


def _last_known(text: str) -> str:
    return _named_at_edge(_CUT.split(text)[-1].split(), last=True)


def _first_known(text: str) -> str:
    return _named_at_edge(_CUT.split(text.strip())[0].split(), last=False)


def _named_at_edge(words: list[str], *, last: bool) -> str:
    """The longest known name of up to four words at the edge of a text, a possessive and an
    adjective ("McDavid's rampant Oilers") apart."""
    for skipped in range(3):
        rest = words[: len(words) - skipped] if last else words[skipped:]
        for size in range(min(4, len(rest)), 0, -1):
            part = " ".join(rest[-size:] if last else rest[:size])
            ends_well = part.rpartition(" ")[2][:1].isupper() or part[-1:].isdigit()
            if part[:1].isupper() and ends_well and _is_name(part):
                return part
    return ""


@lru_cache(maxsize=1 << 12)
def _is_name(part: str) -> bool:
    """Whether a text is a known name, whole: a team's with its city, a city, a player's."""
    words = tuple(terms(_replaced(part)))
    if words in _known():
        return True
    told = frozenset(words)
    return any(
        team(told, league) is not None or any(told == one.city for one in TEAMS[league])
        for league in TEAMS
    )


# Times

_ZONES: Final = {
    "et": "America/New_York", "est": "America/New_York", "edt": "America/New_York",
    "ct": "America/Chicago", "cst": "America/Chicago", "cdt": "America/Chicago",
    "mt": "America/Denver", "mst": "America/Denver", "mdt": "America/Denver",
    "pt": "America/Los_Angeles", "pst": "America/Los_Angeles", "pdt": "America/Los_Angeles",
    "utc": "UTC", "gmt": "UTC", "z": "UTC", "bst": "Europe/London", "uk time": "Europe/London",
    "cet": "Europe/Berlin", "cest": "Europe/Berlin", "eet": "Europe/Athens",
    "eest": "Europe/Athens", "ist": "Asia/Kolkata", "jst": "Asia/Tokyo", "kst": "Asia/Seoul",
    "aest": "Australia/Sydney", "aedt": "Australia/Sydney", "brt": "America/Sao_Paulo",
}  # fmt: skip
EASTERN: Final = ZoneInfo("America/New_York")
_MONTHS: Final = tuple[str, ...]("jan feb mar apr may jun jul aug sep oct nov dec".split())
_DAYS: Final = tuple[str, ...]("monday tuesday wednesday thursday friday saturday sunday".split())
_MONTH = r"(?P<month{n}>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_DAY = re.compile(
    r"(?<!\d)(?P<year1>20\d\d)[-/.](?P<m1>\d\d?)[-/.](?P<d1>\d\d?)(?!\d)"
    rf"|\b{_MONTH.format(n=2)}\s+(?P<d2>\d\d?)(?:st|nd|rd|th)?\b(?:,?\s+(?P<year2>20\d\d))?"
    rf"|\b(?P<d3>\d\d?)(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format(n=3)}\b(?:,?\s+(?P<year3>20\d\d))?"
    r"|(?<![\d/])(?P<m4>\d\d?)/(?P<d4>\d\d?)(?:/(?P<year4>20\d\d|\d\d))?(?![\d/])"
)
_CLOCK = re.compile(
    r"\b(?P<h>\d\d?)(?:[:.](?P<min>\d\d))?\s?(?P<half>[ap]\.?m\.?)?\s*\(?"
    rf"(?P<zone>{'|'.join(sorted(_ZONES, key=len, reverse=True))})\b"
)
_TICKER = re.compile(
    r"^[a-z0-9]+-(?P<yy>\d\d)(?P<mon>[a-z]{3})(?P<dd>\d\d)(?P<time>\d{4})?(?P<rest>[a-z0-9]*)"
)
_SLUG_DAY = re.compile(r"-(?P<y>20\d\d)-(?P<m>\d\d)-(?P<d>\d\d)(?:-game-?(?P<n>[12])\b)?")
_NUMBER = re.compile(
    r"\b(?:game|gm)\s*(?P<n>[12])\b(?!\s*winner)|(?P<second>second game|nightcap|game two)"
    r"|(?P<first>first game|opener of|game one)"
)


def start_of(text: str, now: datetime, *, exact: bool = True) -> Start | None:
    """The day, and the time where a zone is said, that a text names; years as near as can be."""
    told = fold(text)
    day = _day(told, now)
    if day is None:
        return None
    clock = _CLOCK.search(told)
    at = None
    if clock is not None and int(clock["h"]) < 24 and int(clock["min"] or 0) < 60:
        hour = int(clock["h"])
        if clock["half"]:
            hour = hour % 12 + (12 if clock["half"].startswith("p") else 0)
        zone = ZoneInfo(_ZONES[clock["zone"]])
        local = datetime(day.year, day.month, day.day, hour, int(clock["min"] or 0), tzinfo=zone)
        at = local.astimezone(UTC)
    return Start(day, at, exact)


def _day(told: str, now: datetime) -> date | None:
    for found in _DAY.finditer(told):
        year = found["year1"] or found["year2"] or found["year3"] or found["year4"]
        month = found["m1"] or found["m4"]
        if month is None:
            month = _MONTHS.index(found["month2"] or found["month3"]) + 1
        number = found["d1"] or found["d2"] or found["d3"] or found["d4"]
        if (day := _nearest(year, int(month), int(number), now)) is not None:
            return day
    for word, ahead in (("tonight", 0), ("today", 0), ("tomorrow", 1), ("yesterday", -1)):
        if re.search(rf"\b{word}\b", told):
            return (now.astimezone(EASTERN) + timedelta(days=ahead)).date()
    for number, word in enumerate(_DAYS):
        if re.search(rf"\b{word}\b", told):
            today = now.astimezone(EASTERN).date()
            return today + timedelta(days=(number - today.weekday()) % 7)
    return None


def _nearest(year: str | None, month: int, day: int, now: datetime) -> date | None:
    try:
        if year is not None:
            return date(int(year) + (2000 if len(year) == 2 else 0), month, day)
        years = (now.year - 1, now.year, now.year + 1)
        return min((date(y, month, day) for y in years), key=lambda d: abs(d - now.date()))
    except ValueError:
        return None


def number_of(text: str) -> int | None:
    """Which game of a doubleheader a text speaks of."""
    found = _NUMBER.search(fold(text))
    if found is None:
        return None
    return int(found["n"]) if found["n"] else 2 if found["second"] else 1


# Markets of games


class Game(NamedTuple):
    """A market about one game."""

    id: str
    fixture: Fixture
    asks_winner: bool
    """Who wins, not how many points or which half."""
    volume: float


_SIDE_BET = re.compile(
    r"o/u|over/under|spread|handicap|\btotal\b|\bset \d|\bmap \d|\bgame \d|\b1h\b|\b2h\b|"
    r"both teams|"
    r"in a draw|— tie\b|\bdraw\b|canceled|run in the first|nrfi|first half|first (?:goal|basket)|"
    r"method of|rounds?\b.*(?:o/u|over)|odd/even|exact score|corners|player|points|assists|rebounds"
)


def game_of(
    id: str,
    question: str,
    *,
    event: str | None,
    slug: str | None,
    description: str | None,
    closes_at: datetime | None,
    volume: float | None,
) -> Game | None:
    """A market read as one about a game; None where it names no two sides."""
    venue_name = id.partition(":")[2].lower() if id.startswith("kalshi:") else (slug or "")
    league = league_of(venue_name.partition("-")[0]) or league_of(question)
    fixture = fixture_of(question, league=league)
    if fixture is None and event:
        fixture = fixture_of(event, league=league)
    if fixture is None:
        return None
    start, number = _start_of_market(id, question, venue_name, description, closes_at)
    fixture = Fixture(fixture.home, fixture.away, fixture.league, start, number)
    side_bet = _SIDE_BET.search(fold(question)) is not None
    return Game(id, fixture, not side_bet, volume or 0.0)


def _start_of_market(
    id: str, question: str, venue_name: str, description: str | None, closes_at: datetime | None
) -> tuple[Start | None, int | None]:
    near = closes_at or datetime(2026, 1, 1, tzinfo=UTC)
    if id.startswith("kalshi:"):
        found = _TICKER.match(venue_name)
        if found is None or found["mon"] not in _MONTHS:
            return None, None
        try:
            day = date(2000 + int(found["yy"]), _MONTHS.index(found["mon"]) + 1, int(found["dd"]))
            at = None
            if (time := found["time"]) and int(time[:2]) < 24 and int(time[2:]) < 60:
                local = datetime(
                    day.year, day.month, day.day, int(time[:2]), int(time[2:]), tzinfo=EASTERN
                )
                at = local.astimezone(UTC)
        except ValueError:
            return None, None
        second = re.search(r"g([12])$", found["rest"])
        return Start(day, at or _at(closes_at, day), True), int(second[1]) if second else None
    slugged = _SLUG_DAY.search(venue_name)
    number = int(slugged["n"]) if slugged and slugged["n"] and "mlb" in venue_name else None
    told = description[:300] if description and "scheduled for" in description[:300] else ""
    if told and (start := start_of(told, near)) is not None:
        if slugged is not None:
            start = start._replace(
                day=date(int(slugged["y"]), int(slugged["m"]), int(slugged["d"]))
            )
        return start, number
    if slugged is not None:
        day = date(int(slugged["y"]), int(slugged["m"]), int(slugged["d"]))
        return Start(day, _at(closes_at, day), True), number
    if (start := start_of(question, near)) is not None:
        return start, number
    if closes_at is not None:
        at = closes_at if closes_at.hour or closes_at.minute else None
        return Start(
            closes_at.astimezone(EASTERN).date() if at else closes_at.date(), at, True
        ), None
    return None, None


def _at(closes_at: datetime | None, day: date) -> datetime | None:
    """The time of a game of a known day: venues close its market when it begins, or one or two
    weeks after that to the minute."""
    if closes_at is None or not (closes_at.hour or closes_at.minute):
        return None
    for weeks in range(3):
        at = closes_at - timedelta(weeks=weeks)
        if at.astimezone(EASTERN).date() == day:
            return at
    return None


_FAR: Final = timedelta(days=4000)


def matching(page: Fixture, games: Iterable[Game], now: datetime) -> list[Game]:
    """The markets of the one game that the page is about, who wins first; empty: none is.

    Where the page tells no day, the next game of the two counts, else their last.
    """
    alike = [game for game in games if _same_sides(page, game.fixture)]
    if not alike:
        return []
    distance = {game.id: _distance(page.start, game.fixture.start, now) for game in alike}
    nearest = min(distance.values())
    if page.start is not None and nearest > (1.0 if page.start.exact else 5.0):
        return []
    chosen = [game for game in alike if distance[game.id] <= nearest + 0.5]
    chosen = _of_doubleheader(page, chosen)
    return sorted(chosen, key=lambda g: (not g.asks_winner, distance[g.id], -g.volume, g.id))


def _same_sides(page: Fixture, market: Fixture) -> bool:
    if page.league and market.league and page.league in TEAMS and market.league in TEAMS:
        if page.league != market.league:
            return False
        market = Fixture(
            name(market.home.text, page.league), name(market.away.text, page.league), page.league
        )
    return (same(page.home, market.home) and same(page.away, market.away)) or (
        same(page.home, market.away) and same(page.away, market.home)
    )


def _distance(page: Start | None, market: Start | None, now: datetime) -> float:
    """Days between what the page says and the market's game; without a day of the page, from
    now, games to come before games past."""
    if market is None:
        return _FAR / timedelta(days=1) if page is None else 0.9
    if page is not None:
        if page.at and market.at:
            return abs(page.at - market.at) / timedelta(days=1)
        days = abs((page.day - market.day).days)
        if days and market.at:
            # The evening of one place is the next day of another.
            days = min(days, abs((page.day - market.at.date()).days) + 0.1)
        return float(days)
    ahead = (market.day - now.astimezone(EASTERN).date()).days
    return float(ahead) if ahead >= 0 else 400.0 - ahead


def _of_doubleheader(page: Fixture, games: list[Game]) -> list[Game]:
    """Those of the first or second game, where the page says which of two on a day."""
    wanted = page.number
    if wanted is None:
        return games
    numbered = [game for game in games if game.fixture.number == wanted]
    if numbered:
        return numbered
    times = sorted({g.fixture.start.at for g in games if g.fixture.start and g.fixture.start.at})
    if len(times) < 2 or times[-1] - times[0] < timedelta(hours=2):
        return games
    at = times[0] if wanted == 1 else times[-1]
    return [g for g in games if g.fixture.start and g.fixture.start.at == at]


# Pages


def read(
    title: str,
    *,
    host: str = "",
    path: str = "",
    text: str = "",
    told: float = 0.0,
    now: datetime,
) -> Reading:
    """What a page says of sports.

    Parameters
    ----------
    told
        What the factor base says of the title: in [-1, 1], 1 where its factors are of sports.
    """
    folded = fold(title)
    league = league_of(title) or league_of(path.replace("-", " "))
    fixture = fixture_of(title, league=league)
    if fixture is None:
        fixture = named_pair(title, league) or named_pair(path.replace("-", " "), league)
    mentions = _mentions(terms(_replaced(title)))
    score = told
    if _HOSTS.search(f"{host}."):
        score += 2.0
    if _PATHS.search(path.lower()):
        score += 1.5
    named_in_title = league_of(title)
    if named_in_title is not None:
        score += 0.6 if named_in_title in _SPEAKS_OF_OTHER_THINGS else 1.2
    score += _names_tell(mentions)
    score += min(1.2, 0.5 * len(set(_WORDS_OF_SPORT.findall(folded))))
    score -= min(2.4, 0.8 * len(set(_OTHER_THINGS.findall(folded))))
    if fixture is not None:
        score += _fixture_tells(fixture)
    if fixture is None and score >= IS_SPORTS:
        fixture = fixture_of(title, league=league, loosely=True)
    if text and score < IS_SPORTS:
        start = fold(text[:400])
        score += min(0.6, 0.2 * len(set(_WORDS_OF_SPORT.findall(start))))
        score -= min(0.6, 0.2 * len(set(_OTHER_THINGS.findall(start))))
    if fixture is not None:
        said = start_of(title, now) or start_of(text[:600], now)
        if said is None:
            said = start_of(
                path.replace("-", " ") if not _DAY.search(path) else path, now, exact=False
            )
        number = number_of(f"{title} {text[:200]}")
        fixture = Fixture(fixture.home, fixture.away, fixture.league, said, number)
    names = tuple(dict.fromkeys(key.partition(":")[2] for m in mentions for key, _ in m.keys))
    return Reading(score, fixture.league if fixture else league, fixture, names)


def _names_tell(mentions: Sequence[_Mention]) -> float:
    """Nicknames that are words of their own tell something only as two of one league."""
    sure = 0.0
    doubtful: list[set[str]] = []
    for mention in mentions:
        weight = max(weight for _, weight in mention.keys)
        if weight > 0.5:
            sure += weight
        elif weight > 0:
            doubtful.append({_league_of_key(key) for key, _ in mention.keys})
    together = len(doubtful) > 1 and bool(set.intersection(*doubtful))
    return min(1.6, sure + (0.8 if together else 0.4 if doubtful else 0.0))


def _fixture_tells(fixture: Fixture) -> float:
    known = bool(fixture.home.keys) + bool(fixture.away.keys)
    if known == 2:
        return 1.0 if _leagues(fixture.home) & _leagues(fixture.away) else 0.0
    return 0.5 if known else 0.3
