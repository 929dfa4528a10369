"""The judge: a trained model that compares a market with a question. It gives the probabilities
that the market's Yes means the question's Yes, the question's No, or neither. It also says how
likely it is that the market's price bounds the answer, e.g. because the question implies the
market.

The judge has three parts, all fitted by scripts in `training/judge/`. The shortlist (decision trees
over the features `features.COMPARED`) chooses which markets are read. The encoder reads question
and market together. Boosted trees turn the encoder's scores and the features (`features.NAMES`:
numbers that compare the two) into probabilities. The files of
all three lie in `model/`, except the encoder's tokenizer and word table (`language.word_pieces`);
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

from augury.language import word_pieces
from augury.logic.joint_outcomes import ORDERS, Relation, of_denied_first, of_denied_second
from augury.matching.features import COMPARED, NAMES, Matrix, ordered
from augury.matching.trees import Trees

if TYPE_CHECKING:
    import onnxruntime
    from tokenizers import Tokenizer

MODEL: Final = Path(__file__).parent / "model"
"""Folder with the files of the judge that is shipped with this version."""
MAX_CANDIDATES: Final = 8
"""The judge's encoder reads at most this many markets for one question; each costs about 5 ms of
one core. A cheaper model, the shortlist, ranks the markets. For 94.5% of paraphrases and 97.3% of
negated questions, the market that the question was written about is among the first 8
(`docs/adr/0025-shortlist.md`)."""
MAX_BEHIND: Final = 4.5
"""A cheaper model (the shortlist model) first gives every market a raw score. If a market's score
is more than `MAX_BEHIND` below the best, the judge's encoder (the slow model that reads both texts)
reads it only if the hand-written rules find a relation to the question. The larger this number, the
more markets are read. Evidence: on the questions from which `training/judge/fit.py` chooses the
judge's limits, the judge accepted 1,927 markets; only 1 of them scored farther below."""
MAX_TOKENS: Final = 96
"""Maximum number of tokens (pieces of words) that the encoder reads of a question and a market
together; the rest is cut off. 99% of the pairs in the training data are shorter."""

ENCODED: Final = (
    "encoder_same", "encoder_opposite", "encoder_best", "encoder_behind_same",
    "encoder_behind_opposite", "encoder_place", *(f"encoder_{order}" for order in ORDERS),
)  # fmt: skip
"""Names of the features from the encoder (the neural network that reads question and market
together). In the input of the judge's trees they follow `features.NAMES`.

`encoder_same`, `encoder_opposite`: log-odds of "the market asks the same as the question", or "the
opposite", against "something else". `encoder_best`: the larger of these two. `encoder_behind_same`,
`encoder_behind_opposite`: how far the market's log-odds are below the largest ones among the
markets read. `encoder_place`: log(1 + n) for the market with the (n + 1)th largest `encoder_best`.
`encoder_implies` and the names after it: for each relation in `ORDERS`, the log-odds that the
question has this relation to the market, e.g. that it implies the market.
"""
RULED: Final = tuple(f"ruled_{order}" for order in ORDERS)
"""Names of the features that say, 0 or 1, which of the relations `ORDERS` the hand-written rules
find. Only the decision trees that say whether a market's price bounds the answer (`Judge.bounds`)
read them, as the columns after `ENCODED`."""
LISTED: Final = (
    "encoder_lead", "encoder_likely", "encoder_most", "dense_lead", "dense_most", "dense_behind",
    "score_lead",
)  # fmt: skip
"""Names of the features that compare a market with all markets that were read for the question.
They help to recognize that no market asks the question: in this case several markets often fit
about equally well. Only the trees that choose between same, opposite and neither
(`Judge.trees`) read them, as the columns after `ENCODED`.

In the names, `encoder` stands for `encoder_best` (`ENCODED`); `dense` and `score` are features of
`features.NAMES`.

- `*_lead`: for the market with the largest value, how far this is above the second largest
  (`LONE_LEAD` if there is no second); for any other market, minus how far its value is below the
  largest;
- `*_most`: the largest value of all markets;
- `dense_behind`: how far the market's value is below the largest;
- `encoder_likely`: number of markets with an `encoder_best` above 0.
"""
_LEAST: Final = 1e-6
"""Smallest probability of which a logarithm is taken."""
OF_CORES: Final[dict[str, Relation]] = {
    "implies": "implies",
    "implied": "implied_by",
    "excludes": "excludes",
}
"""What the hand-written rules find (`features.ordered`) -> the logical relation of the question to
the market outcome, if neither text has a "not". The rules compare what the two texts assert without
their "not"."""
LONE_LEAD: Final = 8.0
"""The features `*_lead` (see `LISTED`) say how far the best market is above the second. If only one
market is read, there is no second, and they have this value. It is larger than nearly all real
leads of `encoder_lead` (in log-odds), `dense_lead` (cosine similarity) and `score_lead` (points of
`score`)."""


