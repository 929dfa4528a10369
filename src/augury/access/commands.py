"""`augury keys` and `augury accounts`; they work with or without a running service."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, TypeVar

import typer

from augury import clock
from augury.access import keys as key_form
from augury.access.records import ApiKey
from augury.access.service import AccessService
from augury.errors import AuguryError
from augury.options import AsJson
from augury.settings import Settings
from augury.storage.database import Database

T = TypeVar("T")

keys = typer.Typer(no_args_is_help=True, help="API keys: create, list, revoke, rotate.")
accounts = typer.Typer(
    no_args_is_help=True, help="Accounts, and which of them may use realized volatility."
)

KeyId = Annotated[str, typer.Argument(help="The key's id, from `augury keys list`.")]
AccountName = Annotated[str, typer.Argument(help="The account's name.")]


def _with_access(work: Callable[[AccessService], Awaitable[T]]) -> T:
    async def run() -> T:
        database = await Database.open(Settings())  # type: ignore[call-arg]
        try:
            return await work(AccessService(database))
        finally:
            await database.close()

    try:
        return asyncio.run(run())
    except AuguryError as exc:
        typer.echo(str(exc), err=True)
        raise typer.Exit(1) from None


@keys.command("create")
def create(
    account: Annotated[
        str,
        typer.Option(help="The account that the key belongs to. A new name creates the account."),
    ],
    scope: Annotated[
        list[str],
        typer.Option(
            help="What the key may do, e.g. search:read. Repeat the option for several scopes."
        ),
    ],
    label: Annotated[str | None, typer.Option(help="A label to recognize the key by.")] = None,
    expires_in: Annotated[
        float | None,
        typer.Option(
            min=0, max=36_500, help="Days until the key expires. By default it never does."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Create a key. The key itself is shown only once.

    Example: augury keys create --account me --scope search:read --scope forecast:read
    """
    expires_at = None if expires_in is None else datetime.now(UTC) + timedelta(days=expires_in)
    key, text = _with_access(
        lambda access: access.create_key(account, scope, label=label, expires_at=expires_at)
    )
    _show_new(key, text, as_json)


@keys.command("list")
def list_(
    account: Annotated[str | None, typer.Option(help="Only keys of this account.")] = None,
    as_json: AsJson = False,
) -> None:
    """List keys, including expired and revoked ones.

    Example: augury keys list --account me
    """
    found = _with_access(lambda access: access.list_keys(account))
    if as_json:
        typer.echo(json.dumps([_public(key) for key in found], indent=2))
        return
    for key in found:
        typer.echo(
            f"{key.id}  {_state(key):<8}  {key.account}  {' '.join(key.scopes)}"
            + (f"  ({key.label})" if key.label else "")
            + f"  expires {f'{key.expires_at:%Y-%m-%d %H:%M} UTC' if key.expires_at else 'never'}"
            + f"  {', '.join(_limits(key))}"
        )
    if not found:
        whose = f"{account} has no keys." if account else "No keys yet."
        typer.echo(f"{whose} `augury keys create --account NAME --scope search:read` makes one.")


@keys.command("revoke")
def revoke(key_id: KeyId, as_json: AsJson = False) -> None:
    """Revoke a key. A running service stops accepting it within seconds.

    Example: augury keys revoke key_01a1ff8548a17b19b48e11b29d999a36
    """
    key = _with_access(lambda access: access.revoke_key(key_id))
    typer.echo(json.dumps(_public(key)) if as_json else f"{key.id} is revoked.")


@keys.command("rotate")
def rotate(
    key_id: KeyId,
    grace: Annotated[
        float, typer.Option(min=0, max=8_760, help="Hours that the old key keeps working.")
    ] = 24,
    as_json: AsJson = False,
) -> None:
    """Replace a key with a new one that has the same scopes.

    Example: augury keys rotate key_01a1ff8548a17b19b48e11b29d999a36 --grace 2
    """
    key, text = _with_access(lambda access: access.rotate_key(key_id, grace=timedelta(hours=grace)))
    _show_new(key, text, as_json)


@accounts.command("list")
def list_accounts(as_json: AsJson = False) -> None:
    """List accounts.

    Example: augury accounts list --json
    """
    found = _with_access(lambda access: access.list_accounts())
    if as_json:
        rows = [
            {"id": a.id, "name": a.name, "rvol_approved": a.rvol_approved}
            | {"created_at": clock.isoformat(a.created_at)}
            for a in found
        ]
        typer.echo(json.dumps(rows, indent=2))
        return
    for account in found:
        approved = "  approved for rvol" if account.rvol_approved else ""
        typer.echo(f"{account.id}  {account.name}{approved}")


@accounts.command("approve-rvol")
def approve_rvol(name: AccountName, as_json: AsJson = False) -> None:
    """Let an account's keys with `rvol:read` read realized volatility.

    Example: augury accounts approve-rvol me
    """
    _set_rvol(name, approved=True, as_json=as_json)


@accounts.command("revoke-rvol")
def revoke_rvol(name: AccountName, as_json: AsJson = False) -> None:
    """Withdraw an account's approval: its keys can no longer read realized volatility.

    Example: augury accounts revoke-rvol me
    """
    _set_rvol(name, approved=False, as_json=as_json)


def _set_rvol(name: str, *, approved: bool, as_json: bool) -> None:
    _with_access(lambda access: access.set_rvol_approved(name, approved))
    if as_json:
        typer.echo(json.dumps({"name": name, "rvol_approved": approved}))
        return
    state = "approved" if approved else "no longer approved"
    typer.echo(f"Account {name} is {state} to read realized volatility.")


def _show_new(key: ApiKey, text: str, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"id": key.id, "key": text, "scopes": key.scopes}))
        return
    typer.echo(f"{text}\n")
    typer.echo(
        f"Store it now: it is not shown again. Id {key.id}, account {key.account},", err=True
    )
    for scope in key.scopes:
        meaning = key_form.SCOPES.get(
            scope, "All scopes except forecast:read, rvol:read, metrics:read, internal and admin."
        )
        typer.echo(f"  {scope}: {meaning}", err=True)


def _limits(key: ApiKey) -> list[str]:
    """The rate limits of a key, read from the settings, e.g. `["search 10/s"]`: one for each of the
    key's scopes that has a rate."""
    settings = Settings()  # type: ignore[call-arg]
    rates = {
        "search:read": f"search {settings.search_rate}",
        "forecast:read": f"forecast {settings.forecast_rate}",
        "rvol:read": f"rvol {settings.rvol_rate}",
        "watch:write": f"watch {settings.search_rate}",
        "macro:read": f"macro {settings.macro_rate}",
        "*": f"search {settings.search_rate}",
    }
    return [rates[scope] for scope in key.scopes if scope in rates]


def _state(key: ApiKey) -> str:
    if key.revoked_at:
        return "revoked"
    return "expired" if key.expires_at and key.expires_at <= clock.now() else "active"


def _public(key: ApiKey) -> dict[str, Any]:
    def time(moment: datetime | None) -> str | None:
        return clock.isoformat(moment) if moment else None

    return {
        "id": key.id,
        "account": key.account,
        "prefix": key.prefix,
        "scopes": key.scopes,
        "label": key.label,
        "state": _state(key),
        "created_at": time(key.created_at),
        "expires_at": time(key.expires_at),
        "limits": _limits(key),
        "revoked_at": time(key.revoked_at),
        "last_used_at": time(key.last_used_at),
    }
