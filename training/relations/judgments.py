"""Judges' lines to `judgments.jsonl`, and how well two judges of one pack agree.

    python training/relations/judgments.py OUT training/relations/judgments.jsonl

OUT holds what `gather.py` wrote and judges' lines: `out/NN.tsv`, and `out/NN.b.tsv` where a
second one judged the same pack. A line is `qN<TAB>numbers<TAB>relation<TAB>grade`, numbers as in
"4-11,15"; what has no line is judged to have no bearing. A pack counts once its last line is
`done`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from augury.search.evaluate import JudgedQuery, mean, ndcg10

RELATIONS = ("direct", "upstream", "downstream", "correlated")
Judged = dict[tuple[str, str], tuple[str, int]]


def numbers(text: str) -> list[int]:
    """ "4-6,9" -> 4, 5, 6, 9."""
    found: list[int] = []
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found


def read(lines: list[str], key: list[str], label: str) -> Judged | None:
    """What one judge said of a pack: (qid, market) -> (relation, grade); None: not finished."""
    packed = {row["q"]: row for row in map(json.loads, key)}
    judged: Judged = {
        (row["qid"], market): ("none", 0) for row in packed.values() for market in row["ids"]
    }
    finished = False
    for nth, line in enumerate(lines, 1):
        if line.strip().lower() == "done":
            finished = True
            continue
        if not line.strip():
            continue
        try:
            query, listed, relation, grade = line.strip().split("\t")
            row = packed[query.strip().lstrip("#").strip()]
            if relation == "none":
                continue
            if relation not in RELATIONS or int(grade) not in (1, 2, 3):
                raise ValueError(relation, grade)
            told = numbers(listed)
            if not all(1 <= number <= len(row["ids"]) for number in told):
                raise IndexError(listed)
            for number in told:
                judged[row["qid"], row["ids"][number - 1]] = (relation, int(grade))
        except (ValueError, KeyError, IndexError) as error:
            print(f"{label} line {nth} left out ({type(error).__name__}): {line[:80]}")
    return judged if finished else None


def agreement(one: Judged, other: Judged) -> dict[str, float]:
    """Of the pairs both judged: same relation, also where either saw one, kappa, grades."""
    pairs = [(one[at], other[at]) for at in one.keys() & other.keys()]
    same = sum(a[0] == b[0] for a, b in pairs)
    either = [(a, b) for a, b in pairs if a[0] != "none" or b[0] != "none"]
    first, second = Counter(a[0] for a, _ in pairs), Counter(b[0] for _, b in pairs)
    chance = sum(first[r] * second[r] for r in first) / len(pairs) ** 2
    both = [(a, b) for a, b in pairs if a[0] == b[0] != "none"]
    return {
        "pairs": len(pairs),
        "same relation": round(same / len(pairs), 3),
        "of those either related": round(sum(a[0] == b[0] for a, b in either) / len(either), 3),
        "kappa": round((same / len(pairs) - chance) / (1 - chance), 3),
        "grades within one": round(sum(abs(a[1] - b[1]) <= 1 for a, b in both) / len(both), 3),
    }


def as_ranking(one: Judged, other: Judged) -> dict[str, float]:
    """nDCG@10 by relation of lists ordered by the other judge's grades, scored by the first: what
    a second careful person would reach."""
    said: dict[str, dict[str, tuple[str, int]]] = defaultdict(dict)
    for (qid, market), label in one.items():
        said[qid][market] = label
    found = {}
    for relation in RELATIONS:
        values = []
        for qid, labels in said.items():
            listed = [x for x in labels if other[qid, x][0] == relation]
            listed.sort(key=lambda x: (-other[qid, x][1], x))
            judged = JudgedQuery(qid, "", "", "", labels)
            values.append(ndcg10(listed, judged, relation))
        found[relation] = round(mean(values) or 0.0, 3)
    return found


def together(judged: Judged, judge: str) -> list[dict[str, Any]]:
    """One line a query: the markets of each judgment, "upstream 2"; "none 0" has no bearing."""
    kinds = [f"{relation} {grade}" for relation in RELATIONS for grade in (3, 2, 1)] + ["none 0"]
    queries = sorted({qid for qid, _ in judged})
    lines: dict[str, Any] = {
        q: {"qid": q, "judge": judge, "ids": {kind: [] for kind in kinds}} for q in queries
    }
    for (qid, market), (relation, grade) in sorted(judged.items()):
        lines[qid]["ids"][f"{relation} {grade}"].append(market)
    return list(lines.values())


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("judgments", type=Path)
    parser.add_argument("--name", default="", help="What stands before the packs' numbers.")
    given = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for keys in sorted((given.out / "keys").glob(f"{given.name}[0-9]*.jsonl")):
        said: dict[str, Judged] = {}
        for suffix in ("", ".b"):
            path = given.out / "out" / f"{keys.stem}{suffix}.tsv"
            if path.exists():
                lines = path.read_text(encoding="utf-8").splitlines()
                found = read(lines, keys.read_text().splitlines(), path.name)
                if found is not None:
                    said[suffix] = found
                else:
                    print(path.name, "is not finished")
        if len(said) == 2:
            print(keys.stem, agreement(said[""], said[".b"]))
            print(keys.stem, "as rankings", as_ranking(said[""], said[".b"]))
        for suffix, judged in said.items():
            rows += together(judged, f"{keys.stem}{suffix}")
    rows.sort(key=lambda row: (row["qid"], row["judge"]))
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    given.judgments.write_text(text, encoding="utf-8")
    counts = Counter({k: sum(len(r["ids"].get(k, ())) for r in rows) for k in rows[0]["ids"]})
    print(len(rows), "queries", sum(counts.values()), "pairs", dict(counts))


if __name__ == "__main__":
    main()
