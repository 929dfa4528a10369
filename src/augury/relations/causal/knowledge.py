"""The factor base: things in the world that markets are about (factors), and which of them drives
which (edges). Pure.

People write factors and edges, by domain (subject area), in `knowledge/*.toml`. An edge has a sign,
a strength, a typical lag and a one-line reason; `docs/factors.md` describes the format. A pattern
is written once and gives one factor, its instance, for each entity of a list (of teams, of coins).

`load` does not fail if an edge leads to an unknown factor; `lint` reports such problems.
"""

from __future__ import annotations

import hashlib
import re
import sys
import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from augury import compiled
from augury.caches import Once
from augury.language import calendar, numerals
from augury.relations.causal import judged, parts
from augury.relations.causal.judged import PairVerdict
from augury.relations.causal.parts import Edge, Factor, FactorLink, Line, Phrase
from augury.search import aliases
from augury.search import text as search_text
from augury.search.aliases import ALIASES, STEMS
from augury.search.text import terms

MOST_FACTORS: Final = 2**16 - 1
"""The factor base can have at most this many factors (things in the world that markets are about),
because the id of a factor, counted from 1, has to fit into two bytes. The id 0 means no factor."""


@dataclass(frozen=True, eq=False)
class Base:
    """The whole factor base: factors (things in the world that markets are about), edges (one
    factor drives another), links (two factors move together), and verdicts on pairs of factors."""

    factors: Mapping[str, Factor]
    """Key -> factor, sorted by key. The id (number) of a factor is its position here, counted from
    1."""
    edges: tuple[Edge, ...]
    links: tuple[FactorLink, ...]
    dangling: tuple[str, ...]
    """Messages, one for each edge, link or contest in the base that refers to an unknown factor."""
    problems: tuple[str, ...]
    """Messages, one for each mistake in the files of the factor base, with file and factor."""
    version: str
    """Hash, 16 hexadecimal digits, of everything that decides which factors a market is about: the
    TOML files of the factor base, and the aliases and stems that search uses."""
    verdicts: tuple[PairVerdict, ...]
    """Verdicts on how pairs of factors are related, by readers who did not see the edges and links
    of the factor base. So the two can be compared."""
    entities: Mapping[str, Sequence[Mapping[str, str]]]
    """The lists of entities (teams, players, countries), by name. A pattern gives one factor for
    each entity of a list."""

    @property
    def written(self) -> list[Factor]:
        """The factors (things in the world) that were written by hand, without those that patterns
        give (one for each team, country ...)."""
        return [f for f in self.factors.values() if f.entity is None]


_kept: Final = Once[Base]()
_WRITTEN = re.compile(r'^\[factors\.(?:"([^"]+)"|([\w-]+))\]', re.MULTILINE)


@cache
def written_in(beginning: str) -> frozenset[str]:
    """Keys of the factors (things in the world) and patterns in those files of the factor base
    whose names start with `beginning`, e.g. "sports_". The domain of a factor is too coarse for
    this: sports, films and music are one domain."""
    found: set[str] = set()
    for name, text in texts().items():
        if name.startswith(beginning):
            found.update(quoted or plain for quoted, plain in _WRITTEN.findall(text))
    return frozenset(found)


def load(folder: Path | None = None) -> Base:
    """The factor base (which factor drives which) shipped with this version. It is read once for
    each process, from a compact file if there is one (`augury.compiled`).

    folder : where that file is kept if the folder of Python's compiled modules can't be written
    """
    code = sys.modules[__name__], parts, judged, search_text, aliases, calendar, numerals
    return _kept.get(lambda: compiled.load("causal-base", Base, texts(), parse, code, folder))


def texts() -> dict[str, str]:
    """The files of the factor base (which factor drives which) shipped with this version: file name
    -> content, as TOML or TSV."""
    folder = resources.files("augury.relations") / "knowledge"
    files = [
        file
        for file in (*folder.iterdir(), *(folder / "judged").iterdir())
        if file.name.endswith((".toml", ".tsv"))
    ]
    return {f.name: f.read_text(encoding="utf-8") for f in sorted(files, key=lambda f: f.name)}


