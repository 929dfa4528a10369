"""What was rewritten to be read in linear time says what it said before, on texts of its words."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest

from augury.forecast import cues, figures, levels, normalize, properties
from augury.markets import samples
from augury.propositions import games, predicates, thresholds
from augury.propositions.ahead import Ahead, Finder, Replacement

WORDS = (
    "nod ticket slot senate district Ohio-1 NC-12 governor at by the through until end of when it "
    "ends year-end stays stays on as in office remain president's CEO , . ? : - ( ) (Game 2) winner "
    "Winner be handed awarded given picks up a an his award title Oscar cup high low temperature "
    "remains keeps at 70 70° degrees or less more above higher beats wins by an margin of least 3 "
    "3.5 1,111,111 1,23 1234,567 12,345.6 points % percent goals votes dogs apples fewer spends May "
    "below above $1.5 million 5k in one top two best places 10 12 teams Will ' x \x1f"
).split(" ")

OLD = {
    "nod": r"\b(?:nod|ticket|slot)\b(?=.*\b(?:district|senate|governor|\w\w-\d))",
    "still in": r"\b(?:still\s+be|remain(?:s)?|stay(?:s)?(?:\s+on)?|continue(?:s)?)\s+(?:as\s+|in\s+(?=office))?"
    r"(?=[\w' ]*\b(?:office|ceo|president|minister|chair\w*|chancellor|leader|speaker|"
    r"coach|manager|governor|mayor|secretary|director|pope|king|head|pm|premier)\b)",
    "award": r"\b(?:be\s+(?:handed|awarded|given|presented\s+with)|scoops?|bags?|picks?\s+up|collects?|lands?|nabs?|snags?|walks?\s+off\s+with|"
    r"(?:come|go|walk)(?:es|s)?\s+(?:home|away)\s+with|gets?\s+(?:his|her|their|its)\s+hands\s+on|hoists?|brings?\s+home)\s+"
    r"(?=(?:the|an?|this|his|her|their)\b.*\b(?:award|oscar|grammy|emmy|tony|globe|trophy|title|cup|prize|medal|mvp|crown|honou?rs?|ballon|year|championship)\b)",
    "spends": r"\bspends?\s+(?P<when>.{3,60}?)\s+(?P<side>below|under|beneath|above|over)\s+(?P<level>[$€£]?\d[\d.,]*(?:\s?(?:%|[kmbt]\b|\w+illion\b))?)",
    "dated end": r"\b(?:at\s+|by\s+|the\s+|through\s+|until\s+)*end\s+of\b|\bwhen\s+\S+\s+(?:\S+\s+)?"
    r"(?:ends|closes|begins)\b|\b(?:year|month)[\s-]end\b",
    "amount": r"\b(\d{1,3}(?:,\d{3})*(?:\.\d+)?)\s+(?!(?:percent|degrees?|points?|bps)\b)([a-z]{3,}s)\s+or\s+(more|fewer|less)\b",
    "level": r"\b((?:high|low|temperature)\b[^?]*?)\b(?:stays?|remains?|keeps?|holds?)\s+at\s+(?=\d+\s*(?:degrees|°\s?[FC]?)?\s+or\s+(?:less|lower|below|higher|more|above))",
    "one of": rf"\b(?:in\s+)?one\s+of\s+(?:the\s+)?(.{{0,40}}?)(?:top\s+({figures._TEN_WORD}|\d+)|({figures._TEN_WORD}|\d+)\s+(?:top|best|highest|leading))\s+"
    r"(?:places?|spots?|positions?|teams?|clubs?|finishers?)\b",
    "game": r"(?:\s*\(.*\)\s*|\s+-\s.*|:\s.*|\s+winner)?\s*\??\s*$",
    "measure": r"[\s\x1f?.°%]*(?:[a-z ]{0,24})[\s?.]*",
    "clause": r"(?P<aux>Will)\s+(?P<rest>.+?)\s*\?*\s*$",
}  # fmt: skip
"""The patterns as they were."""


def old(name: str) -> re.Pattern[str]:
    return re.compile(OLD[name], 0 if name == "clause" else re.I)


def rule(part: str) -> tuple[Finder, Replacement]:
    """The rule of a question's wording whose pattern has this in it."""
    found = [
        (finder, replacement)
        for finder, replacement in (*figures.FIGURES, *levels.LEVELS)
        if part in (finder._pattern if isinstance(finder, Ahead) else finder).pattern  # type: ignore
    ]
    assert len(found) == 1, part
    return found[0]


