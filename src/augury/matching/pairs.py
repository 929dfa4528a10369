"""A question and a market as the two texts that the judge reads. Pure.

Nothing is rewritten. Names that the vocabulary knows are told behind the text, once each, so that
"wemby" and "Victor Wembanyama" meet: `will wemby win mvp (wemby = Victor Wembanyama)`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from augury.language.contests import Contest, ContestMarket
from augury.language.entities import Mention, mentions
from augury.language.vocabulary import Vocabulary, fold, words

MAX_QUESTION: Final = 320
MAX_RULES: Final = 150
"""Characters of the market's rules that the judge reads: the first sentence says what decides."""
MAX_NAMED: Final = 4
"""Names told behind a text."""
_SENTENCE: Final = re.compile(
    r"(?<=[.!?”\"])(?<!\bSt\.)(?<!\bvs\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bJr\.)(?<!\bSr\.)"
    r"(?<!\bNo\.)(?<!\b[A-Z]\.)\s"
)
"""Where a sentence ends; behind "St.", "vs." and initials none does."""
_YES_NO: Final = frozenset({"yes", "no", "up", "down", "over", "under", "long", "short"})


def asked(question: str, vocabulary: Vocabulary, day: date) -> str:
    """The question as the judge reads it, with the day on which it is asked."""
    text = " ".join(question[:MAX_QUESTION].split())
    return f"{text}{named(mentions(text, vocabulary))} | {day:%b %Y}"


def told(
    market: ContestMarket,
    outcome: int,
    game: Contest | None,
    closes: date | None,
    vocabulary: Vocabulary,
) -> str:
    """What an outcome of a market asserts, as the judge reads it.

    game : `contests.contest` of the outcome
    """
    text = " ".join(market.question[:MAX_QUESTION].split())
    parts = [text]
    for more in (market.subtitle, market.event_name):
        if more and _adds(more, parts):
            parts.append(" ".join(more[:120].split()))
    labels = market.outcomes
    if outcome < len(labels) and labels[outcome].casefold() not in _YES_NO:
        parts.append(f"yes = {labels[outcome][:60]}")
    elif game is not None:
        parts.append(f"yes = {game.yes[:60]}")
    shown = " | ".join(parts)
    shown += named(mentions(shown, vocabulary))
    if closes is not None:
        shown += f" | closes {closes:%b %d %Y}"
    if rule := _decisive(market.description):
        shown += f" | {rule}"
    return shown


def choice(market: ContestMarket, outcome: int, game: Contest | None) -> str:
    """What tells an outcome from its siblings: its label, the side of a game, the subtitle, or
    what follows a dash.

    game : `contests.contest` of the outcome
    """
    labels = market.outcomes
    if outcome < len(labels) and labels[outcome].casefold() not in _YES_NO:
        return labels[outcome]
    if game is not None:
        return game.yes
    if market.subtitle and market.subtitle.casefold() not in _YES_NO:
        return market.subtitle
    return market.question.rpartition(" — ")[2] if " — " in market.question else ""


def named(found: Sequence[Mention]) -> str:
    """The full names of what a text names in other words: " (GOP = Republican Party)"."""
    notes: list[str] = []
    for one in found:
        if len(one.entities) != 1:
            continue
        name = one.entities[0].name
        if fold(name) != fold(one.text) and (note := f"{one.text} = {name}") not in notes:
            notes.append(note)
    return f" ({'; '.join(notes[:MAX_NAMED])})" if notes else ""


def _adds(more: str, parts: Sequence[str]) -> bool:
    """Whether a text says a word that the others have not said."""
    said = {word.folded for part in parts for word in words(part)}
    return any(word.folded not in said for word in words(more))


def _decisive(rules: str | None) -> str:
    if not rules:
        return ""
    first = _SENTENCE.split(" ".join(rules[:600].split()), maxsplit=1)[0]
    return first[:MAX_RULES]
