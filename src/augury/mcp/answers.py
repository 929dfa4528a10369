"""Helpers for the answers of the tools for language models: warnings, price histories reduced to a
limited number of points, volatility bands, progress notes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from datetime import datetime, timedelta
from typing import Annotated, Any, Literal

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent
from pydantic import Field

from augury.mcp import schemas as s

Detail = Annotated[
    Literal["compact", "full"],
    Field(
        description="full: every field of the API's answer, many times longer. Use compact unless "
        "it lacks a field that you need."
    ),
]
TICK_SECONDS = 1.0
"""Seconds between two progress notes to the client."""
SAMPLE = "This is sample data: invented markets, not real ones. Tell the user."


def answer(found: s.ToolAnswer, full: dict[str, Any] | None = None) -> CallToolResult:
    """The result of a tool call, made from the tool's answer `found`: the same content twice, as
    JSON text and as structured data. Fields with their default value are left out.

    `full`: an object from the API to put into the result as it is; None: none.
    """
    if full is not None:
        found.full = full
    return CallToolResult(
        content=[TextContent(type="text", text=found.model_dump_json(exclude_defaults=True))],
        structured_content=found.model_dump(mode="json", exclude_defaults=True),
    )


def data_warnings(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Warnings for a language model about rows of the API's answers: rows are invented sample data,
    rows are replayed as of an earlier time, or prices are stale."""
    rows = list(rows)
    found = []
    if any(row.get("origin") == "sample" for row in rows):
        found.append(SAMPLE)
    if any(row.get("origin") == "replay" for row in rows):
        found.append("Some rows are replayed: computed later, from what was known at their time.")
    if stale := sum(bool(row.get("stale")) for row in rows):
        found.append(f"{stale} of {len(rows)} prices are stale: do not call them current.")
    return found


def without_repeats(warnings: Iterable[str], *, sample: bool = False) -> list[str]:
    """`warnings` without duplicates. Warnings that mention sample data are replaced by the one text
    `SAMPLE`, which comes first. `sample`: add `SAMPLE` even if no warning mentions sample data."""
    texts = list(dict.fromkeys(warnings))
    others = [text for text in texts if "sample" not in text]
    return [SAMPLE, *others] if sample or len(others) < len(texts) else others


def forecast_result(
    got: dict[str, Any], detail: str, *, evidence: int, rejected: int
) -> CallToolResult:
    """Turn a forecast as the API returned it (`got`) into the result of an MCP tool.

    The result lists at most `evidence` markets that counted in the forecast and at most `rejected`
    markets that did not. With `detail` "full", it contains the whole forecast instead.
    """
    found = s.ForecastAnswer.model_validate(got)
    rows = data_warnings([row["market"] for row in got["evidence"]])
    notes = without_repeats([*rows, *found.warnings], sample=found.origin == "sample")
    if found.origin == "replay":
        notes.insert(0, f"Replayed as of {found.as_of}: later prices were not used.")
    found.warnings = notes
    if detail == "full":
        return answer(s.ForecastAnswer(warnings=found.warnings), got)
    found.evidence = found.evidence[:evidence]
    found.rejected = found.rejected[:rejected]
    return answer(found)


def summarized(line: s.HistoryLine, most: int) -> s.HistoryLine:
    """Fill in first, last, low, high and change of `line`, a line of prices. Then thin the line to
    at most `most` points; the first and the last point stay."""
    known = [point.probability for point in line.points if point.probability is not None]
    if known:
        line.first, line.last, line.low, line.high = known[0], known[-1], min(known), max(known)
        line.change = round(known[-1] - known[0], 4)
    if (count := len(line.points)) > most:
        line.points = [line.points[round(n * (count - 1) / (most - 1))] for n in range(most)]
    return line


def late_start(found: s.HistoryAnswer) -> str | None:
    """Time of the first price in a history, if the prices begin more than two intervals after the
    start of the history's window; else None."""
    known = [
        point.timestamp
        for line in found.series
        for point in line.points
        if point.probability is not None
    ]
    if not known or found.start is None or found.interval_minutes is None:
        return None
    gap = datetime.fromisoformat(min(known)) - datetime.fromisoformat(found.start)
    return min(known) if gap > timedelta(minutes=2 * found.interval_minutes) else None


def with_band(row: dict[str, Any]) -> s.VolatilityRow:
    """A volatility forecast as a row of a tool's answer. `row`: the forecast as an object of the
    API. Its 80% band is for the variance; the row has the same band for annualized volatility."""
    made = s.VolatilityRow.model_validate(row)
    prediction = row["prediction"]
    variance, band = prediction.get("forecast_variance"), (prediction.get("bands") or {}).get("80")
    yearly = prediction.get("annualized_volatility")
    if variance and band and yearly:
        made.band_80 = [
            float(f"{yearly * (band[side] / variance) ** 0.5:.4g}") for side in ("lower", "upper")
        ]
    return made


@asynccontextmanager
async def working(ctx: Context, what: str) -> AsyncIterator[None]:
    """While the block runs, tell the client once a second that the call is still going on."""

    async def tell() -> None:
        seconds = 0
        while True:
            await asyncio.sleep(TICK_SECONDS)
            seconds += 1
            await ctx.report_progress(seconds, message=f"{what}, {seconds} s")

    telling = asyncio.create_task(tell())
    try:
        yield
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)
