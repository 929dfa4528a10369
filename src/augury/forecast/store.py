"""SQL of forecasts: markets as they were at a moment, what was read from markets' texts, forecasts
given to callers, runs, and how many forecasts each channel (integration) asked for."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, LiteralString, NamedTuple, TypeAlias

from psycopg import AsyncConnection
from psycopg.types.json import Jsonb

from augury.forecast.evidence import Snapshot
from augury.forecast.nulls import PastMarket
from augury.markets.records import Origin

Connection: TypeAlias = AsyncConnection[Any]

_STATIC: LiteralString = (
    "m.seq, m.id, m.platform, m.question, m.title, m.subtitle, left(m.description, 1500),"
    " m.outcomes, m.event_id, m.event_name, m.group_id, m.exclusive, m.market_type, m.category,"
    " m.created_at, m.closes_at, m.strike_kind, m.strike_floor, m.strike_cap, m.url, m.slug"
)

# Of two outcomes only the first is read, because the second is its complement. Values that are
# known only for the present (volume, spread, the venue's status) are left out.
_AS_OF: LiteralString = f"""
select {_STATIC}, quoted.prices, quoted.at, null::float8, null::float8, null::float8, null::float8,
  m.origin, w.digest, w.words
from unnest(%(seqs)s::bigint[]) wanted (seq)
join markets m using (seq)
left join forecast_words w on w.market_seq = m.seq
cross join lateral (
  select array_agg(last.price order by o.n) as prices, max(last.at) as at
  from generate_series(
         0, case when cardinality(m.outcomes) = 2 then 0 else cardinality(m.outcomes) - 1 end
       ) o (n)
  left join lateral (
    select p.price, p.at from prices p
    where p.market_seq = m.seq and p.outcome = o.n and p.at <= %(at)s and p.at > %(oldest)s
    order by p.at desc limit 1
  ) last on true
) quoted
where coalesce(m.created_at, '-infinity') <= %(at)s
  and coalesce(m.closes_at, 'infinity') > %(at)s
  and coalesce(m.resolved_at, 'infinity') > %(at)s
  and quoted.at is not null
"""  # noqa: S608

_NOW: LiteralString = f"""
select {_STATIC}, m.prices, m.price_as_of, m.volume, m.liquidity, m.best_bid, m.best_ask,
  m.origin, w.digest, w.words
from markets m left join forecast_words w on w.market_seq = m.seq
where m.seq = any(%(seqs)s) and m.status = 'active'
  and coalesce(m.closes_at, 'infinity') > %(at)s
  and m.price_as_of > %(oldest)s
"""  # noqa: S608


async def snapshots(
    conn: Connection, seqs: Sequence[int], at: datetime, *, oldest: datetime, replay: bool
) -> dict[int, Snapshot]:
    """Snapshots of markets as of `at`, by market number. Of the markets with the numbers `seqs`,
    only those that were open at `at` and had a price newer than `oldest` are included.

    replay : read the prices recorded up to `at` (for an answer as of the past) instead of the
        catalogue's present state
    """
    cursor = await conn.execute(
        _AS_OF if replay else _NOW, {"seqs": list(seqs), "at": at, "oldest": oldest}, binary=True
    )
    return {row[0]: Snapshot(*row) for row in await cursor.fetchall()}


# Includes closed, resolved and long unquoted markets. A market without any price gets 0.5, so that
# its texts can be compared; its `priced_at` is then null.
_KNOWN: LiteralString = f"""
select {_STATIC},
  case when quoted then m.prices else coalesce(recorded.prices, array[0.5::float8]) end,
  coalesce(case when quoted then m.price_as_of else recorded.at end, m.created_at, %(at)s),
  null::float8, null::float8, null::float8, null::float8, m.origin, w.digest, w.words,
  case when m.status = 'resolved' and coalesce(m.resolved_at, m.closes_at, '-infinity') <= %(at)s
       then 'resolved'
       when %(replay)s then 'active' else m.status end,
  m.resolution, m.resolved_at,
  case when quoted then m.price_as_of else recorded.at end, recorded.at
