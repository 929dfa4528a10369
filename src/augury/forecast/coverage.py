"""How much of one text's content also occurs in another text, in the same words or in others. Pure.

Texts are given as views (`View`): the terms of a text, each with a weight for how telling it is.
"""

from __future__ import annotations

from typing import Final

from msgspec import structs

from augury.forecast.cues import sound
from augury.forecast.names import associated_terms
from augury.forecast.view import View
from augury.propositions.wording import OFFICES
from augury.search.text import terms

_COMMON: Final = frozenset(terms("player year season"))
"""Terms that occur in the long forms of many names, e.g. of awards ("player of the year"). A text
that has only such terms of a name's long form is not taken to contain the name."""
_DIVISION: Final = frozenset(terms("division"))


def with_spellings_of(one: View, other: View) -> View:
    """The text `one`, with more terms in `covers` (all terms that count as named by the text).

    The two texts may write the same name in different forms: initials, full name, another
    transliteration. Then the terms with which `other` writes the name are added. Example: `one` has
    "NBA" and `other` "National Basketball Association"; then "national", "basketball" and
    "association" also count as named by `one`.

    If `other` asks who wins a division and `one` is about reaching the playoffs, the terms of the
    division are added.
    """
    more: frozenset[str] = frozenset()
    for short, name in other.initials:
        if short in one.short and (len(short) > 2 or short in one.proposition.choice):
            more |= name
    for short, _ in one.initials:
        if short in other.short and (len(short) > 2 or short in other.proposition.choice):
            more |= {short}
    if one.sounds & other.sounds:
        more |= {t for t in other.names if sound(t) in one.sounds}
    theirs = other.proposition
    division = theirs.predicate == "wins" and theirs.contest >= _DIVISION
    if division and one.proposition.stage == "playoffs":
        more |= theirs.contest  # the winner of a division is in the playoffs
    return structs.replace(one, covers=one.covers | more) if more - one.covers else one


def coverage(
    of: View, other: View, covers: frozenset[str], context: frozenset[str]
) -> tuple[float, float]:
    """How completely the text `other` covers the terms of the text `of`. Returns two numbers: the
    share of the terms of `of` that are covered, 0 to 1, each term counted with its weight; and the
    largest weight of a term that is not covered (0: all are).

    covers : the terms of `other`, and those that its names imply ("moscow" implies "russia")
    context : terms of `other`'s event name and rules; a term found only there counts half
    """
    total = found = missing = 0.0
    by_nickname = {t for name, says in of.nicknames if says & covers for t in name}
    for one, weight in of.weights.items():
        total += weight
        if (
            one in covers
            or one in by_nickname
            or (associated_terms(frozenset((one,))) - _COMMON) & other.covers
        ):
            found += weight
        elif _alike(one, covers):
            found += 0.85 * weight
        elif one in context:
            found += 0.5 * weight
            missing = max(missing, 0.5 * weight)
        else:
            missing = max(missing, weight)
    # A phrase of the question may mean one word of the market: "give up its weapons", "disarm".
    if total and (shared := of.covers & other.proposition.terms - of.proposition.terms):
        found = min(total, found + 0.3 * len(shared))
    return (found / total if total else 0.0), missing


def is_said(term: str, text: View) -> bool:
    """Whether a text contains the term: in this form, in another one ("scientific" for "science"),
    or as a name that stands for it ("Moscow" for "Russia")."""
    return (
        term in text.covers or bool((associated_terms(frozenset((term,))) - _COMMON) & text.covers)
        or _alike(term, text.covers)
    )  # fmt: skip


def _alike(term: str, others: frozenset[str]) -> bool:
    """Whether `others` contains a longer or shorter form of the term, e.g. "scientif" of "scienc"
    (terms are word stems)."""
    if len(term) < 5 or not term.isalpha():
        return False
    head = term[: max(5, len(term) - 3)]
    return any(o.startswith(head) and abs(len(o) - len(term)) <= 4 for o in others if len(o) >= 5)


def foreign_weight(q: View, m: View) -> float:
    """The weight, 0 to 1.8, of the market's (`m`) most telling name that has no word in common with
    the question (`q`); 0 if there is no such name. The larger the weight, the more the market is
    about something else."""
    return max(
        (max(m.weights.get(t, 0.0) for t in run) for run in m.name_terms
         if not run <= OFFICES and not any(is_said(t, q) for t in run)),
        default=0.0,
    )  # fmt: skip


def named_share(q: View, m: View) -> float:
    """Share, 0 to 1 and by weight, of the question's (`q`) names that the market (`m`) has in its
    text or rules; 1 if the question has no names."""
    weights = {t: w for t, w in q.weights.items() if t in q.names}
    total = sum(weights.values())
    named = sum(w for t, w in weights.items() if is_said(t, m) or t in m.context)
    return named / total if total else 1.0


def distinctive_terms(choice: frozenset[str], of: View) -> frozenset[str]:
    """The terms of a contender's name that are capitalized in a text. If none is, all terms of the
    name.

    choice : the terms of the contender's name
    of : the text
    """
    named = frozenset(t for t in choice if t in of.names)
    return named or choice


def share(terms_: frozenset[str], covers: frozenset[str], of: View) -> float:
    """Share, 0 to 1, of the terms `terms_` that are in `covers`. Each term counts with its weight
    in the text `of`; a term without a weight counts 0.1. 0 if `terms_` is empty."""
    total = sum(of.weights.get(t, 0.1) for t in terms_)
    return sum(of.weights.get(t, 0.1) for t in terms_ if t in covers) / total if total else 0.0
