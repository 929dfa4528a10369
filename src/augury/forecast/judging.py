"""The judge's verdicts on a question's markets, and how they change the comparison. Pure.

"The rules" are the hand-written comparison of question and market, part by part (`match`); the
judge (`matching.judge`) is a model trained on people's questions. If the judge is sure that a
market asks the question or its opposite, that market decides the answer (role `direct`). If the
judge has read a market and does not find the question in it, the rules alone cannot make it direct.

Markets on a single game are an exception. If the texts of question and market state which result
they ask about, separate rules (`language.results`) compare the two results, and the judge decides
only whether the question is about this game.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import TYPE_CHECKING, Final

import numpy as np

from augury.forecast import bounds, described
from augury.forecast.threshold_order import move
from augury.language import results
from augury.language.contests import contest
from augury.language.entities import mentions
from augury.language.offices import asked_mentions
from augury.language.vocabulary import Vocabulary, fold, folded_words
from augury.matching import features, pairs
from augury.matching.demands import Demands
from augury.matching.judge import MAX_CANDIDATES, Judge, Verdict, worth_reading
from augury.matching.narrower import is_one_case, names_place
from augury.matching.trees import Trees
from augury.propositions.windows import Window, has_ended

if TYPE_CHECKING:
    from augury.forecast.bearing import Bearing, Compared
    from augury.forecast.match import Comparison
    from augury.forecast.normalize import Reading

Verdicts = Mapping[tuple[int, int], Verdict]
"""Verdicts of the judge (`matching.judge`, a trained model) on market outcomes, by (market number,
index of the outcome). A verdict gives the probability that the outcome asks the question, and the
probability that it asks the opposite."""

NONE: Final[Verdicts] = {}
MAX_SEARCHED_NAMES: Final = 4
"""`search_text` appends at most this many full names of entities that the question names: "Victor
Wembanyama" if the question says "wemby"."""


def search_text(reading: Reading, vocabulary: Vocabulary, day: date) -> str:
    """A question's text, followed by the full name of each person, team or other entity that the
    question calls by another name, or by an office held on `day`, the day of asking: "will wemby
    win" -> "will wemby win Victor Wembanyama". Last come the names of the likeliest guesses."""
    text = reading.effective
    known = folded_words(text)
    names: list[str] = []
    for mention in asked_mentions(text, vocabulary, day):
        for entity in mention.meant if len(mention.meant) <= 2 else ():
            if entity.name not in names and any(fold(p) not in known for p in entity.name.split()):
                names.append(entity.name)
    return " ".join(
        [text, *names[:MAX_SEARCHED_NAMES], *described.names_to_search(reading.guesses)]
    )


