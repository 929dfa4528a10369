"""Teams of the NBA, NFL, MLB and NHL: which cities and nicknames name the same team. Pure.

Kalshi writes the city ("Detroit", "Los Angeles C"), Polymarket the full name or the nickname. An
entry of the lists below is `city | nickname`; if two teams share a city, other names of the team
follow (`| Los Angeles C | LA Clippers`). A team with two cities or two nicknames has two entries.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from augury.caches import cached
from augury.search.text import terms

_NBA = """
Atlanta | Hawks; Boston | Celtics; Brooklyn | Nets; Charlotte | Hornets; Chicago | Bulls;
Cleveland | Cavaliers; Dallas | Mavericks; Denver | Nuggets; Detroit | Pistons;
Golden State | Warriors; Houston | Rockets; Indiana | Pacers;
Los Angeles | Clippers | Los Angeles C | LA Clippers;
Los Angeles | Lakers | Los Angeles L | LA Lakers;
Memphis | Grizzlies; Miami | Heat; Milwaukee | Bucks; Minnesota | Timberwolves;
New Orleans | Pelicans; New York | Knicks; Oklahoma City | Thunder; Orlando | Magic;
Philadelphia | 76ers; Phoenix | Suns; Portland | Trail Blazers; Portland | Blazers;
Sacramento | Kings; San Antonio | Spurs; Toronto | Raptors; Utah | Jazz; Washington | Wizards
"""

_NFL = """
Arizona | Cardinals; Atlanta | Falcons; Baltimore | Ravens; Buffalo | Bills; Carolina | Panthers;
Chicago | Bears; Cincinnati | Bengals; Cleveland | Browns; Dallas | Cowboys; Denver | Broncos;
Detroit | Lions; Green Bay | Packers; Houston | Texans; Indianapolis | Colts;
Jacksonville | Jaguars; Kansas City | Chiefs; Las Vegas | Raiders;
Los Angeles | Chargers | Los Angeles C | LA Chargers; Los Angeles | Rams | Los Angeles R | LA Rams;
Miami | Dolphins; Minnesota | Vikings; New England | Patriots; New Orleans | Saints;
New York | Giants | New York G | NY Giants; New York | Jets | New York J | NY Jets;
Philadelphia | Eagles; Pittsburgh | Steelers; San Francisco | 49ers; Seattle | Seahawks;
Tampa Bay | Buccaneers; Tennessee | Titans; Washington | Commanders
"""

_MLB = """
Arizona | Diamondbacks; Atlanta | Braves; Baltimore | Orioles; Boston | Red Sox;
Chicago | Cubs | Chicago C; Chicago | White Sox | Chicago WS; Cincinnati | Reds;
Cleveland | Guardians; Colorado | Rockies; Detroit | Tigers; Houston | Astros;
Kansas City | Royals; Los Angeles | Angels | Los Angeles A | LA Angels;
Los Angeles | Dodgers | Los Angeles D | LA Dodgers; Miami | Marlins; Milwaukee | Brewers;
Minnesota | Twins; New York | Mets | New York M | NY Mets;
New York | Yankees | New York Y | NY Yankees; Oakland | Athletics | A's; Philadelphia | Phillies;
Pittsburgh | Pirates; San Diego | Padres; San Francisco | Giants; Seattle | Mariners;
St. Louis | Cardinals; Tampa Bay | Rays; Texas | Rangers; Toronto | Blue Jays;
Washington | Nationals
"""

_NHL = """
Anaheim | Ducks; Boston | Bruins; Buffalo | Sabres; Calgary | Flames; Carolina | Hurricanes;
Chicago | Blackhawks; Colorado | Avalanche; Columbus | Blue Jackets; Dallas | Stars;
Detroit | Red Wings; Edmonton | Oilers; Florida | Panthers; Los Angeles | Kings;
Minnesota | Wild; Montreal | Canadiens; Nashville | Predators; New Jersey | Devils;
New York | Islanders | New York I | NY Islanders; New York | Rangers | New York R | NY Rangers;
Ottawa | Senators; Philadelphia | Flyers; Pittsburgh | Penguins; San Jose | Sharks;
Seattle | Kraken; St. Louis | Blues; Tampa Bay | Lightning; Toronto | Maple Leafs;
Utah | Mammoth; Vancouver | Canucks; Vegas | Golden Knights; Las Vegas | Golden Knights;
Washington | Capitals; Winnipeg | Jets
"""

DRAWLESS: Final = frozenset({"nba", "mlb", "nhl"})
"""Leagues in which a game never ends in a draw."""


class Team(NamedTuple):
    """A sports team, with the terms (stemmed words) of the city, the nickname and other names of
    the team."""

    key: str
    """Identifier of the team, made of league and nickname: "nba:hawks"."""
    city: frozenset[str]
    nickname: frozenset[str]
    others: tuple[frozenset[str], ...]
    place: str
    """Name of the team's city, as written in this module's lists of teams: "Golden State"."""


def _read(league: str, lines: str) -> tuple[Team, ...]:
    out = []
    for line in " ".join(lines.split()).split(";"):
        city, nickname, *others = (part.strip() for part in line.split("|"))
        short = frozenset(terms(nickname))
        names = tuple(frozenset(terms(other)) for other in others)
        key = f"{league}:{nickname.casefold()}"
        out.append(Team(key, frozenset(terms(city)), short, names, city))
    return tuple(out)


TEAMS: Final[dict[str, tuple[Team, ...]]] = {
    league: _read(league, lines)
    for league, lines in (("nba", _NBA), ("nfl", _NFL), ("mlb", _MLB), ("nhl", _NHL))
}


@cached(16 << 20)
def team(named: frozenset[str], league: str) -> str | None:
    """The key of the team that the terms (stemmed words) `named` mean in a league: {"detroit"} ->
    "nba:pistons". None if they name no team, more than one team, or something else as well."""
    by_name = [t for t in TEAMS[league] if t.nickname <= named and not named - t.nickname - t.city]
    if not by_name:
        by_name = [t for t in TEAMS[league] if named in t.others]
    if not by_name:
        by_name = [t for t in TEAMS[league] if named == t.city]
    keys = {_SAME.get(t.key, t.key) for t in by_name}
    return keys.pop() if len(keys) == 1 else None


def leagues_of(*sides: frozenset[str]) -> list[str]:
    """The leagues that have a team for every one of `sides`: {"laker"}, {"celtic"} -> ["nba"]. A
    team is recognized by its nickname, with or without its city.

    sides : the terms (stemmed words) of each side's name
    """
    return [
        league
        for league, teams in TEAMS.items()
        if all(
            any(t.nickname <= side and not side - t.nickname - t.city for t in teams)
            for side in sides
        )
    ]


_SAME: Final = {"nba:blazers": "nba:trail blazers"}
"""Teams that are in this module's lists twice, under two nicknames: key of the entry that is not
used -> key of the entry that is used for both."""
