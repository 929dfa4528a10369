"""Relations against what happened: no resolved pair may contradict what logic says of it."""

from __future__ import annotations

import itertools
import json
from collections import defaultdict
from pathlib import Path
from random import Random

import pytest

from augury.logic.joint_outcomes import FF, FT, TF, TT
from augury.logic.relate import impossible
from augury.propositions.proposition import Proposition
from augury.propositions.reading import read

CATALOGUE = Path(__file__).parents[3] / "shared" / "data" / "catalog" / "markets.parquet"

MOST = 0.001
"""Share of contradictions allowed: duplicates in the data have different results."""


@pytest.mark.slow
@pytest.mark.skipif(not CATALOGUE.is_file(), reason="no real catalogue in ../shared/data")
def test_resolved_markets_do_not_contradict_what_follows_from_their_texts() -> None:
    import polars as pl

    families: dict[frozenset[str], list[tuple[Proposition, bool]]] = defaultdict(list)
    for row in pl.read_parquet(CATALOGUE).iter_rows(named=True):
        outcomes = row["outcomes"] or ["Yes", "No"]
        names = {"yes": outcomes[0], "no": outcomes[-1], "outcome[0]": outcomes[0],
                 "outcome[1]": outcomes[-1]}  # fmt: skip
        result = names.get((row["result"] or "").lower(), row["result"])
        if result not in outcomes:
            continue
        told = json.loads(row["strike"] or "{}")
        kind = told.get("strike_type")
        p = read(
            row["question"], title=row["title"], subtitle=row["subtitle"],
            event_name=row["event_title"], event_id=row["event_id"], slug=row["slug"],
            outcomes=outcomes,
            strike=(kind, told.get("floor_strike"), told.get("cap_strike")) if kind else None,
            closes=row["closes_at"] and row["closes_at"].date(),
            opened=row["opens_at"] and row["opens_at"].date(),
        )  # fmt: skip
        families[p.contest if p.choice else p.terms].append((p, result == outcomes[0]))
    rng = Random(3)
    related = contradicted = 0
    for family in families.values():
        pairs = list(itertools.combinations(family, 2))
        for (a, yes_a), (b, yes_b) in rng.sample(pairs, min(len(pairs), 3_000)):
            cells = impossible(a, b)
            happened = (TT if yes_b else TF) if yes_a else (FT if yes_b else FF)
            related += cells > 0
            contradicted += bool(cells & happened)
    assert related > 15_000
    assert contradicted <= MOST * related, f"{contradicted} of {related}"
