"""A language model's opinions on the markets that the judge reads, and which of them count. Pure.

The language model says of each market whether it asks the question, the opposite or something else.
"The rules" are the hand-written comparison of question and market (`match`); the judge
(`matching.judge`) is a model trained on people's questions. In these cases the rules are certain,
and an opinion that contradicts them is refused:

- the question is the market's own title;
- the two are related by logic;
- level or result of a game differ;
- year or deadline differ, or the market lacks something that the question demands, unless the judge
  surely agrees with the opinion (`judging.SURE_SIDE`).

Opinions that contradict each other are refused, too. So is the opinion that a market asks the
question (or its opposite) if rules and judge both find that the market is about something else: it
names too few of the question's terms (`MIN_ABOUT`), and the judge gives the question and its
opposite too low probabilities (`MIN_SIDE_PROBABILITY`).

All other opinions count as a vote, besides those of rules and judge, on whether a market asks the
question or its opposite. The language model can exclude a market without the judge's support, but
it needs this support to reverse what the rules say about the market:

- The language model and the rules may disagree on which of the two a market asks. If the judge does
  not support the language model, the market does not count.
- The language model may find that a market is about something else, although the rules find no
  difference from the question. Then the market does not count. Other markets that differ from this
  market only in a date or level do not count either, unless the model finds that one of them asks
  the question or its opposite.

Opinions add no markets and no numbers: probabilities still come from prices alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal

from augury.forecast import bounds, explain, judging
from augury.forecast.rejected import MIN_ABOUT
from augury.logic.relate import Relation, relate
from augury.matching.judge import Verdict

if TYPE_CHECKING:
    from augury.forecast.bearing import Bearing
    from augury.forecast.evidence import Estimate, Snapshot
    from augury.propositions.proposition import Proposition
    from augury.propositions.windows import Window

Asks = Literal["same", "opposite", "other"]
"""What a market asks, compared with a question: its Yes is the question's Yes (same), its Yes is
the question's No (opposite), or neither (other)."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a language model says of one market. `asks`: whether the market asks the same as the
    question, the opposite, or neither."""

    asks: Asks
    why: str = ""
    """The language model's reason for its opinion, unchecked: only what `shown_reason` returns may
    be shown."""


Opinions = Mapping[tuple[int, int], Opinion]
"""A language model's opinions on market outcomes, by (market number, index of the outcome)."""

NONE: Final[Opinions] = {}

TRUSTED_SHARE: Final = 0.9
"""A language model is asked for opinions only if it answers at least this share (0 to 1) of the
control questions (a test with known answers) correctly. The confidence in an answer that rests on
such an opinion is at most the same number."""
MIN_SIDE_PROBABILITY: Final = 0.05
"""A language model may say that a market asks the question, or that it asks the opposite. The judge
(the trained model) supports this opinion only if it gives the opinion at least this probability (0
to 1). A market also counts as being about the question if the judge gives either of the two
opinions at least this probability. Chosen by hand."""
MAX_DAYS_SAME_DEADLINE: Final = 7
"""Two deadlines, one written in the question and one in a market, certainly differ if they are more
than this many days apart. Closer ones may mean the same deadline. Chosen by hand."""
_SWAPPED: Final[dict[Asks, Asks]] = {"same": "opposite", "opposite": "same", "other": "other"}


@dataclass(frozen=True, slots=True)
class RefusedOpinion:
    """An opinion of a language model that failed the checks, with the market that it is about."""

    market: Snapshot
    why: str
    """Why this opinion of the language model was not used, as a clause whose subject is usually the
    market: "it has another deadline"."""


@dataclass(frozen=True, slots=True)
class CheckedOpinions:
    """A language model's opinions after the checks: those that count, and those that were
    refused."""

    taken: Opinions
    refused: tuple[RefusedOpinion, ...] = ()


NO_OPINIONS: Final = CheckedOpinions(NONE)


