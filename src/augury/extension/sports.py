"""Whether a page is on sports, and which game it is about. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import combinations
from typing import Final, NamedTuple

from augury.extension import names
from augury.extension.fixtures import Fixture, fixture_of, is_played, named_pair, squad_of
from augury.extension.names import TeamMention, league_of
from augury.extension.times import DAY, Start, number_of, start_of
from augury.search.text import fold, terms


class GameHints(NamedTuple):
    """What a page says about its game, apart from who plays. The fields mean the same as in
    `Fixture`."""

    start: Start | None
    number: int | None
    squad: str
    played: bool


@dataclass(frozen=True, slots=True)
class SportsReading:
    """Whether a page is on sports, and on which game. It is on sports if `score`, the sum of all
    evidence, is at least `IS_SPORTS`."""

    score: float
    league: str | None
    fixture: Fixture | None
    """The game that the page names; None if it names no game."""
    hints: GameHints
    """What the page says about its game apart from who plays, e.g. the day."""

    @property
    def is_sports(self) -> bool:
        return self.score >= IS_SPORTS


_AMBIGUOUS_LEAGUES = frozenset({"golf", "mls", "other", "football"})
"""Keys of the leagues whose names are weaker evidence of sports than others, because they also
occur in headlines on other subjects (MLS also stands for listings of houses for sale)."""

IS_SPORTS: Final = 0.6
"""A page is taken to be on sports if its `SportsReading.score`, the sum of all evidence, is at
least this. Chosen by hand."""

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
_JARGON = re.compile(
    r"\b(?:hamstring|groin|acl|rotator cuff|ankle sprain|day-to-day|injured list|waivers?|supermax|"
    r"running backs?|wide receivers?|tight ends?|linebackers?|cornerbacks?|qb\d?|interceptions?|"
    r"field goals?|homers?|homered|no-hitter|walk-off|shortstop|closer role|grand slam homer|"
    r"triple-double|double-double|three-pointers?|buzzer-beater|slam dunk|point guard|goalies?|"
    r"power play|face-off|slapshot|clean sheet|stoppage[- ]time|injury[- ]time|own goal|offside|"
    r"var check|springboks|all blacks|wallabies|lionesses|proteas|black caps|socceroos|"
    r"centre-?back|full-?back|left-?back|right-?back|winger|goalless|two-legged|"
    r"round of 16|last 16|group stage|super over|test cricket|odis?|t20is?|wickets|bowled|spinner|"
    r"seamers?|all-rounder|centurion|tee times?|birdies?|bogeys?|fairways?|leaderboard|"
    r"green jacket|match ?play|peloton|yellow jersey|maglia rosa|breakaway|time trial|"
    r"stage \d+|sprint finish|grid penalty|starting grid|pit stops?|"
    r"fastest lap|safety car|free practice|paddock|tko|ko'd|"
    r"undercard|submission win|title fight|title bout|octagon|straight sets|wild ?card entry|"
    r"top seeds?|unseeded|parlays?|prop bets?|dfs|same game|sleeper picks|mock draft|nil deal|"
    r"transfer portal|bowl game|recruiting class|five-star recruit|signing day|ppr|start/sit|"
    r"try-?line|scrum|fly-half|hooker out|lock forward|caps for|relegated|promoted to the|dugout|"
    r"ejected|suspended for \d+ games?|game winner|game-winning|season-high|career-high|"
    r"world record in|personal best|gold medal|medal count|podium finish|yellow card|red card|"
    r"heavyweight|welterweight|middleweight|cruiserweight|wbc|wba|ibf|wbo|pound-for-pound|"
    r"rosters?|call-?ups?|squad|(?:irish|scottish|italian|canadian|us|british) open|"
    r"world cup|olympians?|paralympians?|slalom|downhill|biathlon|decathlon|sprinter|steeplechase|"
    r"(?:rolls?|coasts?|cruises?|eases?|squeezes?|breezes?) past|"
    r"(?:first|second|third|fourth|fifth|sixth|straight|home|road) (?:loss|losses|win|defeat)|"
    r"(?:winning|losing|win) streak|"
    r"will race|"
    r"crashes out|boss|rematch|title shot|"
    r"\w+-year (?:deal|contract|extension)|linked with|called up|prospects?|"
    r"drop zone|drops? points|practice squad|training camp|spring training|minor league|"
    r"liveticker|spieltag|aufstellung|testspiel|alineaci[oó]n(?:es)?|partido|formazioni|"
    r"compos probables|giornata|jornada|calcio|futbol|fussball|fichajes|mercato|"
    r"league|league table|"
    r"hat-?trick|touchdowns?|quarterbacks?|midfielder|striker|goalkeeper|wicket|innings|bullpen|"
    r"box score|starting xi|line-?ups?|playing xi|grands? prix)\b"
)
"""Matches words that are rarely used outside sports, as in "out with a hamstring injury"."""
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
    r"minister|chancellor|econom(?:y|ies|ic)|lawmakers?|referendum|treaty|embassy|diplomats?|"
    r"refugees?|migrants?|taxes|pensions?|hospitals?|housing|jobs report|airstrikes?|drones?|"
    r"scientists?|researchers?|study|cancer|police|pleads?|wildlife|species|zoo|museum|festival|"
    r"ranchers|killed|dead|murder|bill|law|ban|budget|dollar|euro zone|yen)\b"
)


def read(
    title: str,
    *,
    host: str = "",
    path: str = "",
    text: str = "",
    factor_evidence: float = 0.0,
    now: datetime,
) -> SportsReading:
    """Read from a page's texts whether it is on sports, and on which game.

    Parameters
    ----------
    factor_evidence
        Evidence from the factors (subjects of markets, e.g. a team's season) that fit the title
        best, in [-1, 1]: positive if they are on sports, negative if they are on something else.
    """
    folded = fold(title)
    league = league_of(title) or league_of(path.replace("-", " "))
    fixture = fixture_of(title, league=league)
    if fixture is None:
        fixture = named_pair(title, league) or named_pair(path.replace("-", " "), league)
    found = [m for run in names.runs(title) for m in names.mentions(terms(names.replaced(run)))]
    score = factor_evidence
    if _HOSTS.search(f"{host}."):
        score += 2.0
    if _PATHS.search(path.lower()):
        score += 1.5
    named_in_title = league_of(title)
    if named_in_title is not None:
        score += 0.6 if named_in_title in _AMBIGUOUS_LEAGUES else 1.2
    score += _names_evidence(found)
    jargon = len(set(_JARGON.findall(folded)))
    score += min(1.6, 0.5 * (len(set(_WORDS_OF_SPORT.findall(folded))) + jargon))
    score -= min(2.4, 0.8 * len(set(_OTHER_THINGS.findall(folded))))
    if fixture is not None:
        score += _fixture_evidence(fixture)
    if fixture is None and score >= IS_SPORTS:
        fixture = fixture_of(title, league=league, loosely=True)
    if text and score < IS_SPORTS:
        start = fold(text[:400])
        score += min(0.6, 0.2 * len(set(_WORDS_OF_SPORT.findall(start))))
        score -= min(0.6, 0.2 * len(set(_OTHER_THINGS.findall(start))))
    game_start = start_of(title, now) or start_of(text[:600], now)
    if game_start is None:
        game_start = start_of(
            path if DAY.search(path) else path.replace("-", " "), now, exact=False
        )
    hints = GameHints(
        game_start,
        number_of(f"{title} {text[:200]}"),
        squad_of(f"{title} {path}", fixture.league if fixture else league),
        is_played(title),
    )
    if fixture is not None:
        fixture = replace(fixture, **hints._asdict())
    return SportsReading(score, fixture.league if fixture else league, fixture, hints)


def _names_evidence(mentions: Sequence[TeamMention]) -> float:
    """How strongly the names of teams and players in a page's title show that the page is about
    sports, 0 to 1.6. Surnames, and nicknames that are ordinary words, are weak evidence; two of
    them from the same league are stronger."""
    sure = alone = 0.0
    doubtful: list[set[str]] = []
    for mention in mentions:
        weight = max(weight for _, weight in mention.keys)
        if weight > 0.5:
            sure += weight
        elif weight > 0:
            alone = max(alone, 0.4 if weight >= 0.2 else 0.0)
        if weight > 0:
            leagues = {names.league_of_key(key).removesuffix("-player") for key, _ in mention.keys}
            doubtful.append(leagues)
    together = any(one & other for one, other in combinations(doubtful, 2))
    return min(1.6, max(sure, 0.8) if together and sure < 1 else sure + (alone if not sure else 0))


def _fixture_evidence(fixture: Fixture) -> float:
    """How strongly the two sides (teams or players) of a game show that a text is about sports, 0
    to 1. Two countries are weaker evidence, since they also meet in politics and in court. So are
    two ordinary words, since "bears" and "bulls" also occur in texts on stocks."""
    sides = fixture.home, fixture.away
    if all(names.is_common(side.text) for side in sides):
        return 0.1
    known = [side for side in sides if side.keys and not side.keys & names.countries()]
    if len(known) == 2:
        return 1.0 if names.leagues(known[0]) & names.leagues(known[1]) else 0.0
    if known:
        return 0.5
    return 0.5 if all(side.keys for side in sides) else 0.1
