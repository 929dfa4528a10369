"""Finds the names of a game's two sides (teams or players) in a text. Pure.

A side is recognized by the names that the market on the game gives it, by the aliases that the
vocabulary has for the team or player of that name in that sport, and, for a team, by the names of
its players in the vocabulary. "St." can stand for "State". A name that both sides share identifies
neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from augury.language.contests import Contest
from augury.language.entities import NAMELESS, Mention
from augury.language.vocabulary import Entity, Vocabulary, fold

Form = tuple[str, ...]
"""One way to name a side of a game (a team or player), as a tuple of words without case, accents
and dots."""

_TOKEN: Final = re.compile(
    r"[^\W_]+(?:[.'&][^\W_]+)*|[,;:()>?!]|(?<=[^\W_]{4})\.(?=\s)|(?<=\s)[-–—](?=\s)"
)
_GENERIC: Final = frozenset(
    "fc afc cf sc ac ssc us as sk fk bk if bv sv tsv vfb vfl rc cd ud sd ca club the de of city"
    " united real sporting athletic atletico town rovers county albion west north south east new"
    " san saint st los state university college republic team esports gaming inter racing sport"
    " sports union deportivo women men central western eastern northern southern van der von la le"
    " del al el rb og wanderers dinamo dynamo red star".split()
)
"""Words of team names that alone identify no team or player: "united", "city"."""
_EPITHET: Final = re.compile(
    r"(?<![^ ])([AB]) (?:(?!at|vs|over|and|or|past|beat|d|v)\w+ )?X(?![^ ])"
)
_CLUB: Final = frozenset("fc afc cf sc ac ssc fk sk bk 1 club calcio".split())
"""Words in a club's registered name that people leave out: "fc"."""
_ONE_WORD_SPORTS: Final = frozenset({"tennis", "mma", "soccer", ""})
"""Sports in which any distinctive word of a team's or player's name is enough to identify the team
or player; "" is an unknown sport."""
_CITY_LEAGUES: Final = frozenset({"nba", "nfl", "mlb", "nhl", "wnba"})
"""Leagues whose teams are named after a city or state and a nickname: "Boston Celtics"."""
_NICKNAME_FIRST_WORDS: Final = frozenset({"red", "white", "blue", "trail", "maple", "golden"})
"""First words of nicknames of two words: "red" of the "Boston Red Sox". They show where the city
ends in a team's full name."""
_OTHER_SCHOOL_WORDS: Final = frozenset(
    "state st tech a&m southern atlantic international christian".split()
)
"""Words that, after the name of a school, make it the name of a different school: "Michigan State"
is not "Michigan"."""
_NOT_THE_TEAM: Final = frozenset(
    "ground stadium park arena field road center centre one trip fans hotspur".split()
)
"""Words after a team's name which show that the text does not mean the team itself: "stadium",
"fans", "trip"."""
_STATES: Final = {"oh": "ohio", "fl": "florida", "pa": "pennsylvania"}


@dataclass(frozen=True, slots=True)
class Token:
    """A word (without case, accents and dots) or a punctuation mark of a text. `capital`: the word
    begins with a capital letter or a digit."""

    text: str
    capital: bool = False


def tokens(text: str) -> list[Token]:
    """The words and punctuation marks of a text; a hyphenated word counts as several."""
    found = []
    for match in _TOKEN.finditer(text.replace("’", "'")):
        word = match.group()
        capital = word[:1].isupper() or word[:1].isdigit()
        if word.casefold().endswith("'s"):
            word = word[:-2] if len(word) > 3 else word.casefold()
            found.append(Token(word if word.endswith("'s") else _fold(word), capital))
            continue
        found.append(Token(_fold(word), capital))
    return found


_STATE_CODE: Final = re.compile(r"\((\w{2,4})\)")
"""Matches a code in parentheses that tells teams of the same name apart: "Miami (OH)". People leave
out the code, or only the parentheses."""


