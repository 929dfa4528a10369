"""The judge: for each candidate, how likely its Yes is the question's Yes, its No, or neither.

The judge has three parts, all fitted by scripts in `training/judge/`: the shortlist (trees that
choose which markets are read, from the comparison by the hand-written rules of `forecast.match`),
an encoder that reads question and market together, and boosted trees over the encoder's scores and
the named features. Their files lie in `model/`; `docs/model-card.md` says what they were fitted on
and how good they are.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from augury.matching.features import NAMES, Matrix, ordered
from augury.matching.trees import Trees

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer

MODEL: Final = Path(__file__).parent / "model"
MAX_CANDIDATES: Final = 8
"""Largest number of markets that the judge's encoder reads for one question; each costs about 5 ms
of one core. The market that a question was written about is among the first 8 by the shortlist (a
cheaper model) as often as among the first 12."""
MAX_BEHIND: Final = 4.5
"""Distance, in raw units, from the best score by the shortlist (a cheaper model). The encoder reads
markets farther below the best score only if the hand-written rules find a relation to the question.
Of 1,927 markets that the judge accepts for the questions by which `training/judge/fit.py` chooses
its limits, 1 is farther below."""
MAX_TOKENS: Final = 96
"""Maximum number of tokens that the encoder reads of a question and a market together; the rest is
cut off. 99% of the training pairs are shorter."""

ENCODED: Final = (
    "encoder_same", "encoder_opposite", "encoder_best", "encoder_behind_same",
    "encoder_behind_opposite", "encoder_place",
)  # fmt: skip
"""Features from the encoder, which follow `features.NAMES` among the inputs of the judge's trees.
`encoder_same`, `encoder_opposite`: log-odds of "the market asks the same as the question", or "the
opposite", against "something else". `encoder_best`: the larger of the two. `encoder_behind_*`: how
far the market's value is below the largest one among the candidate markets. `encoder_place`: log(1
+ place of the market by `encoder_best`, counted from 0)."""
LISTED: Final = (
    "encoder_lead", "encoder_likely", "encoder_most", "dense_lead", "dense_most", "dense_behind",
    "score_lead",
)  # fmt: skip
"""Features from the list of all markets that were read for a question. Only the trees for the side
(same, opposite or neither) have them, after `ENCODED`. They help to see that no market asks the
question: then several markets are about as good as the best one. `encoder` stands for
`encoder_best`; `dense` and `score` are those of `features.NAMES`. `*_lead`: for the market with the
largest value, how far it is above the second (`LONE_LEAD` without a second); for any other market,
minus how far it is below the largest. `*_most`: the largest value in the list. `dense_behind`: how
far the market's value is below the largest. `encoder_likely`: number of markets in the list whose
`encoder_best` is above 0."""
LONE_LEAD: Final = 8.0
"""Value of the features `*_lead` (`LISTED`: how far the best market is above the second) if only
one market is read, so that there is no second. It is above nearly all leads that occur (in
log-odds, cosine similarity or points)."""


class Verdict(NamedTuple):
    """What the judge (the trained model) says of one market outcome: two probabilities, 0 to 1. One
    minus their sum is the probability that the outcome asks neither the question nor its
    opposite."""

    same: float
    """Probability that the market outcome asks the question: that its Yes is the question's Yes."""
    opposite: float
    """Probability that the market outcome asks the opposite: that its Yes is the question's No."""
    certain: bool = False
    """True if hand-written rules, not the judge, decided between `same`, `opposite` and neither.
    Example: they read which team's win a question on a game asks for."""

    bound: float | None = None
    """Probability that the hand-written rules are right if they find that the market outcome limits
    the question's probability from above or below (an earlier deadline, a higher level, a later
    stage ...). None: they find no such limit, or the judge did not read the market."""

    @property
    def side(self) -> float:
        """The larger of `same` and `opposite`."""
        return max(self.same, self.opposite)