def parse(written: Mapping[str, str]) -> Base:
    """Build the factor base (which factor drives which) from the content of its files: file name ->
    TOML or TSV."""
    reader = _BaseReader()
    tables: list[tuple[str, dict[str, Any]]] = []
    verdicts: list[PairVerdict] = []
    for name, text in written.items():
        if name.endswith(".tsv"):
            verdicts += judged.read(name, text, reader.problems)
            continue
        try:
            tables.append((name, tomllib.loads(text)))
        except tomllib.TOMLDecodeError as error:
            reader.problems.append(f"{name}: {error}")
    for name, table in tables:
        reader.read_entities(name, table)
    for name, table in tables:
        reader.read_factors(name, table)
    # The aliases change how lines and markets are read, so they are part of the version. The
    # verdicts are not, since they change no market's factors.
    tagging = sorted((name, text) for name, text in written.items() if name.endswith(".toml"))
    version = hashlib.sha256(repr((tagging, ALIASES, STEMS)).encode()).hexdigest()[:16]
    return reader.base(version, verdicts)


@lru_cache(maxsize=1 << 15)
def phrase(text: str) -> Phrase:
    """The terms (stemmed words) of one phrase by which texts name a factor (thing in the world):
    "crude oil prices" -> ("crude", "oil", "price"). The factor lists such phrases in `match`."""
    return tuple(terms(text))


