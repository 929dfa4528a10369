"""Wire dicts to records: both venues, both generations, and what must be refused."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.venues.simulator import Simulator
from tests.venues.wire_markets import Generation

from augury.markets.generator import generate
from augury.markets.records import Market, MarketChange
from augury.venues import kalshi_queries, kalshi_records, polymarket_queries, polymarket_records
from augury.venues.records import Notes, Refusal

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
TOKENS = ("7" * 77, "8" * 77)


def gamma(**fields: Any) -> dict[str, Any]:
    return {
        "id": "900",
        "question": "Will the bridge open by June?",
        "slug": "bridge",
        "outcomes": '["Yes", "No"]',
        "outcomePrices": '["0.42", "0.58"]',
        "clobTokenIds": json.dumps(TOKENS),
        "bestBid": 0.41,
        "bestAsk": 0.43,
        "lastTradePrice": 0.39,
        "active": True,
        "closed": False,
        "endDate": "2026-06-01T00:00:00Z",
        "createdAt": "2026-01-01T00:00:00Z",
        "volume": "1000.5",
        "volumeNum": 1000.5,
        "negRisk": False,
        "events": [
            {
                "id": "50",
                "title": "Bridge",
                "slug": "bridge-event",
                "tags": [{"label": "All"}, {"label": "Transport"}],
            }
        ],
        **fields,
    }


def cents(**fields: Any) -> dict[str, Any]:
    """Kalshi until 2025."""
    return {
        "ticker": "KXTEMP-26MAY01-T70",
        "event_ticker": "KXTEMP-26MAY01",
        "market_type": "binary",
        "title": "Will it be over 70°?",
        "yes_sub_title": "71° or above",
        "status": "active",
        "result": "",
        "yes_bid": 41,
        "yes_ask": 43,
        "last_price": 39,
        "volume": 10,
        "volume_24h": 3,
        "open_interest": 7,
        "liquidity": 500,
        "strike_type": "greater",
        "floor_strike": 70,
        "open_time": "2026-04-30T14:00:00Z",
        "close_time": "2026-05-02T04:59:00Z",
        "expiration_time": "2026-05-09T14:00:00Z",
        "rules_primary": "If it is over 70°, Yes.",
        **fields,
    }


def dollars(**fields: Any) -> dict[str, Any]:
    """Kalshi since 2026."""
    wire = cents()
    for key in ("yes_bid", "yes_ask", "last_price", "volume", "volume_24h", "open_interest"):
        value = wire.pop(key)
        if key.startswith(("yes", "last")):
            wire[f"{key}_dollars"] = f"{value / 100:.4f}"
        else:
            wire[f"{key}_fp"] = f"{value:.2f}"
    wire["liquidity_dollars"] = "0.0000"
    return {**wire, **fields}


KALSHI_EVENT = {
    "event_ticker": "KXTEMP-26MAY01",
    "series_ticker": "KXTEMP",
    "title": "Highest temperature on **May 1**?",
    "mutually_exclusive": True,
    "category": "Climate",
}


def ok(found: Market | Refusal) -> Market:
    assert isinstance(found, Market), found
    return found


def refused(found: Market | MarketChange | Refusal) -> str:
    assert isinstance(found, Refusal), found
    return found.reason


class TestPolymarket:
    def test_a_market(self) -> None:
        found = ok(polymarket_records.market(gamma(), NOW))
        assert found.id == "polymarket:900"
        assert found.prices == (0.42, 0.58)
        assert found.price_as_of == found.observed_at == NOW
        assert (found.best_bid, found.best_ask) == (0.41, 0.43)
        assert found.token_ids == TOKENS
        assert found.tags == ("Transport",)
        assert found.category == "Transport"
        assert found.event_id == "50"
        assert found.event_name == "Bridge"
        assert found.volume == 1000.5
        assert found.exclusive is False
        assert found.url == "https://polymarket.com/event/bridge-event/bridge"

    def test_neg_risk_is_exclusive(self) -> None:
        assert ok(polymarket_records.market(gamma(negRisk=True), NOW)).exclusive is True

    def test_token_ids_stay_exact_when_sent_as_numbers(self) -> None:
        found = ok(
            polymarket_records.market(gamma(clobTokenIds=f"[{TOKENS[0]}, {TOKENS[1]}]"), NOW)
        )
        assert found.token_ids == TOKENS

    @pytest.mark.parametrize(
        "fields",
        [
            {
                "bestBid": 0.01,
                "bestAsk": 0.99,
                "lastTradePrice": 0,
                "outcomePrices": '["0.5","0.5"]',
            },
            {"bestBid": 0, "bestAsk": 1, "lastTradePrice": 0, "outcomePrices": '["0", "0"]'},
            {"bestBid": 0, "bestAsk": 1, "lastTradePrice": 1, "outcomePrices": '["1", "0"]'},
            {
                "bestBid": None,
                "bestAsk": None,
                "lastTradePrice": None,
                "outcomePrices": '["0","1"]',
            },
            {"outcomePrices": '["1", "0"]'},
            {"bestBid": None, "bestAsk": None, "lastTradePrice": None, "outcomePrices": None},
        ],
    )
    def test_a_ghost_quote_is_no_quote(self, fields: dict[str, Any]) -> None:
        found = ok(polymarket_records.market(gamma(**fields), NOW))
        assert found.status == "active"
        assert found.prices == (None, None)
        assert found.price_as_of is None

    def test_labeled_prices_win_against_a_book_that_contradicts_them(self) -> None:
        """The book carries no label: were it the other side's, its middle would be inverted."""
        turned = gamma(outcomePrices='["0.2", "0.8"]', bestBid=0.79, bestAsk=0.81)
        assert ok(polymarket_records.market(turned, NOW)).prices == (0.2, 0.8)

    def test_the_order_of_outcomes_is_kept_with_its_prices(self) -> None:
        turned = gamma(outcomes='["No", "Yes"]', outcomePrices='["0.42", "0.58"]')
        found = ok(polymarket_records.market(turned, NOW))
        assert found.outcomes == ("No", "Yes")
        assert found.prices == (0.42, 0.58)

    def test_active_together_with_closed_is_closed(self) -> None:
        found = ok(polymarket_records.market(gamma(closed=True, outcomePrices='["0", "0"]'), NOW))
        assert (found.status, found.resolution, found.prices) == ("closed", None, (None, None))

    def test_a_resolution(self) -> None:
        wire = gamma(
            closed=True,
            outcomePrices='["0.0000004113679809846114013590098187297978", "0.99999958"]',
            closedTime="2026-04-30 20:37:01+00",
        )
        found = ok(polymarket_records.market(wire, NOW))
        assert (found.status, found.resolution, found.prices) == ("resolved", "No", (0.0, 1.0))
        assert (
            found.resolved_at == found.price_as_of == datetime(2026, 4, 30, 20, 37, 1, tzinfo=UTC)
        )

    def test_a_proposed_resolution_is_none_yet(self) -> None:
        wire = gamma(closed=True, outcomePrices='["1", "0"]', umaResolutionStatus="proposed")
        found = ok(polymarket_records.market(wire, NOW))
        assert (found.status, found.resolution) == ("closed", None)

    def test_fifty_fifty_is_resolved_without_a_winner(self) -> None:
        wire = gamma(closed=True, outcomePrices='["0.5","0.5"]', umaResolutionStatus="resolved")
        found = ok(polymarket_records.market(wire, NOW))
        assert (found.status, found.resolution, found.prices) == ("resolved", None, (0.5, 0.5))

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"id": None}, "no id"),
            ({"question": " \x00"}, "no question"),
            ({"question": "Will Player Y win?", "groupItemTitle": "Player Y"}, "placeholder"),
            ({"outcomes": "[]"}, "bad outcomes"),
            ({"outcomes": '["Yes", "Yes"]'}, "bad outcomes"),
            ({"outcomes": "not json"}, "bad outcomes"),
            ({"outcomePrices": '["1.7", "-0.7"]'}, "bad price"),
            ({"bestBid": 1.7}, "bad price"),
            ({"outcomePrices": '["0.2"]'}, "prices do not match outcomes"),
            ({"closed": "perhaps"}, "unknown status"),
            ({"active": False}, "not open yet"),
        ],
    )
    def test_refusals(self, fields: dict[str, Any], reason: str) -> None:
        assert refused(polymarket_records.market(gamma(**fields), NOW)) == reason

    def test_long_and_dirty_text_is_bounded(self) -> None:
        wire = gamma(question="W" * 5_000, description="\ud800a\x00" * 50_000)
        found = ok(polymarket_records.market(wire, NOW))
        assert len(found.question) == 1_000
        assert len(found.description or "") == 20_000
        assert "\x00" not in (found.description or "")

    def test_history_leaves_out_what_is_no_price(self) -> None:
        answer = {
            "history": [
                {"t": 1_777_636_800, "p": 0.23},
                {"t": 1_777_636_800_000, "p": 0.24},  # the same moment, in milliseconds
                {"t": 1_777_640_400, "p": 1.7},
                {"t": 1_777_640_400, "p": 0},
                {"t": None, "p": 0.3},
                "?",
            ]
        }
        [point] = polymarket_records.history(answer, "polymarket:900", 0)
        assert (point.at, point.price) == (NOW, 0.24)

    def test_pages_of_both_generations(self) -> None:
        assert polymarket_queries.read_page([1, 2], "markets", keyset=False, after=40) == (
            [1, 2],
            42,
        )
        assert polymarket_queries.read_page([], "markets", keyset=False, after=40) == ([], None)
        keyset = {"markets": [1], "next_cursor": "abc"}
        assert polymarket_queries.read_page(keyset, "markets", keyset=True, after=None) == (
            [1],
            "abc",
        )
        last = {"events": [1]}
        assert polymarket_queries.read_page(last, "events", keyset=True, after="abc") == ([1], None)
        with pytest.raises(ValueError, match="expected"):
            polymarket_queries.read_page({"error": "?"}, "events", keyset=True, after=None)

    def test_queries_of_both_generations(self) -> None:
        path, params = polymarket_queries.events_query(keyset=True, closed=False, after="abc")
        assert path == "/events/keyset"
        assert params["after_cursor"] == "abc"
        assert "offset" not in params
        path, params = polymarket_queries.events_query(keyset=False, closed=True, after=None)
        assert (path, params["offset"], params["closed"]) == ("/events", 0, "true")
        assert polymarket_queries.market_query("a/../b")[0] == "/markets/a%2F..%2Fb"