@dataclass(frozen=True, slots=True)
class Brief:
    """The input of the judge (the trained model) for one question: the texts that it reads, and
    numbers that compare question and markets. The judge needs nothing else, so it can run in a
    thread."""

    asked: str
    markets: tuple[str, ...]
    features: features.Matrix
    bearings: tuple[Bearing, ...]
    """For each of `markets`: the market outcome, and how it compares with the question by the
    hand-written rules (`match`)."""
    ranks: tuple[tuple[int, int], ...]
    """For each of `markets`, two positions from 0 (the best): its position in the search results,
    and its position among all compared markets in the order of the hand-written rules."""
    game_relations: tuple[results.GameRelation | None, ...]
    """How the question's result relates to each market's result (`same`, `opposite` ...), one entry
    for each of `markets`. Read from the two texts by hand-written rules (`language.results`), and
    only for markets on a single game. None for any other market, and if the texts do not make the
    relation clear."""
    unmet: tuple[bool, ...]
    """For each of `markets`: whether it asks something else than the question by the rules. For
    example, it lacks one of two names that the question demands (`matching.demands`), or it is
    about a different year. The rules do not apply if the judge is sure (`SURE_SIDE`)."""
    on_others: tuple[bool, ...]
    """For each of `markets`: whether it is about a different team, coin, race for office etc. than
    the question (`Demands.is_of_another`), or about another season, so that it is no evidence at
    all unless logic proves otherwise or the judge is sure (`SURE_SIDE`). Such a market is also
    `unmet`."""
    guessed_names: tuple[str, ...]
    """Names of what the question may describe without naming it. The judge reads them; a language
    model does not."""
    denied: bool = False
    """Whether the words around the question deny it ("is it false that ..."). The judge reads the
    question without these words, so its probabilities for `same` and `opposite` are swapped
    afterwards."""

    def judged(self, judge: Judge) -> Verdicts:
        """The judge's verdicts on all of `markets`, by (market number, index of the outcome). Rules
        overrule the judge in two cases: if they know for certain whether a market on a game asks
        the same as the question or the opposite (`game_relations`); and if a market lacks something
        that the question requires (`unmet`) and the judge is not sure (`SURE_SIDE`). Takes some
        tens of milliseconds of processor time."""
        asked = pairs.with_guesses(self.asked, self.guessed_names)
        found = judge.verdicts(asked, self.markets, self.features)
        sided = [
            _sided(one, relation) if not unmet or one.side >= SURE_SIDE
            else UNRELATED if on_other
            else NEITHER._replace(bound_trust=one.bound_trust, order=one.order)
            for one, relation, unmet, on_other in zip(
                found, self.game_relations, self.unmet, self.on_others, strict=True
            )
        ]  # fmt: skip
        if self.denied:
            sided = [_of_denial(one) for one in sided]
        return dict(zip((b.key for b in self.bearings), sided, strict=True))


_SEASONAL: Final = re.compile(
    r"\b(?:seasons?|nfl|nba|nhl|mlb|ncaa|football|basketball|hockey|soccer|league|super\s*bowl|playoffs?|"
    r"championship|conference|division)\b",
    re.I,
)
"""Matches words for a season, or for a sport, league or contest whose season runs over two calendar
years ("NBA", "playoffs")."""
_WON_BY_SUMMER: Final = re.compile(r"\b(?:nba|nhl|stanley\s+cup|world\s+cup|wnba|mlb)\b", re.I)
"""Matches leagues and cups ("NBA", "World Cup") whose title is named after the one year in which it
is won."""
_TELLS_OF_PAST: Final = re.compile(r"^\W*(?:did|was|were|had)\b", re.I)
"""Matches the first word of a question about the past: "did", "were"."""
_SPAN: Final = re.compile(r"\b20\d\d\s?[-–/]\s?(?:20)?\d\d\b")
"""Matches the two years of a season: "2026-27"."""
_TWO_YEARS: Final = re.compile(rf"\bseasons?\b|{_SPAN.pattern}", re.I)
"""Matches words for a season over two calendar years: "2026-27", "season"."""
YEARS_TO_CLOSE: Final = 2
"""A market that names no year counts as being about a different year than the question if it closes
at least this many calendar years after the question's year. Venues close markets on a contest
months after it, so a difference of one year proves nothing."""
_DAYS_PER_WEEK: Final = 7
_DAYS_PER_YEAR: Final = 365
SURE_SIDE: Final = 0.85
"""By the rules, some markets ask something else than the question: they lack a name, are about
another year ... (`Brief.unmet`). The rules do not apply to a market if the judge's probability of
`same` or of `opposite` is at least this (0 to 1). In 4,677 questions whose failures may be read,
the rules would exclude the question's own market 17 times and another one 2 times above this limit;
between .4 and the limit, 13 and 17 times, mostly where names are swapped ("A sues B")."""
NEITHER: Final = Verdict(0.0, 0.0, certain=True)
"""The judge's verdict on a market that certainly asks neither the question nor its opposite: the
probability of both is 0."""
UNRELATED: Final = Verdict(0.0, 0.0, certain=True, bound_trust=0.0)
"""The judge's verdict on a market that certainly says nothing about the question, because it is
about another team, coin, race ...: it does not bound the answer either."""


