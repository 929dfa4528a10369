"""What must hold of answers whatever the wording; each test prints its counts (`-s` shows them).

The titles are our own, with names that are also words; where the shared catalogue lies beside the
project, a sample of its titles is asked too. `augury eval properties` asks all of them. What is
still red is marked so, with its count.
"""

# ruff: noqa: E501
from __future__ import annotations

import itertools
import random
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

import pytest
from tests.forecast.conftest import market
from tests.forecast.wordy_names import NAMES, PEOPLE, TEAMS, titles
from tests.logic.oracle import ASKED, Case, cases

from augury.forecast import properties
from augury.forecast.engine import Engine
from augury.forecast.evidence import Estimate, Snapshot
from augury.forecast.normalize import normalize
from augury.forecast.properties import (
    OTHERS_PRICE,
    OWN_PRICE,
    EventCatalogue,
    Tally,
    ask,
    judged,
    snapshot,
)
from augury.logic.joint_outcomes import Relation, inverse
from augury.markets.records import Market
from augury.search.embedding import Embedder
from augury.venues.dump import DumpFile
from augury.venues.dump_markets import read_markets

SHARED = Path(__file__).parents[3] / "shared" / "data" / "catalog" / "markets.parquet"
SAMPLED = 150
"""Titles of the shared catalogue that are asked."""
CLOSES = "2027-07-31T00:00"


@pytest.fixture(scope="module")
def engine() -> Engine:
    embedder = Embedder.load()
    return Engine(embedder.embed, embedder.rarity)


@pytest.fixture(scope="module")
def own() -> list[Market]:
    return [market(n, title, 0.2, CLOSES) for n, (_, _, title) in enumerate(titles(), 1)]


def told(name: str, tally: Tally) -> None:
    print(f"{name}: {tally.shown()}")
    assert tally.broken == []


def test_names_are_many() -> None:
    assert len(NAMES) >= 300


def test_a_title_asked_verbatim_has_its_own_price(engine: Engine, own: list[Market]) -> None:
    told("verbatim", properties.verbatim(engine, EventCatalogue(own), own)["alone"])


def test_dress_and_denials_of_titles(engine: Engine, own: list[Market]) -> None:
    found = properties.reworded(engine, random.Random(5).sample(own, 120))
    assert len(found) >= 17
    for name, tally in found.items():
        told(name, tally)


def test_no_rule_fires_in_a_name_where_the_question_is_in_other_words(engine: Engine) -> None:
    """Not in the market's words, so that the reading alone decides."""
    tally = Tally()
    for n, name in enumerate(sorted({*TEAMS, *PEOPLE}), 1):
        known = market(n, f"Will {name} win the 2027 Silver Cup?", 0.2, CLOSES)
        for question, right in (
            (f"Is {name} going to take home the 2027 Silver Cup?", OWN_PRICE),
            (f"Will {name} fail to win the Silver Cup in 2027?", 1 - OWN_PRICE),
        ):
            verdict = judged(ask(engine, question, known), right)
            tally.add("other" if verdict == "inverted" else "own", question)
    told("names in other words", tally)


def test_exchanging_a_name_changes_nothing_else(engine: Engine) -> None:
    tally = Tally()
    base = "Springfield Isotopes"
    forms = (
        "Will the {} win the 2027 Silver Cup?",
        "Do the {} fail to win the Silver Cup in 2027?",
        "Will someone other than the {} win the 2027 Silver Cup?",
    )
    wanted = {form: _role(engine, form, base) for form in forms}
    for name in TEAMS:
        for form in forms:
            same = _role(engine, form, name) == wanted[form]
            tally.add("own" if same else "other", form.format(name))
    told("name swap", tally)


def _role(engine: Engine, form: str, name: str) -> tuple[str, bool]:
    known = market(1, f"Will the {name} win the 2027 Silver Cup?", 0.2, CLOSES)
    return properties.bearing(ask(engine, form.format(name), known))


