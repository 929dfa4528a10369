"""Stored answers and daily spending, in PostgreSQL: the only SQL over the `llm_` tables."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, NamedTuple, TypeAlias

from psycopg import AsyncConnection

Connection: TypeAlias = AsyncConnection[Any]


class KeptCompletion(NamedTuple):
    """A stored answer of the model; `text` is None if the model gave no usable answer."""

    text: str | None


class Cost(NamedTuple):
    """Tokens and money for one call to the model: an upper limit before the call, the real cost
    after it."""

    tokens: int
    nanos: int
    """Amount of money, in billionths (10^-9) of a currency unit. The currency is that of the token
    prices in the operator's settings."""


async def answer(
    conn: Connection, key: bytes, *, useful_since: datetime, useless_since: datetime
) -> KeptCompletion | None:
    """The stored result under `key`; None if there is none, or if it is too old. A result with an
    answer is too old if it is from before `useful_since`, a result without one (the model gave no
    usable answer) if it is from before `useless_since`."""
    row = await (
        await conn.execute(
            """
            select answer from llm_answers
            where key = %s and made_at >= case when answer is null then %s else %s end
            """,
            (key, useless_since, useful_since),
        )
    ).fetchone()
    return KeptCompletion(row[0]) if row else None


async def keep(
    conn: Connection, key: bytes, task: str, model: str, text: str | None, at: datetime
) -> None:
    """Store the model's answer `text` under `key`, in place of an older one. None: the model gave
    no usable answer."""
    await conn.execute(
        """
        insert into llm_answers (key, task, model, answer, made_at) values (%s, %s, %s, %s, %s)
        on conflict (key) do update set answer = excluded.answer, made_at = excluded.made_at
        """,
        (key, task, model, text, at),
    )


async def forget(conn: Connection, before: datetime) -> int:
    """Delete the stored answers from before a time; returns how many were deleted."""
    return (await conn.execute("delete from llm_answers where made_at < %s", (before,))).rowcount


async def book(conn: Connection, day: date, cost: Cost, cap: Cost) -> bool:
    """Add `cost` to what was spent on `day`, unless the sum would exceed the day's limit `cap`.
    Returns whether it was added. Atomic across all processes."""
    cursor = await conn.execute(
        """
        insert into llm_spending as s (day, calls, tokens, nanos)
        select %(day)s, 1, %(tokens)s, %(nanos)s
        where %(tokens)s <= %(cap_tokens)s and %(nanos)s <= %(cap_nanos)s
        on conflict (day) do update
        set calls = s.calls + 1, tokens = s.tokens + excluded.tokens,
            nanos = s.nanos + excluded.nanos
        where s.tokens + excluded.tokens <= %(cap_tokens)s
          and s.nanos + excluded.nanos <= %(cap_nanos)s
        """,
        {
            "day": day,
            "tokens": cost.tokens,
            "nanos": cost.nanos,
            "cap_tokens": cap.tokens,
            "cap_nanos": cap.nanos,
        },
    )
    return cursor.rowcount == 1


async def settle(conn: Connection, day: date, booked: Cost, used: Cost) -> None:
    """Correct the day's spending after a call: replace the cost booked before the call by the
    call's real cost."""
    await conn.execute(
        "update llm_spending set tokens = tokens + %s, nanos = nanos + %s where day = %s",
        (used.tokens - booked.tokens, used.nanos - booked.nanos, day),
    )


class Spending(NamedTuple):
    """What was spent on the model on one day."""

    calls: int
    tokens: int
    nanos: int


async def spent(conn: Connection, day: date) -> Spending:
    """What was spent on the model on a day. For a call that still runs, the upper limit of its cost
    is included; it was booked before the call."""
    cursor = await conn.execute(
        "select calls, tokens, nanos from llm_spending where day = %s", (day,)
    )
    row = await cursor.fetchone()
    return Spending(*row) if row else Spending(0, 0, 0)
