"""Strengths: fitted on earlier days, held against later ones, and used by every edge."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from augury.errors import SetupProblem
from augury.graph import calibrate, strength
from augury.graph.calibrate import PRIOR_EVENT_PAIRS, Joined
from augury.relations.causal.paths import SAME_KIND, Step

DAYS = 200


def world(together: float, pairs: int, *, seed: int = 3) -> tuple[np.ndarray, list[Joined]]:
    """Pairs that move the same way on a share of days, and else one of the two alone; and as many
    that know nothing of each other."""
    rng = np.random.default_rng(seed)
    changes = np.zeros((4 * pairs, DAYS), np.float32)
    joined = []
    for n in range(pairs):
        a, b = 2 * n, 2 * n + 1
        way = rng.choice([-0.4, 0.4], DAYS)
        both = rng.random(DAYS) < together
        changes[a] = way
        changes[b] = np.where(both, way, 0)
        joined.append(Joined(a, b, "cause 3", 1, (a, b), 1.0))
        a, b = 2 * pairs + 2 * n, 2 * pairs + 2 * n + 1
        changes[a], changes[b] = rng.choice([-0.4, 0.0, 0.4], (2, DAYS), p=[0.1, 0.8, 0.1])
        joined.append(Joined(a, b, strength.UNRELATED, 0, (a, b), 0.0))
    return changes, joined


def test_the_share_of_days_on_which_both_moved_is_found() -> None:
    fit = calibrate.fit(*world(0.6, 400))
    kept = fit.kinds["cause 3"]
    assert kept.fitted.share == pytest.approx(0.6, abs=0.01)
    assert kept.later is not None
    assert kept.later.share == pytest.approx(0.6, abs=0.01)
    # a fifth move, each by itself: 0.04 of 0.36 days, and half of those the same way
    assert fit.kinds[strength.UNRELATED].fitted.share == pytest.approx(1 / 18, abs=0.01)
    assert fit.brier["measured"] < fit.brier["before"]
    assert fit.brier["measured"] < fit.brier["unrelated"]
    assert fit.error["measured"] < 0.05


def test_nothing_of_the_later_days_is_fitted_on() -> None:
    changes, joined = world(0.6, 60)
    fit = calibrate.fit(changes, joined)
    assert 0.5 * DAYS < fit.split < 0.7 * DAYS
    changed = changes.copy()
    changed[:, fit.split :] *= -1
    changed[1::2, fit.split :] = 0
    again = calibrate.fit(changed, joined)
    if again.split == fit.split:
        assert again.kinds["cause 3"].fitted == fit.kinds["cause 3"].fitted


def test_few_pairs_of_events_are_drawn_toward_what_nothing_joins() -> None:
    for pairs in (5, 25, 400):
        fit = calibrate.fit(*world(0.6, pairs))
        kept, base = fit.kinds["cause 3"], fit.kinds[strength.UNRELATED].fitted.share
        prior = PRIOR_EVENT_PAIRS
        wanted = (pairs * kept.fitted.share + prior * base) / (pairs + prior)
        assert kept.strength == pytest.approx(wanted, abs=0.001)


def test_many_markets_of_two_events_count_as_one_pair() -> None:
    changes, joined = world(0.6, 40)
    one = [p._replace(events=(0, 1)) if p.kind == "cause 3" else p for p in joined]
    assert calibrate.fit(changes, one).kinds["cause 3"].fitted.events == 1


def test_an_edge_the_wrong_way_round_is_weaker_than_one_that_does_not_say() -> None:
    changes, joined = world(0.6, 200)
    shares = {}
    for sign in (1, 0, -1):
        turned = [p._replace(sign=sign) if p.kind == "cause 3" else p for p in joined]
        shares[sign] = calibrate.fit(changes, turned).kinds["cause 3"].fitted.share
    assert shares[1] > shares[0] > shares[-1] == 0
    assert shares[0] == pytest.approx(shares[1] / 2)


def step(weight: float = 1.0, reason: str = "It is so.") -> Step:
    return Step(1, 2, weight, 1, 5, reason)


def test_every_kind_of_edge_has_a_measured_strength() -> None:
    kinds = {strength.logical(sign) for sign in (1, -1)}
    for signed in (True, False):
        for weight in (1.0, 0.6, 0.3):
            for causal in (True, False):
                kinds.add(strength.kind([step(weight)], causal=causal, signed=signed))
        kinds.add(strength.kind([step(), step(0.6)], causal=True, signed=signed))
        kinds.add(strength.kind([step(0.5, SAME_KIND)], causal=False, signed=signed))
    kinds.add(strength.kind([], causal=False, signed=False))
    assert len(kinds) == 19
    for kind in kinds:
        found = strength.strength(kind)
        assert found is not None, kind
        assert 0 < found < 0.5
    assert strength.strength("hearsay") is None


def test_the_table_says_where_it_comes_from_and_holds_no_text_of_a_market() -> None:
    table = strength.table()
    assert set(table["provenance"]) == {
        "command", "measured_on", "files_sha256", "fitted_before", "quantity",
    }  # fmt: skip
    assert table["later"]["brier"]["measured"] < table["later"]["brier"]["before"]
    assert set(table["kinds"]) > {"logic +", strength.UNRELATED}
    for row in table["kinds"].values():
        assert set(row) == {"strength", "n", "fitted", "later"}
    assert len(json.dumps(table)) < 10_000


def test_a_table_is_measured_on_a_dump(tmp_path: Path) -> None:
    """Over generated markets, end to end: rungs of one ladder move as logic has it."""
    pl = pytest.importorskip("polars")
    from datetime import UTC, datetime, timedelta

    from augury.graph import fit

    rng = np.random.default_rng(1)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    levels, markets, prices = (100, 110, 120, 130), [], []
    for n, named in enumerate(("Bitcoin reach", "Ethereum reach", "the lake of Freedonia hold")):
        walk = np.cumsum(rng.normal(0, 0.3, 60))
        for place, level in enumerate(levels):
            name = f"polymarket:{n}{place}"
            question = f"Will {named} ${level}k by December 31, 2026?"
            markets.append(
                {"id": name, "platform": "polymarket", "platform_id": f"{n}{place}",
                 "question": question, "title": question, "event_title": f"What will {named}?",
                 "event_id": f"e{n}", "outcomes": ["Yes", "No"], "status": "active"}
            )  # fmt: skip
            odds = 1 / (1 + np.exp(-(walk - place * 0.5)))
            prices += [
                {"market_id": name, "outcome": "Yes", "ts": start + timedelta(days=day),
                 "price": round(float(p), 4), "kind": "daily"}
                for day, p in enumerate(odds)
            ]  # fmt: skip
    pl.DataFrame(markets).write_parquet(tmp_path / "markets.parquet")
    pl.DataFrame(prices).write_parquet(tmp_path / "prices.parquet")
    told = fit.measure(tmp_path / "markets.parquet", tmp_path / "prices.parquet", quiet=True)
    assert told["kinds"]["logic +"]["fitted"]["share"] > 0.9
    assert told["kinds"]["logic +"]["n"] == 2
    assert told["kinds"]["logic +"]["strength"] < 0.5  # two ladders prove little
    again = fit.measure(tmp_path / "markets.parquet", tmp_path / "prices.parquet", quiet=True)
    assert again == told
    pl.DataFrame(prices[:30]).write_parquet(tmp_path / "few.parquet")
    with pytest.raises(SetupProblem, match="longer price histories"):
        fit.measure(tmp_path / "markets.parquet", tmp_path / "few.parquet", quiet=True)
