"""Makes the names and ids of families. Pure.

Here, a family is all markets of the events that have the same name. (In `relations.events` and in
`search`, the word has other meanings.) Days are left out of the name ("on March 31" -> "in March"),
so that all events of a daily series in one month are in one family.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata

from augury.markets.sides import DAY, DEADLINE, MONTH, YEAR, EventMember


def undated(text: str, *, deadlines: bool = True) -> str:
    """`text` with each day replaced by its month ("on March 31" -> "in March"), so that the texts
    of a daily series are equal within a month.

    With `deadlines`, the date of a deadline is dropped: "by March 31" and "by June" both become "by
    …".
    """
    if deadlines and re.search(r"\b(?:by|before|prior|later)\b", text, re.I):
        text = DEADLINE.sub("by …", text)
    if re.search(r"\d", text):
        text = DAY.sub(_month_of, text)
    return " ".join(text.split())


def _month_of(day: re.Match[str]) -> str:
    text = day[0]
    year = re.search(YEAR, text)
    month = re.search(MONTH, text, re.I)
    preposition = "in " if text[:3].casefold() == "on " else ""
    if month is None:  # 2026-03-31
        return preposition + text[-10:-3]
    return f"{preposition}{month[0].rstrip('.')}{' ' + year[0] if year else ''}"


_NO_SLUG = re.compile(r"[^a-z0-9]+")
_LETTERS = re.compile(r"(?:[a-z].*){5}")


def family_id(name: str, member: EventMember) -> str:
    """The readable id (slug) of the family called `name`, i.e. of all markets of the events with
    that name: "Fed decision" -> "fed-decision". The id is the same for both venues.

    If the slug has fewer than five letters, the event id of `member` is added, because so short a
    slug does not tell families apart.
    """
    plain = name.casefold()
    foreign = False
    if not plain.isascii():
        spelled = unicodedata.normalize("NFKD", plain)
        plain = "".join(c for c in spelled if not unicodedata.combining(c))
        foreign = any(c.isalpha() and not c.isascii() for c in plain)
    slug = _NO_SLUG.sub("-", plain).strip("-")
    if foreign or len(slug) > 96:
        digest = hashlib.blake2b(name.casefold().encode(), digest_size=4).hexdigest()
        slug = f"{slug[:80].rstrip('-')}-{digest}".strip("-")
    if not _LETTERS.search(slug):
        own = member.event_id or member.id
        slug = f"{slug}-{member.platform}-{_NO_SLUG.sub('-', own.casefold())}"
    return slug.strip("-")