def test_two_markets_asked_of_each_other_agree(engine: Engine) -> None:
    words = ("win the 2027 Silver Cup", "reach the final of the 2027 Silver Cup")
    made = [
        [market(n, f"Will the {name} {verb}?", 0.2, CLOSES) for n, verb in enumerate(words, 1)]
        for name in TEAMS[:40]
    ]
    pairs = [(a, b) for a, b in made] + [(a[0], b[0]) for a, b in itertools.pairwise(made)]
    told("symmetry", properties.symmetric(engine, pairs))


# A market's title with its side


def sided(number: int, title: str, side: str, **more: object) -> Market:
    return market(
        number, f"{title} — {side}", 0.2, CLOSES, platform="kalshi", id=f"kalshi:{number}",
        title=title, subtitle=side, event_id="KXCUP-27", **more,
    )  # fmt: skip


def test_a_title_with_its_side_has_that_sides_price(engine: Engine) -> None:
    markets = [sided(n, "Who will win the 2027 Silver Cup?", name)
               for n, name in enumerate(TEAMS[:40], 1)]  # fmt: skip
    found = properties.verbatim(engine, EventCatalogue(markets), markets)
    told("who alone", found["who alone"])
    told("who among siblings", found["who siblings"])


# The real catalogue


@pytest.fixture(scope="module")
def catalogue() -> EventCatalogue:
    if not SHARED.is_file():
        pytest.skip("the shared catalogue does not lie beside the project")
    slices = read_markets(DumpFile(SHARED))
    return EventCatalogue(m for part in slices for m in part if isinstance(m, Market))


def test_titles_of_the_catalogue_have_their_own_price(
    engine: Engine, catalogue: EventCatalogue
) -> None:
    asked = random.Random(29).sample(catalogue.markets, SAMPLED)
    for name, tally in properties.verbatim(engine, catalogue, asked).items():
        print(f"{name}: {tally.shown()}")
        assert tally.counts["inverted"] == 0
        assert tally.counts["own"] >= 0.99 * tally.n


# The truth tables


def price_of(wording: dict[str, object], price: float) -> Snapshot:
    """A market of the oracle, its statement at a price."""
    strike = wording.get("strike") or (None, None, None)
    assert isinstance(strike, tuple)
    closes = wording["closes"]
    question = str(wording["question"])
    base = market(1, question, 0.2, f"{closes}T23:59")
    made = snapshot(base, 1, price if not wording.get("outcome") else 1 - price, AT)
    return made._replace(
        title=str(wording.get("title") or question), subtitle=wording.get("subtitle"),
        strike_kind=strike[0], strike_floor=strike[1], strike_cap=strike[2],
    )  # fmt: skip


AT = datetime(ASKED.year, ASKED.month, ASKED.day, 12, tzinfo=UTC)
LIMITS = {
    "none": lambda p: (0.0, 1.0), "implies": lambda p: (0.0, p), "implied_by": lambda p: (p, 1.0),
    "equivalent": lambda p: (p, p), "complement": lambda p: (1 - p, 1 - p),
    "excludes": lambda p: (0.0, 1 - p), "covers": lambda p: (1 - p, 1.0),
}  # fmt: skip


def against_truth(engine: Engine, pairs: list[Case], price: float) -> tuple[Tally, Tally]:
    """Answers that the worlds contradict, and those that take for the same what is not."""
    tally, roles = Tally(), Tally()
    for case in pairs:
        there = case.one, case.two, case.relation
        back = case.two, case.one, inverse(cast(Relation, case.relation))
        for one, two, relation in (there, back):
            if two.wording.get("asked") or one.wording.get("outcome"):
                continue
            found = engine.answer(
                normalize(one.wording["question"], AT), [price_of(two.wording, price)], AT
            )
            _judge(tally, roles, found, relation, price, f"{one.wording} / {two.wording}")
    return tally, roles


def _judge(
    tally: Tally, roles: Tally, found: Estimate, relation: str, price: float, texts: str
) -> None:
    low, high = LIMITS[relation](price)
    p = found.probability
    inside = p is None or low - 0.02 <= p <= high + 0.02
    tally.add("own" if inside else "other", f"{relation} {p} {texts}")
    direct = p is not None and found.evidence[0].role == "direct"
    wrong = direct and relation not in ("equivalent", "complement")
    roles.add("other" if wrong else "own", f"{relation} {p} {texts}")