def texts(words: str = "", count: int = 6_000) -> Iterator[str]:
    """Of the sample's titles, and made of all words and of those of one pattern."""
    markets, _ = samples.generate(datetime(2026, 11, 1, tzinfo=UTC))
    for market in markets:
        yield market.question
    rng = random.Random(14)
    own = words.split()
    for n in range(count):
        chosen = rng.choices([*own, *own, *own, *WORDS] if n % 3 else own or WORDS, k=n % 14 + 1)
        chosen = [w.replace("_", " ") for w in chosen]
        yield "".join(w + (" " if rng.random() < 0.93 else "") for w in chosen).strip()


def spans(finder: Finder, text: str) -> list[tuple[int, int]]:
    return [m.span() for m in finder.finditer(text)]


@pytest.mark.parametrize(
    ("name", "new", "words"),
    [
        ("nod", normalize._NOD, "nod ticket Senate NC-12 x"),
        ("still in", predicates._STILL_IN, "stays on as remain in office president , x"),
        ("award", rule("hoists")[0], "picks up be handed the an award Oscar bags x"),
        ("spends", rule("spends")[0], "spends all May below above $1.5 million 5k 7,"),
        ("amount", rule(r"([a-z]{3,}s)\s+or\s+(more")[0],
         "1,111,111 1234,567 1,23 12,345.6 dogs_or_more cats_or_less points x"),
        ("one of", rule(r"(?:places?|spots?")[0], "in one of the in_one_of_the in_one_of top_12 10_best_places two_top_spots in one_of 34x best places teams"),
    ],
)  # fmt: skip
def test_the_same_is_found(name: str, new: Finder, words: str) -> None:
    hits = 0
    for text in texts(words):
        want = spans(old(name), text)
        assert spans(new, text) == want, text
        first = new.search(text)
        assert (first.span() if first else None) == (want[0] if want else None)
        hits += bool(want)
    assert hits > 100


def test_ahead_replaces_alike() -> None:
    for text in texts("nod ticket Senate NC-12 x"):
        want = old("nod").sub(r"<\g<0>>", text)
        assert normalize._NOD.sub(r"<\g<0>>", text) == want
        assert normalize._NOD.sub(lambda m: f"<{m[0]}>", text) == want


def test_the_end_of_a_sentence_is_no_level() -> None:
    pattern, replacement = rule("keeps?|holds?)\\s+at\\s+(?=")
    assert callable(replacement)

    def before(f: re.Match[str]) -> str:
        return f"{f[1]}be at " if re.search(r"\b(?:high|low)\b", f[1]) else f[0]

    hits = 0
    for text in texts(
        "high low temperature stays_at_70_or_less remains_at_7_degrees_or_more keeps_at x ?"
    ):
        want = old("level").sub(before, text)
        assert pattern.sub(replacement, text) == want, text
        hits += want != text
    assert hits > 100


def checked(words: str, was: Callable[[str], object], now: Callable[[str], object]) -> None:
    """Both say the same of each text, and do not always say nothing."""
    said = set()
    for text in texts(words):
        want = was(text)
        assert now(text) == want, text
        said.add(want)
    assert len(said) > 1


def test_dates_are_no_ends() -> None:
    checked(
        "at by the through until end of when it ends year-end",
        lambda text: old("dated end").sub(" ", text),
        lambda text: cues._DATED_END.sub(
            lambda m: m[0] if m["before"] and not m["end"] else " ", text
        ),
    )


def test_what_stands_behind_a_game() -> None:
    checked(
        "A vs. B (Game 2) ( ) - : winner Winner ? x",
        lambda text: old("game").sub("", text),
        games._without_tail,
    )


def test_measures() -> None:
    checked(
        "° % . ? degrees f x \x1f \x1f",
        lambda text: old("measure").fullmatch(text) is not None,
        thresholds._is_measure,
    )


def test_clauses() -> None:
    def was(title: str) -> properties.Clause | None:
        if " — " in title or title.count("?") > 1 or not (found := old("clause").match(title)):
            return None
        words = found["rest"].split(" ")
        for place, word in enumerate(words):
            if place and word in properties._VERBS and words[place - 1] not in (
                "to", "and", "or", "the", "a",
            ):  # fmt: skip
                return properties.Clause(" ".join(words[:place]), " ".join(words[place:]))
        return None

    words = "Will it the Fed win cut reach to x ?"
    for text in texts(words):
        for title in (text, f"Will {text}", f"Will {text} ?"):
            title = " ".join(title.split(" "))
            assert properties.clause(title) == was(title), title
