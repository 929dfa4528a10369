"""Packs for judges: markets at the top of a new ranker's lists that nobody has judged.

    python training/relations/unjudged.py OUT QUERIES JUDGMENTS PACKS --name S21-

Unjudged markets are taken out of a list before it is scored, so a new ranker is judged before it is
compared. Each query is ranked by trees that did not see it, or with `--by OUT QUERIES JUDGMENTS` by
the trees of these queries. PACKS gets `packs/` and `keys/` as from `gather.py`: families in random
order, nothing of lists, ranks or scores. Names of packs begin with S (`training/README.md`).
"""

from __future__ import annotations

import argparse
import json
import random
from pathlib import Path

from fit import FLOORS, SEED, Query, Told, fit, fit_direct, held_out, listed, load, told_by
from gather import described, pack

FIRST = 12
"""Results of each list that are judged."""
A_PACK = 400
"""A pack with more markets gets no further query."""


def missing(query: Query, told: Told) -> list[int]:
    """Positions of the unjudged first markets of all lists, families in random order."""
    place = {one: n for n, one in enumerate(query.ids)}
    first = {one for ids in listed(query, told, FLOORS).values() for one in ids[:FIRST]}
    found = [place[one] for one in sorted(first) if one and not query.known[place[one]]]
    families = sorted({int(query.family[n]) for n in found})
    random.Random(f"{SEED} {query.qid}").shuffle(families)
    return sorted(
        found, key=lambda n: (families.index(int(query.family[n])), query.titles[n], query.ids[n])
    )


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("queries", type=Path)
    parser.add_argument("judgments", type=Path)
    parser.add_argument("packs", type=Path)
    parser.add_argument("--name", default="S")
    parts = {"type": Path, "nargs": 3, "metavar": ("OUT", "QUERIES", "JUDGMENTS")}
    parser.add_argument("--by", **parts)
    parser.add_argument("--more", **parts, action="append", default=[], help="As in fit.py.")
    given = parser.parse_args()
    queries = load(given.out, [given.judgments], given.queries)
    of = lambda part: load(part[0], [part[2]], part[1]) if part else []  # noqa: E731
    more = [query for part in given.more for query in of(part)]
    if given.by:
        others = of(given.by) + more
        models = fit(others), fit_direct(others)
        told = [told_by(models, query) for query in queries]
    else:
        told = held_out(queries, more)
    days = {
        row["qid"]: row["as_of"]
        for row in map(json.loads, given.queries.read_text(encoding="utf-8").splitlines())
    }
    packs: list[list[tuple[Query, list[int]]]] = [[]]
    for query, said_of in zip(queries, told, strict=True):
        if found := missing(query, said_of):
            if sum(len(at) for _, at in packs[-1]) > A_PACK:
                packs.append([])
            packs[-1].append((query, found))
    for part in ("packs", "keys"):
        (given.packs / part).mkdir(parents=True, exist_ok=True)
    for nth, content in enumerate(filter(None, packs), 1):
        shown = [
            (
                {"query": query.judged.query, "as_of": days[query.qid]},
                [described(query.titles[n], query.events[n], int(query.closes[n])) for n in at],
            )
            for query, at in content
        ]  # fmt: skip
        label = f"{given.name}{nth:02d}"
        (given.packs / "packs" / f"{label}.txt").write_text(pack(shown), encoding="utf-8")
        keys = [
            json.dumps({"q": f"q{n}", "qid": query.qid, "ids": [query.ids[m] for m in at]})
            for n, (query, at) in enumerate(content, 1)
        ]
        (given.packs / "keys" / f"{label}.jsonl").write_text("\n".join(keys) + "\n")
        print(label, sum(len(at) for _, at in content))


if __name__ == "__main__":
    main()