def mark_sides(
    text: str, contest: Contest, foreign: Sequence[Mention], vocabulary: Vocabulary
) -> str:
    """The text with the two sides of the game `contest` replaced by A and B, and teams that do not
    play in it by X: "Will the Lakers beat Boston?" -> "will the A beat B ?". All other words are in
    lower case, without accents and dots.

    foreign : all mentions of teams and people in the text (`results.teams_and_people`); those that
        can play this sport and are neither side of the game become X
    """
    words = tokens(_STATE_CODE.sub(r"\1", text))
    sport = contest.sport or _shared_sport(contest.sides, vocabulary)
    known = [_entities(names, sport, vocabulary) for names in contest.sides]
    ours, theirs = (_forms(names, sport, vocabulary) for names in contest.sides)
    spans = [
        (place, place + len(form), which)
        for which, forms in (("A", ours - theirs), ("B", theirs - ours))
        for place, form in _occurrences(words, forms)
    ]
    keys = {entity.key for entities in known for entity in entities}
    national = any(_is_national(entity) for entities in known for entity in entities)
    spans += [
        (place, place + len(form), "X")
        for one in foreign
        if not one.keys & keys
        and any(_plays(e, sport) and _is_national(e) <= national for e in one.entities)
        for form in (_form(one.text),)
        for place, _ in _occurrences(words, (form,), any_case=True)
        if place + len(form) == len(words) or words[place + len(form)].text not in _NOT_THE_TEAM
    ]
    marked = _marked(words, spans)
    if "X" in marked:
        marked = _without_epithets(" ".join(marked)).split()
        for which, entities in zip("BA", known[::-1], strict=True):
            other = "A" if which == "B" else "B"
            if contest.sides["AB".index(which)] and not entities and which not in marked:
                # The vocabulary has no names for this side, so an X beside the other may be it.
                marked = ["someone" if w == "X" and other in marked else w for w in marked]
    return " ".join(marked)


def _marked(words: Sequence[Token], spans: list[tuple[int, int, str]]) -> list[str]:
    spans = sorted(spans, key=lambda one: (one[0] - one[1], one[2], one[0]))
    named: dict[int, tuple[int, str]] = {}
    taken: set[int] = set()
    for start, end, which in spans:
        if taken.isdisjoint(range(start, end)):
            taken.update(range(start, end))
            named[start] = end, which
    out: list[str] = []
    place = 0
    while place < len(words):
        if place in named:
            place, which = named[place]
            if not out or out[-1] != which:
                out.append(which)
        else:
            out.append(words[place].text)
            place += 1
    return out


def _without_epithets(text: str) -> str:
    """The text without nicknames of the sides A and B that are also names of another team (X).
    Otherwise such a nickname would count as a third team. "the X of A" ("the Knights of Army") and
    "A young X" ("Army's young Knights") both become "A"."""
    text = re.sub(r"(?<![^ ])X (?:of|from|in) (?:the )?([AB])(?![^ ])", r"\1", text)
    return _EPITHET.sub(r"\1", text)


def _shared_sport(sides: Sequence[tuple[str, ...]], vocabulary: Vocabulary) -> str:
    """The sport of a game, if it is the only one in which the vocabulary knows both sides; empty if
    it knows them in no sport or in several.

    sides : for each side, the names that a market gives it
    """
    topics = [{e.topic for e in _entities(names, "", vocabulary)} for names in sides if names]
    both = topics[0].intersection(*topics[1:])
    return both.pop() if len(both) == 1 and len(topics) == 2 else ""


def _is_national(entity: Entity) -> bool:
    return "national" in entity.name


def _plays(entity: Entity, sport: str) -> bool:
    if sport and entity.topic != sport:
        return False
    return entity.kind == "team" or (entity.kind == "person" and entity.topic in ("tennis", "mma"))


def _occurrences(
    words: Sequence[Token], forms: Iterable[Form], *, any_case: bool = False
) -> list[tuple[int, Form]]:
    """Where the names `forms` occur in a text, as (index of the first word, name).

    any_case : some one-word names are also ordinary words (`NAMELESS`, e.g. "sun"). By default,
        such a name is found only where the text capitalizes it. True: it is found in lower case,
        too
    """
    by_first: dict[str, list[Form]] = {}
    for form in forms:
        by_first.setdefault(form[0], []).append(form)
    return [
        (place, form)
        for place, token in enumerate(words)
        for form in by_first.get(token.text, ())
        if all(
            place + n < len(words) and words[place + n].text == word for n, word in enumerate(form)
        )
        and (any_case or token.capital or form != (token.text,) or token.text not in NAMELESS)
    ]  # fmt: skip


@lru_cache(maxsize=1 << 12)
def _forms(names: tuple[str, ...], sport: str, vocabulary: Vocabulary) -> frozenset[Form]:
    """All names, as tuples of words, by which a text may call a side of a game (a team or player).

    names : the names that a market gives the side
    """
    entities = _entities(names, sport, vocabulary)
    spelled = [form for name in names for form in _spellings(name)]
    found = set(spelled)
    for entity in entities:
        found |= {_split(alias.words) for alias in entity.aliases}
        found |= set(_short_names(entity, spelled))
        for member in vocabulary.members(entity.name) if entity.kind == "team" else ():
            found |= {_split(a.words) for a in member.aliases if a.guard != "context"}
    for form in filter(None, map(_form, names)):
        if sport == "ncaa":
            first = form[0]
            if form[2:] and form[-1] == "st":
                found.add(form[:-1])
            if len(first) > 4 and first not in _GENERIC and not any(
                (e.topic == sport and e not in entities) or e.kind == "place"
                for _, e in _aliases_from(first, vocabulary)
            ):  # fmt: skip
                found.add((first,))
        elif not entities or sport in _ONE_WORD_SPORTS:
            found |= {(word,) for word in form if len(word) > 2 and word not in _GENERIC}
            found.add(tuple(w for w in form if w not in _GENERIC or w in ("city", "united")))
    return frozenset(form for form in found if form and form != ("the",))


