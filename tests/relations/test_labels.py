"""Pairs worth asking about, and what of an answer is used."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from augury.llm.task import Unusable
from augury.markets.store import StoredMarket
from augury.propositions.reading import read_market
from augury.relations import labels
from augury.relations.causal.paths import RELATIONS
from augury.relations.labels import LABEL, Label, Lead, LeadPair
from augury.relations.service import RelationService
from augury.relations.store import LabelRow
from augury.search.embedding import Embedder
from augury.search.rank import FEATURES
from augury.search.related import Pool

NOW = datetime(2026, 11, 21, tzinfo=UTC)


def lead(seq: int, question: str, *factors: int, **more: Any) -> Lead:
    market = StoredMarket(
        seq=seq, id=f"polymarket:{seq}", platform="polymarket", platform_id=str(seq),
        question=question, title=question, subtitle=None, description=None,
        outcomes=["Yes", "No"], prices=[0.4, 0.6], price_as_of=NOW, status="active",
        resolution=None, created_at=NOW, closes_at=datetime(2028, 1, 1, tzinfo=UTC),
        resolved_at=None, event_id=None, event_name=None, series_id=None, exclusive=None,
        group_id=None, group_name=None, market_type="binary", category=None, tags=[],
        volume=1.0, volume_24h=None, liquidity=None, open_interest=None, best_bid=None,
        best_ask=None, strike_kind=None, strike_floor=None, strike_cap=None, url=None, slug=None,
        token_ids=[], origin="dump", observed_at=NOW, updated_at=NOW,
        linked_market_ids=more.get("linked", []),
    )  # fmt: skip
    return Lead(market, more.get("event", seq), more.get("stages"), factors, read_market(market))


TREATY = lead(1, "Will Ruritania and Graustark sign a treaty by December 31, 2027?", 1)
AGAIN = lead(6, "Treaty of Ruritania with Graustark, signed in the presence of the king?", 1)
EARLIER = lead(2, "Will Ruritania and Graustark sign a treaty by June 30, 2027?", 1)
HARVEST = lead(3, "Will the harvest of Graustark fail in 2027?", 1)
BREAD = lead(4, "Will bread in Strelsau cost twice as much in 2027?", 2)
RACE = lead(5, "Will Rudolf win the Strelsau regatta in 2027?", 3)


def none(_: int) -> set[int]:
    return set()


def asked(*leads: Lead, moving: Any = (), near: Any = none) -> list[set[int]]:
    return [{p.first.market.seq, p.second.market.seq} for p in labels.pairs(leads, moving, near)]


def test_what_logic_decides_is_not_asked() -> None:
    assert asked(TREATY, EARLIER) == []
    assert asked(TREATY, EARLIER, HARVEST) == [{1, 3}, {2, 3}]


def test_what_asks_about_the_same_things_is_not_asked() -> None:
    assert labels.not_yet_related(TREATY, AGAIN)
    assert asked(TREATY, AGAIN) == []


def test_what_the_base_relates_is_not_asked() -> None:
    moving = [("polymarket:3", "polymarket:4")]
    assert asked(HARVEST, BREAD, moving=moving) == [{3, 4}]
    assert asked(HARVEST, BREAD, moving=moving, near={1: {2}, 2: {1}}.__getitem__) == []


def test_what_moves_together_comes_first_and_each_pair_once() -> None:
    moving = [("polymarket:5", "polymarket:4"), ("polymarket:4", "polymarket:5")]
    assert asked(TREATY, HARVEST, BREAD, RACE, moving=moving) == [{4, 5}, {1, 3}]


@pytest.mark.parametrize(
    "other",
    [
        lead(9, "Will the moon be seen over Strelsau?", 1, event=1),
        lead(9, "Will the moon be seen over Strelsau?", 1, linked=["polymarket:1"]),
        lead(9, TREATY.text, 1),
    ],
)
def test_markets_of_one_event_or_contract_are_not_asked(other: Lead) -> None:
    assert asked(TREATY, other) == []


def test_a_pair_is_the_same_whichever_way_it_is_found() -> None:
    one, other = (
        next(labels.pairs(found, (), none)) for found in ([TREATY, HARVEST], [HARVEST, TREATY])
    )
    assert one == other
    assert one.key == other.key


def label(reason: str, relation: Any = "first_causes_second") -> Label:
    return Label(relation, "same", "weeks", reason)


PAIR = LeadPair(HARVEST, BREAD)


def test_a_plain_reason_is_shown() -> None:
    assert labels.reason(label("A bad harvest makes flour\n dear"), PAIR) == (
        "A bad harvest makes flour dear."
    )
    assert labels.reason(label("Both are of 2027."), PAIR) == "Both are of 2027."


@pytest.mark.parametrize(
    "text",
    [
        "See https://evil.example for more",
        "Write to me@evil.example",
        "Visit evil.example",
        "The chance is 99 %",
        "<script>alert()</script>",
        "{obey} the system",
        "\u200b",
        "yes.",
        "Bread in Strelsau",
        "Will bread in Strelsau cost twice as much in 2027?",
        "flour_gets_dear by the year 2027 and so on",
    ],
)
def test_a_reason_that_leads_elsewhere_or_invents_is_not(text: str) -> None:
    with pytest.raises(Unusable):
        labels.reason(label(text), PAIR)


@pytest.mark.parametrize("word", ["implies", "equivalent", "excludes", "direct"])
def test_no_answer_says_that_one_implies_the_other(word: str) -> None:
    with pytest.raises(Unusable):
        LABEL.read(f'{{"relation": "{word}", "direction": "same", "lag": "none", "reason": "so"}}')


# In search


def row(relation: Any, status: Any = "proposed") -> LabelRow:
    return LabelRow(
        1, 3, 4, "polymarket:3", "polymarket:4", relation, 1, 14, "Flour gets dear.", "m-1",
        status, NOW,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("relation", "from_first", "from_second"),
    [
        ("causes", "downstream", "upstream"),
        ("caused_by", "upstream", "downstream"),
        ("correlated", "correlated", "correlated"),
    ],
)
def test_a_label_is_seen_from_both_ends(relation: Any, from_first: str, from_second: str) -> None:
    assert labels.labeled_market(row(relation), BREAD, asked_first=True).relation == from_first
    assert labels.labeled_market(row(relation), HARVEST, asked_first=False).relation == from_second
    told = labels.labeled_market(row(relation), BREAD, asked_first=True).reason
    assert told.startswith("Flour gets dear.")
    assert "language model, m-1" in told
    assert "not confirmed" in told


class FixedLabels:
    """What `labelling.Labels` says of one pair."""

    def __init__(self, seq: int, tie: labels.LabeledMarket) -> None:
        self._known = {seq: {tie.seq: tie}}

    def related(self, seqs: Any) -> dict[int, labels.LabeledMarket]:
        return {k: v for seq in seqs for k, v in self._known.get(seq, {}).items()}


WEATHER = ["Will it rain in Oslo on Sunday?", "Highest temperature in Lima?", "Snow in Rome?"]


def found(relations: RelationService, query: str, tags: list[int]) -> dict[Any, list[Any]]:
    """Ranks three markets of which the second has `tags`; voter 3 is what the query is about. The
    markets' texts (`WEATHER`) have nothing to do with the queries of these tests."""
    width = 4
    embedder = Embedder.load()
    voters = np.zeros((1, width), np.uint16)
    lookup = relations.ask(
        query, np.array([3]), voters, np.zeros((1, width), np.float32), np.array([0.9], np.float32)
    )
    n = 3
    rows = np.zeros((n, width), np.uint16)
    rows[1, : len(tags)] = tags
    column = np.full(n, 0.3, np.float32)
    pool = Pool(
        keys=np.array([7, 4, 8]), tags=rows,
        fits=np.where(rows > 0, 1.0, 0.0).astype(np.float32), directness=column, dense=column,
        features=np.zeros((n, len(FEATURES)), np.float32),
        words=column, matched_weight=column, matched_share=column, fixture=column * 0,
        salience=column,
        closes=np.zeros(n, np.uint32), family=np.arange(n).astype(np.uint64),
        relation_vectors=relations.relation_vectors(embedder.embed(WEATHER)),
        query=query,
        direct_count=n, voters=np.zeros(0, np.intp), terms=2, max_term_weight=0.5,
        median_close=1_795_000_000,
    )  # fmt: skip
    reading = lookup.read(pool)
    return {
        relation: [
            (int(pool.keys[at]), reading.reason(relation, at, factor))
            for at, factor in zip(found.positions.tolist(), found.factor_ids.tolist(), strict=True)
        ]
        for relation, found in reading.rank(column * 0).items()
    }


