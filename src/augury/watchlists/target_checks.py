"""Refuses targets that can't be watched. The error says why and, where possible, lists what can be
watched instead."""

from __future__ import annotations

from augury.errors import InvalidInput
from augury.markets import store as markets
from augury.rvol import store as rvol
from augury.series import store as series
from augury.storage.database import Database
from augury.watchlists.rules import Kind
from augury.watchlists.store import Connection


async def asset_name(database: Database, ref: str) -> str:
    """The asset's name as it is stored; `ref` may be in upper or lower case. Raises `InvalidInput`
    if there is no volatility forecast of the asset."""
    async with database.reading() as conn:
        covered = [] if "\0" in ref else await rvol.asset_names(conn)
    found = next((name for name in covered if name.casefold() == ref.casefold()), None)
    if found is None:
        valid = ", ".join(covered[:50])
        hint = (
            f"Covered assets: {valid}."
            if valid
            else "No asset is covered yet. The operator can import prices: augury rvol import."
        )
        msg = f"There is no volatility forecast of this asset. {hint}"
        raise InvalidInput.at("body", "ref", msg=msg)
    return found


async def check_target(
    conn: Connection,
    account_id: str,
    kind: Kind,
    ref: str,
    outcome: str | None,
    members: list[str],
) -> str | None:
    """Raise `InvalidInput` if the target can't be watched. Returns the outcome as the market spells
    it. `members`: ids of the target's markets."""
    if outcome is not None and kind in ("series", "asset"):
        raise InvalidInput.at(
            "body",
            "outcome",
            msg=f"A target of kind {kind} can't have an outcome. Leave it out.",
        )
    if kind == "series" and await series.fetch(conn, account_id, ref) is None:
        raise InvalidInput.at("body", "ref", msg="No series of yours has this id.")
    if kind not in ("market", "event"):
        return outcome
    quotes = await markets.quotes(conn, members)
    if not quotes:
        what = (
            "No market has this id"
            if kind == "market"
            else "No market in the catalogue belongs to this event"
        )
        hint = "" if kind == "market" else " Write an event as polymarket:<id> or kalshi:<ticker>."
        raise InvalidInput.at("body", "ref", msg=f"{what}.{hint}")
    if outcome is None:
        return None
    names = {name for quote in quotes.values() for name in quote.outcomes}
    found = next((name for name in sorted(names) if name.casefold() == outcome.casefold()), None)
    if found is None:
        valid = ", ".join(sorted(names)[:20])
        raise InvalidInput.at("body", "outcome", msg=f"Should be one of: {valid}.")
    return found
