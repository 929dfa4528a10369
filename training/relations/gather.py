"""Gather, for every query, the markets to judge, what the service answers, and what it knows.

    python training/relations/gather.py FOLDER OUT --queries training/relations/queries.jsonl

FOLDER is a catalogue that `training/judge/store.py` built. OUT receives `packs/NN.txt` for judges
(ten queries each, with `--few` twenty; families in random order, nothing of lists or ranks),
`keys/NN.jsonl` (which market each number is) and `features/QID.npz` (all candidates with their
columns and texts, and the four lists as the service gives them). Texts of markets stay in OUT:
they are no part of the project.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from picking import BEST, FEW, LISTED, MANY, Size, chosen
from store import settings

from augury.relations import vectors
from augury.relations.columns import DIRECT_COLUMNS
from augury.relations.service import TreeReading
from augury.search import rank
from augury.search.lists import Hit
from augury.search.relating import Related
from augury.search.schemas import DIMENSIONS
from augury.search.service import SearchService
from augury.search.understanding import SearchArguments, understand
from augury.services import running

SEED = 17
TITLE, EVENT = 150, 90
"""Letters shown of a title and of an event's name."""


async def related(service: SearchService, text: str, top_k: int) -> Related:
    """All candidates of a query as a search for `top_k` gathers them."""
    wanted = SearchArguments(text, DIMENSIONS, top_k, None)
    asked = await understand(wanted, service.database, service.embedder, service.frequencies)
    return service.related(asked)


async def one(
    service: SearchService, asked: dict[str, str], out: Path, size: Size
) -> list[dict[str, Any]]:
    """Write a query's features; the markets to judge, families in random order."""
    lists = await service.search(asked["query"], top_k=LISTED)
    found = await related(service, asked["query"], LISTED)
    pool, reading = found.pool, found.reading
    assert isinstance(reading, TreeReading)
    keys, changes = pool.keys, found.hits.payload["change"]
    hits = [Hit(int(key), int(change), 0.0) for key, change in zip(keys, changes, strict=True)]
    shown = await service.presenter.rows(hits)
    at = {row.id: key for key, row in shown.items()}
    listed = [[at[r.id] for r in lists[d] if r.id in at] for d in DIMENSIONS]
    listed += [
        keys[np.argsort(-values, kind="stable")[:BEST]].tolist()
        for values in (pool.words, pool.dense)
    ]
    family = dict(zip(keys.tolist(), pool.family.tolist(), strict=True))
    closes = dict(zip(keys.tolist(), pool.closes.tolist(), strict=True))
    dice = random.Random(f"{SEED} {asked['qid']}")
    picked = [key for key in chosen(listed, family, dice, size) if key in shown]
    np.savez_compressed(
        out / "features" / f"{asked['qid']}.npz",
        ids=np.array([shown[k].id if k in shown else "" for k in keys.tolist()]),
        titles=np.array([shown[k].question if k in shown else "" for k in keys.tolist()]),
        events=np.array([shown[k].event_name or "" if k in shown else "" for k in keys.tolist()]),
        columns=np.array(DIRECT_COLUMNS),
        vectors=vectors.default().pair_version,
        rows=reading.rows(),
        direct_rows=reading.direct_rows(),
        last=rank.of_another_time(found.understood.query, found.direct_candidates.records),
        closes=pool.closes,
        family=pool.family,
        subject=pool.tags[:, 0],
        keys=keys,
        **{d: np.array([r.id for r in lists[d]]) for d in DIMENSIONS},
    )
    families = sorted({family[key] for key in picked})
    dice.shuffle(families)
    place = {one: n for n, one in enumerate(families)}
    picked.sort(key=lambda key: (place[family[key]], shown[key].question, key))
    return [
        {"id": shown[key].id}
        | described(shown[key].question, shown[key].event_name or "", closes[key])
        for key in picked
    ]


def described(title: str, event: str, closes: int) -> dict[str, str]:
    """What a judge sees of a market; `closes` in epoch seconds, 0 if unknown."""
    day = f"{datetime.fromtimestamp(closes, UTC):%Y-%m-%d}" if closes else ""
    return {"title": title[:TITLE], "event": event[:EVENT], "closes": day}


def pack(queries: list[tuple[dict[str, str], list[dict[str, Any]]]]) -> str:
    """The text that a judge reads."""
    lines = []
    for n, (asked, markets) in enumerate(queries, 1):
        lines.append(f"## q{n} {asked['query']} (as of {asked['as_of'][:10]})")
        for m, market in enumerate(markets, 1):
            event = "" if market["event"].lower() in market["title"].lower() else market["event"]
            lines.append(f"{m} | {market['title']} | {event} | {market['closes']}")
        lines.append("")
    return "\n".join(lines)


async def gather(
    folder: Path, out: Path, queries: list[dict[str, str]], name: str, packed: bool, size: Size
) -> None:
    """All features, and the packs with their keys unless judges have them already."""
    for part in ("packs", "keys", "features"):
        (out / part).mkdir(parents=True, exist_ok=True)
    order = list(queries)
    random.Random(SEED).shuffle(order)  # every pack holds something of all domains
    async with running(settings(folder)) as services:
        await services.search.catch_up()
        for nth in range(0, len(order), size.pack):
            of_pack = order[nth : nth + size.pack]
            part = [(q, await one(services.search, q, out, size)) for q in of_pack]
            label = f"{name}{nth // size.pack + 1:02d}"
            if packed:
                continue
            (out / "packs" / f"{label}.txt").write_text(pack(part), encoding="utf-8")
            lines = [
                json.dumps({"q": f"q{n}", "qid": q["qid"], "ids": [m["id"] for m in markets]})
                for n, (q, markets) in enumerate(part, 1)
            ]
            (out / "keys" / f"{label}.jsonl").write_text("\n".join(lines) + "\n")
            print(label, sum(len(markets) for _, markets in part), flush=True)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--queries", type=Path, required=True)
    parser.add_argument("--name", default="", help="Put before the packs' numbers.")
    parser.add_argument("--few", action="store_true", help="Few markets of each query.")
    parser.add_argument("--packed", action="store_true", help="Packs are out: features alone.")
    given = parser.parse_args()
    lines = given.queries.read_text(encoding="utf-8").splitlines()
    asyncio.run(
        gather(
            given.folder,
            given.out,
            [json.loads(x) for x in lines],
            given.name,
            given.packed,
            FEW if given.few else MANY,
        )
    )


if __name__ == "__main__":
    main()