def _sided(verdict: Verdict, relation: results.GameRelation | None) -> Verdict:
    """The judge's verdict on a market on a game, corrected by what hand-written rules know for
    certain (`relation`). If by the rules the market asks the same as the question, `same` gets the
    sum of the probabilities `same` and `opposite`, and `opposite` gets 0; if it asks the opposite,
    the other way round. If it asks neither (one a win, the other a draw), both get 0. Unchanged if
    `relation` is None."""
    if relation is None:
        return verdict
    about = verdict.same + verdict.opposite
    if relation.bearing == "same":
        return verdict._replace(same=about, opposite=0.0, certain=True)
    opposite = about if relation.bearing == "opposite" else 0.0
    return verdict._replace(same=0.0, opposite=opposite, certain=True)


def _of_denial(verdict: Verdict) -> Verdict:
    """Turns the judge's verdict on a question into the verdict on the question's denial."""
    order = None if verdict.order is None else verdict.order.of_denial()
    return verdict._replace(same=verdict.opposite, opposite=verdict.same, order=order)


def brief(
    compared: Compared, vocabulary: Vocabulary, shortlist: Trees | None = None,
    most: int = MAX_CANDIDATES,
) -> Brief:  # fmt: skip
    """Choose the markets that the judge (the trained model) reads for one question, and return its
    input. At most `most` markets are chosen: those with the best scores of `shortlist` (trees
    fitted to find the market that asks the question) or, without it, those highest in the search
    results or in the order of the hand-written rules."""
    reading, day = compared.reading, compared.at.date()
    question, window = reading.judged, reading.proposition.window
    order = {market.seq: n for n, market in enumerate(compared.markets)}
    ranks = [(order[b.market.seq], n) for n, b in enumerate(compared.bearings)]
    games = [contest(b.market, b.outcome) for b in compared.bearings]
    # Only the sentence that asks says whose win is meant; others may tell of an earlier match.
    asking = reading.asking or question
    others = results.teams_and_people(asking, vocabulary)
    game_relations = [
        results.game_relation(asking, game, others, vocabulary) if game is not None else None
        for game in games
    ]
    rows = features.compared(
        [float(compared.question.vector @ b.view.vector) for b in compared.bearings],
        compared.bearings, ranks, game_relations,
        described.named_probabilities(reading.guesses, map(_naming_text, compared.bearings)),
        asked=reading.proposition.opposite() if reading.denied else reading.proposition,
    )  # fmt: skip
    first = _first(rows, ranks, shortlist, most)
    chosen = [(compared.bearings[n], games[n]) for n in first]
    texts = tuple(
        pairs.market_text(b.market, b.outcome, game, _ends(b), vocabulary) for b, game in chosen
    )
    named = features.read_names(question, vocabulary, asked_on=day)
    theirs = [
        features.read_names(text, vocabulary, pairs.choice(b.market, b.outcome, game))
        for (b, game), text in zip(chosen, texts, strict=True)
    ]
    asked = mentions(asking, vocabulary) if reading.asking else ()
    wanted = Demands.of(question, named.entities, asked)
    titles = frozenset(b.market.question for b in compared.bearings)
    ours = frozenset(key for one in named.entities for key in one.keys)
    is_placed = names_place(named.entities)
    # What did happen in a time that is over is no matter of a market on a time to come.
    is_over = is_past(reading) and has_ended(window, day)
    on_others = tuple(
        wanted.is_of_another(text, one.entities) or _is_of_another_season(reading, b)
        for text, one, (b, _) in zip(texts, theirs, chosen, strict=True)
    )
    unmet = tuple(
        on_other or wanted.unmet(text, one.entities)
        or _is_of_another_year(reading, b, compared.at.year)
        or _is_of_another_month(window, b.view.proposition.window)
        or _is_of_another_day(window, b.view.proposition.window, game=game is not None)
        or (is_over and not has_ended(b.view.proposition.window, day))
        or is_one_case(
            b.market.question, mentions(b.market.question, vocabulary), wanted.words, ours, titles,
            indefinite=_is_indefinite(reading, b), names_place=is_placed,
        )
        for text, one, (b, game), on_other in zip(texts, theirs, chosen, on_others, strict=True)
    )  # fmt: skip
    return Brief(
        pairs.question_text(question, vocabulary, day), texts,
        np.hstack([rows[first], features.name_features(named, theirs)]),
        tuple(b for b, _ in chosen), tuple(ranks[n] for n in first),
        tuple(game_relations[n] for n in first), unmet, on_others,
        tuple(described.names_to_read(reading.guesses, texts)), reading.denied,
    )  # fmt: skip


