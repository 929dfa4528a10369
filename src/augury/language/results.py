"""Reads which result of a game (a side wins, a draw ...) a question asks for. Pure.

The question is read together with a market on the game (`contests.Contest`). First the names of the
two sides are replaced by A and B (`sides.mark_sides`). Then the verbs around them are read: who
beats whom, loses, draws, fails to win, does not lose. The result is a set of ends (`contests.Ends`:
A wins, B wins, a draw), or None if the question is not clear, e.g. because it names a number of
points or another game, or makes more than one statement.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from augury.language import sides
from augury.language.contests import NOTHING, Bearing, Contest, Ends
from augury.language.entities import Mention, mentions
from augury.language.game_words import (
    AGAINST,
    ASIDE,
    CLAUSE,
    EVENT,
    LOST_TO,
    NOT,
    OBLIQUE,
    PRONOUN,
    RHETORICAL,
    UNSURE,
)
from augury.language.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class AskedResult:
    """The results of a game (A wins, B wins, a draw) with which a question about the game is
    answered Yes, e.g. "A wins" or "A wins, or a draw"."""

    ends: Ends
    both: bool
    """Whether the question names both sides of the game."""


class GameRelation(NamedTuple):
    """How a question about a game relates to a market on that game."""

    bearing: Bearing
    """How the question relates to the market's outcome: both ask the same, they ask opposite
    things, one implies the other ... (see `contests.Bearing`)."""
    both: bool
    """Whether the question names both sides of the game."""


def teams_and_people(question: str, vocabulary: Vocabulary) -> list[Mention]:
    """The mentions of teams and people in a question. If one of them is neither side of a market's
    game, the question may be about another game."""
    return [
        one for one in mentions(question, vocabulary)
        if any(entity.kind in ("team", "person") for entity in one.entities)
    ]  # fmt: skip


def asked_result(
    question: str, contest: Contest, foreign: Sequence[Mention], vocabulary: Vocabulary
) -> AskedResult | None:
    """The ways in which the game `contest` must end for the question to be answered Yes; None if
    that is not certain.

    foreign : mentions of teams and people in the question, from `teams_and_people`
    """
    text = ASIDE.sub("", sides.mark_sides(question, contest, foreign, vocabulary))
    if UNSURE.search(text) or RHETORICAL.search(text):
        return None
    if not contest.sides[1] and "B" not in text.split():
        text = re.sub(r"(?<![^ ])X(?![^ ])", "B", text)
    named = set(text.split()) & {"A", "B", "X"}
    if not named & {"A", "B"} or "X" in named:
        return None
    claims = _claims(text, contest)
    if not claims or any(claim is None for claim in claims):
        return None
    found = {claim & contest.all for claim in claims if claim is not None} - {NOTHING}
    if len(found) == 2 and " or " in text:
        one, other = found
        found = {one | other} if not one & other else found
    if len(found) != 1:
        return None
    ends = found.pop()
    return None if ends == contest.all else AskedResult(ends, {"A", "B"} <= named)


def game_relation(
    question: str, contest: Contest, foreign: Sequence[Mention], vocabulary: Vocabulary
) -> GameRelation | None:
    """How a question relates to a market on the game `contest`: whether it asks the same, the
    opposite, or something that implies the market's outcome ... (`contests.Bearing`). None if the
    relation is not certain.

    foreign : mentions of all teams and people in the question, from `teams_and_people`. If one of
        them is neither side of the game, the question may be about another game
    """
    result = asked_result(question, contest, foreign, vocabulary)
    return None if result is None else GameRelation(contest.bearing(result.ends), result.both)


@dataclass(frozen=True, slots=True)
class _ResultPhrase:
    kind: str
    text: str
    start: int
    end: int


def _claims(text: str, contest: Contest) -> list[Ends | None]:
    phrases = [
        _ResultPhrase(m.lastgroup or "", m.group(), m.start(), m.end())
        for m in EVENT.finditer(text)
    ]
    phrases = [
        e for n, e in enumerate(phrases) if e.kind != "over" or _is_beating(text, phrases, n)
    ]
    out: list[Ends | None] = []
    for n, phrase in enumerate(phrases):
        if phrase.kind in ("side", "mark"):
            continue
        out.append(_claim(text, phrases, n, contest))
    return out


def _is_beating(text: str, phrases: Sequence[_ResultPhrase], n: int) -> bool:
    """Whether `phrases[n]`, a word such as "over", means "beats", as in "A over B".

    phrases : what `game_words.EVENT` found in `text`: the words for results, and the teams (A and B
        for the two sides of the game, X for any other team)
    """
    before = phrases[n - 1] if n else None
    after = phrases[n + 1] if n + 1 < len(phrases) else None
    if before is None or before.kind != "side":
        return False
    near = text[before.end : phrases[n].start].split()
    if after is not None and after.kind == "side":
        far = text[phrases[n].end : after.start].split()
        if len(far) <= 3:
            return len(near) <= 3
    return not near and not re.match(r" (?:the )?(?:weekend|\d|years?)", text[phrases[n].end :])


def _claim(text: str, phrases: Sequence[_ResultPhrase], n: int, contest: Contest) -> Ends | None:
    phrase = phrases[n]
    denied = _denied(text, phrases, n)
    if denied is None:
        return None
    if phrase.kind in ("drawn", "decided"):
        drawn = Ends.DRAW & contest.all
        if not drawn:
            return NOTHING
        claim = drawn if phrase.kind == "drawn" else contest.all & ~drawn
        return contest.all & ~claim if denied else claim
    subject = _acting(text, phrases, n)
    if subject is None:
        return None
    win = Ends.FIRST if subject == "A" else Ends.SECOND
    loss = (Ends.FIRST | Ends.SECOND) & ~win
    if "through" in phrase.text and contest.draws:
        return None  # a side can also go through after a draw in ninety minutes
    claim = {
        "loses": loss, "unbeaten": win | Ends.DRAW, "stops": win | Ends.DRAW,
        "winless": loss | Ends.DRAW,
    }.get(phrase.kind, win)  # fmt: skip
    return contest.all & (~claim if denied else claim)


def _acting(text: str, phrases: Sequence[_ResultPhrase], n: int) -> str | None:
    """The side ("A" or "B") that does what the verb `phrases[n]` says: the verb's subject or, if
    none is named, the opponent of its object. None if neither is clear."""
    phrase = phrases[n]
    if phrase.kind == "stops" and (inner := re.search(r"(?<![^ ])[AB](?![^ ])", phrase.text)):
        return _other(inner.group())
    if (
        phrase.kind not in ("beats", "over", "home")
        and (side := _side_after(text, phrases, n)) is not None
    ):
        return _other(side) if phrase.kind == "stops" else side
    subject, target = _subject(text, phrases, n), _target(text, phrases, n)
    if subject is None:
        return _other(target) if target is not None else None
    if subject.text == target and phrase.kind in ("beats", "over", "home"):
        return None
    before = text[: subject.start]
    between = text[subject.end : phrase.start]
    if PRONOUN.search(between) and _other(subject.text) in before.split():
        return None
    return subject.text


def _other(side: str) -> str:
    return "B" if side == "A" else "A"


def _denied(text: str, phrases: Sequence[_ResultPhrase], n: int) -> bool | None:
    """Whether the words before the verb `phrases[n]` negate it ("does not win"); two negations
    cancel out. None if a negation belongs to another clause, because it is then unclear what it
    negates."""
    start = next((e.end for e in reversed(phrases[:n]) if e.kind != "side"), 0)
    parts = CLAUSE.split(text[start : phrases[n].start])
    if any(NOT.search(part) for part in parts[:-1]):
        return None
    return len(NOT.findall(parts[-1])) % 2 == 1


def _subject(text: str, phrases: Sequence[_ResultPhrase], n: int) -> _ResultPhrase | None:
    """The subject of the verb `phrases[n]`: of the sides (teams or players) before the verb, the
    nearest one that does not come after a word such as "against" (`OBLIQUE`); None if there is no
    such side."""
    for phrase in reversed(phrases[:n]):
        if phrase.kind != "side":
            continue
        before = text[: phrase.start].split()
        while before and before[-1] in ("the", "those", "these", "a", "home", "mighty"):
            before.pop()
        if before and before[-1] in OBLIQUE and len(before) > 1:
            if before[-1] in ("from", "in", "of") and not _named_before(phrases, n, phrase):
                return phrase
            continue
        return phrase
    return None


def _named_before(phrases: Sequence[_ResultPhrase], n: int, side: _ResultPhrase) -> bool:
    return any(e.kind == "side" and e.start < side.start for e in phrases[:n])


def _target(text: str, phrases: Sequence[_ResultPhrase], n: int) -> str | None:
    """The object of the verb `phrases[n]`, "A" or "B": the side right after the verb, in the same
    clause; None if there is none."""
    phrase = phrases[n]
    if n + 1 == len(phrases) or phrases[n + 1].kind != "side":
        return None
    after = phrases[n + 1]
    between = text[phrase.end : after.start].split()
    if phrase.kind in ("beats", "over", "home", "stops"):
        return after.text if len(between) <= 5 else None
    links = LOST_TO if phrase.kind == "loses" else AGAINST
    return after.text if links & {*phrase.text.split(), *between} else None


def _side_after(text: str, phrases: Sequence[_ResultPhrase], n: int) -> str | None:
    """The side ("A" or "B") that the words after a win or loss (`phrases[n]`) name as the one that
    wins or loses: A in "the win goes to A" and "ends in defeat for A". None if they name no
    side."""
    links = "for|by|goes to|go to|going to" if phrases[n].kind == "wins" else "for"
    rest = text[phrases[n].end :]
    if phrases[n].text.endswith(" for"):
        rest = " for" + rest
    near = r"(?: (?!over|against|vs|at)\w+){0,2}"
    found = re.match(rf"{near} (?:{links}) (?:the )?([AB])(?![^ ])", rest)
    return found.group(1) if found else None
