"""Fit the relation vectors of `augury.relations.vectors`, in three steps.

    python training/relations/vectors.py teach TEACHER.pt --base MODEL \\
        --judged OUT QUERIES JUDGMENTS
    python training/relations/vectors.py imitate TEACHER.pt --base MODEL \\
        --judged OUT QUERIES JUDGMENTS --keep src/augury/relations/vectors.npz
    python training/relations/vectors.py export TEACHER.pt --base MODEL \\
        --keep src/augury/relations/query_reader.onnx

`teach` trains a transformer (MODEL, all-MiniLM-L6-v2 from its wheel) that reads a query and a
market apart from each other, on what readers said of the pairs. `imitate` fits a small network that
gives markets the same vectors from sentence vectors. `export` writes the transformer as it reads
queries, as an int8 ONNX model without its word table. OUT is a folder that `gather.py` wrote. Needs
the packages of `training/requirements.txt`; two cores, no GPU.
"""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import numpy as np
import torch
from encoder import Optimizer, arithmetic
from fit import BY_GRADE, Query, family_weights, load
from onnxruntime.quantization import QuantType, quantize_dynamic
from torch import nn
from transformers import AutoModel, AutoTokenizer

from augury.relations.ranker import CLASSES
from augury.relations.vectors import MAX_TOKENS, PART_COUNT, PART_SIZE
from augury.search.embedding import Embedder
from augury.search.related import RELATION_VECTOR_SIZE
from augury.search.text import document_text

FROZEN: Final = 3
"""Lowest layers of the transformer that stay as they are: training takes half the time."""
LENGTH: Final = 4.0
"""Length to which the mean of a text's token vectors is scaled."""
QUERIES, MARKETS = 4, 24
"""Queries in a batch, and markets of each."""
STRANGERS = 0.1
"""Weight of a query's pair with a market of another query in the batch, which counts as "none"."""
HIDDEN = (1024, 512)
EPOCHS, RATE = 8, 1.5e-3
SENTENCE = 16.0
"""Sentence vectors have length 1; the network is fitted on this many times as long ones."""
LIKE, OF_READERS = 0.3, 0.3
"""Weight of the distance from the teacher's vectors, and of the readers' judgments, beside the
distance from the teacher's chances."""


class Teacher(nn.Module):
    """The transformer with two last layers, one for queries and one for markets."""

    def __init__(self, base: Path) -> None:
        super().__init__()
        self.tokens = AutoTokenizer.from_pretrained(base)
        self.bert = AutoModel.from_pretrained(base)
        self.bert.embeddings.requires_grad_(False)
        for layer in self.bert.encoder.layer[:FROZEN]:
            layer.requires_grad_(False)
        width = self.bert.config.hidden_size
        self.classifier = nn.ModuleDict(
            {side: nn.Linear(width, RELATION_VECTOR_SIZE) for side in ("query", "market")}
        )

    def vectors(self, side: str, texts: list[str]) -> torch.Tensor:
        """(n, RELATION_VECTOR_SIZE)"""
        read = self.tokens(
            texts, padding=True, truncation=True, max_length=MAX_TOKENS, return_tensors="pt"
        )
        states = self.bert(**read).last_hidden_state
        mask = read["attention_mask"][..., None].to(states.dtype)
        mean = (states * mask).sum(1) / mask.sum(1)
        mean = mean / mean.float().norm(dim=-1, keepdim=True).to(mean.dtype) * LENGTH
        return self.classifier[side](mean)


def raw(queries: torch.Tensor, markets: torch.Tensor) -> torch.Tensor:
    """(a, b, 5) of relation vectors (a, RELATION_VECTOR_SIZE) and (b, RELATION_VECTOR_SIZE)."""
    queries, markets = queries.float(), markets.float()
    size = PART_COUNT * PART_SIZE
    ours = queries[:, :size].view(-1, PART_COUNT, PART_SIZE)
    theirs = markets[:, :size].view(-1, PART_COUNT, PART_SIZE)
    dots = torch.einsum("arp,brp->abr", ours, theirs)
    return nn.functional.pad(dots, (1, 0)) + queries[:, None, size:] + markets[None, :, size:]