def worth_asking(
    brief: judging.Brief, bearings: Sequence[Bearing], verdicts: judging.Verdicts
) -> bool:
    """Whether a language model's opinions could change the answer. This is so if no market
    certainly asks the question or its opposite (in the same words or by logic), and at least one
    market is about the question's subject."""
    if any(b.exact or b.relation in bounds.SAME for b in bearings):
        return False
    return any(_is_about(b, verdicts) for b in brief.bearings)


def checked(
    brief: judging.Brief,
    opinions: Mapping[int, Opinion],
    verdicts: judging.Verdicts,
    *,
    asked: Proposition,
) -> CheckedOpinions:
    """Check a language model's opinions against what is certain. Returns those that count and those
    that are refused.

    opinions : the opinions, by position of the market in `brief`. The model was asked about the
        bare question, without words around it that deny it ("is it false that ...")
    verdicts : what the judge (the trained model) says of the same markets
    asked : what the question asserts together with such words around it
    """
    refused: dict[int, str] = {}
    compared: dict[int, Opinion] = {}
    for place, given in opinions.items():
        b = brief.bearings[place]
        opinion = replace(given, asks=_SWAPPED[given.asks]) if brief.denied else given
        why = _contradicted(
            brief, place, given.asks, opinion.asks, asked, agreed=_agrees(b, opinion.asks, verdicts)
        )
        if why is None and opinion.asks != "other" and not _is_about(b, verdicts):
            why = "it names too little of what the question is about"
        if why is not None:
            refused[place] = why
        if why is None or brief.unmet[place]:
            # Also what the question's demands refuse: the model may name two contenders, of whom
            # the rules know one to be no answer. Then the other is none either.
            compared[place] = opinion
    for one, other in combinations(sorted(compared), 2):
        a, b = brief.bearings[one], brief.bearings[other]
        if _are_contrary(a, compared[one], b, compared[other]):
            refused[one] = refused[other] = "the model says it of markets that exclude each other"
    return CheckedOpinions(
        {brief.bearings[n].key: opinion for n, opinion in compared.items() if n not in refused},
        tuple(RefusedOpinion(brief.bearings[n].market, why) for n, why in sorted(refused.items())),
    )


def _is_about(b: Bearing, verdicts: judging.Verdicts) -> bool:
    verdict = verdicts.get(b.key)
    return b.fit.asked >= MIN_ABOUT or (
        verdict is not None and verdict.side >= MIN_SIDE_PROBABILITY
    )


def _agrees(b: Bearing, asks: Asks, verdicts: judging.Verdicts) -> bool:
    """Whether the judge is sure that the market asks what a language model says (`asks`)."""
    verdict = verdicts.get(b.key)
    if verdict is None or asks == "other":
        return False
    return (verdict.same if asks == "same" else verdict.opposite) >= judging.SURE_SIDE


def _contradicted(
    brief: judging.Brief, place: int, read: Asks, asks: Asks, asked: Proposition, *, agreed: bool
) -> str | None:
    """Why a language model's opinion on the market at position `place` is certainly wrong, as a
    clause about the market ("it has another deadline"); None if nothing contradicts the opinion.

    read : the opinion as the model gave it: on the bare question, without words around it that deny
        it ("is it false that ...")
    asks : the same opinion on the whole question: the opposite of `read` if there are such words
    asked : what the whole question asserts
    agreed : whether the judge is sure of the same
    """
    b, relation = brief.bearings[place], brief.game_relations[place]
    ours = _side(b, positive=asked.positive)
    if b.exact or b.relation in bounds.SAME:
        return (
            None
            if asks == ours
            else "logic proves that it asks this or the opposite, and which of the two"
        )
    if asks == "other":
        return None
    if (why := _certain_difference(b, asked, agreed=agreed)) is not None:
        return why
    if brief.unmet[place] and not agreed:
        return "it lacks something that the question demands"
    if b.fit.leveled and asks != ours:
        return "it asks about the other side of the question's level"
    if relation is not None and relation.bearing != read:
        return "it is about another result of the game"
    return None