class JudgedOrder(NamedTuple):
    """A relation of a question to a market outcome. Because of it, the outcome's price sets an
    upper or lower bound on the probability of the answer Yes."""

    relation: Relation
    """How the question is related to the outcome: one of `ORDERS`, e.g. `implies` if the question
    implies the outcome."""
    probability: float
    """Probability, 0 to 1, that the question has this relation to the outcome."""

    def of_denial(self) -> JudgedOrder:
        """The same for the question's denial."""
        return JudgedOrder(of_denied_first(self.relation), self.probability)


class Verdict(NamedTuple):
    """What the judge (the trained model) says of one market outcome: the probabilities, 0 to 1,
    that it means the same as the question (`same`) or the opposite (`opposite`). One minus their
    sum is the probability that it means neither."""

    same: float
    """Probability that the market outcome and the question mean the same: the outcome comes true
    exactly if the answer to the question is Yes."""
    opposite: float
    """Probability that the market outcome means the opposite: it comes true exactly if the answer
    to the question is No."""
    certain: bool = False
    """True if hand-written rules, not the judge, decided between `same`, `opposite` and neither,
    e.g. because they read which team's win a question on a game asks for."""

    bound_trust: float | None = None
    """Set if the hand-written rules find that this market's price bounds the question's probability
    from above or below (an earlier deadline, a higher level, a later stage ...): the probability, 0
    to 1, that they are right. None: they find no such bound, or the judge did not read the
    market."""
    order: JudgedOrder | None = None
    """The relation that the judge finds the likeliest of `ORDERS`, whatever the hand-written rules
    find; None if the judge did not read the market."""

    @property
    def side(self) -> float:
        """The probability of the likelier side: the larger of `same` (the market outcome means the
        same as the question) and `opposite`."""
        return max(self.same, self.opposite)

    @property
    def is_refusal(self) -> bool:
        """Whether hand-written rules decided that the market outcome means neither the same as the
        question nor the opposite."""
        return self.certain and self.side == 0


@dataclass(frozen=True)
class Encoder:
    """The cross-encoder: a neural network that reads a question and a market together. It gives the
    log-probability of each way in which the two can be related:

    - they ask the same;
    - they ask opposite things;
    - the question has a relation listed in `ORDERS` to the market, e.g. it implies the market;
    - none of these.
    """

    session: onnxruntime.InferenceSession
    tokenizer: Tokenizer

    @classmethod
    def load(cls, folder: Path = MODEL) -> Encoder:
        """Load the encoder from the file `encoder.onnx` of a folder."""
        session = word_pieces.session(folder / "encoder.onnx", threads=2)
        return cls(session, word_pieces.tokenizer(MAX_TOKENS))

    def score(self, question: str, markets: Sequence[str]) -> NDArray[np.float32]:
        """For each market, the natural logarithm of the probability of each relation that it may
        have to the question, shape (markets, 7). The columns: no relation, the market asks the same
        as the question, it asks the opposite, and then one for each of the relations `ORDERS`.

        question, markets : texts made by `pairs.question_text` and `pairs.market_text`
        """
        if not markets:
            return np.zeros((0, 3 + len(ORDERS)), np.float32)
        encoded = self.tokenizer.encode_batch([(question, market) for market in markets])
        given = {
            "words": word_pieces.table().vectors(np.array([one.ids for one in encoded])),
            "attention_mask": np.array([one.attention_mask for one in encoded], np.int64),
            "token_type_ids": np.array([one.type_ids for one in encoded], np.int64),
        }
        logits = np.asarray(self.session.run(None, given)[0], np.float32)
        logits -= logits.max(axis=1, keepdims=True)
        return logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))