def text(title: str, event: str) -> str:
    """What the teacher reads of a market."""
    return title if not event or event.lower() in title.lower() else f"{title} | {event}"


class JudgedTexts(NamedTuple):
    """Some judged markets of one query."""

    query: str
    texts: list[str]
    relations: np.ndarray
    weights: np.ndarray


def judged(query: Query) -> JudgedTexts:
    """All judged markets of a query; a family counts less the more of it were judged."""
    at = np.flatnonzero(query.known)
    weights = family_weights(query) * BY_GRADE[query.grade[at]]
    texts = [text(query.titles[n], query.events[n]) for n in at]
    return JudgedTexts(query.judged.query, texts, query.relation[at], weights / weights.mean())


def parts(of: list[JudgedTexts], dice: random.Random) -> list[JudgedTexts]:
    """One epoch: the markets of each query in parts of about `MARKETS`."""
    found = []
    for one in of:
        order = np.array(dice.sample(range(len(one.texts)), len(one.texts)), int)
        for at in np.array_split(order, max(1, round(len(order) / MARKETS))):
            texts = [one.texts[n] for n in at]
            found.append(JudgedTexts(one.query, texts, one.relations[at], one.weights[at]))
    dice.shuffle(found)
    return found


def teach(given: argparse.Namespace) -> None:
    """Train the transformer."""
    queries = [q for folder, asked, said in given.judged for q in load(folder, [said], asked)]
    data = [judged(query) for query in queries]
    torch.manual_seed(given.seed)
    dice = random.Random(given.seed)
    model = Teacher(given.base)
    for layer in model.classifier.values():
        nn.init.normal_(layer.weight[: PART_COUNT * PART_SIZE], std=0.05)
    if given.start:
        model.load_state_dict(torch.load(given.start))
    model = model.to(arithmetic()).train()
    steps = len(parts(data, random.Random(0))) // QUERIES * given.epochs
    optimizer = Optimizer(model, given.rate, steps)
    started, total, pairs, step = time.time(), 0.0, 0, 0
    for _ in range(given.epochs):
        epoch = parts(data, dice)
        for first in range(0, len(epoch) - QUERIES + 1, QUERIES):
            batch = epoch[first : first + QUERIES]
            asked = model.vectors("query", [one.query for one in batch])
            texts = list(chain.from_iterable(one.texts for one in batch))
            loss = loss_of(raw(asked, model.vectors("market", texts)), batch, STRANGERS)
            loss.backward()
            optimizer.step()
            step, total = step + 1, total + float(loss.detach())
            pairs += sum(len(one.texts) for one in batch)
            if step % 50 == 0:
                speed = f"{pairs / (time.time() - started):.0f} pairs/s"
                print(f"step {step} of {steps}, loss {total / 50:.3f}, {speed}", flush=True)
                total = 0.0
    torch.save(model.state_dict(), given.teacher)


class Judged(Protocol):
    """The relations and weights of one query's judged markets."""

    @property
    def relations(self) -> np.ndarray: ...
    @property
    def weights(self) -> np.ndarray: ...


def loss_of(logits: torch.Tensor, batch: Sequence[Judged], strangers: float) -> torch.Tensor:
    """How badly `logits` (queries, markets of all of them, 5) predict the judged relations.
    `strangers`: weight of a query's pair with a market of another query."""
    target = torch.zeros(logits.shape[:2], dtype=torch.long)
    weight = torch.full(logits.shape[:2], strangers)
    first = 0
    for row, one in enumerate(batch):
        own = slice(first, first + len(one.relations))
        target[row, own] = torch.tensor(one.relations)
        weight[row, own] = torch.tensor(one.weights, dtype=torch.float32)
        first = own.stop
    each = nn.functional.cross_entropy(
        logits.reshape(-1, len(CLASSES)), target.reshape(-1), reduction="none"
    )
    return (each * weight.reshape(-1)).sum() / first


