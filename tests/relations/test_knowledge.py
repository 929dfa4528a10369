"""The factor base: how it is read, expanded and found wanting."""

from __future__ import annotations

from augury.relations.causal import knowledge
from augury.relations.causal.factors import Matcher, game

TEXT = """
domain = "test"
[entities.bank]
fields = ["key", "name", "match"]
rows = [["boj", "Bank of Japan", "boj | bank of japan"], ["ecb", "ECB", "ecb"]]
[factors."rate-{bank}"]
name = "{name} policy rate"
up = "{name} sets higher rates"
match = ["{match} & rate | hike | cut"]
up_words = ["no change"]
effects = [["currency-{key}?", "+", 3, 0, "Higher rates at the {name} draw money."]]
[factors.currency-boj]
name = "Yen"
up = "the yen is stronger"
match = ["yen & !bitcoin", "usdjpy"]
down_words = ["usdjpy above"]
[factors.inflation]
name = "Inflation"
up = "inflation is higher"
match = ["inflation | cpi"]
effects = [["rate-boj", "+", 3, 30, "Prices push the bank."], ["nowhere", "+", 1, 0, "Lost."]]
moves_with = [["currency-boj", "-", 1, "Shared shocks."]]
"""


def base() -> knowledge.Base:
    return knowledge.parse({"test.toml": TEXT})


def test_a_pattern_is_written_once_and_stands_for_every_entity() -> None:
    read = base()
    assert set(read.factors) == {"rate-boj", "rate-ecb", "currency-boj", "inflation"}
    assert read.factors["rate-ecb"].name == "ECB policy rate"
    assert {(e.cause, e.effect) for e in read.edges} == {
        ("rate-boj", "currency-boj"),  # the ECB's currency is no factor, and was optional
        ("inflation", "rate-boj"),
    }
    assert [(link.one, link.other, link.sign) for link in read.links] == [
        ("inflation", "currency-boj", "-")
    ]


def test_an_edge_into_a_pattern_goes_to_all_its_instances() -> None:
    text = TEXT.replace(
        '"rate-boj", "+", 3, 30, "Prices push the bank."',
        '"rate-{bank}", "+", 3, 30, "Prices push the {name}."',
    )
    edges = knowledge.parse({"test.toml": text}).edges
    assert {(e.effect, e.reason) for e in edges if e.cause == "inflation"} == {
        ("rate-boj", "Prices push the Bank of Japan."),
        ("rate-ecb", "Prices push the ECB."),
    }


def test_a_pattern_names_its_cause_and_a_contender_has_its_contests_edges() -> None:
    text = TEXT.replace(
        'up_words = ["no change"]',
        'contest = ["rates"]\ncauses = [["budget-{key}?", "-", 2, 9, "Cuts let rates fall."]]',
    )
    text += """
[factors.rates]
name = "Rates of the world"
up = "rates are higher"
match = ["rates"]
effects = [["inflation", "-", 2, 90, "Rates cool prices."]]
[factors.budget-ecb]
name = "Budgets of the euro area"
up = "spending is cut"
match = ["budget"]
"""
    read = knowledge.parse({"test.toml": text})
    edges = {(e.cause, e.effect): (e.strength, e.inherited) for e in read.edges}
    assert edges["budget-ecb", "rate-ecb"] == (2, False)
    assert edges["rates", "inflation"] == (2, False)
    assert edges["rate-boj", "inflation"] == edges["rate-ecb", "inflation"] == (1, True)


def test_a_line_for_a_bare_name_meets_nothing_longer() -> None:
    text = TEXT.replace('match = ["{match} & rate', 'match = ["= {name}", "{match} & rate')
    matcher = Matcher(knowledge.parse({"test.toml": text}))
    assert [m.factor for m in matcher.match("The Bank of Japan")] == [matcher.numbers["rate-boj"]]
    assert matcher.match("Bank of Japan chief") == []


def test_the_rules_of_a_game_name_its_sport() -> None:
    rules = "If Dallas wins the Dallas vs Utah professional football game originally scheduled for"
    assert game(rules) == "pro football game vs"
    assert game("If Dallas wins, the market resolves to Yes.") == ""


def test_the_linter_names_what_dangles_and_where() -> None:
    assert knowledge.lint(base()) == [
        "test.toml: inflation: an edge names a factor that does not exist: nowhere"
    ]


def test_the_linter_refuses_an_unsigned_edge_and_a_line_that_matches_nothing() -> None:
    text = TEXT.replace('"rate-boj", "+"', '"rate-boj", "?"').replace('"usdjpy"', '"of the"')
    problems = knowledge.lint(knowledge.parse({"test.toml": text}))
    assert any("should have the form [factor, sign, strength from 1" in p for p in problems)
    assert any("the match line 'of the' has no words to match" in p for p in problems)


def test_a_text_has_the_factors_whose_lines_it_meets() -> None:
    matcher = Matcher(base())

    def keys(title: str, event: str = "") -> list[str]:
        return [matcher.factors[m.factor - 1].key for m in matcher.match(title, event)]

    assert keys("Will the Bank of Japan hike rates in May?") == ["rate-boj"]
    assert keys("Bank of Japan") == []
    assert keys("Japan's yen and US CPI") == ["currency-boj", "inflation"]
    assert keys("Will bitcoin beat the yen?") == []
    assert keys("A 25 bps cut", "ECB decision in June") == ["rate-ecb"]
    assert keys("Bank in June", "of Japan cut") == []  # no phrase reaches from one to the other


def test_a_match_says_how_well_it_fits_and_by_which_words() -> None:
    whole, part = (
        Matcher(base()).match(text)[0]
        for text in ("Inflation?", "Inflation and forty other words of no concern here")
    )
    assert whole.fit == 1.0
    assert part.fit < 0.5
    assert whole.words == ("inflat",)


def test_yes_points_up_or_down() -> None:
    matcher = Matcher(base())

    def yes_direction(title: str) -> int:
        return matcher.match(title)[0].yes_direction

    assert yes_direction("Will the ECB hike rates?") == 1
    assert yes_direction("Will the ECB cut rates?") == -1
    assert yes_direction("Will the ECB not cut rates?") == 1
    assert yes_direction("No change in the ECB rate?") == 1
    assert yes_direction("USDJPY above 150") == -1
    assert yes_direction("Inflation of 3% or more") == 1
    assert yes_direction("Inflation between 3% and 3.4%") == 0


def test_the_version_follows_the_text() -> None:
    assert base().version == base().version
    assert base().version != knowledge.parse({"test.toml": TEXT + "\n"}).version


def test_what_is_said_or_searched_is_about_nothing_that_is_named() -> None:
    text = TEXT + '\n[factors.said]\nname = "Speech"\nup = "it is said"\nhearsay = true\n'
    read = knowledge.parse({"test.toml": text + 'match = ["say"]\n'})
    matcher = Matcher(read)
    keys = [matcher.factors[m.factor - 1].key for m in matcher.match("Will she say inflation?")]
    assert keys == ["said"]
    keys = [matcher.factors[m.factor - 1].key for m in matcher.match("Inflation at 3%?")]
    assert keys == ["inflation"]


def test_the_linter_finds_an_edge_from_one_member_of_a_list_to_another() -> None:
    text = TEXT.replace('"currency-{key}?"', '"rate-{bank}"')
    problems = knowledge.lint(knowledge.parse({"test.toml": text}))
    assert "rate-boj -> rate-ecb: an edge must not join two entities of the same list" in problems