from unnest(%(seqs)s::bigint[]) wanted (seq)
join markets m using (seq)
left join forecast_words w on w.market_seq = m.seq
left join lateral (
  select array_agg(last.price order by o.n) as prices, max(last.at) as at
  from generate_series(
         0, case when cardinality(m.outcomes) = 2 then 0 else cardinality(m.outcomes) - 1 end
       ) o (n)
  left join lateral (
    select p.price, p.at from prices p
    where p.market_seq = m.seq and p.outcome = o.n and p.at <= %(at)s
      and p.at < coalesce(m.closes_at, 'infinity') and p.at < coalesce(m.resolved_at, 'infinity')
      and p.at >= coalesce(m.created_at, '-infinity')
    order by p.at desc limit 1
  ) last on true
) recorded on recorded.at is not null
cross join lateral (
  select not %(replay)s and m.status = 'active' and m.prices[1] is not null
    and m.price_as_of > coalesce(recorded.at, '-infinity') as quoted
) q
where coalesce(m.created_at, '-infinity') <= %(at)s
"""  # noqa: S608


async def known_markets(
    conn: Connection, seqs: Sequence[int], at: datetime, *, replay: bool
) -> dict[int, PastMarket]:
    """The markets with the numbers `seqs` as they were known at `at`, whether open, closed or
    resolved, each with its last price from the time when it was open; by market number.

    replay : `at` lies in the past, so the catalogue's present state does not count
    """
    cursor = await conn.execute(
        _KNOWN, {"seqs": list(seqs), "at": at, "replay": replay}, binary=True
    )
    rows = await cursor.fetchall()
    return {row[0]: PastMarket(Snapshot(*row[:-5]), *row[-5:]) for row in rows}


# --- what was read of markets --------------------------------------------------------------


async def words_state(conn: Connection) -> tuple[str, int]:
    """State of the stored readings (what was read of markets' texts): the version of the code that
    made them (`words.code`), and the number of the last catalogue change that they include; an
    empty version and 0 if nothing was stored yet."""
    cursor = await conn.execute("select code, change from forecast_words_state")
    row = await cursor.fetchone()
    return (row[0], row[1]) if row else ("", 0)


async def save_words_state(conn: Connection, code: str, change: int) -> None:
    await conn.execute(
        """
        insert into forecast_words_state (code, change) values (%s, %s)
        on conflict (id) do update set code = excluded.code, change = excluded.change
        """,
        (code, change),
    )


async def word_digests(conn: Connection, seqs: Sequence[int]) -> dict[int, bytes]:
    """The digest (`words.digest`) that is stored with each market's reading, by market number. It
    identifies the text from which the reading was made. Markets among `seqs` without a stored
    reading are left out."""
    cursor = await conn.execute(
        "select market_seq, digest from forecast_words where market_seq = any(%s)",
        (list(seqs),),
        binary=True,
    )
    return dict(await cursor.fetchall())


async def save_words(conn: Connection, read: Sequence[tuple[int, bytes, bytes]]) -> None:
    """Store the parts (subject, level, window ...) that were read from markets' texts. Each item of
    `read`: market number, digest of the text (`words.digest`), and the parts that were read, packed
    (`words.packed`)."""
    if not read:
        return
    seqs, digests, words = map(list, zip(*read, strict=True))
    await conn.execute(
        """
        insert into forecast_words (market_seq, digest, words)
        select * from unnest(%s::bigint[], %s::bytea[], %s::bytea[])
        on conflict (market_seq) do update
        set digest = excluded.digest, words = excluded.words
        """,
        (seqs, digests, words),
        binary=True,
    )


async def drop_words(conn: Connection, seqs: Sequence[int]) -> None:
    """Delete the stored readings of the markets numbered `seqs`. A reading is the parts that were
    read from a market's text."""
    await conn.execute("delete from forecast_words where market_seq = any(%s)", (list(seqs),))


# --- memory --------------------------------------------------------------------------------


class Issued(NamedTuple):
    """A forecast as it was given to callers. Its probabilities are 0 to 1; None: it gave none."""

    id: str
    as_of: datetime
    question: str
    effective_question: str
    probability: float | None
    lower: float | None
    upper: float | None
    confidence: float
    crowd: float | None
    domain: str | None
    closes_at: datetime | None
    market_seq: int | None
    market_outcome: int | None
    flipped: bool
    evidence: list[dict[str, Any]]
    engine: str


async def remember(conn: Connection, issued: Issued) -> None:
    """Store a forecast, with its evidence, so that it can be scored once its question is
    decided."""
    values = issued._replace(evidence=Jsonb(issued.evidence))  # type: ignore[arg-type]
    await conn.execute(
        """
        insert into forecasts (id, as_of, question, effective_question, probability, lower, upper,
          confidence, crowd, domain, closes_at, market_seq, market_outcome, flipped, evidence,
          engine)
        values (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s, %s)
        """,
        values,
    )


async def score_resolved(conn: Connection, limit: int) -> int:
    """Fill in the outcome of at most `limit` forecasts whose market (the one that decides whether
    they were right) has been resolved since. Returns the number of forecasts filled in."""
    cursor = await conn.execute(
        """
        with due as (
          select f.id, m.resolved_at,
                 (array_position(m.outcomes, m.resolution) - 1 = f.market_outcome) <> f.flipped
                   as happened
          from forecasts f join markets m on m.seq = f.market_seq
          where f.outcome is null and m.status = 'resolved'
            and array_position(m.outcomes, m.resolution) is not null
          limit %s
        )
        update forecasts f
        set outcome = due.happened::int, resolved_at = coalesce(due.resolved_at, now())
        from due where due.id = f.id
        """,
        (limit,),
    )
    return cursor.rowcount


class Scored(NamedTuple):
    """A forecast whose question has been resolved. Probabilities and the outcome are 0 to 1."""

    probability: float
    crowd: float | None
    lower: float | None
    upper: float | None
    outcome: float
    domain: str | None
    horizon: timedelta | None
    """Time from the forecast to the market's close."""


async def scored(conn: Connection, limit: int) -> list[Scored]:
    """The forecasts behind the scorecard: the `limit` forecasts whose questions were resolved last.
    Of several on the same question and day, only the first one is returned."""
    cursor = await conn.execute(
        """
        select probability, crowd, lower, upper, outcome, domain, closes_at - as_of
        from (
          select distinct on (market_seq, market_outcome, flipped, question, as_of::date) *
          from (select * from forecasts
                where outcome is not null and probability is not null
                order by resolved_at desc, id limit %s) decided
          order by market_seq, market_outcome, flipped, question, as_of::date, as_of
        ) once
        order by id
        """,
        (limit,),
    )
    return [Scored(*row) for row in await cursor.fetchall()]


class DecidedRow(NamedTuple):
    """A scored forecast, and the market by whose result it is scored. All its probabilities are
    those of the market outcome named in `outcome`."""

    id: str
    market_id: str
    question: str
    """The market's question, never the words of whoever asked."""
    outcome: str
    probability: float
    lower: float | None
    upper: float | None
    crowd: float | None
    happened: bool
    as_of: datetime
    decided_at: datetime
    origin: Origin
    """Where the market comes from: a venue, an imported file or the invented sample catalogue."""


async def decided(
    conn: Connection, *, limit: int, after: tuple[datetime, str] | None
) -> list[DecidedRow]:
    """Scored forecasts in the order in which their questions were resolved, the latest first. Of
    several on the same question and day, only the first forecast is listed.

    after : (time of the resolution, id) of the last forecast of the page before; None: first page
    """
    cursor = await conn.execute(
        """
        select f.id, m.id, m.question, m.outcomes[f.market_outcome + 1],
               case when f.flipped then 1 - f.probability else f.probability end,
               case when f.flipped then 1 - f.upper else f.lower end,
               case when f.flipped then 1 - f.lower else f.upper end,
               case when f.flipped then 1 - f.crowd else f.crowd end,
               (f.outcome >= 0.5) <> f.flipped, f.as_of, f.resolved_at, m.origin
        from (
          select distinct on (market_seq, market_outcome, flipped, question, as_of::date) *
          from forecasts where outcome is not null and probability is not null
          order by market_seq, market_outcome, flipped, question, as_of::date, as_of
        ) f
        join markets m on m.seq = f.market_seq
        where %(at)s::timestamptz is null or (f.resolved_at, f.id) < (%(at)s, %(id)s)
        order by f.resolved_at desc, f.id desc limit %(limit)s
        """,
        {"at": after and after[0], "id": after and after[1], "limit": limit},
    )
    return [DecidedRow(*row) for row in await cursor.fetchall()]


async def counts(conn: Connection) -> tuple[int, int]:
    """How many forecasts were given to callers, and how many of them had a probability."""
    cursor = await conn.execute("select count(*), count(probability) from forecasts")
    row = await cursor.fetchone()
    return (row[0], row[1]) if row else (0, 0)


# --- runs ----------------------------------------------------------------------------------


class Run(NamedTuple):
    """A run (a list of questions answered in the background), with the state of the job that
    answers them and the number of answers so far."""

    id: str
    account_id: str | None
    questions: list[dict[str, Any]]
    include_graph: bool
    created_at: datetime
    status: str
    started_at: datetime | None
    finished_at: datetime | None
    error_message: str | None
    answered: int
    full: bool
    """Whether answers have the shape of `FullForecast` instead of the public answer."""


async def add_run(
    conn: Connection,
    run_id: str,
    account_id: str | None,
    job_id: str,
    questions: list[dict[str, Any]],
    include_graph: bool,
) -> None:
    """Store a run, i.e. a list of questions to be answered in the background by the job
    `job_id`."""
    await conn.execute(
        "insert into forecast_runs (id, account_id, job_id, questions, include_graph)"
        " values (%s, %s, %s, %s, %s)",
        (run_id, account_id, job_id, Jsonb(questions), include_graph),
    )


async def fetch_run(conn: Connection, run_id: str) -> Run | None:
    """A run (a list of questions answered in the background) by its id; None: unknown id."""
    cursor = await conn.execute(
        """
        select r.id, r.account_id, r.questions, r.include_graph, r.created_at,
               coalesce(j.status, 'succeeded'), j.started_at, j.finished_at, j.error_message,
               (select count(*) from forecast_run_answers a where a.run_id = r.id),
               coalesce((j.request ->> 'full')::boolean, false)
        from forecast_runs r left join jobs j on j.id = r.job_id where r.id = %s
        """,
        (run_id,),
    )
    row = await cursor.fetchone()
    return Run(*row) if row else None


async def answered_places(conn: Connection, run_id: str) -> set[int]:
    """Positions of the questions of a run (a list of questions) that have been answered."""
    cursor = await conn.execute(
        "select place from forecast_run_answers where run_id = %s", (run_id,)
    )
    return {row[0] for row in await cursor.fetchall()}


async def add_answer(conn: Connection, run_id: str, place: int, answer: dict[str, Any]) -> bool:
    """Store the answer to the question at position `place` of a run (a list of questions), unless
    one is stored already. Returns whether the answer was stored."""
    cursor = await conn.execute(
        "insert into forecast_run_answers (run_id, place, answer) values (%s, %s, %s)"
        " on conflict do nothing",
        (run_id, place, Jsonb(answer)),
    )
    return cursor.rowcount == 1


async def answers(conn: Connection, run_id: str, after: int, limit: int) -> list[tuple[int, Any]]:
    """Stored answers of a run (a list of questions), as (position of the question, answer) in
    order: the first `limit` of those whose position is greater than `after`."""
    cursor = await conn.execute(
        "select place, answer from forecast_run_answers where run_id = %s and place > %s"
        " order by place limit %s",
        (run_id, after, limit),
    )
    return await cursor.fetchall()


async def forget_runs(conn: Connection, before: datetime) -> None:
    """Delete the runs (lists of questions, with their answers) that were created before the time
    `before`."""
    await conn.execute("delete from forecast_runs where created_at < %s", (before,))


# --- channels ------------------------------------------------------------------------------


async def count_channel(conn: Connection, labels: Sequence[str]) -> None:
    """Add one to today's (UTC) number of forecasts asked for through this channel. `labels`: the
    six labels of the channel, which an integration sends in request headers
    (`channels.ChannelLabels`)."""
    await conn.execute(
        """
        insert into forecast_channels (day, attribution_code, referrer, channel, tool, client,
                                       client_version, forecasts)
        values ((now() at time zone 'UTC')::date, %s, %s, %s, %s, %s, %s, 1)
        on conflict (day, attribution_code, referrer, channel, tool, client, client_version)
        do update set forecasts = forecast_channels.forecasts + 1
        """,
        tuple(labels),
    )
