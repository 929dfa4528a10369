"""The oracle's worlds of elections, knock-out contests, tables and leagues."""

# ruff: noqa: E501, PERF401
from __future__ import annotations

import itertools
from datetime import date
from random import Random

import numpy as np
from tests.logic.oracle_statements import Statement, asked, kalshi, market

# Elections: nominees and winners


def elections(rng: Random) -> tuple[Statement, Statement]:
    place, office = rng.choice([
        ("Oregon", "Senate"), ("Ohio", "Governor"), ("Springfield", "Mayor"),
    ])  # fmt: skip
    parties = ("Democratic", "Republican")
    people = ("Ann Lee", "Bob Ray", "Cy Doe")
    # A text that names somebody's party settles it; of others the reader knows nothing.
    picks = [(rng.choice(people), rng.choice(parties), rng.randrange(7)) for _ in range(2)]
    told: dict[str, str] = {who: party for who, party, form in picks if form in (2, 3, 5, 6)}
    if len({(w, p) for w, p, form in picks if form in (2, 3, 5, 6)}) > len(told):
        return elections(rng)  # one person of two parties
    rows = []
    for sides in itertools.product(parties, repeat=len(people)):
        of: dict[str, str] = dict(zip(people, sides, strict=True))
        if any(of[w] != p for w, p in told.items()):
            continue
        ballots = [
            [*(w for w in people if of[w] == party), f"another {party}"] for party in parties
        ]
        rows += [
            (d, r, w) for d, r in itertools.product(*ballots) for w in (d, r, "an independent")
        ]
    editions = [2028, 2028 if rng.random() < 0.85 else 2032]
    both = list(itertools.product(range(len(rows)), repeat=2))
    same = editions[0] == editions[1]
    index = [(i, i) for i in range(len(rows))] if same else both
    out = []
    for n, year in enumerate(editions):
        who, party, form = picks[n]
        nominated = np.array([rows[i[n]][0 if party == "Democratic" else 1] == who for i in index])
        won = np.array([rows[i[n]][2] == who for i in index])
        closes = date(year, 11, 7)
        match form:
            case 0:
                st = Statement(
                    market(f"Will {who} win the {year} {place} {office} election?", closes), won
                )
            case 1:
                title = f"Who will win the {year} {place} {office} race?"
                st = Statement(kalshi(title, who, closes), won)
            case 2:
                st = Statement(
                    market(f"Will {who} be the {party} nominee for {place} {office} in {year}?", closes),
                    nominated)  # fmt: skip
            case 3:
                st = Statement(
                    kalshi(f"{year} {place} {party} {office} nominee?", who, closes), nominated
                )
            case 4:
                text = f"Will someone other than {who} win the {year} {place} {office} election?"
                st = Statement(asked(text), ~won)
            case 5:
                text = f"Will {who} win the {year} {place} {office} {party} primary election?"
                st = Statement(market(text, closes), nominated)
            case _:
                text = (
                    f"Will {who} fail to win the {party} nomination for {place} {office} in {year}?"
                )
                st = Statement(asked(text), ~nominated)
        out.append(st)
    return out[0], out[1]


# Knock-out contests, league tables, leagues with playoffs