def _short_names(entity: Entity, spelled: Sequence[Form]) -> list[Form]:
    """Shorter names of a team: the nickname at the end of the full name and, in leagues whose teams
    are named after cities, the city.

    spelled : the names that a market gives the team
    """
    if entity.kind != "team":
        return []
    name = _form(entity.name)
    heads = {_split(alias.words) for alias in entity.aliases} | set(spelled)
    found = [name[len(head) :] for head in heads if name[: len(head)] == head]
    if entity.topic in _CITY_LEAGUES:
        found.append(name[: -2 if name[-2:-1] and name[-2] in _NICKNAME_FIRST_WORDS else -1])
    return found


@lru_cache(maxsize=1 << 12)
def _entities(names: tuple[str, ...], sport: str, vocabulary: Vocabulary) -> tuple[Entity, ...]:
    """The vocabulary's entities (teams, players) that a side of a game may be; empty if none or
    more than three fit.

    names : the names that a market gives the side
    """
    spelled = [form for name in names for form in _spellings(name)]
    for fits in (_is_alias, _is_without_nickname):
        found = {
            entity.key: entity
            for form in spelled
            for known, entity in _aliases_from(form[0], vocabulary)
            if entity.kind != "place"
            and (not sport or entity.topic == sport)
            and fits(form, known, entity)
        }
        if found:
            return tuple(found[key] for key in sorted(found)) if len(found) <= 3 else ()
    return ()


def _is_alias(form: Form, known: Form, entity: Entity) -> bool:
    """Whether a name (`form`) equals `known`, an alias of the entity, or is the entity's city with
    the first letters of the nickname: "New York J" for the New York Jets."""
    if form == known:
        return True
    name = _form(entity.name)
    if len(form) < 2 or len(form[-1]) > 2 or name[: len(form) - 1] != form[:-1]:
        return False
    return "".join(word[0] for word in name[len(form) - 1 :][: len(form[-1])]) == form[-1]


def _is_without_nickname(form: Form, known: Form, entity: Entity) -> bool:
    """Whether the name `form` is a team's full name minus the nickname: "Boston" for the Boston
    Celtics.

    known : an alias of the team; the result is False unless this alias is the team's full name
    """
    name = _form(entity.name)
    rest = name[len(form) :]
    return bool(
        entity.kind == "team" and known == name and rest and name[: len(form)] == form
        and rest[0] not in _OTHER_SCHOOL_WORDS
    )  # fmt: skip


def _aliases_from(first: str, vocabulary: Vocabulary) -> list[tuple[Form, Entity]]:
    """The aliases of teams, people and places that begin with the word `first`, each as a tuple of
    words and with the entity that it names. The parts of a hyphenated alias are separate words."""
    return [
        (_split(alias.words), entity)
        for alias, entity in (*vocabulary.aliases_starting(first), *vocabulary.hyphenated(first))
        if entity.kind in ("team", "person", "place")
    ]


@lru_cache(maxsize=1 << 12)
def _spellings(name: str) -> tuple[Form, ...]:
    form = _form(name)
    if not form:
        return ()
    out = {form}
    if bare := _form(_STATE_CODE.sub("", name)):
        out.add(bare)
    if form[-1] == "st":
        out.add((*form[:-1], "state"))
    if form[0] == "st":
        out.add(("saint", *form[1:]))
    if (bare := tuple(word for word in form if word not in _CLUB)) and bare != form:
        out.add(bare)
    if len(form) > 1 and form[-1] in _STATES:
        state = _STATES[form[-1]]
        out |= {(*form[:-1], state), (*form[:-1], "of", state)}
    return tuple(sorted(out))


def _form(name: str) -> Form:
    return tuple(one.text for one in tokens(name) if one.text[0].isalnum())


def _split(words: Sequence[str]) -> Form:
    return tuple(part for word in words for part in re.split(r"[-/]", word) if part)


def _fold(word: str) -> str:
    return fold(word).replace("ß", "ss")