@dataclass(frozen=True)
class Encoder:
    """The cross-encoder: reads a question and a market together and gives log-probabilities that
    the market asks (something else, the same, the opposite)."""

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer

    @classmethod
    def load(cls, folder: Path = MODEL) -> Encoder:
        """Load the encoder from the files `encoder.onnx` and `tokenizer.json` of a folder."""
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        # Otherwise a memory plan is kept for every input shape: 60 MB after 240 shapes.
        options.enable_mem_pattern = False
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = onnxruntime.InferenceSession(
            str(folder / "encoder.onnx"), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(MAX_TOKENS, strategy="longest_first")
        tokenizer.enable_padding()
        return cls(session, tokenizer)

    def score(self, question: str, markets: Sequence[str]) -> NDArray[np.float32]:
        """Log-probabilities that each market asks (something else, the same, the opposite), shape
        (markets, 3).

        question, markets : texts in the form that `matching.pairs` gives them
        """
        if not markets:
            return np.zeros((0, 3), np.float32)
        encoded = self.tokenizer.encode_batch([(question, market) for market in markets])
        given = {
            "input_ids": np.array([one.ids for one in encoded], np.int64),
            "attention_mask": np.array([one.attention_mask for one in encoded], np.int64),
            "token_type_ids": np.array([one.type_ids for one in encoded], np.int64),
        }
        logits = np.asarray(self.session.run(None, given)[0], np.float32)
        logits -= logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def worth_reading(
    scores: NDArray[np.floating[Any]], rows: Matrix, most: int = MAX_CANDIDATES
) -> list[int]:
    """Positions of the markets that the encoder reads for one question, the highest score first.

    Of the `most` markets with the highest scores, those more than `MAX_BEHIND` below the best are
    read only if the hand-written rules find that they ask the same as the question or are related
    to it by logic (`features.ordered`).

    Parameters
    ----------
    scores
        Score of each market by the shortlist, shape (markets,).
    rows
        Columns `features.COMPARED`, one row for each market.
    """
    order = np.argsort(-scores, kind="stable")[:most]
    if not len(order):
        return []
    found = rows[order]
    near = scores[order] >= scores[order[0]] - MAX_BEHIND
    related = (ordered(found) != "") | (found[:, NAMES.index("same")] > 0)
    return order[near | related].tolist()


def encoded_features(scores: NDArray[np.float32]) -> Matrix:
    """The features `ENCODED`, shape (markets, len(ENCODED)), from what `Encoder.score` returns."""
    if not len(scores):
        return np.zeros((0, len(ENCODED)), np.float32)
    same, opposite = scores[:, 1] - scores[:, 0], scores[:, 2] - scores[:, 0]
    best = np.maximum(same, opposite)
    place = np.argsort(np.argsort(-best, kind="stable"), kind="stable")
    return np.stack(
        [same, opposite, best, same.max() - same, opposite.max() - opposite, np.log1p(place)],
        axis=1,
    ).astype(np.float32)


def listed_features(rows: Matrix) -> Matrix:
    """The features `LISTED`, shape (markets, len(LISTED)), of the markets read for one question.

    rows : columns `features.NAMES` and `ENCODED`, one row for each market
    """
    if not len(rows):
        return np.zeros((0, len(LISTED)), np.float32)
    dense, score = (rows[:, NAMES.index(name)] for name in ("dense", "score"))
    best = rows[:, len(NAMES) + ENCODED.index("encoder_best")]
    alike = np.ones(len(best))
    return np.stack(
        [
            _leads(best), alike * (best > 0).sum(), alike * best.max(), _leads(dense),
            alike * dense.max(), dense.max() - dense, _leads(score),
        ],
        axis=1,
    ).astype(np.float32)  # fmt: skip


def _leads(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """For the largest value: how far it is above the second. For each other value: minus how far it
    is below the largest. `LONE_LEAD` if there is only one value."""
    if len(values) == 1:
        return np.full(1, LONE_LEAD, np.float32)
    second, first = np.sort(values)[-2:]
    return np.where(values == first, values - second, values - first)


@dataclass(frozen=True)
class Judge:
    """Says how likely the Yes of each market outcome is a question's Yes, its No, or neither.

    An encoder scores the pairs of texts, and boosted decision trees turn its scores and the named
    features (`features.NAMES`) into probabilities. The state is read-only, so threads may share one
    judge.
    """

    shortlist: Trees
    """Decision trees over `features.COMPARED` that give each market one score; the encoder reads
    the markets with the highest scores."""
    encoder: Encoder
    trees: Trees
    bounds: Trees
    """Decision trees with two classes, wrong and right: whether the logical relation that the
    hand-written rules find between question and market (`features.ordered`) is right. Their
    features are those of `trees` without `LISTED`."""
    limits: dict[str, float]
    """Limits on the probabilities of a verdict, by name, 0 to 1, set in `training/judge/fit.py`.
    `same`, `opposite`: smallest probability at which a market counts as asking the question or its
    opposite. `contrary`: smallest probability of one of these two answers if the hand-written rules
    found the other one. `agree`: smallest probability of the answer that the rules found, same or
    opposite; with less, the market is rejected. `sided`: smallest share of the larger of the two
    probabilities in their sum. `bound`: smallest probability (`Verdict.bound`) at which a market
    limits the question's probability as the rules find, e.g. as the earlier of two deadlines.
    `absent`: if one market asks the question or its opposite with at least this probability, other
    markets limit the question's probability only where logic proves it."""
    calibration: tuple[tuple[float, float], ...]
    """Points between which `confidence` interpolates: (probability of the likelier of `same` and
    `opposite`, share of such verdicts that were right), both 0 to 1 and ascending."""

    @classmethod
    def load(cls, folder: Path = MODEL) -> Judge:
        """Load the judge from a folder; by default the one shipped with this version."""
        with np.load(folder / "trees.npz") as kept:
            trees = Trees.of(kept)
        with np.load(folder / "bounds.npz") as kept:
            bounds = Trees.of(kept)
        with np.load(folder / "shortlist.npz") as kept:
            shortlist = Trees.of(kept)
        about = json.loads((folder / "judge.json").read_text(encoding="utf-8"))
        if tuple(about["features"]) != (*NAMES, *ENCODED, *LISTED):
            raise RuntimeError(
                "the model of the judge was fitted on other features than the code computes; "
                "run training/judge/fit.py"
            )
        return cls(
            shortlist, Encoder.load(folder), trees, bounds, about["limits"],
            tuple((float(p), float(share)) for p, share in about["calibration"]),
        )  # fmt: skip

    def verdicts(self, question: str, markets: Sequence[str], features: Matrix) -> list[Verdict]:
        """One verdict for each market, in the order of `markets`: whether it asks the question, the
        opposite or something else.

        question, markets : texts in the form that `matching.pairs` gives them
        features : columns `features.NAMES`, one row for each market
        """
        if not markets:
            return []
        scores = self.encoder.score(question, markets)
        rows = np.hstack([features, encoded_features(scores)])
        found = self.trees.probabilities(np.hstack([rows, listed_features(rows)]))
        orders = ordered(features)
        bounds = self.bounds.probabilities(rows)[:, 1]
        return [
            Verdict(float(p[1]), float(p[2]), bound=float(b) if is_ordered else None)
            for p, b, is_ordered in zip(found, bounds, orders != "", strict=True)
        ]

    def confidence(self, probability: float) -> float:
        """Share, 0 to 1, of the judge's verdicts that were right on held-out questions, for
        verdicts with a given probability.

        probability : the larger of the verdict's `same` and `opposite`
        """
        xs, ys = zip(*self.calibration, strict=True)
        return float(np.interp(probability, xs, ys))


@cache
def default() -> Judge | None:
    """The judge (the trained model that compares markets with a question) shipped with this
    version. None if its files are not installed."""
    if not (MODEL / "judge.json").exists():
        return None
    return Judge.load()


def about(folder: Path = MODEL) -> dict[str, Any]:
    """The contents of the judge's file `judge.json`: limits, calibration, training data, seed and
    metrics."""
    return json.loads((folder / "judge.json").read_text(encoding="utf-8"))