def _certain_difference(b: Bearing, asked: Proposition, *, agreed: bool) -> str | None:
    """What certainly differs between a market and the question (year, level, deadline ...), as a
    clause about the market ("it has another deadline"); None if nothing does. `agreed`: year and
    deadline may differ."""
    theirs = b.view.proposition
    if b.fit.leveled and b.fit.threshold not in ("same", "opposite"):
        return "it is about another level or amount"
    if b.relation in bounds.ORDERED:
        return "logic proves that it asks more or less than the question"
    if agreed:
        return None
    if b.fit.edition == "differs" and None not in (asked.edition, theirs.edition):
        return "it is about another year or edition"
    if b.fit.window not in ("same", "unsaid") and _are_apart(asked.window, theirs.window):
        return "it has another deadline"
    return None


def _are_apart(one: Window, other: Window) -> bool:
    """Whether two windows of time certainly end on different days. They do if their ends are more
    than `MAX_DAYS_SAME_DEADLINE` days apart, and both texts name the end in the same way: both as a
    day ("by May 3") or both as a span ("in 2026")."""
    if not one.text or not other.text or one.end is None or other.end is None:
        return False
    exact = {one.precision, other.precision} == {"day"} or {one.kind, other.kind} == {"in"}
    return exact and abs((one.end - other.end).days) > MAX_DAYS_SAME_DEADLINE


def _side(b: Bearing, *, positive: bool) -> Asks:
    """What a market asks according to the hand-written rules, if it is about the question at all:
    the question itself (`same`) or its opposite (`opposite`).

    positive : False if the question contains a negation ("Will X not win?")
    """
    return "same" if b.turned != positive else "opposite"


_WHERE: Final[dict[bool, Relation]] = {True: "equivalent", False: "complement"}


def _are_contrary(a: Bearing, one: Opinion, b: Bearing, other: Opinion) -> bool:
    """Whether two opinions (`one` on the market `a`, `other` on `b`) cannot both be right: for
    example, both say that their market asks the question, but the markets exclude each other."""
    if "other" in (one.asks, other.asks):
        return False
    alike = one.asks == other.asks
    if alike and a.market.seq == b.market.seq:
        return True
    siblings = a.market.event_id is not None and a.market.event_id == b.market.event_id
    if alike and siblings and a.market.exclusive and b.market.exclusive:
        return True
    return relate(a.view.proposition, b.view.proposition) not in ("none", _WHERE[alike])


def applied(
    bearings: Sequence[Bearing],
    opinions: Opinions,
    verdicts: judging.Verdicts,
    *,
    positive: bool,
) -> list[Bearing]:
    """Apply a language model's accepted opinions to the compared market outcomes. Returns the
    outcomes in the order of `bearings`.

    An opinion can make an outcome count as asking the question or its opposite. It can also make an
    outcome no longer count as asking either.

    bearings : compared market outcomes, with the judge's verdicts already applied
    verdicts : verdicts of the judge (the trained model). An opinion and the hand-written rules may
        disagree on whether an outcome asks the question or its opposite. Then the opinion counts
        only if the judge's verdict supports it
    positive : False if the question contains a negation ("Will X not win?")
    """
    denied = _denied(bearings, opinions)
    found: list[Bearing] = []
    for b in bearings:
        opinion = opinions.get(b.key, Opinion("other") if _family(b) in denied else None)
        if opinion is None or b.exact or b.relation != "none":
            found.append(b)
        elif opinion.asks != "other":
            found.append(_applied(b, opinion, verdicts.get(b.key), positive=positive))
        else:
            aside = b.fit.same or _family(b) in denied
            found.append(_put_aside(b) if aside else b)
    return found


def _family(b: Bearing) -> tuple[frozenset[str], str]:
    """A key that is the same for markets that differ at most in a date or a level ("above 100")."""
    return b.view.proposition.terms, b.view.proposition.predicate


def _denied(
    bearings: Sequence[Bearing], opinions: Opinions
) -> frozenset[tuple[frozenset[str], str]]:
    """The groups of markets (by their keys from `_family`) that a language model finds to be about
    something else. The markets of a group differ at most in a date or a level.

    For such a group, the model calls at least one of the group's markets "other", although the
    hand-written rules find no difference between this market and the question. And it calls none of
    the group's markets "same" or "opposite"."""
    answers = [(b, opinions[b.key].asks) for b in bearings if b.key in opinions]
    others = {_family(b) for b, asks in answers if asks == "other" and b.fit.same}
    return frozenset(others - {_family(b) for b, asks in answers if asks != "other"})


