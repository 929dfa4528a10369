"""A text from which a proposition is read. Parts that have been read are blanked out, and the words
that are left over are the content terms. Pure.

Blanked parts are replaced by the filler character 0x1F, one for each character, so that all other
words keep their positions. Content terms are the stemmed words that tell what a text is about,
without words such as "will" and "reach" (`wording.GENERIC`).
"""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from augury.caches import cached
from augury.propositions.ahead import Finder
from augury.propositions.claims import inside, masked, name_spans, unmasked, without_emphasis
from augury.propositions.dates import WrittenDate
from augury.propositions.proposition import Slot, WordsRead
from augury.propositions.wording import GENERIC, canonical, districts
from augury.propositions.written_dates import written_dates
from augury.search.text import terms as text_terms


class BlankedText:
    """The text of a market or question while it is read: each part that has been read is replaced
    by the filler character 0x1F.

    about : the question or the market's title, with the parts read so far blanked out
    side : the market's subtitle, blanked in the same way; empty if there is none
    raw : title and subtitle before any part was blanked out, except that a quoted passage of the
        title is already replaced by a made-up word (see `masked`)
    read : the parts of the proposition read so far, each with the words from which it was read
    """

    __slots__ = (
        "_names", "_quotes", "about", "anchor", "asked", "dates", "raw", "read", "side",
        "side_dates",
    )  # fmt: skip

    def __init__(
        self, about: str, side: str, *, anchor: date | None, opened: date | None, asked: bool
    ) -> None:
        # A title in quotes is a name, whatever its words are: "Never Enough" denies nothing.
        about, quotes = masked(about)
        self._quotes = [f" {quote[1:-1]} " for quote in quotes]
        self._names = name_spans(about)
        self.raw = f"{about} {side}".strip()
        self.anchor, self.asked = anchor, asked
        self.read: list[WordsRead] = []
        self.dates: list[WrittenDate] = written_dates(about, anchor, opened=opened, asked=asked)
        self.side_dates: list[WrittenDate] = (
            written_dates(side, anchor, opened=opened, asked=asked) if side else []
        )
        self.about, self.side = about, side

    def terms(self, part: str) -> frozenset[str]:
        """The content terms of `part`, a piece of this text: the stemmed words that tell what the
        piece is about."""
        return content_terms(unmasked(part, self._quotes))

    def _denies_nothing(self, found: re.Match[str]) -> bool:
        """Whether a word that can deny, such as "without", denies nothing here: it belongs to a
        name, or says how a thing is done ("offered without supervision").

        found : the match of the word
        """
        if inside(self._names, found.start()):
            return True
        return found[0] == "without" and _DONE.search(found.string[: found.start()]) is not None

    def blank_dates(self) -> None:
        """Replace the dates in `about` (the question or title) and in `side` (the subtitle) by the
        filler character 0x1F."""
        for m in self.dates:
            self.about = blanked(self.about, m.span)
        for m in self.side_dates:
            self.side = blanked(self.side, m.span)

    def cut(self, pattern: Finder, slot: Slot) -> str | None:
        """Find the first match of `pattern` and replace it by the filler character 0x1F. Returns
        the matched words; None if nothing matches.

        slot : the part of the proposition that `pattern` reads, e.g. "predicate". For "polarity"
            (negations such as "not"), only the question or title (`about`) is searched. The
            subtitle (`side`) is not searched, because it is a name: a "not" in it denies nothing
        """
        for name in ("about",) if slot == "polarity" else ("side", "about"):
            text: str = getattr(self, name)
            if slot == "polarity":
                found = next(
                    (f for f in pattern.finditer(text) if not self._denies_nothing(f)), None
                )
            else:
                found = pattern.search(text)
            if found:
                setattr(self, name, blanked(text, found.span()))
                self.read.append(WordsRead(slot, " ".join(found[0].split())))
                return found[0]
        return None


def blanked(text: str, span: tuple[int, int]) -> str:
    """The text with each character from position `span[0]` up to, but not including, position
    `span[1]` replaced by the filler character 0x1F."""
    return f"{text[: span[0]]}{chr(31) * (span[1] - span[0])}{text[span[1] :]}"


_NOISE: Final = re.compile(r"\*\*|above_below_between|::")
_CURLY: Final = str.maketrans("’‘ʼ“”„", "'''\"\"\"")
_SPACES: Final = re.compile(r"\s+")


def clean(text: str) -> str:
    """The first 1,000 characters of a text, without markup. Words that are capitalized only for
    emphasis are put in lower case: "will NOT" -> "will not"."""
    text = text[:1000].translate(_CURLY)
    return without_emphasis(_SPACES.sub(" ", _NOISE.sub(" ", text)).strip())


_DONE: Final = re.compile(
    r"\b(?:offer(?:s|ed)?|launch(?:es|ed)?|release[sd]?|renew(?:s|ed)?|win|approve[sd]?|deploy(?:s|ed)?|"
    r"operate[sd]?|drive[sn]?|fly|sign(?:s|ed)?|resign|leave|sell|sold|buy|serve[sd]?|convict(?:ed)?)\b",
    re.I,
)
"""Matches verbs after which "without" says how something is done, and denies nothing: "launched
without crew"."""
_DROP: Final = re.compile(r"[\x1f$€£%°?]+|\b(?:and|or)\s+(?=\x1f)")
_BOUGHT: Final = re.compile(r"\b(?:buys?|buying|bought|purchas\w+)\b", re.I)
_CHAIN: Final = re.compile(r"\b[^\W\d_]+(?:–[^\W\d_]+){2,}|\b\d{1,2} ?[-–] ?\d{1,2}\b")


@cached(16 << 20)
def content_terms(text: str) -> frozenset[str]:
    """The content terms of a text, i.e. the stemmed words that tell what the text is about: "Will
    the Fed cut rates in March?" -> fed, cut, rate, march."""
    if not text or not text.strip(" \x1f?"):
        return frozenset()
    plain = districts(_DROP.sub(" ", text))
    found = set(ordered_terms(text))
    if "acquir" in found and _BOUGHT.search(plain):
        found.add("purchas")  # what is acquired need not be bought
    if "–" in plain or "-" in plain:  # the order matters in "cut–pause–cut" and "3 - 1"
        found |= {chain.casefold().replace(" ", "") for chain in _CHAIN.findall(plain)}
    return canonical(frozenset(found))


def ordered_terms(text: str) -> list[str]:
    """The stemmed words that tell what a text is about, in the order of the text. Unlike
    `content_terms`, this keeps words that others imply: "NHL" beside "Stanley Cup"."""
    plain = districts(_DROP.sub(" ", text))
    return [t for t in text_terms(plain) if t not in GENERIC]