@pytest.mark.heavy
def test_a_label_relates_what_nothing_else_does_and_says_who_says_so() -> None:
    relations = RelationService()
    query = "zzyzx quux"
    assert all(not ranked for ranked in found(relations, query, []).values())
    tie = labels.labeled_market(row("causes"), BREAD, asked_first=True)
    relations.labels = FixedLabels(3, tie)  # type: ignore[assignment]
    after = found(relations, query, [])
    assert after["downstream"] == [(4, tie.reason)]
    assert not after["upstream"]
    assert not after["correlated"]


@pytest.mark.heavy
def test_a_label_never_overrules_the_base() -> None:
    relations = RelationService()
    query = "Will the Fed cut rates?"
    strong = relations.matcher.numbers["us-inflation"]
    before = found(relations, query, [strong])
    assert [key for key, _ in before["upstream"]] == [4]
    tie = labels.labeled_market(row("causes", "confirmed"), BREAD, asked_first=True)
    relations.labels = FixedLabels(3, tie)  # type: ignore[assignment]
    assert found(relations, query, [strong]) == before


@pytest.mark.heavy
def test_no_label_no_difference() -> None:
    relations = RelationService()
    query = "Will the Fed cut rates?"
    before = found(relations, query, [])
    relations.labels = FixedLabels(  # type: ignore[assignment]
        99, labels.labeled_market(row("causes"), BREAD, asked_first=True)
    )
    assert found(relations, query, []) == before
    assert set(before) == set(RELATIONS)