def knockouts(rng: Random) -> tuple[Statement, Statement]:
    teams = ["Norway", "Ghana", "Chile"]
    stages = [0, 1, 2, 3, 4, 5]  # group, last 16, quarter, semi, final, title
    rows = [r for r in itertools.product(stages, repeat=3)
            if r.count(5) <= 1 and sum(x >= 4 for x in r) <= 2]  # fmt: skip
    cup = rng.choice(["World Cup", "Copa America"])
    years = [2030, 2030 if rng.random() < 0.9 else 2034]
    index = [(i, i) for i in range(len(rows))]
    if years[0] != years[1]:
        index = [(rng.randrange(len(rows)), rng.randrange(len(rows))) for _ in range(4000)]
    out = []
    for n, year in enumerate(years):
        team = rng.choice(teams[:2])
        reached = np.array([rows[i[n]][teams.index(team)] for i in index])
        closes = date(year, 8, 1)
        stage, name = rng.choice([
            (1, "round of 16"), (2, "quarterfinals"), (3, "semifinals"), (4, "final"), (5, ""), (5, ""),
        ])  # fmt: skip
        truth = reached >= stage
        if stage < 5:
            verb = rng.choice(("reach", "make", "advance to"))
            text = f"Will {team} {verb} the {name} of the {year} {cup}?"
            if rng.random() < 0.3:
                text = f"Will {team} fail to reach the {name} of the {year} {cup}?"
                truth = ~truth
            out.append(Statement(rng.choice((asked(text), market(text, closes))), truth))
            continue
        match rng.randrange(4):
            case 0:
                st = Statement(kalshi(f"Who will win the {year} {cup}?", team, closes), truth)
            case 1:
                st = Statement(
                    asked(f"Will a team other than {team} win the {year} {cup}?"), ~truth
                )
            case 2:
                st = Statement(kalshi(f"Will {team} win the {year} {cup}?", team, closes), truth)
            case _:
                st = Statement(market(f"Will {team} win the {year} {cup}?", closes), truth)
        out.append(st)
    return out[0], out[1]


def tables(rng: Random) -> tuple[Statement, Statement]:
    teams = ["Leeds", "Everton"]
    rows = list(itertools.permutations(range(1, 8), 2))
    league = rng.choice(["Premier League", "La Liga"])
    out = []
    for _ in range(2):
        team = rng.choice(teams)
        place = np.array([r[teams.index(team)] for r in rows])
        closes = date(2027, 5, 30)
        k = rng.choice((2, 4))
        match rng.randrange(4):
            case 0:
                text = f"Will {team} finish in the top {k} of the 2026-27 {league}?"
                st = Statement(market(text, closes), place <= k)
            case 1:
                nth = {2: "2nd", 4: "4th"}[k]
                text = f"Will {team} finish {nth} in the 2026–27 {league}?"
                st = Statement(market(text, closes), place == k)
            case 2:
                text = f"Will {team} fail to finish in the top {k} of the 2026-27 {league}?"
                st = Statement(asked(text), place > k)
            case _:
                st = Statement(market(f"Will {team} win the 2026–27 {league}?", closes), place == 1)
        out.append(st)
    return out[0], out[1]


def seasons(rng: Random) -> tuple[Statement, Statement]:
    league, title, half = rng.choice([
        ("NBA", "NBA Finals", "NBA Eastern Conference"), ("NFL", "Super Bowl", "AFC"),
        ("NHL", "Stanley Cup", "NHL Western Conference"),
    ])  # fmt: skip
    teams = ["Springfield Isotopes", "Shelbyville Sharks"]
    picks = [(rng.choice(teams), rng.randrange(4)) for _ in range(2)]
    # 0 out, 1 playoffs, 4 won its conference, 5 won the title. Which conference a team plays in
    # is known only where a text says so.
    rows = []
    for halves in itertools.product((0, 1), repeat=2):
        if any(form == 1 and halves[teams.index(team)] for team, form in picks):
            continue
        for r in itertools.product((0, 1, 4, 5), repeat=2):
            if r.count(5) <= 1 and not (halves[0] == halves[1] and min(r) >= 4):
                rows.append((*r, *halves))
    out = []
    for team, form in picks:
        k = teams.index(team)
        reached = np.array([r[k] for r in rows])
        closes = date(2027, 6, 30)
        match form:
            case 0:
                text = f"Will the {team} make the 2027 {league} playoffs?"
                st = Statement(market(text, closes), reached >= 1)
            case 1:
                text = f"Will the {team} win the 2027 {half}?"
                st = Statement(market(text, closes), reached >= 4)
            case 2:
                text = f"Will the {team} win the 2027 {title}?"
                st = Statement(market(text, closes), reached >= 5)
            case _:
                text = f"Will a team other than the {team} win the 2027 {title}?"
                st = Statement(asked(text), reached < 5)
        out.append(st)
    return out[0], out[1]