class TestKalshi:
    @pytest.mark.parametrize("wire", [cents(), dollars(), {**cents(), **dollars()}])
    def test_a_market_of_each_generation(self, wire: dict[str, Any]) -> None:
        found = ok(kalshi_records.market(wire, NOW, event=KALSHI_EVENT))
        assert found.question == "Highest temperature on May 1? — 71° or above"
        assert found.title == "Highest temperature on May 1?"
        assert found.subtitle == "71° or above"
        assert found.description == "If it is over 70°, Yes."
        assert found.prices == (0.42, 0.58)
        assert (found.best_bid, found.best_ask) == (0.41, 0.43)
        assert (found.volume, found.volume_24h, found.open_interest) == (10, 3, 7)
        assert found.liquidity is None  # always zero on the wire
        assert found.closes_at == datetime(2026, 5, 2, 4, 59, tzinfo=UTC)
        assert found.resolved_at is None
        assert found.category == "Climate"
        assert found.exclusive is True
        assert found.series_id == "KXTEMP"
        assert found.strike is not None
        assert (found.strike.kind, found.strike.floor) == ("greater", 70)

    def test_category_and_tags_of_the_series_when_the_event_has_none(self) -> None:
        event = {**KALSHI_EVENT, "category": ""}
        series = {"category": "Weather", "tags": ["Daily temperature"]}
        found = ok(kalshi_records.market(cents(), NOW, event=event, series=series))
        assert (found.category, found.tags) == ("Weather", ("Daily temperature",))

    def test_an_empty_title_and_a_side_kept_elsewhere(self) -> None:
        wire = cents(title="", yes_sub_title="", custom_strike={"Person": "Ada"})
        assert ok(kalshi_records.market(wire, NOW, event=KALSHI_EVENT)).subtitle == "Ada"
        assert refused(kalshi_records.market(wire, NOW)) == "no question"

    def test_sides_of_one_game_stay_apart(self) -> None:
        event = {"title": "Lions at Tigers"}
        questions = {
            ok(kalshi_records.market(cents(ticker=t, yes_sub_title=t), NOW, event=event)).question
            for t in ("Lions", "Tigers")
        }
        assert questions == {"Lions at Tigers — Lions", "Lions at Tigers — Tigers"}

    @pytest.mark.parametrize(
        ("word", "result", "status", "winner", "prices"),
        [
            ("active", "", "active", None, (0.42, 0.58)),
            ("inactive", "", "closed", None, (0.39, 0.61)),
            ("closed", "", "closed", None, (0.39, 0.61)),
            ("determined", "yes", "closed", None, (0.39, 0.61)),
            ("disputed", "no", "closed", None, (0.39, 0.61)),
            ("finalized", "yes", "resolved", "Yes", (1.0, 0.0)),
            ("finalized", "no", "resolved", "No", (0.0, 1.0)),
            ("settled", "no", "resolved", "No", (0.0, 1.0)),
            ("finalized", "scalar", "resolved", None, (None, None)),
            ("finalized", "", "resolved", None, (None, None)),
        ],
    )
    def test_status_words(
        self, word: str, result: str, status: str, winner: str | None, prices: tuple[float, float]
    ) -> None:
        found = ok(kalshi_records.market(dollars(status=word, result=result), NOW))
        assert (found.status, found.resolution, found.prices) == (status, winner, prices)

    @pytest.mark.parametrize("settled", ["2026-05-03T00:00:00Z", None])
    def test_settlement_is_its_own_time_not_the_expiration(self, settled: str | None) -> None:
        found = ok(
            kalshi_records.market(
                dollars(status="finalized", result="yes", settlement_ts=settled), NOW
            )
        )
        assert found.resolved_at == (settled and datetime(2026, 5, 3, tzinfo=UTC))

    @pytest.mark.parametrize(
        ("fields", "reason"),
        [
            ({"ticker": ""}, "no id"),
            ({"ticker": "KXMVESPORTS-1"}, "parlay"),
            ({"mve_selected_legs": [{"side": "yes"}]}, "parlay"),
            ({"market_type": "scalar"}, "scalar market type"),
            ({"market_type": "quantum"}, "unknown market type"),
            ({"status": "initialized"}, "not open yet"),
            ({"status": "hibernating"}, "unknown status"),
            ({"status": {"word": "active"}}, "unknown status"),
            ({"yes_bid": 170}, "bad price"),
            ({"yes_sub_title": "Player Y"}, "placeholder"),
        ],
    )
    def test_refusals(self, fields: dict[str, Any], reason: str) -> None:
        assert refused(kalshi_records.market(cents(**fields), NOW)) == reason

    def test_a_dollar_string_over_one_is_refused(self) -> None:
        wire = dollars(yes_bid_dollars="1.7000")
        assert refused(kalshi_records.market(wire, NOW)) == "bad price"
        assert refused(kalshi_records.change(wire, NOW)) == "bad price"

    def test_unknown_words_that_matter_little_are_counted(self) -> None:
        notes: Notes = Counter()
        wire = dollars(strike_type="curved", status="finalized", result="maybe")
        found = ok(kalshi_records.market(wire, NOW, notes=notes))
        assert (found.strike, found.resolution) == (None, None)
        assert notes == {"unknown strike type": 1, "unknown result": 1}

    def test_candles_of_both_generations(self) -> None:
        def candle(at: int, **sides: Any) -> dict[str, Any]:
            return {"end_period_ts": at, "price": {}, "yes_bid": {}, "yes_ask": {}, **sides}

        answer = {
            "candlesticks": [
                candle(1_777_633_200, price={"close": 61, "close_dollars": None}),
                candle(1_777_636_800, price={"close": "0.6900"}),
                # Nothing traded: the middle of the book, where there is one.
                candle(
                    1_777_640_400,
                    price={"close": None},
                    yes_bid={"close": "0.6000"},
                    yes_ask={"close": "0.6400"},
                ),
                candle(
                    1_777_644_000,
                    price={"close": None},
                    yes_bid={"close": "0.0100"},
                    yes_ask={"close": "0.9900"},
                ),
                candle(1_777_647_600, price={"close_dollars": "1.7000"}),
                {"end_period_ts": None},
            ]
        }
        found = kalshi_records.candles(answer, "kalshi:X")
        assert [p.price for p in found] == [0.61, 0.69, 0.62]
        assert found[1].at == NOW
        assert [p.volume for p in found] == [None, None, None]

    def test_the_volumes_of_candles_add_up_in_their_order(self) -> None:
        def candle(at: int, volume: object, close: object = "0.5000") -> dict[str, Any]:
            sides = {"price": {"close": close}, "yes_bid": {}, "yes_ask": {}}
            return {"end_period_ts": at, "volume": volume, **sides}

        rows = [
            candle(1_777_640_400, "2.50"),
            candle(1_777_633_200, 3),
            candle(1_777_644_000, "4.00", close=None),  # traded, but at a price nobody tells
            candle(1_777_647_600, "1.00"),
            candle(1_777_651_200, None),
            candle(1_777_654_800, "1.00"),
        ]
        found = kalshi_records.candles({"candlesticks": rows}, "kalshi:X")
        assert [p.volume for p in found] == [3, 5.5, 10.5, None, None]

    def test_an_id_stays_in_its_place_in_the_path(self) -> None:
        assert kalshi_queries.market_query("A/../B")[0] == "/markets/A%2F..%2FB"


