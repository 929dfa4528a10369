"""The judge: for each candidate, how likely its Yes is the question's Yes, its No, or neither.

Three parts, all fitted by scripts in `training/judge/`: trees that choose by the rules' comparison
which markets are read at all, an encoder that reads question and market together, and boosted trees
over its verdicts and the named features. Their files lie in `model/`;
`docs/model-card.md` says what they were fitted on and how good they are.
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

from augury.matching.features import NAMES, Matrix
from augury.matching.trees import Trees

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer

MODEL: Final = Path(__file__).parent / "model"
CANDIDATES: Final = 8
"""Markets that the encoder reads for one question; each costs some 4 ms of one core. The
shortlist has the question's own among the first 8 as often as among the first 12."""
MAX_TOKENS: Final = 96
"""Tokens of a pair that the encoder reads; of 100 training pairs 99 are shorter."""

ENCODED: Final = (
    "encoder_same", "encoder_opposite", "encoder_best", "encoder_behind_same",
    "encoder_behind_opposite", "encoder_place",
)  # fmt: skip
"""The encoder's features, behind `features.NAMES`: log-odds against `other` of both sides, the
better of them, how far below the best candidate each is, and the candidate's place by them."""


class Verdict(NamedTuple):
    """What the judge says of one market outcome; the three add up to one."""

    same: float
    """Its Yes is the question's Yes."""
    opposite: float
    """Its Yes is the question's No."""
    certain: bool = False
    """The side is not the judge's but logic's: of two sides of a game, who wins over whom."""

    @property
    def side(self) -> float:
        """The likelier of both sides."""
        return max(self.same, self.opposite)


@dataclass(frozen=True)
class Encoder:
    """The cross-encoder: pairs of texts to log-probabilities of (other, same, opposite)."""

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer

    @classmethod
    def load(cls, folder: Path = MODEL) -> Encoder:
        """From `encoder.onnx` and `tokenizer.json` of a folder."""
        import onnxruntime
        from tokenizers import Tokenizer

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 2
        # A plan of the memory is kept for every shape of input otherwise: 60 MB after 240 of them.
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
        """Log-probabilities, shape (markets, 3). Texts as `matching.pairs` makes them."""
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


def encoded_features(scores: NDArray[np.float32]) -> Matrix:
    """`ENCODED` from the encoder's log-probabilities: shape (candidates, len(ENCODED))."""
    if not len(scores):
        return np.zeros((0, len(ENCODED)), np.float32)
    same, opposite = scores[:, 1] - scores[:, 0], scores[:, 2] - scores[:, 0]
    best = np.maximum(same, opposite)
    place = np.argsort(np.argsort(-best, kind="stable"), kind="stable")
    return np.stack(
        [same, opposite, best, same.max() - same, opposite.max() - opposite, np.log1p(place)],
        axis=1,
    ).astype(np.float32)


@dataclass(frozen=True)
class Judge:
    """Encoder and trees together. Holds only read-only state, so threads may share one."""

    shortlist: Trees
    """One score a market, over `features.COMPARED`: the highest are read."""
    encoder: Encoder
    trees: Trees
    limits: dict[str, float]
    """`same`, `opposite`: from which probability on a market is taken to ask the question, or its
    opposite; `contrary`: the same where the rules read the other side; `agree`: below which the
    rules' word alone is not enough; `sided`: least share of the better side in both sides'
    probability."""
    calibration: tuple[tuple[float, float], ...]
    """(the better side's probability, the share of such answers that were right), ascending."""

    @classmethod
    def load(cls, folder: Path = MODEL) -> Judge:
        """The judge that this version carries."""
        with np.load(folder / "trees.npz") as kept:
            trees = Trees.of(kept)
        with np.load(folder / "shortlist.npz") as kept:
            shortlist = Trees.of(kept)
        about = json.loads((folder / "judge.json").read_text(encoding="utf-8"))
        if tuple(about["features"]) != (*NAMES, *ENCODED):
            raise RuntimeError("the judge was fitted on other features; run training/judge/fit.py")
        return cls(
            shortlist, Encoder.load(folder), trees, about["limits"],
            tuple((float(p), float(share)) for p, share in about["calibration"]),
        )  # fmt: skip

    def verdicts(self, question: str, markets: Sequence[str], features: Matrix) -> list[Verdict]:
        """One verdict a candidate, in their order."""
        if not markets:
            return []
        scores = self.encoder.score(question, markets)
        rows = np.hstack([features, encoded_features(scores)])
        found = self.trees.probabilities(rows)
        return [Verdict(float(p[1]), float(p[2])) for p in found]

    def confidence(self, probability: float) -> float:
        """The share of verdicts of such a probability that were right, on questions held out."""
        xs, ys = zip(*self.calibration, strict=True)
        return float(np.interp(probability, xs, ys))


@cache
def default() -> Judge | None:
    """The judge of this version; None where its files or the runtime are not installed."""
    if not (MODEL / "judge.json").exists():
        return None
    return Judge.load()


def about(folder: Path = MODEL) -> dict[str, Any]:
    """What the judge's file says of its making: data, seed, metrics."""
    return json.loads((folder / "judge.json").read_text(encoding="utf-8"))
