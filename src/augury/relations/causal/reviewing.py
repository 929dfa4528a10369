"""Collects proposed verdicts on pairs of factors that nobody has judged, and accepts those that a
person has read.

Proposals go to a file in the data folder (`own_verdicts`), and the service does not load them.
Accepting a file checks its lines with the linter of the factor base and moves them to where the
service loads them.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec

from augury.clock import Clock, now
from augury.errors import NotFound
from augury.llm.asking import AskReport, Progress, ask_each, is_qualified
from augury.llm.service import LanguageModel
from augury.markets import store as markets
from augury.relations import store
from augury.relations.causal import judged, knowledge, own_verdicts, review
from augury.relations.causal.judged import PairVerdict
from augury.relations.causal.knowledge import Base
from augury.relations.causal.review import REVIEW, FactorPairAnswer, UnjudgedPair
from augury.relations.labelling import Tagger
from augury.search.text import document_text
from augury.storage.database import Database

MOST_EVENTS: Final = 20_000
"""At most this many events, those with the largest volume, are read to count the events about each
factor. What an event is about is told by its most traded market."""
BATCH_PAIRS: Final = 500


async def events_by_factor(database: Database, tags: Tagger, progress: Progress) -> Counter[int]:
    """Count the active events that are about each factor: number of the factor -> number of events.

    tags : finds the factors that a market's text is about
    progress : called with the number of events done and the number of events in all
    """
    async with database.reading() as conn:
        ids = await store.leading_markets(conn, MOST_EVENTS)
    found: Counter[int] = Counter()
    for start in range(0, len(ids), BATCH_PAIRS):
        progress(start, len(ids))
        async with database.reading() as conn:
            batch = await markets.fetch(conn, ids[start : start + BATCH_PAIRS])
        texts = [
            document_text(m.question, event_name=m.event_name, description=m.description)
            for m in batch
        ]
        read = await asyncio.to_thread(lambda texts=texts: [tags(text) for text in texts])
        found.update(tag.number for one in read for tag in one)
    progress(len(ids), len(ids))
    return found


def proposals_file(data_dir: Path, name: str, day: str) -> Path:
    """Path of the file for the verdicts that a model or person called `name` proposes on the day
    `day`."""
    plain = re.sub(r"[^a-z0-9.-]+", "-", name.casefold()).strip("-.") or "review"
    return own_verdicts.proposed_folder(data_dir) / f"{day}-{plain[:60]}.tsv"


def propose(file: Path, pair: UnjudgedPair, proposal: PairVerdict | str) -> None:
    """Add a pair of factors to a file of proposed verdicts: with the proposed verdict or, if
    `proposal` is the name of a judge, with a line that this judge has to fill in."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as to:
        to.write(("" if to.tell() else review.HEADER) + review.written(pair, proposal))


def proposed(data_dir: Path) -> set[tuple[str, str, judged.Side]]:
    """The pairs of factors in all files of proposed verdicts, i.e. those that wait for a person to
    read or fill them in."""
    folder = own_verdicts.proposed_folder(data_dir)
    waiting = {verdict.pair for verdict in own_verdicts.read(folder, [])}
    for file in sorted(folder.glob("*.tsv")):
        waiting |= set(review.open_pairs(file.read_text(encoding="utf-8", errors="replace")))
    return waiting


class ReviewReport(AskReport, kw_only=True):
    """The result of a run in which a language model was asked about unjudged pairs of factors."""

    queue: int
    """Number of pairs of factors whose relation nobody had judged when the run began."""
    proposed: int = 0
    by_verdict: dict[str, int] = msgspec.field(default_factory=dict)
    file: str | None = None
    """Path of the file with the proposed verdicts; None if there are none."""


