"""Asks a language model how pairs of events are related, and keeps its labels ready for search.

A label is the model's answer on one pair: the relation of the two events and the reason for it.
The command `augury relations label` asks, outside of any request. Every process reloads the labels
when they change, so that confirming, rejecting or removing them takes effect within seconds.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from augury.clock import Clock, now, pause
from augury.errors import AuguryError
from augury.llm.asking import AskReport, Progress, ask_each, is_qualified
from augury.llm.service import LanguageModel
from augury.markets import store as markets
from augury.markets.store import StoredMarket
from augury.propositions.reading import read_market
from augury.relations import labels, store
from augury.relations.labels import LABEL, Label, LabeledMarket, Lead, LeadPair
from augury.relations.store import LabelRow
from augury.search.related import Tag
from augury.search.text import DocumentText, document_text
from augury.storage.database import Database

MAX_LEADS: Final = 3_000
"""The language model is asked about pairs of events. The pairs are formed among at most this many
events: those whose most traded market has the largest volume. Events whose prices move together are
added (`MAX_MOVING`)."""
MAX_MOVING: Final = 2_000
"""Of the pairs of markets whose prices move together, the language model may be asked about at most
this many: those with the strongest correlation, positive or negative."""
MAX_SIBLINGS: Final = 200
"""A label (a language model's answer on a pair of events) applies to at most this many markets of
each event: those that were stored first. The market that the model was asked about is always
included."""
CHECK_SECONDS: Final = 5.0
"""Seconds between two checks of whether the stored labels (a language model's answers on pairs of
events) have changed."""
RELOAD_SECONDS: Final = 600.0
"""Seconds after which the stored labels (a language model's answers on pairs of events) are
reloaded even if they have not changed, because new markets join events."""
Tagger = Callable[[DocumentText], Sequence[Tag]]


async def _leads(
    database: Database, found: Sequence[StoredMarket], tags: Tagger
) -> dict[int, Lead]:
    async with database.reading() as conn:
        events = await store.events_of_markets(conn, [market.seq for market in found])

    def make() -> dict[int, Lead]:
        return {
            market.seq: Lead(
                market,
                # A market that is in no event yet counts as an event of its own.
                event.id if (event := events.get(market.seq)) else -market.seq,
                event.contest_hash if event else None,
                tuple(tag.factor_id for tag in tags(_text(market))),
                read_market(market),
            )
            for market in found
        }

    return await asyncio.to_thread(make)


def _text(market: StoredMarket) -> DocumentText:
    return document_text(
        market.question, event_name=market.event_name, description=market.description
    )


class Labels:
    """Holds the labels in use (a language model's answers on how pairs of events are related). For
    given markets, it finds other markets whose events are related to theirs by a label."""

    def __init__(self, database: Database, tags: Tagger) -> None:
        self._database = database
        self._tags = tags
        self._state: tuple[int, ...] | None = None
        self._read_at = 0.0
        self._related: Mapping[int, tuple[LabeledMarket, ...]] = {}

    def related(self, seqs: Iterable[int]) -> dict[int, LabeledMarket]:
        """The markets that a language model's label relates to any of the markets `seqs` (database
        numbers): database number of the related market -> how it is related. If several labels
        relate the same market, the one with the largest weight counts."""
        found: dict[int, LabeledMarket] = {}
        for seq in seqs if self._related else ():
            for market in self._related.get(seq, ()):
                known = found.get(market.seq)
                if known is None or market.weight > known.weight:
                    found[market.seq] = market
        return found

    async def refresh(self) -> None:
        """Reload the labels (a language model's answers on pairs of events) from the database if
        they have changed or `RELOAD_SECONDS` seconds have passed."""
        at = time.monotonic()
        async with self._database.reading() as conn:
            state = await store.labels_state(conn)
            if state == self._state and at - self._read_at < RELOAD_SECONDS:
                return
            rows = [
                row
                for row in await store.labels(conn)
                if row.status in labels.WEIGHT and row.relation != "none"
            ]
            ids = sorted({name for row in rows for name in (row.first_id, row.second_id)})
            found = await markets.fetch(conn, ids)
        leads = await _leads(self._database, found, self._tags)
        async with self._database.reading() as conn:
            members = await store.markets_of_events(conn, {lead.event for lead in leads.values()})
        self._related = await asyncio.to_thread(_by_market, rows, leads, members)
        self._state, self._read_at = state, at

    async def follow(self, stop: asyncio.Event) -> None:
        """Until `stop` is set, check every `CHECK_SECONDS` seconds whether the labels (a language
        model's answers on pairs of events) have changed in the database, and reload them if so."""
        while not stop.is_set():
            with suppress(AuguryError):  # without the database, the loaded labels stay in use
                await self.refresh()
            await pause(stop, CHECK_SECONDS)


def _by_market(
    rows: Sequence[LabelRow], leads: Mapping[int, Lead], members: Mapping[int, Sequence[int]]
) -> dict[int, tuple[LabeledMarket, ...]]:
    found: dict[int, list[LabeledMarket]] = defaultdict(list)
    for row in rows:
        first, second = leads.get(row.first_seq), leads.get(row.second_seq)
        if first is None or second is None or not labels.not_yet_related(first, second):
            continue
        for asked, other, is_first in ((first, second, True), (second, first, False)):
            market = labels.labeled_market(row, other, asked_first=is_first)
            for seq in {asked.market.seq, *members.get(asked.event, ())[:MAX_SIBLINGS]}:
                found[seq].append(market)
    return {seq: tuple(related) for seq, related in found.items()}


class Report(AskReport, kw_only=True):
    """The result of one run in which a language model was asked how pairs of events are related."""

    candidates: int = 0
    """Number of pairs of events that were worth asking about (`labels.pairs`) and had no label when
    the run began."""
    labeled: int = 0
    """Number of pairs of events that got a label."""
    related: int = 0
    """Number of pairs of events that got a label other than "none" (unrelated)."""


class Labeller:
    """Asks one language model how pairs of events are related, and stores its answers as labels."""

    def __init__(
        self,
        database: Database,
        model: LanguageModel,
        tags: Tagger,
        near: Callable[[int], set[int]],
        *,
        clock: Clock = now,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        """`tags` finds the factors (things in the world, e.g. a policy rate) that a market's text
        is about. `near` takes the id of a factor and returns the ids of its neighbors: the factors
        that are joined to it by an edge or link of the factor base."""
        self._database = database
        self._model = model
        self._tags = tags
        self._near = near
        self._clock = clock
        self._sleep = sleep

    async def candidates(self) -> list[LeadPair]:
        """The pairs of events that have no label yet and are worth asking the language model about
        (`labels.pairs`), the most promising first."""
        async with self._database.reading() as conn:
            moving = await store.strongest_co_movements(conn, MAX_MOVING)
            ids = await store.leading_markets(conn, MAX_LEADS)
            ids = list(dict.fromkeys([*ids, *(name for pair in moving for name in pair)]))
            found = await markets.fetch(conn, ids)
        place = {name: nth for nth, name in enumerate(ids)}
        leads = await _leads(
            self._database, sorted(found, key=lambda market: place[market.id]), self._tags
        )
        pairs = await asyncio.to_thread(
            lambda: list(labels.pairs(list(leads.values()), moving, self._near))
        )
        async with self._database.reading() as conn:
            known = await store.labeled_pairs(conn, [pair.key for pair in pairs])
        return [pair for pair in pairs if pair.key not in known]

    async def run(self, limit: int, progress: Progress | None = None) -> Report:
        """Ask the language model about at most `limit` pairs of events, one after the other; each
        answer is stored as a label at once. Returns the counts of the run."""
        report = Report(model=self._model.model)

        async def keep(pair: LeadPair, label: Label) -> None:
            await self._keep(pair, label, report)

        if await is_qualified(self._model, LABEL, report):
            pairs = await self.candidates()
            report.candidates = len(pairs)
            await ask_each(
                self._model, LABEL, pairs, report, data=lambda pair: pair.data, keep=keep,
                limit=limit, progress=progress, sleep=self._sleep,
            )  # fmt: skip
        report.tokens_today = (await self._model.spent_today()).tokens
        return report

    async def _keep(self, pair: LeadPair, label: Label, report: Report) -> None:
        reason = labels.reason(label, pair)
        relation = labels.relation(label)
        async with self._database.transaction() as conn:
            await store.add_label(
                conn, pair.key, pair.first.market.seq, pair.second.market.seq, relation,
                labels.SIGN[label.direction], labels.DAYS[label.lag], reason, self._model.model,
                self._clock(),
            )  # fmt: skip
        report.labeled += 1
        report.related += relation != "none"