class _BaseReader:
    def __init__(self) -> None:
        self.problems: list[str] = []
        self._entities: dict[str, list[dict[str, str]]] = {}
        self._factors: dict[str, Factor] = {}
        self._edges: list[tuple[str, str, list[Any], bool]] = []
        self._links: list[tuple[str, str, list[Any], bool]] = []

    def read_entities(self, file: str, table: dict[str, Any]) -> None:
        for kind, entities in table.get("entities", {}).items():
            fields = entities.get("fields", [])
            if kind in self._entities:
                self.problems.append(f"{file}: the list entities.{kind} is defined twice")
                continue
            rows = []
            for row in entities.get("rows", []):
                if len(row) != len(fields):
                    self.problems.append(
                        f"{file}: entities.{kind}: row {row} should have {len(fields)} values, one "
                        "for each field of the list"
                    )
                    continue
                rows.append({f: str(value) for f, value in zip(fields, row, strict=True)})
            self._entities[kind] = rows
            keys = Counter(row.get("key", "") for row in rows)
            for key, times in keys.items():
                if times > 1 or not key:
                    self.problems.append(
                        f"{file}: entities.{kind}: {times} rows have the key {key!r}"
                    )

    def read_factors(self, file: str, table: dict[str, Any]) -> None:
        domain = str(table.get("domain", ""))
        if not domain:
            self.problems.append(f"{file}: the file has no domain")
        for key, written in table.get("factors", {}).items():
            kinds = re.findall(r"\{([\w-]+)\}", key)
            if not kinds:
                self._add(file, domain, key, key, written, None)
            elif len(kinds) > 1 or kinds[0] not in self._entities:
                self.problems.append(
                    f"{file}: {key}: the braces in the key should name exactly one list of entities"
                )
            else:
                for row in self._entities[kinds[0]]:
                    filled = _filled(written, row)
                    expanded = key.replace(f"{{{kinds[0]}}}", row["key"])
                    entity = (kinds[0], row["key"])
                    self._add(file, domain, expanded, key, filled, entity)

    def _add(
        self,
        file: str,
        domain: str,
        key: str,
        pattern: str,
        written: dict[str, Any],
        entity: tuple[str, str] | None,
    ) -> None:
        where = f"{file}: {key}"
        if key in self._factors:
            self.problems.append(f"{where}: the factor is defined twice")
            return
        if unknown := set(written) - _FIELDS:
            self.problems.append(
                f"{where}: the factor has unknown fields: {', '.join(sorted(unknown))}"
            )
        for needed in ("name", "up", "match"):
            if not written.get(needed):
                self.problems.append(f"{where}: the factor has no {needed}")
        lines = []
        for text in written.get("match", []):
            line = _line(text)
            if line is None:
                self.problems.append(f"{where}: the match line {text!r} has no words to match")
            else:
                lines.append(line)
        self._factors[key] = Factor(
            key=key,
            name=str(written.get("name", key)),
            up=str(written.get("up", "")),
            domain=domain,
            lines=tuple(lines),
            up_words=tuple(filter(None, map(_plain_phrase, written.get("up_words", [])))),
            down_words=tuple(filter(None, map(_plain_phrase, written.get("down_words", [])))),
            pattern=pattern,
            entity=entity and entity[1],
            entity_list=entity and entity[0],
            siblings=written.get("siblings", True) is not False,
            hearsay=written.get("hearsay", False) is True,
            contests=tuple(written.get("contest", [])),
        )
        instance = entity is not None
        effects, links = written.get("effects", []), written.get("moves_with", [])
        self._edges += [(where, key, e, instance) for e in self._fanned_out(effects)]
        self._edges += [
            (where, str(cause), [key, *rest], instance)
            for cause, *rest in self._fanned_out(written.get("causes", []))
        ]
        self._links += [(where, key, e, instance) for e in self._fanned_out(links)]

    def _fanned_out(self, written: list[Any]) -> list[Any]:
        """The edges of a factor as they are written in the base, with one exception. The end of an
        edge may name a list of entities in braces: "price-{coin}". Such an edge is replaced by one
        edge for each entity in the list, here for each coin."""
        out: list[Any] = []
        for edge in written:
            kind = re.search(r"\{([\w-]+)\}", str(edge[0])) if edge else None
            if kind is None or kind[1] not in self._entities:
                out.append(edge)
                continue
            for row in self._entities[kind[1]]:
                end = str(edge[0]).replace(kind[0], row["key"])
                out.append([end, *_filled(edge[1:], row)])
        return out

    def base(self, version: str, verdicts: Sequence[PairVerdict]) -> Base:
        dangling: list[str] = []
        edges: dict[tuple[str, str], Edge] = {}
        for where, cause, fields, instance in self._edges:
            if not self._well_formed(where, fields, 5):
                continue
            effect, sign, strength, lag, reason = fields
            optional = effect.endswith("?") or cause.endswith("?")
            cause, effect = cause.removesuffix("?"), effect.removesuffix("?")
            if missing := [end for end in (cause, effect) if end not in self._factors]:
                if not optional:
                    dangling.append(
                        f"{where}: an edge names a factor that does not exist: {', '.join(missing)}"
                    )
                continue
            if effect == cause:
                if not instance:
                    self.problems.append(f"{where}: an edge leads from the factor to itself")
                continue
            if (cause, effect) in edges:
                self.problems.append(f"{where}: the edge {cause} -> {effect} is defined twice")
                continue
            edges[cause, effect] = Edge(cause, effect, sign, strength, int(lag), reason)
        dangling += [
            f"{factor.key}: the contest {contest} of this factor is not a factor itself"
            for factor in self._factors.values()
            for contest in factor.contests
            if contest not in self._factors
        ]
        for edge in self._inherited(edges):
            edges.setdefault((edge.cause, edge.effect), edge)
        links: dict[frozenset[str], FactorLink] = {}
        for where, one, fields, instance in self._links:
            if not self._well_formed(where, fields, 4):
                continue
            other, sign, strength, reason = fields
            other, optional = other.removesuffix("?"), other.endswith("?")
            if other not in self._factors:
                if not optional:
                    dangling.append(
                        f"{where}: moves_with names a factor that does not exist: {other}"
                    )
                continue
            if other == one:
                if not instance:
                    self.problems.append(f"{where}: moves_with names the factor itself")
                continue
            # A link may be written at both of its factors; the reason that comes first is kept.
            links.setdefault(
                frozenset((one, other)), FactorLink(one, other, sign, strength, reason)
            )
        if len(self._factors) > MOST_FACTORS:
            self.problems.append(f"the factor base has more than {MOST_FACTORS} factors")
        return Base(
            factors=dict(sorted(self._factors.items())),
            edges=tuple(edges.values()),
            links=tuple(links.values()),
            dangling=tuple(dangling),
            problems=tuple(self.problems),
            version=version,
            entities=self._entities,
            verdicts=tuple(verdicts),
        )

    def _inherited(self, edges: Mapping[tuple[str, str], Edge]) -> list[Edge]:
        """Copies of the edges of a contest ("who wins the league") for each of its contenders
        ("this team wins the league"), with a smaller strength.

        What drives a contest also drives how its contenders do in it. Edges between two contests
        whose contenders come from the same list are not copied, since the contenders have better
        edges of their own.
        """
        contenders: dict[str, list[str]] = defaultdict(list)
        kinds: dict[str, set[str]] = defaultdict(set)
        for factor in self._factors.values():
            for contest in factor.contests:
                contenders[contest].append(factor.key)
                kinds[contest].add(factor.entity_list or "")
        out: list[Edge] = []
        for edge in edges.values():
            if kinds[edge.cause] & kinds[edge.effect]:
                continue
            # Between two contests, an edge says even less about each single contender.
            between = edge.cause in contenders and edge.effect in contenders
            strength = edge.strength - 1 - between
            if strength < 1:
                continue
            weaker = replace(edge, strength=strength, inherited=True)
            out += [replace(weaker, cause=key) for key in contenders.get(edge.cause, ())]
            out += [replace(weaker, effect=key) for key in contenders.get(edge.effect, ())]
        ends = self._factors
        return [edge for edge in out if not _of_another(ends[edge.cause], ends[edge.effect])]

    def _well_formed(self, where: str, fields: list[Any], length: int) -> bool:
        if (
            len(fields) == length
            and isinstance(fields[0], str)
            and fields[1] in ("+", "-")
            and fields[2] in (1, 2, 3)
            and (length == 4 or (isinstance(fields[3], int) and fields[3] >= 0))
            and isinstance(fields[-1], str)
            and fields[-1].strip()
        ):
            return True
        form = "sign, strength from 1 to 3," + (" days," if length == 5 else "")
        self.problems.append(
            f"{where}: {fields} should have the form [factor, {form} reason], with + or - as sign"
        )
        return False


