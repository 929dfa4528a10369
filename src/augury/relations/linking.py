"""Follows the changes of markets in the catalogue: assigns each changed market to an event (markets
that belong together), and links it with the market that is the same contract on the other venue."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from augury.markets import store as markets
from augury.markets.following import BATCH_CHANGES, Follower
from augury.markets.store import IndexRow
from augury.relations import events, store
from augury.relations.events import Link, Placement
from augury.relations.store import Connection
from augury.storage import locks


class Linker(Follower):
    """Keeps two things up to date with the catalogue of markets: the events that markets belong to,
    and the links between markets that are the same contract on two venues."""

    LOCK = locks.EVENTS

    async def _begin(self) -> None:
        async with self._database.transaction() as conn:
            state = await store.state(conn)
            newest = await markets.last_change(conn)
            if state is not None and state.code == events.CODE_VERSION and state.change <= newest:
                return
            await store.clear(conn)
            await markets.unlink_all(conn)
            await store.save_state(conn, events.CODE_VERSION, 0)

    async def _step(self) -> int:
        async with self._database.transaction() as conn:
            state = await store.state(conn)
            after = state.change if state else 0
            rows = await markets.changes_since(conn, after, BATCH_CHANGES)
            if rows:
                await self._apply(conn, rows)
                await store.save_state(conn, events.CODE_VERSION, rows[-1].change)
        return len(rows)

    async def _apply(self, conn: Connection, rows: Sequence[IndexRow]) -> None:
        # The last change of a market holds its present state; after a removal there are none.
        latest = {row.seq: row for row in rows}
        gone = [seq for seq, row in latest.items() if row.removed]
        kept = {seq: row for seq, row in latest.items() if not row.removed}
        if gone:
            await store.remove_members(conn, gone)
        placed = await asyncio.to_thread(_placed, list(kept.values()))
        await self._assign(conn, kept, placed)
        found = await self._links(conn, kept, placed)
        touched = await store.replace_links(conn, latest.keys(), found)
        if touched:
            await self._publish(conn, touched)

    async def _assign(
        self, conn: Connection, rows: dict[int, IndexRow], placed: dict[int, Placement]
    ) -> None:
        """Assign markets to events, create the events that are missing, and store the result.

        rows : database number -> market
        placed : database number -> what the market asserts, and the groups that it belongs to (its
            venue's event, its family)
        """
        if not placed:
            return
        nodes = {node for place in placed.values() for node in place.nodes}
        by_node = await store.events_of_nodes(conn, nodes)
        before = len(set(map(id, by_node.values())))
        events.assign([place.nodes for place in placed.values()], by_node)
        names: dict[int, str] = {}
        for seq, place in placed.items():
            row = rows[seq]
            name = row.group_name or row.event_name or row.question
            names.setdefault(id(by_node[place.nodes[0]]), name)
        distinct = {id(event): event for event in by_node.values()}
        new = [(e, names.get(i, "")) for i, e in distinct.items() if e.id is None]
        await store.create_events(conn, new)
        await store.save_nodes(conn, distinct.values())
        await store.save_members(
            conn, [(seq, rows[seq].platform, place) for seq, place in placed.items()]
        )
        if len(distinct) - len(new) < before:
            await store.drop_empty_events(conn)
        ids = {e.id for e in distinct.values() if e.id is not None}
        await store.describe_events(conn, ids)

    async def _links(
        self, conn: Connection, rows: dict[int, IndexRow], placed: dict[int, Placement]
    ) -> list[Link]:
        """The links of the markets in `placed` with each other and with all other markets. A link
        joins two markets that are the same contract on two venues.

        rows : database number -> market
        """
        keys = {place.key for place in placed.values() if place.key is not None}
        groups = await store.seqs_of_keys(conn, keys)
        others = [seq for seqs in groups.values() for seq in seqs if seq not in placed]
        known = {row.seq: row for row in await markets.fetch_index_rows(conn, others)}
        return await asyncio.to_thread(_linked, groups, rows | known, placed)

    async def _publish(self, conn: Connection, seqs: set[int]) -> None:
        """Write into the record of each of the markets `seqs` (database numbers) the ids of the
        markets that are the same contract on the other venue."""
        linked = await store.linked(conn, seqs)
        await markets.set_links(
            conn, {seq: [other for other, _ in linked.get(seq, ())] for seq in sorted(seqs)}
        )


def _placed(rows: Sequence[IndexRow]) -> dict[int, Placement]:
    return {row.seq: events.place(row) for row in rows}


def _linked(
    groups: dict[int, list[int]], rows: dict[int, IndexRow], placed: dict[int, Placement]
) -> list[Link]:
    found: dict[tuple[int, int], Link] = {}
    for seqs in groups.values():
        members = [(rows[seq], placed.get(seq)) for seq in seqs if seq in rows]
        whole = [(row, place or events.place(row)) for row, place in members]
        for link in events.links(whole):
            if link.polymarket_seq in placed or link.kalshi_seq in placed:
                found[link.polymarket_seq, link.kalshi_seq] = link
    return list(found.values())
