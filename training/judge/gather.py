"""Gather, for every training question, the markets that were open when it was asked.

    python training/judge/gather.py FOLDER OUT --questions train1 train2 ...

FOLDER is the catalogue that `store.py` built. OUT receives one pickle a question file: questions
with their candidates, each with its texts and the rules' comparison. Market texts stay there; they
are no part of the project.
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import questions as written
from store import settings

from augury.forecast import judging
from augury.forecast.bearing import Bearing
from augury.forecast.match import compare
from augury.forecast.normalize import normalize
from augury.forecast.roles import is_sure
from augury.language.vocabulary import default
from augury.logic.relate import relate
from augury.matching import features, judge, pairs
from augury.services import running

KEPT = 160
"""Candidates kept of a question: all but a few have fewer."""


async def gather(folder: Path, out: Path, names: list[str]) -> None:
    """Candidates of all questions of some files."""
    async with running(settings(folder)) as services:
        await services.search.catch_up()
        for name in names:
            found, hit = [], 0
            for one in written.load(name):
                candidates = await _candidates(services.forecast, one)
                hit += any(c["id"] == one.market_id for c in candidates)
                found.append({**dataclasses.asdict(one), **read(one), "candidates": candidates})
            (out / f"{name}.pickle").write_bytes(pickle.dumps(found))
            print(name, len(found), "the market is among the candidates:", hit, flush=True)


def read(one: written.Question) -> dict[str, Any]:
    """What the judge reads of a question: without a frame that denies it, which is logic's."""
    reading = normalize(one.question, one.as_of)
    return {
        "asked": pairs.question_text(reading.judged, default(), one.as_of.date()),
        "denied": reading.denied,
    }


async def _candidates(service: Any, one: written.Question) -> list[dict[str, Any]]:
    reading = service._engine.with_guesses(normalize(one.question, one.as_of), one.as_of)
    markets = await service._gather(reading, one.as_of, replay=True)
    compared = service._engine.compare(reading, markets, one.as_of)
    read = judging.brief(compared, default(), most=KEPT)
    own = _own(compared.bearings, read.bearings, one)
    rows = zip(read.bearings, read.markets, read.features, read.ranks, own, strict=True)
    return [
        {
            "id": b.market.id,
            "outcome": b.outcome,
            "outcomes": list(b.market.outcomes),
            "question": b.market.question,
            "event_id": b.market.event_id,
            "text": text,
            "features": row,
            "price": b.market.price(b.outcome),
            "same": b.fit.same,
            "turned": b.turned,
            "asked_positive": reading.proposition.positive,
            "rule_rank": rule_rank,
            "rank": rank,
            "terms": b.view.proposition.terms,
            "parts": (repr(b.view.proposition.threshold), b.view.proposition.stage),
            "end": b.view.proposition.window.end,
            "own": beside,
        }
        for b, text, row, (rank, rule_rank), beside in rows
    ]


def _own(
    known: Sequence[Bearing], bearings: Sequence[Bearing], one: written.Question
) -> list[tuple[str, str, bool]]:
    """How the question's own market relates to each market, title to title: the order that the
    rules read (`features.ordered`), the relation that logic is certain of, and whether the rules
    take both to be about the same thing. "", "" and False without the own market."""
    asks = next((b for b in known if b.market.id == one.market_id and b.outcome == 0), None)
    if asks is None or not bearings:
        return [("", "", False)] * len(bearings)
    at = one.as_of.date()
    beside = [dataclasses.replace(b, fit=compare(asks.view, b.view, at)) for b in bearings]
    rows = features.compared(
        [0.0] * len(beside), beside, [(0, 0)] * len(beside), [None] * len(beside),
        [0.0] * len(beside), asked=asks.view.proposition,
    )  # fmt: skip
    return [
        (str(order), relate(asks.view.proposition, b.view.proposition), is_sure(b.fit))
        for order, b in zip(features.ordered(rows), beside, strict=True)
    ]


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--questions", nargs="+", required=True)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    # This is for a judge yet to be fitted; the one at hand may know other features.
    judge.default = lambda: None  # type: ignore[assignment]
    asyncio.run(gather(given.folder, given.out, given.questions))


if __name__ == "__main__":
    main()
