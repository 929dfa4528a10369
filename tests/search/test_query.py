"""Reading queries."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.pace import slower

from augury.search.query import DateMention, Level, VenueLink, contains_phrase, parse


@given(st.text(max_size=500))
def test_any_text_can_be_read(value: str) -> None:
    parsed = parse(value)
    assert parsed.raw == value
    assert parse(value) == parsed


@pytest.mark.parametrize(
    "piece",
    ["a", "1", "1,", "$", "A ", "A.", "before ", '"', "KX", "KX-", "end of the ", "May 1, ", " ",
     "polymarket.com/event/", "q1 ", "A of the ", "polymarket:", "\ud800", "Ａ", "\u0300", "½"],
)  # fmt: skip
def test_hostile_repetition_is_read_in_time(piece: str) -> None:
    started = time.thread_time()
    parse(piece * (10_000 // len(piece)))
    assert time.thread_time() - started < slower()


@pytest.mark.parametrize("where", ["event/a%00b", "event/%00", "market/a/%00", "event/a%2500b"])
def test_an_address_with_a_nul_names_no_market(where: str) -> None:
    """PostgreSQL takes no NUL in a text: it was answered 500."""
    found = parse(f"https://polymarket.com/{where}")
    assert not any("\0" in str(link) for link in found.links)


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("polymarket:512345", ("polymarket:512345",)),
        ("compare kalshi:kxfoo-26jan01-t4.5, please", ("kalshi:KXFOO-26JAN01-T4.5",)),
        ("KXFOO-26JAN01", ("kalshi:KXFOO-26JAN01",)),
        ("kxfoo-26jan01-b3.5", ("kalshi:KXFOO-26JAN01-B3.5",)),
        ("KXFOO KXFOO KXBAR", ("kalshi:KXFOO", "kalshi:KXBAR")),
        ("COVID-19 in 2026", ()),
        ("kxfoo", ()),
    ],
)
def test_ids_and_tickers(query: str, ids: tuple[str, ...]) -> None:
    parsed = parse(query)
    assert parsed.market_ids == ids
    assert parsed.is_lookup == bool(ids)
    assert "KX" not in parsed.text
    assert "polymarket" not in parsed.text


@pytest.mark.parametrize(
    ("query", "link"),
    [
        (
            "https://polymarket.com/event/snow-in-oslo/will-it-snow?tid=1#top",
            VenueLink("polymarket", "snow-in-oslo", "will-it-snow", "will it snow"),
        ),
        (
            "polymarket.com/event/snow-in-oslo",
            VenueLink("polymarket", "snow-in-oslo", None, "snow in oslo"),
        ),
        (
            "see https://www.polymarket.com/market/will-it-snow.",
            VenueLink("polymarket", None, "will-it-snow", "will it snow"),
        ),
        (
            "https://kalshi.com/markets/kxsnow/snow-in-oslo/kxsnow-26jan",
            VenueLink("kalshi", "KXSNOW", "KXSNOW-26JAN", "snow in oslo"),
        ),
        ("kalshi.com/markets/kxsnow", VenueLink("kalshi", "KXSNOW", None)),
    ],
)
def test_links(query: str, link: VenueLink) -> None:
    parsed = parse(query)
    assert parsed.links == (link,)
    assert "http" not in parsed.text


def test_a_link_alone_is_searched_by_its_words() -> None:
    assert parse("https://polymarket.com/event/snow-in-oslo").text == "snow in oslo"


def test_other_links_are_words() -> None:
    assert parse("https://example.com/event/snow").links == ()
    assert parse("polymarket.com/profile/x").links == ()


def test_quoted_phrases_lose_their_marks_but_stay_in_the_text() -> None:
    parsed = parse('the "New  Island" mayor and “old town” " "')
    assert parsed.phrases == ("New Island", "old town")
    assert parsed.text == "the New Island mayor and old town"


@pytest.mark.parametrize(
    ("text", "phrase", "held"),
    [
        ("Who will be mayor of New Island?", "new island", True),
        ("Is anything new on the island?", "new island", False),
        ("Renew Islands", "new island", False),
        ("Péter’s Café-Bar", "peters cafe", False),
        ("Péter’s Café-Bar", "Peter's cafe bar", True),
        ("anything", "?!", True),
    ],
)
def test_contains_phrase(text: str, phrase: str, held: bool) -> None:
    assert contains_phrase(text, phrase) is held


@given(st.text(max_size=60))
def test_a_text_contains_itself(value: str) -> None:
    assert contains_phrase(value, value)


@pytest.mark.parametrize(
    ("query", "date"),
    [
        ("snow before 2027", DateMention("by", 2026)),
        ("snow in 2026", DateMention("in", 2026)),
        ("snow by end of June", DateMention("by", month=6)),
        ("snow by June 30, 2026", DateMention("by", 2026, month=6, day=30)),
        ("snow before Jan 1, 2027", DateMention("by", 2027, month=1, day=1)),
        ("snow in Q3 2025", DateMention("in", 2025, quarter=3)),
        ("snow after Sept 2026", DateMention("after", 2026, month=9)),
        ("snow end of 2026", DateMention("by", 2026)),
        ("will it snow in May", DateMention("in", month=5)),
        ("May 3rd snow", DateMention("in", month=5, day=3)),
    ],
)
def test_dates(query: str, date: DateMention) -> None:
    assert parse(query).dates == (date,)


@pytest.mark.parametrize("query", ["may it snow", "they march on", "flight 20261", "room 2026%"])
def test_what_only_looks_like_a_date(query: str) -> None:
    assert parse(query).dates == ()


@pytest.mark.parametrize(
    ("query", "level"),
    [
        ("oil above $110", Level("above", 110, "usd")),
        ("oil at $1,110.50 a barrel", Level("at", 1110.5, "usd")),
        ("rates under 5%", Level("below", 5, "percent")),
        ("a cut of 25 bps", Level("at", 25, "bps")),
        ("4.5M or more visitors", Level("above", 4_500_000, "none")),
        ("$200k+ coin", Level("above", 200_000, "usd")),
        ("deficit over 2 trillion dollars", Level("above", 2e12, "usd")),
        ("at least 30 storms", Level("above", 30, "none")),
        ("54 degrees or lower", Level("below", 54, "degrees")),
    ],
)
def test_levels(query: str, level: Level) -> None:
    parsed = parse(query)
    assert parsed.levels == (level,)
    assert parsed.asks_level


@pytest.mark.parametrize("query", ["Article 5", "by June 30, 2026", "Super Bowl 60", "G7 summit"])
def test_bare_numbers_are_no_levels(query: str) -> None:
    assert parse(query).levels == ()


@pytest.mark.parametrize(
    ("query", "entities"),
    [
        ("Will Anna Bee leave the Bank of Norway?", ("Anna Bee", "Bank of Norway")),
        ("how will Øster's party do", ("Øster",)),
        ("Bank of Norway", ("Bank of Norway",)),
        ("snow in oslo", ()),
        ("GDP in Q3", ("GDP",)),
        ("", ()),
    ],
)
def test_entities(query: str, entities: tuple[str, ...]) -> None:
    assert parse(query).entities == entities


def test_a_game_is_a_fixture() -> None:
    assert parse("Reds vs. Blues").fixture
    assert not parse("Reds win the cup").fixture