class Student(nn.Module):
    """The network of `augury.relations.vectors.Network`, to be fitted."""

    def __init__(self, width: int) -> None:
        super().__init__()
        sizes = (width, *HIDDEN, RELATION_VECTOR_SIZE)
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise(sizes))
        self.linear = nn.Linear(width, RELATION_VECTOR_SIZE, bias=False)
        self.drop = nn.Dropout(0.1)

    def forward(self, sentences: torch.Tensor) -> torch.Tensor:
        """(n, RELATION_VECTOR_SIZE) of sentence vectors (n, width)."""
        hidden = nn.functional.silu(self.layers[0](sentences))
        hidden = nn.functional.silu(self.layers[1](self.drop(hidden)))
        return self.layers[2](hidden) + self.linear(sentences)

    def arrays(self) -> dict[str, np.ndarray]:
        """What `vectors.npz` holds of it."""
        found = {"linear": self.linear.weight.detach().numpy().T * SENTENCE}
        for n, layer in enumerate(self.layers):
            longer = SENTENCE if n == 0 else 1.0
            found[f"weights{n}"] = layer.weight.detach().numpy().T * longer
            found[f"biases{n}"] = layer.bias.detach().numpy()
        return {name: values.astype(np.float16) for name, values in found.items()}


@torch.no_grad()
def read_by(model: Teacher, side: str, texts: list[str]) -> torch.Tensor:
    """The teacher's vectors of texts: (n, RELATION_VECTOR_SIZE)."""
    found = torch.zeros(len(texts), RELATION_VECTOR_SIZE)
    order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
    for first in range(0, len(order), 128):
        at = order[first : first + 128]
        found[at] = model.vectors(side, [texts[n] for n in at]).float()
    return found


def _chances(queries: torch.Tensor, markets: torch.Tensor) -> torch.Tensor:
    return torch.log_softmax(raw(queries, markets), -1)


