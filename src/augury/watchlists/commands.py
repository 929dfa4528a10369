"""The benchmark command of watchlists: `augury bench watch`."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated

import typer

from augury.options import AsJson


def bench_watch(
    targets: Annotated[int, typer.Option(min=100, help="Number of markets to watch.")] = 5_000,
    rules: Annotated[int, typer.Option(min=100, help="Number of rules.")] = 10_000,
    messages: Annotated[
        int,
        typer.Option(
            min=10, help="Number of webhooks to send when the throughput of deliveries is measured."
        ),
    ] = 2_000,
    alerts: Annotated[
        int,
        typer.Option(
            min=10,
            help="Number of alerts to fire when the time from price change to webhook is measured.",
        ),
    ] = 100,
    as_json: AsJson = False,
) -> None:
    """Measure rule evaluation, deliveries, and the time from a price change to its webhook.

    Example: augury bench watch --targets 5000 --rules 10000 --json
    """
    from augury.watchlists import bench

    result = asyncio.run(
        bench.run(targets=targets, rules=rules, messages=messages, alerts=alerts, quiet=as_json)
    )
    typer.echo(json.dumps(result) if as_json else bench.table(result))