def worth_reading(
    scores: NDArray[np.floating[Any]], rows: Matrix, most: int = MAX_CANDIDATES
) -> list[int]:
    """Positions (indices in `scores`) of the markets that the encoder reads for one question, the
    highest score first.

    These are the `most` markets with the highest scores. Left out are those more than `MAX_BEHIND`
    below the best, unless the hand-written rules find that they ask the same as the question or are
    related to it by logic (`features.ordered`).

    Parameters
    ----------
    scores
        Score of each market by the shortlist (the cheaper model that ranks them), shape (markets,).
    rows
        One row for each market, one column for each feature in `features.COMPARED`.
    """
    order = np.argsort(-scores, kind="stable")[:most]
    if not len(order):
        return []
    found = rows[order]
    near = scores[order] >= scores[order[0]] - MAX_BEHIND
    related = (ordered(found) != "") | (found[:, NAMES.index("same")] > 0)
    return order[near | related].tolist()


def encoded_features(scores: NDArray[np.float32]) -> Matrix:
    """The features listed in `ENCODED`, computed from the encoder's scores, for each market that
    was compared with one question. Shape (markets, len(ENCODED)).

    scores : the log-probabilities that `Encoder.score` returns
    """
    if not len(scores):
        return np.zeros((0, len(ENCODED)), np.float32)
    shares = np.exp(scores)
    neither = np.log(np.maximum(_LEAST, 1 - shares[:, 1] - shares[:, 2]))
    same, opposite = scores[:, 1] - neither, scores[:, 2] - neither
    orders = scores[:, 3:] - np.log(np.maximum(_LEAST, 1 - shares[:, 3:]))
    best = np.maximum(same, opposite)
    place = np.argsort(np.argsort(-best, kind="stable"), kind="stable")
    found = [same, opposite, best, same.max() - same, opposite.max() - opposite, np.log1p(place)]
    return np.stack([*found, *orders.T], axis=1).astype(np.float32)


def ruled_features(found: NDArray[np.str_]) -> Matrix:
    """The features listed in `RULED`, shape (markets, len(RULED)). `found`: result of
    `relations`."""
    return np.stack([found == order for order in ORDERS], axis=1).astype(np.float32)


def relations(rows: Matrix) -> NDArray[np.str_]:
    """The relation (`ORDERS`, or "") of the question to each market outcome, shape (markets,).

    The hand-written rules compare what the two texts assert without their "not"
    (`features.ordered`). From what they find, the relation is derived with each "not" included.

    rows : one row for each market outcome, one column for each feature in `features.NAMES`; the
        columns after those of `features.COMPARED` may be left out
    """
    found = ordered(rows)
    denies = rows[:, NAMES.index("asked_negative")] > 0
    turned = rows[:, NAMES.index("turned")] > 0
    return np.array([
        _relation(str(order), denies=bool(a), turned=bool(b))
        for order, a, b in zip(found, denies, turned, strict=True)
    ], dtype=np.str_)  # fmt: skip


def _relation(order: str, *, denies: bool, turned: bool) -> str:
    relation = OF_CORES.get(order)
    if relation is None:
        return ""
    if turned:
        relation = of_denied_second(relation)
    return of_denied_first(relation) if denies else relation