# --- the simulator's wire and the transforms are each other's inverse ------------------------


@pytest.mark.parametrize("generation", ["old", "new"])
def test_what_the_simulator_says_is_read_as_it_was_meant(generation: Generation) -> None:
    simulator = Simulator(generate(400, seed=3), generation=generation)
    cent = 0.011 if generation == "old" else 1e-4
    for market in simulator.markets.values():
        if market.platform == "polymarket":
            found = ok(polymarket_records.market(simulator.gamma_market(market, whole=True), NOW))
            tolerance = 1e-6
        else:
            event = {"title": market.event_name, "mutually_exclusive": market.exclusive}
            found = ok(kalshi_records.market(simulator.kalshi_market(market), NOW, event=event))
            tolerance = cent
        assert found.id == market.id
        assert found.outcomes == market.outcomes
        assert found.status == market.status
        assert found.resolution == market.resolution
        assert found.closes_at == market.closes_at
        assert found.subtitle == market.subtitle
        if market.status == "active":
            for mine, theirs in zip(found.prices, market.prices, strict=True):
                if theirs is None or mine is None:
                    assert mine is None
                    assert theirs is None or generation == "old"
                else:
                    assert abs(mine - theirs) <= tolerance, (market.prices, found.prices)


# --- no record, however odd, may do more than be refused -------------------------------------

_odd = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=5,
)


@pytest.mark.heavy
@settings(max_examples=40, deadline=None)
@given(st.data())
def test_odd_records_are_refused_and_never_raise(data: st.DataObject) -> None:
    for base, transform in (
        (gamma(), polymarket_records.market),
        (cents(), kalshi_records.market),
        (dollars(), kalshi_records.change),
    ):
        keys = data.draw(st.lists(st.sampled_from(sorted(base)), max_size=4))
        wire: Any = {**base, **{key: data.draw(_odd) for key in keys}}
        found = transform(wire, NOW)
        if isinstance(found, Refusal):
            continue
        for price in found.prices or ():
            assert price is None or 0 <= price <= 1


@settings(max_examples=40, deadline=None)
@given(_odd)
def test_no_record_at_all_is_refused(wire: object) -> None:
    if not isinstance(wire, dict):
        assert refused(polymarket_records.market(wire, NOW)) == "not a record"
        assert refused(kalshi_records.market(wire, NOW)) == "not a record"
        assert refused(kalshi_records.change(wire, NOW)) == "not a record"