def _applied(b: Bearing, opinion: Opinion, verdict: Verdict | None, *, positive: bool) -> Bearing:
    price = b.market.price(b.outcome)
    if price is None:
        return b
    same = opinion.asks == "same"
    turned = same != positive
    by_rules = b.view.proposition.positive == b.fit.opposed  # before the judge changed it
    if turned != by_rules and not _sides_with(verdict, same=same):
        return _put_aside(b)
    if turned == b.turned and b.fit.score >= judging.SURE_SCORE:
        return b  # the judge says so too
    return replace(
        b, fit=judging.asked(b.fit, TRUSTED_SHARE), turned=turned,
        positive=1 - price if turned else price, confidence_limit=TRUSTED_SHARE,
    )  # fmt: skip


def _sides_with(verdict: Verdict | None, *, same: bool) -> bool:
    """Whether the judge (the trained model) agrees with a language model's finding on a market:
    that it asks the question (`same` True), or that it asks the opposite (`same` False). The judge
    agrees if its probability for this is at least `MIN_SIDE_PROBABILITY` and above its probability
    for the other. False without a verdict."""
    if verdict is None:
        return False
    theirs, others = (verdict.same, verdict.opposite) if same else (verdict.opposite, verdict.same)
    return theirs >= MIN_SIDE_PROBABILITY and theirs > others


def _put_aside(b: Bearing) -> Bearing:
    """A copy of `b`, a market outcome compared with the question, which is marked so that it is not
    used as evidence (`judging.refused`)."""
    return replace(b, fit=judging.refused(b.fit))


# In words

_NUMBER: Final = re.compile(r"\d+")
_NAME: Final = re.compile(r"\b[A-Z]{2,}\b|(?<=[\w,;:] )[A-Z][\w'’-]*")
_PLAIN: Final = re.compile(r"[A-Za-zÀ-ž0-9\s.,;:'’\"()$€£%–-]+")
_LEAST_WORDS: Final = 3


def shown_reason(opinion: Opinion, *texts: str) -> str:
    """A language model's reason for its opinion, as it may be shown. Empty if the reason has a
    number or a name that occurs in none of `texts`, a character that is not in `_PLAIN` (e.g. "/",
    which occurs in URLs), or fewer than `_LEAST_WORDS` words."""
    reason = " ".join(opinion.why.split()).replace('"', "'").rstrip(".")
    known = " ".join(texts)
    if len(reason.split()) < _LEAST_WORDS or not _PLAIN.fullmatch(reason):
        return ""
    if set(_NUMBER.findall(reason)) - set(_NUMBER.findall(known)):
        return ""
    if any(name.casefold() not in known.casefold() for name in _NAME.findall(reason)):
        return ""
    return reason


def opinion_sentence(taken: Opinions, before: Estimate, after: Estimate, question: str) -> str:
    """One sentence for the reader on what a language model's opinions changed, with the model's
    reason if it may be shown.

    taken : the opinions that passed the checks
    before, after : the estimate without and with these opinions
    """
    for one, how in ((after.decisive, "it asks {}"), (before.decisive, "it asks something else")):
        if one is None or (opinion := taken.get(one.key)) is None:
            continue
        if (opinion.asks == "other") == (one is after.decisive):
            continue
        side = "the opposite of this" if one.flipped else "this"
        why = shown_reason(opinion, question, one.market.question, one.market.description or "")
        because = f' Its reason: "{why}."' if why else ""
        market = explain.quoted(one.market.question)
        return f"A language model judged {market}: {how.format(side)}.{because}"
    return "A language model judged the markets, too."


def refusal_sentence(one: RefusedOpinion) -> str:
    """A sentence that tells the reader that an opinion of the language model was refused, and
    why."""
    market = explain.quoted(one.market.question)
    return f"The language model's opinion of {market} is not used: {one.why}."