def listed_features(rows: Matrix) -> Matrix:
    """The features listed in `LISTED`, shape (markets, len(LISTED)). They compare each market with
    all markets that the encoder has read for the same question.

    rows : the features from which these are computed, one row for each market: the columns are
        `features.NAMES`, then the features from the encoder (`ENCODED`)
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
    """Compares a question with market outcomes. For each outcome it gives three probabilities: that
    the outcome means the same as the question (it occurs exactly if the answer is Yes), that it
    means the opposite (it occurs exactly if the answer is No), and that it means something else.

    An encoder (a neural network) scores the pairs of texts, and boosted decision trees turn its
    scores and the named features (`features.NAMES`) into probabilities. The state is read-only, so
    threads may share one judge.
    """

    shortlist: Trees
    """Decision trees that give each market one score from `features.COMPARED`; the encoder reads
    only the markets with the highest scores."""
    encoder: Encoder
    trees: Trees
    """Decision trees with three classes: the market asks something else, the same, or the opposite.
    Their input is `features.NAMES`, `ENCODED` and `LISTED`."""
    bounds: Trees
    """Decision trees with five classes: the market's price does not bound the answer, or the
    question has one of the relations `ORDERS` to the market. Their input is `features.NAMES`,
    `ENCODED` and `RULED`."""
    limits: dict[str, float]
    """Limits on the probabilities of a verdict, by name, 0 to 1, chosen in `training/judge/fit.py`.

    - `same`, `opposite`: smallest probability at which a market counts as asking the question, or
      its opposite;
    - `contrary`: smallest probability for "same" if the hand-written rules found "opposite", and
      the other way round;
    - `agree`: smallest probability for the answer that the rules found; a market with less is
      rejected;
    - `sided`: the larger of the two probabilities must be at least this share of their sum, or it
      is not clear whether the question or its opposite is asked;
    - `bound`: smallest `Verdict.bound_trust` at which a bound that the hand-written rules find is
      used, e.g. the price of a market with an earlier deadline;
    - `order`: smallest probability of `Verdict.order` at which a market's price bounds the
      question's probability although the rules find no such bound;
    - `absent`: if any market asks the question or its opposite with at least this probability,
      other markets bound the question's probability only where logic proves the bound.
    """
    calibration: tuple[tuple[float, float], ...]
    """Points between which `confidence` interpolates linearly. First number of a point: the larger
    of a verdict's probabilities `same` and `opposite`. Second: the share of the verdicts with about
    this probability that were right. Both are 0 to 1 and ascend from point to point."""

    @classmethod
    def load(cls, folder: Path = MODEL) -> Judge:
        """Load the judge from a folder; by default the one shipped with this version."""
        with np.load(folder / "trees.npz") as kept:
            trees = Trees.of(kept)
        with np.load(folder / "bounds.npz") as kept:
            bounds = Trees.of(kept)
        with np.load(folder / "shortlist.npz") as kept:
            shortlist, listing = Trees.of(kept), tuple(kept["features"])
        about = json.loads((folder / "judge.json").read_text(encoding="utf-8"))
        if listing != COMPARED or tuple(about["features"]) != (*NAMES, *ENCODED, *LISTED):
            raise RuntimeError(
                "The judge's model was fitted on a different set of features from the one that "
                "this code computes. Refit it with training/judge/shortlist.py and fit.py."
            )
        return cls(
            shortlist, Encoder.load(folder), trees, bounds, about["limits"],
            tuple((float(p), float(share)) for p, share in about["calibration"]),
        )  # fmt: skip

    def verdicts(self, question: str, markets: Sequence[str], features: Matrix) -> list[Verdict]:
        """One verdict for each market, in the order of `markets`: how likely it asks the question,
        the opposite or something else.

        question, markets : texts made by `pairs.question_text` and `pairs.market_text`
        features : one row for each market, one column for each feature in `features.NAMES`
        """
        if not markets:
            return []
        scores = self.encoder.score(question, markets)
        rows = np.hstack([features, encoded_features(scores)])
        found = self.trees.probabilities(np.hstack([rows, listed_features(rows)]))
        ruled = relations(features)
        bounds = self.bounds.probabilities(np.hstack([rows, ruled_features(ruled)]))[:, 1:]
        return [
            _verdict(sides, orders, relation)
            for sides, orders, relation in zip(found, bounds, ruled, strict=True)
        ]

    def confidence(self, probability: float) -> float:
        """How often the judge is right when it gives about this probability: the share of right
        verdicts, 0 to 1, measured on questions on which it was not fitted.

        probability : the probability of the verdict's likelier side (`Verdict.side`)
        """
        xs, ys = zip(*self.calibration, strict=True)
        return float(np.interp(probability, xs, ys))


def _verdict(sides: Matrix, orders: Matrix, ruled: str) -> Verdict:
    """The verdict on one market, from the probabilities of the judge's two sets of trees and the
    relation that the hand-written rules find ("": none)."""
    likeliest = int(orders.argmax())
    trust = float(orders[ORDERS.index(ruled)]) if ruled else None  # type: ignore[arg-type]
    order = JudgedOrder(ORDERS[likeliest], float(orders[likeliest]))
    return Verdict(float(sides[1]), float(sides[2]), bound_trust=trust, order=order)


@cache
def default() -> Judge | None:
    """The judge (the trained model that compares markets with a question) shipped with this
    version. None if the files of the judge are not installed."""
    if not (MODEL / "judge.json").exists():
        return None
    return Judge.load()


def about(folder: Path = MODEL) -> dict[str, Any]:
    """The contents of the judge's file `judge.json`: limits, calibration, training data, seed and
    metrics."""
    return json.loads((folder / "judge.json").read_text(encoding="utf-8"))