def is_past(reading: Reading) -> bool:
    """Whether the question is about the past ("did X happen?")."""
    return _TELLS_OF_PAST.search(reading.asking or reading.question) is not None


def _is_indefinite(reading: Reading, b: Bearing) -> bool:
    """Whether the question is about some member of a class ("any country"), and the market is
    not."""
    return reading.proposition.indefinite and not b.view.proposition.indefinite


def _is_of_another_year(reading: Reading, b: Bearing, now: int) -> bool:
    """Whether question and market are about different years. False if the question's year is before
    the current one (`now`), because such a year only tells of the past. Else True in two cases:

    - Both name one year, and the two differ. If one of the texts is about a league or season, two
      consecutive years count as the same, because a season may be named after either. Exception:
      some titles are named after the one year in which they are won ("NBA"). For these, consecutive
      years count as the same only if a text has the word "season" or a span such as "2026-27".
    - Only the question names a year, and the market closes `YEARS_TO_CLOSE` years later or more."""
    ours, theirs = reading.proposition.window.years, b.view.proposition.window.years
    if len(ours) != 1 or len(theirs) > 1 or min(ours) < now:
        return False
    if not theirs:
        closes = b.market.closes_at
        return closes is not None and closes.year - min(ours) >= YEARS_TO_CLOSE
    both = f"{reading.question} {b.market.question}"
    seasonal = _SEASONAL.search(both) is not None and (
        _TWO_YEARS.search(both) is not None or _WON_BY_SUMMER.search(both) is None
    )
    return abs(min(ours) - min(theirs)) > seasonal


def _is_of_another_season(reading: Reading, b: Bearing) -> bool:
    """Whether question and market both name the two years of a season ("2026-27"), and the seasons
    differ. What happens in one season says nothing about another."""
    if not (_SPAN.search(reading.question) and _SPAN.search(b.market.question)):
        return False
    return reading.proposition.window.years != b.view.proposition.window.years


def _is_of_another_month(ours: Window, theirs: Window) -> bool:
    """Whether question and market each name a span of days, weeks or months ("in April", "in
    March"), and the spans have no day in common."""
    if ours.kind != "in" or theirs.kind != "in" or "year" in (ours.precision, theirs.precision):
        return False
    if ours.start is None or ours.end is None or theirs.start is None or theirs.end is None:
        return False
    return ours.end <= theirs.start or theirs.end <= ours.start


def _is_of_another_day(ours: Window, theirs: Window, *, game: bool) -> bool:
    """Whether question and market each name one day ("on March 9", "tomorrow"), and certainly mean
    different days. They may mean the same day although the days that were read from them differ.
    So a difference of this length does not count:

    - a year: just after August 30, "Aug 30" is read as August 30 of the next year;
    - a week: "Thursday's game" may be the last or the next one;
    - one day, for a game: late in the evening, the next day has begun in UTC."""
    if ours.kind != "on" or theirs.kind != "on" or ours.vague or theirs.vague:
        return False
    if ours.start is None or theirs.start is None:
        return False
    apart = abs((ours.start - theirs.start).days)
    apart = min(apart, abs(apart - _DAYS_PER_YEAR))
    return apart > game and apart != _DAYS_PER_WEEK


def _first(
    rows: features.Matrix, ranks: Sequence[tuple[int, int]], shortlist: Trees | None, most: int
) -> list[int]:
    """Which of the compared markets the judge (the trained model) reads: their positions in the
    list of all compared markets, at most `most`, best first.

    rows : features of each market
    ranks : for each market, its position in the search results and in the order of the hand-written
        rules, from 0; used if there is no `shortlist`
    shortlist : trees fitted to find the market that asks the question; the markets to which they
        give the highest scores are read
    """
    if shortlist is None or not ranks:
        return sorted(range(len(ranks)), key=lambda n: (min(ranks[n]), ranks[n][1]))[:most]
    return worth_reading(shortlist.scores(rows)[:, 0], rows, most)