def _apart(one: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """How far log chances are from those of the teacher."""
    return (other.exp() * (other - one)).sum(-1).mean()


class Schedule:
    """AdamW whose rate rises to `RATE` and falls again."""

    def __init__(self, net: nn.Module, steps: int) -> None:
        self._inner = torch.optim.AdamW(net.parameters(), lr=RATE, weight_decay=0.01)
        self._rate = torch.optim.lr_scheduler.OneCycleLR(self._inner, RATE, total_steps=steps)

    def step(self, loss: torch.Tensor) -> None:
        """One step down the loss."""
        self._inner.zero_grad()
        loss.backward()
        self._inner.step()
        self._rate.step()


class Candidates(NamedTuple):
    """A query's candidates, with the teacher's vector of the query."""

    query: torch.Tensor
    at: torch.Tensor
    known: torch.Tensor
    relations: torch.Tensor


def for_markets(sentences: torch.Tensor, wanted: torch.Tensor, pools: list[Candidates]) -> Student:
    """Fit the network for markets."""
    net = Student(sentences.shape[1])
    schedule = Schedule(net, -(-len(pools) // QUERIES) * EPOCHS)
    spread = wanted.std(0)
    for epoch in range(EPOCHS):
        total = 0.0
        for at in torch.randperm(len(pools)).split(QUERIES):
            loss = torch.zeros(())
            for pool in (pools[n] for n in at.tolist()):
                got = net(sentences[pool.at])
                ours = _chances(pool.query[None], got)[0]
                theirs = _chances(pool.query[None], wanted[pool.at])[0]
                loss = loss + _apart(ours, theirs)
                loss = loss + LIKE * ((got - wanted[pool.at]) / spread).pow(2).mean()
                if pool.known.any():
                    of_readers = nn.functional.nll_loss(ours[pool.known], pool.relations)
                    loss = loss + OF_READERS * of_readers
            schedule.step(loss / len(at))
            total += float(loss.detach())
        print(f"epoch {epoch + 1}: {total / len(pools):.4f}", flush=True)
    return net.eval()


def imitate(given: argparse.Namespace) -> None:
    """Fit the small network for markets and keep it."""
    torch.manual_seed(given.seed)
    model = taught(given)
    embedder = Embedder.load()
    queries = [q for folder, asked, said in given.judged for q in load(folder, [said], asked)]
    texts = sorted({pair for q in queries for pair in zip(q.titles, q.events, strict=True)})
    place = {pair: n for n, pair in enumerate(texts)}
    print(f"{len(queries)} queries, {len(texts)} markets", flush=True)
    of_markets = read_by(model, "market", [text(*pair) for pair in texts])
    of_queries = read_by(model, "query", [q.judged.query for q in queries])
    pools = [
        Candidates(
            vector, torch.tensor([place[pair] for pair in zip(q.titles, q.events, strict=True)]),
            torch.tensor(q.known), torch.tensor(q.relation[q.known]),
        )
        for q, vector in zip(queries, of_queries, strict=True)
    ]  # fmt: skip
    of_texts = SENTENCE * torch.tensor(sentence_vectors(embedder, texts))
    student = for_markets(of_texts, of_markets, pools)
    with torch.no_grad():
        largest = student(of_texts).abs().numpy()
    scales = np.quantile(largest, 0.9999, axis=0) / 127
    np.savez_compressed(given.keep, scales=scales, **student.arrays())


class QueryReader(nn.Module):
    """The teacher as it reads one query, from the word table's vectors of the pieces."""

    def __init__(self, model: Teacher) -> None:
        super().__init__()
        self.bert, self.last = model.bert, model.classifier["query"]

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """(1, RELATION_VECTOR_SIZE) of (1, tokens, width)."""
        mean = self.bert(inputs_embeds=words).last_hidden_state.mean(1)
        return self.last(mean / mean.norm(dim=-1, keepdim=True) * LENGTH)


def export(given: argparse.Namespace) -> None:
    """Write the teacher as it reads queries."""
    write(taught(given).float(), given.keep)


def write(model: Teacher, path: Path) -> None:
    """Write how a model reads queries, as int8 ONNX."""
    model.bert.set_attn_implementation("eager")
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        torch.onnx.export(
            QueryReader(model), (torch.randn(1, 12, model.bert.config.hidden_size),), str(plain),
            input_names=["words"], output_names=["vector"], opset_version=17, dynamo=False,
            dynamic_axes={"words": {1: "tokens"}},
        )  # fmt: skip
        quantize_dynamic(plain, path, weight_type=QuantType.QInt8, per_channel=True)
    print(f"{path.stat().st_size / 1e6:.1f} MB")


def taught(given: argparse.Namespace) -> Teacher:
    """The trained teacher."""
    model = Teacher(given.base)
    model.load_state_dict(torch.load(given.teacher))
    return model.to(arithmetic()).eval()


def sentence_vectors(embedder: Embedder, texts: list[tuple[str, str]]) -> np.ndarray:
    """Sentence vectors of markets (title, event) as the index makes them."""
    return embedder.embed_documents([document_text(t, event_name=e) for t, e in texts])


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    steps = parser.add_subparsers(required=True)
    for name, run in (("teach", teach), ("imitate", imitate), ("export", export)):
        step = steps.add_parser(name)
        step.add_argument("teacher", type=Path)
        step.add_argument("--base", type=Path, required=True)
        step.set_defaults(run=run)
        if run is not export:
            step.add_argument("--seed", type=int, default=1)
            step.add_argument(
                "--judged", type=Path, nargs=3, action="append", required=True,
                metavar=("OUT", "QUERIES", "JUDGMENTS"),
            )  # fmt: skip
        if run is teach:
            step.add_argument("--start", type=Path, help="Weights to start from.")
            step.add_argument("--epochs", type=int, default=2)
            step.add_argument("--rate", type=float, default=1e-4)
        else:
            step.add_argument("--keep", type=Path, required=True)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
