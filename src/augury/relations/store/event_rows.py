"""SQL on the events that markets belong to, and on the links between markets that are the same
contract on two venues."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any, NamedTuple, TypeAlias

from psycopg import AsyncConnection
from psycopg.rows import class_row

from augury.markets.records import Platform
from augury.relations.events import Event, Kind, Link, Placement, venue_of

Connection: TypeAlias = AsyncConnection[Any]


class LinkingState(NamedTuple):
    """How far the changes of the catalogue of markets have been processed into events and links."""

    code: str
    """Version of the code that processed the changes (`events.CODE_VERSION`)."""
    change: int
    """Sequence number of the last change of the catalogue that was processed into events and
    links."""


class EventRow(NamedTuple):
    """A stored event: markets that belong together."""

    id: int
    kind: Kind
    """What the event's markets have in common: "game", "ladder", "deadlines", "contest",
    "venue_event" (only that their venue put them together) or "single" (one market)."""
    name: str
    contest_hash: int | None
    """Hash of a contest and its year. All events about that contest's stages or finishing places
    have the same hash (`events.Placement.contest_hash`). None for other events."""


async def state(conn: Connection) -> LinkingState | None:
    """How far the changes of the catalogue of markets have been processed into events and links;
    None if nothing has been processed yet."""
    row = await (await conn.execute("select code, change from relation_state")).fetchone()
    return LinkingState(*row) if row else None


async def save_state(conn: Connection, code: str, change: int) -> None:
    await conn.execute(
        """
        insert into relation_state (code, change) values (%s, %s)
        on conflict (id) do update set code = excluded.code, change = excluded.change
        """,
        (code, change),
    )


async def clear(conn: Connection) -> list[int]:
    """Delete all stored events, the assignments of markets to them, and all links between markets
    that are the same contract on two venues. The state (`LinkingState`) is deleted, too. All of
    this can then be built anew.

    Returns the database numbers (`seq`) of the markets that had links.
    """
    rows = await conn.execute(
        "select polymarket_seq from relation_links union select kalshi_seq from relation_links"
    )
    linked = [row[0] for row in await rows.fetchall()]
    await conn.execute(
        "truncate relation_links, relation_members, relation_nodes, relation_events, relation_state"
    )
    return linked


async def events_of_nodes(conn: Connection, nodes: Collection[str]) -> dict[str, Event]:
    """The stored events that the given groups of markets belong to: name of a group -> its event.

    The result has all groups of each event found, not only those in `nodes`.

    nodes : names of groups of markets (`Placement.nodes`)
    """
    rows = await conn.execute(
        """
        select event_id, node from relation_nodes
        where event_id in (select event_id from relation_nodes where node = any(%s))
        """,
        (list(nodes),),
    )
    events: dict[int, Event] = {}
    for event_id, node in await rows.fetchall():
        event = events.setdefault(event_id, Event(event_id, set(), {}))
        event.nodes.add(node)
        event.venues |= venue_of(node)
    return {node: event for event in events.values() for node in event.nodes}


async def create_events(conn: Connection, events: Sequence[tuple[Event, str]]) -> None:
    """Store new events, given as (event, name), and set the `id` of each."""
    if not events:
        return
    rows = await conn.execute(
        """
        insert into relation_events (kind, name)
        select 'single', name from unnest(%s::text[]) with ordinality n (name, ord) order by ord
        returning id
        """,
        ([name for _, name in events],),
    )
    for (event, _), (event_id,) in zip(events, sorted(await rows.fetchall()), strict=True):
        event.id = event_id


async def save_nodes(conn: Connection, events: Iterable[Event]) -> None:
    """Store, for each of these events, the groups of markets (`Event.nodes`) that belong to it."""
    pairs = [(node, event.id) for event in events for node in event.nodes]
    await conn.execute(
        """
        insert into relation_nodes (node, event_id) select * from unnest(%s::text[], %s::bigint[])
        on conflict (node) do update set event_id = excluded.event_id
        where relation_nodes.event_id <> excluded.event_id
        """,
        ([node for node, _ in pairs], [event_id for _, event_id in pairs]),
    )


async def drop_empty_events(conn: Connection) -> None:
    await conn.execute(
        """
        delete from relation_events e
        where not exists (select from relation_nodes n where n.event_id = e.id)
        """
    )


async def save_members(conn: Connection, places: Sequence[tuple[int, Platform, Placement]]) -> None:
    """Store for each market to which event it belongs, and with which markets of another venue it
    can be linked.

    places : for each market its database number, its venue, and its `Placement`
    """
    await conn.execute(
        """
        insert into relation_members (market_seq, platform, node, kind, key, stages)
        select * from unnest(%s::bigint[], %s::text[], %s::text[], %s::text[], %s::bigint[],
                             %s::bigint[])
        on conflict (market_seq) do update
        set node = excluded.node, kind = excluded.kind, key = excluded.key,
            stages = excluded.stages
        """,
        (
            [seq for seq, _, _ in places],
            [platform for _, platform, _ in places],
            [p.nodes[0] for _, _, p in places],
            [p.kind for _, _, p in places],
            [p.key for _, _, p in places],
            [p.contest_hash for _, _, p in places],
        ),
    )


async def describe_events(conn: Connection, ids: Collection[int]) -> None:
    """Set the columns `kind` and `stages` of the events with these `ids`, each to the value that is
    most frequent among the event's markets.

    `kind` says what sort of event it is, e.g. "game" or "ladder" (`EventRow.kind`). `stages` is a
    hash of a contest and its year. All events about this contest's stages or finishing places have
    the same hash (`EventRow.contest_hash`)."""
    await conn.execute(
        """
        update relation_events e set kind = d.kind, stages = d.stages
        from (
          select n.event_id as id, mode() within group (order by m.kind) as kind,
                 mode() within group (order by m.stages) as stages
          from relation_nodes n join relation_members m using (node)
          where n.event_id = any(%s) group by n.event_id
        ) d
        where e.id = d.id and (e.kind, e.stages) is distinct from (d.kind, d.stages)
        """,
        (list(ids),),
    )


async def remove_members(conn: Connection, seqs: Collection[int]) -> None:
    """Take the markets `seqs` (database numbers) out of their events, and delete the events that
    have no market left."""
    await conn.execute("delete from relation_members where market_seq = any(%s)", (list(seqs),))
    await conn.execute(
        """
        delete from relation_nodes where event_id not in (
          select n.event_id from relation_members m join relation_nodes n using (node)
        )
        """
    )
    await drop_empty_events(conn)


async def seqs_of_keys(conn: Connection, keys: Collection[int]) -> dict[int, list[int]]:
    """Key -> database numbers of the markets with this key, for those of `keys` that occur on two
    venues. Markets that could be the same contract have the same key (`Placement.key`)."""
    rows = await conn.execute(
        """
        select key, array_agg(market_seq order by market_seq) from relation_members
        where key = any(%s) group by key having count(distinct platform) > 1
        """,
        (list(keys),),
    )
    return dict(await rows.fetchall())


async def replace_links(
    conn: Connection, seqs: Collection[int], links: Collection[Link]
) -> set[int]:
    """Delete all links of the markets `seqs` (database numbers), and store `links` instead. A link
    joins two markets that are the same contract on two venues. Returns the database numbers of all
    markets of which a link was deleted or stored."""
    rows = await conn.execute(
        """
        delete from relation_links
        where polymarket_seq = any(%(seqs)s) or kalshi_seq = any(%(seqs)s)
        returning polymarket_seq, kalshi_seq
        """,
        {"seqs": list(seqs)},
    )
    touched = {seq for row in await rows.fetchall() for seq in row}
    await conn.execute(
        """
        insert into relation_links (polymarket_seq, kalshi_seq, inverted)
        select * from unnest(%s::bigint[], %s::bigint[], %s::boolean[])
        on conflict do nothing
        """,
        (
            [link.polymarket_seq for link in links],
            [link.kalshi_seq for link in links],
            [link.inverted for link in links],
        ),
    )
    return touched | {seq for link in links for seq in link[:2]}


async def linked(conn: Connection, seqs: Collection[int]) -> dict[int, list[tuple[int, bool]]]:
    """The markets on the other venue that are the same contract as the markets `seqs`: database
    number of a market -> list of (database number of the other market, whether Yes of one is No of
    the other)."""
    rows = await conn.execute(
        """
        select s.seq, l.other, l.inverted from unnest(%s::bigint[]) s (seq)
        cross join lateral (
          select kalshi_seq as other, inverted from relation_links where polymarket_seq = s.seq
          union all
          select polymarket_seq, inverted from relation_links where kalshi_seq = s.seq
        ) l order by 1, 2
        """,
        (list(seqs),),
    )
    found: dict[int, list[tuple[int, bool]]] = {}
    for seq, other, inverted in await rows.fetchall():
        found.setdefault(seq, []).append((other, inverted))
    return found


async def events_of_markets(conn: Connection, seqs: Collection[int]) -> dict[int, EventRow]:
    """The events of the markets `seqs`: database number of a market -> event. Markets without an
    event are left out."""
    async with conn.cursor() as cursor:
        await cursor.execute(
            """
            select m.market_seq, e.id, e.kind, e.name, e.stages
            from relation_members m join relation_nodes n using (node)
            join relation_events e on e.id = n.event_id
            where m.market_seq = any(%s)
            """,
            (list(seqs),),
        )
        return {seq: EventRow(*rest) for seq, *rest in await cursor.fetchall()}


async def markets_of_events(conn: Connection, ids: Collection[int]) -> dict[int, list[int]]:
    """The markets of the events with these `ids`: id of an event -> database numbers of its
    markets, the smallest first."""
    rows = await conn.execute(
        """
        select n.event_id, m.market_seq
        from relation_nodes n join relation_members m using (node)
        where n.event_id = any(%s) order by 1, 2
        """,
        (list(ids),),
    )
    found: dict[int, list[int]] = {}
    for event_id, seq in await rows.fetchall():
        found.setdefault(event_id, []).append(seq)
    return found


class Counts(NamedTuple):
    """Numbers of stored events and links. An event is a group of markets that belong together. A
    link joins two markets that are the same contract on two venues."""

    markets: int
    """Number of markets that belong to an event."""
    events: int
    across: int
    """Number of events with markets of both venues."""
    links: int
    """Number of links between markets that are the same contract on two venues."""
    inverted: int
    """Number of the links between the venues in which Yes of one market is No of the other."""


async def counts(conn: Connection) -> Counts:
    async with conn.cursor(row_factory=class_row(Counts)) as cursor:
        await cursor.execute(
            """
            select (select count(*) from relation_members) as markets,
                   (select count(*) from relation_events) as events,
                   (select count(*) from (
                      select n.event_id from relation_members m join relation_nodes n using (node)
                      group by 1 having count(distinct m.platform) > 1) e) as across,
                   (select count(*) from relation_links) as links,
                   (select count(*) from relation_links where inverted) as inverted
            """
        )
        row = await cursor.fetchone()
    assert row is not None
    return row