def _naming_text(b: Bearing) -> str:
    """The text in which a market outcome names what it is about: the market's title, subtitle and
    event, and the outcome."""
    market = b.market
    parts = market.question, market.subtitle, market.event_name, market.outcomes[b.outcome]
    return " ".join(filter(None, parts))


def _ends(b: Bearing) -> date | None:
    """The day on which the market's game is played, or else the day on which the market closes;
    markets on games close up to two years after the game, to leave time for delays."""
    window = b.view.proposition.window
    if window.kind == "on" and window.start is not None and not window.text:
        return window.start
    return b.market.closes_at.date() if b.market.closes_at else None


def applied(
    bearings: Sequence[Bearing], verdicts: Verdicts, judge: Judge, *, positive: bool
) -> list[Bearing]:
    """Apply the judge's verdicts to the compared market outcomes, and return these in the order of
    `bearings`. An outcome asks the question if it means the same as the question's Yes; it asks the
    opposite if it means the same as the question's No. If the judge is sure of either, the outcome
    now counts as asking the question. Some outcomes ask the question only according to the
    hand-written rules. If the judge finds this too unlikely, or did not read the outcome, the
    outcome no longer counts as asking the question.

    `Judge.limits` contains the limit `absent`. If any outcome has at least this probability of
    asking the question or its opposite, the price of another outcome limits the answer only if
    logic relates that outcome to the question.

    positive : False if the question contains a negation ("Will X not win?")
    """
    pairs_read = [(b, verdicts.get(b.key)) for b in bearings]
    found = [
        _unread(b) if verdict is None else _applied(b, verdict, judge, positive=positive)
        for b, verdict in pairs_read
    ]
    likeliest = max((_may_ask(b, verdict) for b, verdict in pairs_read if verdict), default=0.0)
    if likeliest < judge.limits["absent"]:
        return [
            _ordered(b, verdict, judge) for b, (_, verdict) in zip(found, pairs_read, strict=True)
        ]
    return [replace(b, sets_bound=False) if b.relation == "none" else b for b in found]


def _ordered(bearing: Bearing, verdict: Verdict | None, judge: Judge) -> Bearing:
    """If the judge finds how the question is logically related to a market outcome, e.g. that it
    implies the outcome, add this relation (`JudgedOrder`) to the outcome. The outcome is returned
    unchanged if the judge is not sure enough of the relation, or if logic has already found a
    relation."""
    if verdict is None or verdict.order is None or bearing.relation != "none":
        return bearing
    if verdict.order.probability < judge.limits["order"]:
        return bearing
    return replace(bearing, judged_order=verdict.order)


def _unread(bearing: Bearing) -> Bearing:
    """A market outcome that the judge did not read, because others are likelier to ask the
    question. If only the hand-written rules say that it asks the question, it is not used as
    evidence (`refused`). It is still used if logic relates it to the question, or if the question
    is the market's own title."""
    if bearing.exact or bearing.relation != "none" or not bearing.fit.same:
        return bearing
    return replace(bearing, fit=refused(bearing.fit))


def _may_ask(bearing: Bearing, verdict: Verdict) -> float:
    """Probability, 0 to 1, that the market outcome means the same as the question's Yes or as its
    No. 0 if the outcome names another level than the question ("above 4%" instead of "above 3%"),
    because that is another question."""
    return 0.0 if _is_of_another_level(bearing) else verdict.side


def _is_of_another_level(b: Bearing) -> bool:
    """Whether question and market are about different levels. There are two cases:

    - both name a level, e.g. "$100k", and the two levels are neither the same nor opposite;
    - the market states the size of a rate move, e.g. 25 basis points, and the question states no
      size, or states a range of sizes that is wider than the market's or excludes it.
    """
    if b.fit.leveled:
        return b.fit.threshold not in ("same", "opposite")
    return b.fit.threshold in ("implied", "excludes") and move(b.view.proposition) is not None