def test_no_answer_contradicts_the_truth_tables(engine: Engine) -> None:
    tally, roles = against_truth(engine, cases(16, 400), 0.3)
    told("oracle through the engine", tally)
    print(f"direct though not the same: {roles.shown()}")
    assert roles.counts["other"] <= 0.002 * roles.n


@pytest.mark.slow
def test_no_answer_contradicts_five_thousand_truth_tables(engine: Engine) -> None:
    tally, roles = against_truth(engine, cases(2028, 5_000), 0.3)
    print(f"direct though not the same: {roles.shown()}")
    told("oracle through the engine", tally)


# Wordings that were read the wrong way round


KNOWN = [
    ("Will the Anaheim Ducks win the 2027 Stanley Cup?", "Will the Ducks win the Stanley Cup in 2027?", "own"),
    ("Will China invade Taiwan by June 30, 2027?", "Will China NOT INVADE Taiwan by the end of June 2027?", "no"),
    ("Will the US enter a recession by June 30, 2027?", "Is it false that the US will enter a recession by the end of June 2027?", "no"),
    ("Will the Fed cut rates by June 30, 2027?", "No way that the Fed cuts rates by June 30, 2027?", "no"),
    ("Will the Fed cut rates by June 30, 2027?", "Isn't it true that the Fed will cut rates by June 30, 2027?", "own"),
    ("Will the Fed cut rates by June 30, 2027?", "The Fed isn't going to cut rates by June 30, 2027?", "no"),
    ("Will Kostiantynivka fall to Russia by June 30, 2027?", "Is it wrong to say that Kostiantynivka will not fall to Russia by June 30, 2027?", "own"),
    ("Will Tesla offer robotaxis without supervision by June 30, 2027?", "Is Tesla going to offer robotaxis without supervision by the end of June 2027?", "own"),
    ("Will Peru win Miss Universe 2027?", "Will Peru fail to win Miss Universe 2027?", "no"),
]  # fmt: skip


@pytest.mark.parametrize(("title", "question", "right"), KNOWN)
def test_read_the_right_way_round(engine: Engine, title: str, question: str, right: str) -> None:
    found = ask(engine, question, market(1, title, 0.2, CLOSES))
    assert judged(found, OWN_PRICE if right == "own" else 1 - OWN_PRICE) == "own"


@pytest.mark.parametrize(
    ("title", "question"),
    [
        ("Will NASA land on the Moon by June 30, 2027?", "Will the Moon explode by June 30, 2027?"),
        ("Will Anthropic IPO by June 30, 2027?", "Will Google acquire Anthropic by June 30, 2027?"),
    ],
)
def test_another_matter_gives_no_number(engine: Engine, title: str, question: str) -> None:
    assert ask(engine, question, market(1, title, 0.2, CLOSES)).probability is None


def test_the_reading_of_a_question_does_not_hang_on_the_clock() -> None:
    later = datetime(2026, 11, 21, 18, tzinfo=UTC)
    earlier = datetime(2026, 11, 21, 6, tzinfo=UTC)
    question = "Will the Fed cut rates by year-end?"
    assert normalize(question, earlier) is normalize(question, later)


def test_what_is_asked_about_most_stays_in_memory(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    from augury.forecast import engine as module

    read: Counter[str] = Counter()
    packed = module.words.packed
    monkeypatch.setattr(module, "MARKETS_KEPT", 4)
    monkeypatch.setattr(module.words, "packed", lambda m: read.update([m.question]) or packed(m))
    fresh = Engine(engine._embed, engine._rarity)
    hot = market(1, "Will the Fed cut rates by June 30, 2027?", 0.2, CLOSES)
    for n in range(2, 12):
        cold = market(n, f"Will ship {n} sail by June 30, 2027?", OTHERS_PRICE, CLOSES)
        ask(fresh, hot.question, hot, [cold])
    assert read[hot.question] == 1
