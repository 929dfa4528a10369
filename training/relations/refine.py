"""Train the transformer that reads queries further; the vectors of markets stay as they are.

    python training/relations/refine.py --base MODEL --judged OUT QUERIES JUDGMENTS \\
        --keep src/augury/relations/query_reader.onnx

Starts from the int8 weights of the transformer that ships, and writes the new one to `--keep`. (So
a second run with the same `--keep` goes on from the first; `--start` names another one.) Markets
have the vectors that the network that ships gives them, as the index stores them. So only queries
are read: an epoch of 7,400 queries takes two minutes on two cores, and no index has to be built
again. OUT is a folder that `gather.py` wrote.
"""

from __future__ import annotations

import argparse
import random
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from fit import Query, load
from restore import restored
from torch import nn
from vectors import Teacher, judged, loss_of, raw, sentence_vectors, write

import augury.relations
from augury.relations.vectors import NETWORK, QUERY_READER, default
from augury.search.embedding import Embedder

FOLDER = Path(augury.relations.__file__).parent
BATCH = 16
"""Queries in a batch, each with all its judged markets."""
STRANGERS = 0.025
"""Weight of a query's pair with a market of another query in the batch, which counts as "none"."""
EPOCHS, RATE = 2, 3e-5
"""Passes over all queries, and largest learning rate. With rate 1e-4 and no new queries, the
vectors separate related markets from others less well than before, on queries that they did not
learn from."""


class JudgedMarkets(NamedTuple):
    """The judged markets of one query: the rows of their vectors, their relations and weights."""

    query: str
    at: np.ndarray
    relations: np.ndarray
    weights: np.ndarray


def start(base: Path, reader: Path) -> Teacher:
    """The transformer in `reader`. Its last layer for markets is not trained and not used."""
    model = Teacher(base)
    weights = {
        name.replace("last.", "classifier.query."): values
        for name, values in restored(reader, "").items()
    }
    missing, unknown = model.load_state_dict(weights, strict=False)
    assert not unknown, unknown
    others = ("embeddings", "pooler", "market")  # the base model's own; the last two are not used
    assert all(any(part in name for part in others) for name in missing), missing
    return model.float()


def with_markets(queries: list[Query]) -> tuple[list[JudgedMarkets], torch.Tensor]:
    """All queries, and the vectors of their judged markets as a search uses them."""
    pairs = sorted({
        (q.titles[n], q.events[n]) for q in queries for n in np.flatnonzero(q.known)
    })  # fmt: skip
    place = {pair: n for n, pair in enumerate(pairs)}
    whole = default().of_markets(sentence_vectors(Embedder.load(), pairs))
    scales = np.load(FOLDER / NETWORK)["scales"].astype(np.float32)
    found = []
    for query in queries:
        one = judged(query)
        at = [place[query.titles[n], query.events[n]] for n in np.flatnonzero(query.known)]
        found.append(JudgedMarkets(one.query, np.array(at), one.relations, one.weights))
    return found, torch.tensor(whole * scales)


def refine(model: Teacher, data: list[JudgedMarkets], vectors: torch.Tensor, seed: int) -> None:
    """Train the transformer on all queries."""
    torch.manual_seed(seed)
    dice = random.Random(seed)
    live = [p for name, p in model.named_parameters() if p.requires_grad and "market" not in name]
    optimizer = torch.optim.AdamW(live, lr=RATE, weight_decay=0.01)
    steps = len(data) // BATCH * EPOCHS
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, RATE, steps, pct_start=0.1)
    started = time.time()
    for epoch in range(EPOCHS):
        order, total = dice.sample(data, len(data)), 0.0
        for first in range(0, len(order) - BATCH + 1, BATCH):
            batch = order[first : first + BATCH]
            asked = model.vectors("query", [one.query for one in batch])
            markets = vectors[np.concatenate([one.at for one in batch])]
            loss = loss_of(raw(asked, markets), batch, STRANGERS)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(live, 1.0)
            optimizer.step()
            schedule.step()
            total += float(loss.detach())
        spent = time.time() - started
        print(f"epoch {epoch + 1}: loss {total / (len(order) // BATCH):.3f}, {spent:.0f} s")


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument(
        "--start", type=Path, default=FOLDER / QUERY_READER, help="Default: the one that ships."
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, required=True)
    parser.add_argument(
        "--judged", type=Path, nargs=3, action="append", required=True,
        metavar=("OUT", "QUERIES", "JUDGMENTS"),
    )  # fmt: skip
    given = parser.parse_args()
    queries = [q for folder, asked, said in given.judged for q in load(folder, [said], asked)]
    data, vectors = with_markets([query for query in queries if query.known.any()])
    print(f"{len(data)} queries, {len(vectors)} markets", flush=True)
    model = start(given.base, given.start).train()
    refine(model, data, vectors, given.seed)
    write(model.eval(), given.keep)


if __name__ == "__main__":
    main()