_FIELDS: Final = {
    *("name", "up", "match", "up_words", "down_words", "effects", "causes", "moves_with"),
    *("contest", "siblings", "hearsay"),
}


_FIELD = re.compile(r"\{(\w+)\}")


def _filled(written: Any, row: Mapping[str, str]) -> Any:
    """A copy of an entry of a TOML file (`written`) that serves as a pattern, in which each
    placeholder `{field}` is replaced by the value of that field in `row`.

    Texts in nested lists and tables are filled in as well. `row`: the fields of the entity (a team,
    a country) for which the entry is copied.
    """
    if isinstance(written, str):
        if "{" not in written:
            return written
        return _FIELD.sub(lambda m: row.get(m[1], m[0]), written)
    if isinstance(written, list):
        return [_filled(part, row) for part in written]
    if isinstance(written, dict):
        return {key: _filled(value, row) for key, value in written.items()}
    return written


@lru_cache(maxsize=1 << 15)
def _line(text: str) -> Line | None:
    conjuncts: list[tuple[Phrase, ...]] = []
    without: list[Phrase] = []
    alone, text = text.startswith("="), text.removeprefix("=")
    for part in text.split("&"):
        part = part.strip()
        if part.startswith("!"):
            without += filter(None, map(phrase, part[1:].split("|")))
            continue
        phrases = tuple(dict.fromkeys(filter(None, map(phrase, part.split("|")))))
        if not phrases:
            return None
        conjuncts.append(phrases)
    return Line(tuple(conjuncts), tuple(without), alone) if conjuncts else None


def _plain_phrase(text: str) -> Phrase:
    return tuple(text.casefold().split())


def _of_another(one: Factor, other: Factor) -> bool:
    """Whether two factors (things in the world) are about two different entities of the same list,
    e.g. about two teams or about two countries."""
    return (
        one.entity_list is not None
        and one.entity_list == other.entity_list
        and one.entity != other.entity
    )


# The linter


def lint(base: Base) -> list[str]:
    """Messages on what is wrong with a factor base (which factor drives which), e.g. an edge to an
    unknown factor. Empty if nothing is wrong."""
    found = [*base.problems, *base.dangling]
    names = Counter(f.name.casefold() for f in base.factors.values())
    found += [f"{n} factors have the name {name!r}" for name, n in names.items() if n > 1]
    tied = {e.cause for e in base.edges} | {e.effect for e in base.edges}
    tied |= {x for link in base.links for x in (link.one, link.other)}
    found += [
        f"{f.key}: the factor has no edge and no link" for f in base.written if f.key not in tied
    ]
    reasons = Counter(
        (e.cause, e.reason) for e in base.edges if base.factors[e.effect].entity is None
    )
    for factor in base.written:
        again = [r for (cause, r), n in reasons.items() if cause == factor.key and n > 1]
        found += [
            f"{factor.key}: several edges give the same reason: {reason!r}" for reason in again
        ]
    found += [
        f"{e.cause} -> {e.effect}: an edge must not join two entities of the same list"
        for e in base.edges
        if not e.inherited and _of_another(base.factors[e.cause], base.factors[e.effect])
    ]
    ends = {*base.factors, *(f.pattern for f in base.factors.values())}
    found += [
        f"the verdict on {verdict.one} and {verdict.other} names a factor that does not exist"
        for verdict in base.verdicts
        if not {verdict.one, verdict.other} <= ends
    ]
    judged_ends = Counter(
        (*sorted((verdict.one, verdict.other)), verdict.side) for verdict in base.verdicts
    )
    found += [
        f"the pair of factors {pair} has {n} verdicts" for pair, n in judged_ends.items() if n > 1
    ]
    pairs = {(e.cause, e.effect) for e in base.edges}
    found += [
        f"{link.one} ~ {link.other}: the link is redundant, because edges lead in both directions"
        for link in base.links
        if {(link.one, link.other), (link.other, link.one)} <= pairs
    ]
    return found