class Reviewer:
    """Asks a language model how factors (things in the world that markets are about) are related,
    one unjudged pair after the other. Each verdict that the model proposes is written to a file at
    once."""

    def __init__(
        self,
        model: LanguageModel,
        data_dir: Path,
        *,
        clock: Clock = now,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._model = model
        self._data_dir = data_dir
        self._day = clock().date().isoformat()
        self._sleep = sleep

    async def run(
        self, queue: Sequence[UnjudgedPair], limit: int, progress: Progress | None = None
    ) -> ReviewReport:
        """Ask the model about at most `limit` of the pairs of factors in `queue`, and return the
        counts."""
        report = ReviewReport(model=self._model.model, queue=len(queue))

        async def keep(pair: UnjudgedPair, answer: FactorPairAnswer) -> None:
            await self._keep(pair, answer, report)

        if await is_qualified(self._model, REVIEW, report):
            await ask_each(
                self._model, REVIEW, queue, report, data=lambda pair: pair.data, keep=keep,
                limit=limit, progress=progress, sleep=self._sleep,
            )  # fmt: skip
        report.tokens_today = (await self._model.spent_today()).tokens
        return report

    async def _keep(
        self, pair: UnjudgedPair, answer: FactorPairAnswer, report: ReviewReport
    ) -> None:
        judge = review.judge_of(self._model.model, self._day, is_model=True)
        found = review.verdict(pair, answer, judge)
        file = proposals_file(self._data_dir, self._model.model, self._day)
        await asyncio.to_thread(propose, file, pair, found)
        report.file = str(file)
        report.proposed += 1
        report.by_verdict[found.code] = report.by_verdict.get(found.code, 0) + 1


class Acceptance(msgspec.Struct):
    """The result of accepting a file of proposed verdicts."""

    accepted: int = 0
    already: int = 0
    """Number of verdicts in the file that had been accepted before."""
    left_open: int = 0
    """Number of lines in the file that nobody has filled in."""
    problems: list[str] = []
    """Reasons why nothing was accepted; empty if there was no problem."""
    file: str | None = None
    """Path of the file to which the accepted verdicts were written; None if nothing new was
    accepted."""


def accept(base: Base, data_dir: Path, file: Path) -> Acceptance:
    """Accept the verdicts in a file of proposals, i.e. move them to the folder from which the
    service loads verdicts: all of them or, if there is a problem, none.

    If the file lies in the folder of proposals, only lines that nobody has filled in stay in it; a
    file that has no such lines is removed.

    Raises
    ------
    NotFound
        There is no such file, or it can't be read.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotFound(f"{file} can't be read ({type(error).__name__}).") from None
    lines = text.splitlines()
    left = [line for line in lines if review.is_open(line)]
    done = Acceptance(left_open=len(left))
    filled = "\n".join("" if review.is_open(line) else line for line in lines)
    found = list(judged.read(file.name, filled, done.problems))
    folder = own_verdicts.accepted_folder(data_dir)
    own = own_verdicts.read(folder, [])
    fresh = [verdict for verdict in found if verdict not in own]
    done.already = len(found) - len(fresh)
    done.problems += _problems(base, own, fresh)
    if done.problems:
        return done
    done.accepted = len(fresh)
    if fresh:
        target = folder / file.name
        _write(target, fresh)
        done.file = str(target)
    if file.resolve().parent == own_verdicts.proposed_folder(data_dir).resolve():
        if left:
            file.write_text(review.HEADER + "".join(f"{line}\n" for line in left), "utf-8")
        else:
            file.unlink()
    return done


def _problems(base: Base, own: Sequence[PairVerdict], fresh: Sequence[PairVerdict]) -> list[str]:
    """Messages on what is wrong with the new verdicts `fresh`: judges without a date, and problems
    that the linter of the factor base finds only if the new verdicts are added.

    own : the operator's verdicts accepted before
    """
    unnamed = [
        f"the verdict on {v.one} and {v.other}: its judge {v.judge!r} should be written NAME@DATE"
        for v in fresh
        if not v.is_own
    ]
    before = set(knowledge.lint(own_verdicts.joined(base, own)))
    after = knowledge.lint(own_verdicts.joined(base, [*own, *fresh]))
    return unnamed + [problem for problem in after if problem not in before]


def _write(target: Path, fresh: Sequence[PairVerdict]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    known = target.read_text(encoding="utf-8") if target.exists() else "# Accepted judged pairs.\n"
    draft = target.with_suffix(".new")
    draft.write_text(known + "".join(f"{verdict.line}\n" for verdict in fresh), encoding="utf-8")
    draft.replace(target)
