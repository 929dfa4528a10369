"""Fit the trees that guess which entity a question describes; add the guesses to questions.

    python training/judge/described.py GATHERED NOTED --fit riddles1 ... --note riddles1 train7 ...

GATHERED holds `gather.py`'s pickles. Writes to NOTED:

- described.npz, the trees for guesses, fitted on all `--fit` parts; to ship it, copy it to
  src/augury/forecast/;
- for each `--note` part, its pickle with guesses: the feature `described` of each candidate, and
  "perhaps = Vladimir Putin" in the questions, almost as the service adds them (`with_guesses`).
  Shortlist, encoder and judge's trees learn from these. For a part that is also in `--fit`, the
  guesses come from trees fitted without it.

Prints, for each `--choose` part, the share of the entities to be found (named by the market, not by
the question) that are among the first 1, 2, 3, 5, 10 and 20.
"""

from __future__ import annotations

import argparse
import pickle
from pathlib import Path
from typing import Any, NamedTuple

import lightgbm
import numpy as np
from encoder import SEED
from fit import arrays

from augury.forecast import described
from augury.forecast.described import FEATURES, DescriptionIndex
from augury.forecast.normalize import normalize
from augury.language.entities import Mention, mentions
from augury.language.offices import asked_mentions
from augury.language.vocabulary import default
from augury.matching import pairs
from augury.matching.features import COMPARED, NAMES
from augury.matching.judge import MODEL, worth_reading
from augury.matching.trees import Trees
from augury.search.embedding import Embedder

DEPTH = 6
ROUNDS = 200
SETTINGS = {
    "objective": "binary", "learning_rate": 0.07, "num_leaves": 15, "min_data_in_leaf": 60,
    "feature_fraction": 0.7, "max_depth": DEPTH, "seed": SEED, "verbose": -1, "num_threads": 2,
    "deterministic": True,
}  # fmt: skip
MEASURED_RANKS = (1, 2, 3, 5, 10, 20)


class Rows(NamedTuple):
    """What the trees learn from, or are measured on, of one part."""

    features: np.ndarray
    meant: np.ndarray
    """Whether the market of the question names the entity, and the question does not."""
    question: np.ndarray
    """Number of the row's question."""
    sought: int
    """Number of entities to be found, including those that have no row."""


def read(one: dict[str, Any]) -> tuple[str, list[Mention]]:
    """A question as the judge reads it, and what it names."""
    question = normalize(one["question"], one["as_of"]).judged
    return question, asked_mentions(question, default(), one["as_of"].date())


def rows(index: DescriptionIndex, asked: list[dict[str, Any]]) -> Rows:
    """Rows of the questions whose own market is among the candidates."""
    known = {entity.key for entity in index.entities}
    features, meant, numbers, sought = [], [], [], 0
    for n, one in enumerate(asked):
        own = next((c for c in one["candidates"] if c["id"] == one["market_id"]), None)
        if own is None:
            continue
        question, named = read(one)
        ours = {key for mention in named for key in mention.keys}
        title = pairs.before_close(own["text"])
        theirs = {key for mention in mentions(title, default()) for key in mention.keys}
        wanted = (theirs - ours) & known
        sought += len(wanted)
        at, found = index.features(question, named)
        keys = [index.entities[place].key for place in at]
        kept = [place for place, key in enumerate(keys) if key not in ours]
        features.append(found[kept])
        meant += [keys[place] in wanted for place in kept]
        numbers += [n] * len(kept)
    return Rows(np.vstack(features), np.array(meant), np.array(numbers), sought)


def fitted(parts: list[Rows]) -> Trees:
    """Trees for the probability that an entity is meant, as log-odds."""
    data = lightgbm.Dataset(
        np.vstack([one.features for one in parts]), np.concatenate([one.meant for one in parts])
    )
    return arrays(lightgbm.train(SETTINGS, data, ROUNDS), classes=1, depth=DEPTH)


def measured(trees: Trees, part: Rows) -> str:
    """Shares of the sought entities among the first guesses of a question."""
    order = np.lexsort((-trees.scores(part.features)[:, 0], part.question))
    asked = part.question[order]
    place = np.arange(len(asked)) - np.searchsorted(asked, asked)
    found = place[part.meant[order]]
    shares = "  ".join(
        f"{n}: {np.sum(found < n) / max(part.sought, 1):.3f}" for n in MEASURED_RANKS
    )
    return f"sought {part.sought}  {shares}"


def with_guesses(index: DescriptionIndex, one: dict[str, Any], shortlist: Trees) -> str:
    """The text of a question with guesses, as the service adds them; but the question's own market
    always counts as read, so that there are more right guesses to learn from. Sets the feature
    `described` of all candidates."""
    candidates = one["candidates"]
    if not candidates:
        return one["asked"]
    guesses = index.guesses(*read(one))
    titles = [pairs.before_close(c["text"]) for c in candidates]
    for candidate, p in zip(
        candidates, described.named_probabilities(guesses, titles), strict=True
    ):
        candidate["features"][NAMES.index("described")] = p
    known = np.stack([c["features"][: len(COMPARED)] for c in candidates])
    shown = [candidates[n] for n in worth_reading(shortlist.scores(known)[:, 0], known)]
    shown += [c for c in candidates if c["id"] == one["market_id"] and c not in shown]
    names = described.names_to_read(guesses, [c["text"] for c in shown])
    return pairs.with_guesses(one["asked"], names)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gathered", type=Path)
    parser.add_argument("noted", type=Path)
    parser.add_argument("--fit", nargs="+", required=True)
    parser.add_argument("--note", nargs="*", default=[])
    parser.add_argument("--choose", nargs="*", default=[], help="parts to measure the trees on")
    given = parser.parse_args()
    given.noted.mkdir(parents=True, exist_ok=True)
    embed = Embedder.load().embed
    index = DescriptionIndex(embed, default())
    of = lambda name: pickle.loads((given.gathered / f"{name}.pickle").read_bytes())  # noqa: E731
    known = {name: rows(index, of(name)) for name in given.fit}
    trees = fitted(list(known.values()))
    np.savez_compressed(
        given.noted / described.MODEL.name, features=np.array(FEATURES), **trees.arrays()
    )
    for name in given.choose:
        print(name, measured(trees, rows(index, of(name))), flush=True)
    with np.load(MODEL / "shortlist.npz") as kept:
        shortlist = Trees.of(kept)
    for name in given.note:
        others = [part for other, part in known.items() if other != name]
        blind = fitted(others) if name in known else trees
        asked, guessing = of(name), DescriptionIndex(embed, default(), blind)
        before = [one["asked"] for one in asked]
        for one in asked:
            one["asked"] = with_guesses(guessing, one, shortlist)
        (given.noted / f"{name}.pickle").write_bytes(pickle.dumps(asked))
        changed = sum(one["asked"] != text for one, text in zip(asked, before, strict=True))
        print(name, len(asked), "with guesses:", changed, flush=True)


if __name__ == "__main__":
    main()
