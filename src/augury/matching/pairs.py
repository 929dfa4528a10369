"""Makes the two texts, one of a question and one of a market, that the judge (the trained model)
compares. Pure.

The words of question and market stay as they are. Full names from the vocabulary are appended, once
each, so that "wemby" matches "Victor Wembanyama": `will wemby win mvp (wemby = Victor Wembanyama)`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from typing import Final

from augury.language.contests import Contest, ContestMarket
from augury.language.entities import Mention, mentions
from augury.language.offices import asked_mentions
from augury.language.vocabulary import Vocabulary, fold, words

MAX_TITLE_CHARS: Final = 320
"""A question, or a market's title, is cut to this many characters in the text that the judge (the
trained model) reads."""
MAX_RULES_CHARS: Final = 150
"""Of a market's rules, at most this many characters are in the text that the judge (the trained
model) reads. They come from the first sentence, which says what decides the market."""
MAX_FULL_NAMES: Final = 4
"""Maximum number of full names appended to a text that the judge (the trained model) reads."""
_SENTENCE: Final = re.compile(
    r"(?<=[.!?”\"])(?<!\bSt\.)(?<!\bvs\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bDr\.)(?<!\bJr\.)(?<!\bSr\.)"
    r"(?<!\bNo\.)(?<!\b[A-Z]\.)\s"
)
"""Matches the space after a sentence. No sentence ends after an abbreviation such as "St." or
"vs.", or after an initial."""
_STILL: Final = re.compile(
    r"\bstill\s+(?=(?:win|make|end\s+up|happen|get|go|take|buy|reach|hit|pass|come|beat|qualify|finish|sign|"
    r"launch|release|land|pull|manage)\b)",
    re.I,
)
"""Matches "still" before something to be achieved, as in "can they still win". It is removed from
the text that the judge (the trained model) reads. The judge knows "still" mostly from questions on
whether a state lasts ("still in office"). Such a question asks the opposite of a market on whether
the state ends ("out")."""
_CLOSES: Final = " | closes "
"""Stands before the day of the close in the text of a market."""
_YES_NO: Final = frozenset({"yes", "no", "up", "down", "over", "under", "long", "short"})


def question_text(question: str, vocabulary: Vocabulary, day: date) -> str:
    """The text of a question for the judge (the trained model), with the month and year of `day`,
    the day of asking: `will wemby win mvp (wemby = Victor Wembanyama) | Nov 2026`."""
    text = _STILL.sub("", " ".join(question[:MAX_TITLE_CHARS].split()))
    return f"{text}{full_names_note(asked_mentions(text, vocabulary, day))} | {day:%b %Y}"


def with_guesses(asked: str, names: Sequence[str]) -> str:
    """The text of a question (`question_text`) with full names of what it may describe without
    naming it: `will the man in the Kremlin resign (perhaps = Vladimir Putin) | Nov 2026`."""
    if not names:
        return asked
    text, _, day = asked.rpartition(" | ")
    note = "; ".join(f"perhaps = {name}" for name in names)
    if text.endswith(")") and " = " in text:
        return f"{text[:-1]}; {note}) | {day}"
    return f"{text} ({note}) | {day}"


def market_text(
    market: ContestMarket,
    outcome: int,
    game: Contest | None,
    closes: date | None,
    vocabulary: Vocabulary,
) -> str:
    """The text of a market outcome for the judge (the trained model): the market's title, subtitle
    and event, the outcome, the day of the close, and the first sentence of the rules.

    outcome : index of the outcome
    game : the game that the outcome is about, from `contests.contest`
    closes : day on which the market closes
    """
    text = " ".join(market.question[:MAX_TITLE_CHARS].split())
    parts = [text]
    for more in (market.subtitle, market.event_name):
        if more and _adds(more, parts):
            parts.append(" ".join(more[:120].split()))
    labels = market.outcomes
    if outcome < len(labels) and labels[outcome].casefold() not in _YES_NO:
        parts.append(f"yes = {labels[outcome][:60]}")
    elif game is not None:
        parts.append(f"yes = {game.side[:60]}")
    shown = " | ".join(parts)
    shown += full_names_note(mentions(shown, vocabulary))
    if closes is not None:
        shown += f"{_CLOSES}{closes:%b %d %Y}"
    if rule := _first_sentence(market.description):
        shown += f" | {rule}"
    return shown


def before_close(market: str) -> str:
    """The part of a market's text (`market_text`) before the day of the close and the rules: title,
    subtitle, event and outcome. All of the text if it has no day of the close."""
    return market.partition(_CLOSES)[0]


def choice(market: ContestMarket, outcome: int, game: Contest | None) -> str:
    """The words that distinguish a market outcome from the other outcomes of the event: the label,
    the side of a game, the subtitle, or the part of the title after a dash. Empty if there are
    none.

    outcome : index of the outcome
    game : the game that the outcome is about, from `contests.contest`
    """
    labels = market.outcomes
    if outcome < len(labels) and labels[outcome].casefold() not in _YES_NO:
        return labels[outcome]
    if game is not None:
        return game.side
    if market.subtitle and market.subtitle.casefold() not in _YES_NO:
        return market.subtitle
    return market.question.rpartition(" — ")[2] if " — " in market.question else ""


def full_names_note(found: Sequence[Mention]) -> str:
    """A note to append to a text, with the full names of entities that the text calls by another
    name or by an office: " (GOP = Republican Party; the British PM = Keir Starmer)". Empty if there
    are none.

    found : the mentions of entities in the text
    """
    notes: list[str] = []
    for one in found:
        if len(one.entities) != 1:
            continue
        name = (one.holder or one.entities[0]).name
        if fold(name) != fold(one.text) and (note := f"{one.text} = {name}") not in notes:
            notes.append(note)
    return f" ({'; '.join(notes[:MAX_FULL_NAMES])})" if notes else ""


def _adds(more: str, parts: Sequence[str]) -> bool:
    """Whether the text `more` has a word that none of `parts` has."""
    known = {word.folded for part in parts for word in words(part)}
    return any(word.folded not in known for word in words(more))


def _first_sentence(rules: str | None) -> str:
    if not rules:
        return ""
    first = _SENTENCE.split(" ".join(rules[:600].split()), maxsplit=1)[0]
    return first[:MAX_RULES_CHARS]