def _applied(bearing: Bearing, verdict: Verdict, judge: Judge, *, positive: bool) -> Bearing:
    limits = judge.limits
    if bearing.relation in bounds.SAME and not bearing.exact and verdict.is_refusal:
        # Logic takes one act for the other: resigning is one way to be out.
        return replace(bearing, relation="none", fit=refused(bearing.fit))
    if bearing.exact or bearing.relation != "none":
        return bearing  # decided already: the question is the market's title, or logic relates them
    if verdict == UNRELATED:
        return replace(bearing, sets_bound=False, fit=refused(bearing.fit))
    if verdict.bound_trust is not None:
        shared = bearing.fit.asked > 0  # the market names something that the question names
        bearing = replace(bearing, sets_bound=shared and verdict.bound_trust >= limits["bound"])
    if _is_of_another_level(bearing):
        return bearing  # another question, however alike the words are
    if bearing.fit.leveled or bearing.fit.wins_or_leaves:
        # The rules decide the side; the judge only says whether both are about the same thing.
        both = verdict.same + verdict.opposite
        verdict = Verdict(both, 0.0) if bearing.turned != positive else Verdict(0.0, both)
    same = verdict.same >= verdict.opposite
    # `turned` refers to the question's proposition without its negation.
    turned = same != positive
    contrary = turned != bearing.turned
    least = limits["same" if same or verdict.certain else "opposite"]
    if contrary and not verdict.certain:
        least = max(least, limits["contrary"])
    # The judge was trained on few titles with a negation: it may not reverse the rules there.
    trusted = not contrary or verdict.certain or bearing.view.proposition.positive
    sided = verdict.certain or verdict.side >= limits["sided"] * (verdict.same + verdict.opposite)
    if trusted and sided and verdict.side >= least:
        price = bearing.market.price(bearing.outcome)
        if price is None:
            return bearing
        return replace(
            bearing, fit=asked(bearing.fit, verdict.side), turned=turned,
            positive=1 - price if turned else price,
            confidence_limit=judge.confidence(verdict.side),
        )  # fmt: skip
    overruled = contrary and verdict.side >= limits["same" if same else "opposite"]
    ours = verdict.opposite if bearing.turned == positive else verdict.same
    if bearing.fit.same and (ours < limits["agree"] or overruled):
        return replace(bearing, fit=refused(bearing.fit))
    return replace(bearing, confidence_limit=judge.confidence(ours))


REFUSED_LIKENESS: Final = -9.0
"""If the judge (the trained model) or a language model contradicts the hand-written rules about a
market, the market gets this `Comparison.likeness` (log-odds that question and market are about the
same thing). For example, the rules find no difference, but the model finds that the market is about
something else. The value is so low that the market is no evidence."""
SURE_SCORE: Final = 4.0
"""If the judge (the trained model) or a language model finds that a market asks the question, the
market gets the `Comparison.score` (how well it fits the question, in points) SURE_SCORE + p, where
p, 0 to 1, is the probability that this is right. It thus ranks above all markets that only the
hand-written rules have scored, since these give at most 3.8."""


def refused(fit: Comparison) -> Comparison:
    """A copy of the comparison `fit` with a score of 0 and the likeness `REFUSED_LIKENESS`, so
    that the market is no evidence. Used if the judge (the trained model) or a language model
    contradicts the hand-written rules about the market."""
    return replace(fit, score=0.0, likeness=REFUSED_LIKENESS)


def asked(fit: Comparison, probability: float) -> Comparison:
    """A copy of the comparison `fit`, changed so that the market counts as asking the question
    itself. Used if the judge (the trained model) or a language model says that it does.
    `probability`: how sure they are, 0 to 1."""
    return replace(
        fit, score=SURE_SCORE + probability, content=max(fit.content, 2.0), asked=1.0,
        likeness=-REFUSED_LIKENESS, foreign=0.0, window="same", gap=0.0, threshold="same",
        stage="same", choice="same", edition="same", rival=False,
    )  # fmt: skip
