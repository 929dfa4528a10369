"""Collects proposed verdicts on the pairs of factors (things in the world) that nobody has judged,
and accepts those that a person has read.

Proposals go to a file in the data folder (`own_verdicts`), and the service does not load them. To
accept a file means to check its lines with the linter of the factor base, and to move them to the
folder from which the service loads verdicts.
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
"""Largest number of active events that are read in order to count how many events are about each
factor (thing in the world). If there are more, those with the largest volume are read. Here, an
event's volume means the volume of its most traded market."""
BATCH_MARKETS: Final = 500
"""Number of markets that are read from the database in one query."""


async def events_by_factor(database: Database, tags: Tagger, progress: Progress) -> Counter[int]:
    """Count the active events that are about each factor (thing in the world): id of the factor ->
    number of events. What an event is about is read from its most traded market.

    tags : finds the factors that a market's text is about
    progress : called with the number of events done and the number of events in all
    """
    async with database.reading() as conn:
        ids = await store.leading_markets(conn, MOST_EVENTS)
    found: Counter[int] = Counter()
    for start in range(0, len(ids), BATCH_MARKETS):
        progress(start, len(ids))
        async with database.reading() as conn:
            batch = await markets.fetch(conn, ids[start : start + BATCH_MARKETS])
        texts = [
            document_text(m.question, event_name=m.event_name, description=m.description)
            for m in batch
        ]
        read = await asyncio.to_thread(lambda texts=texts: [tags(text) for text in texts])
        found.update(tag.factor_id for one in read for tag in one)
    progress(len(ids), len(ids))
    return found


def proposals_file(data_dir: Path, name: str, day: str) -> Path:
    """Path of a file for proposed verdicts on pairs of factors. It holds what one language model or
    one person, called `name`, proposes on one day (`day`, YYYY-MM-DD)."""
    plain = re.sub(r"[^a-z0-9.-]+", "-", name.casefold()).strip("-.") or "review"
    return own_verdicts.proposed_folder(data_dir) / f"{day}-{plain[:60]}.tsv"


def propose(file: Path, pair: UnjudgedPair, proposal: PairVerdict | str) -> None:
    """Add a pair of factors to a file of proposed verdicts.

    proposal : the proposed verdict; or the person who is to judge, as `review.judge_of` returns it:
        then the line has no verdict yet, and this person fills it in
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as to:
        to.write(("" if to.tell() else review.HEADER) + review.proposal_lines(pair, proposal))


def proposed(data_dir: Path) -> set[tuple[str, str, judged.Side]]:
    """The pairs of factors in all files of proposed verdicts: those that a person has still to
    read, fill in or accept."""
    folder = own_verdicts.proposed_folder(data_dir)
    waiting = {verdict.pair for verdict in own_verdicts.read(folder, [])}
    for file in sorted(folder.glob("*.tsv")):
        waiting |= set(review.open_pairs(file.read_text(encoding="utf-8", errors="replace")))
    return waiting


class ReviewReport(AskReport, kw_only=True):
    """The result of a run in which a language model was asked how the factors (things in the world)
    of unjudged pairs are related."""

    queue: int
    """Number of pairs of factors whose relation nobody had judged when the run began."""
    proposed: int = 0
    """Number of verdicts that the model proposed."""
    by_verdict: dict[str, int] = msgspec.field(default_factory=dict)
    """Relation ("cause", "none" ...) -> number of proposed verdicts that state it."""
    file: str | None = None
    """Path of the file with the proposed verdicts; None if there are none."""


class Reviewer:
    """Asks a language model how two factors (things in the world that markets are about) are
    related, one unjudged pair after the other. Each verdict that the model proposes is written to a
    file at once."""

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
        """Ask the model about at most `limit` of the pairs of factors in `queue`, and return how
        many verdicts it proposed."""
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
    """The result of accepting a file of proposed verdicts on pairs of factors."""

    accepted: int = 0
    """Number of verdicts that this run accepted, without those accepted before."""
    already: int = 0
    """Number of verdicts in the file that had been accepted before."""
    left_open: int = 0
    """Number of verdicts in the file in which a person still has to fill in a field."""
    problems: list[str] = []
    """Reasons why nothing was accepted; empty if there was no problem."""
    file: str | None = None
    """Path of the file to which the accepted verdicts were written; None if nothing new was
    accepted."""


def accept(base: Base, data_dir: Path, file: Path) -> Acceptance:
    """Accept the verdicts on pairs of factors in a file of proposals: move them to the folder from
    which the service loads verdicts. If any of them has a problem, none is moved.

    If the file is in the folder of proposals, the accepted lines are removed from it, and lines
    without a verdict stay. A file without such lines is deleted. A file in another folder is not
    changed.

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
    """Messages on what is wrong with the new verdicts `fresh` on pairs of factors: verdicts whose
    judge is not given as NAME@DATE, and problems that the linter of the factor base finds only once
    these verdicts are added.

    own : the verdicts that the operator accepted before
    """
    unnamed = [
        f"the verdict on {v.one} and {v.other}: the judge should have the form NAME@DATE and is "
        f"{v.judge!r}"
        for v in fresh
        if not v.is_own
    ]
    before = set(knowledge.lint(own_verdicts.with_own(base, own)))
    after = knowledge.lint(own_verdicts.with_own(base, [*own, *fresh]))
    return unnamed + [problem for problem in after if problem not in before]


_ACCEPTED_HEADER: Final = "# Accepted verdicts on pairs of factors.\n"


def _write(target: Path, fresh: Sequence[PairVerdict]) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    known = target.read_text(encoding="utf-8") if target.exists() else _ACCEPTED_HEADER
    draft = target.with_suffix(".new")
    draft.write_text(known + "".join(f"{verdict.line}\n" for verdict in fresh), encoding="utf-8")
    draft.replace(target)
