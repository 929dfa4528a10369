"""Request and response schemas of the imports API."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from augury.imports.store import ImportRow

State = Literal["receiving", "waiting", "running", "done", "failed", "canceled"]
_STATES: dict[str | None, State] = {
    None: "receiving",
    "queued": "waiting",
    "running": "running",
    "succeeded": "done",
    "failed": "failed",
    "canceled": "canceled",
}
FileName = Annotated[
    str, StringConstraints(strict=True, min_length=1, max_length=200, pattern=r"^[^/\\\x00-\x1f]+$")
]


class ImportRequest(BaseModel):
    """The file of markets or prices to import. Its content is sent in parts afterwards."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "markets.parquet", "bytes": 9_412_033}]},
    )

    name: FileName = Field(
        description="File name. Its ending gives the format: .parquet, .csv or .jsonl."
    )
    bytes: int = Field(ge=1, strict=True, description="Size of the file in bytes.")


class ImportSummary(BaseModel):
    """How many rows of an imported file were read, added, updated, unchanged or refused."""

    kind: Literal["markets", "prices"] = Field(
        description="What the file contains. markets: each row is a market. prices: each row is a "
        "price of a market at one time."
    )
    read: int
    added: int
    updated: int
    unchanged: int
    refused: dict[str, int] = Field(description="Number of rows refused, by reason.")
    quarantined: dict[str, int] = Field(
        description="Number of quotes and prices held in quarantine (used nowhere, because they "
        "cannot be right), by reason."
    )
    examples: dict[str, list[str]] = Field(description="Some of the refused rows, by reason.")
    seconds: float = Field(description="Duration of the import, in seconds.")


class ImportRecord(BaseModel):
    """The import of a file of markets or prices: its progress, or its result."""

    id: str
    name: str = Field(description="Name of the file.")
    bytes: int = Field(description="Size of the file in bytes.")
    received: int = Field(description="Bytes received so far; 0 once the file has been read.")
    part_bytes: int = Field(description="Largest size of one part, in bytes.")
    state: State = Field(
        description="receiving: parts of the file are being sent. waiting: the import is queued. "
        "running: the file is being read or imported. At the end: done, failed or canceled."
    )
    stage: str | None = Field(
        description="What a running import is doing. reading: putting the file together from its "
        "parts. importing: adding its rows to the catalogue. Null unless it is running."
    )
    rows: int | None = Field(
        description="Number of rows in the file. Null until the file is opened."
    )
    done: int | None = Field(
        description="Number of rows processed so far. Null until the file is opened."
    )
    summary: ImportSummary | None = Field(description="The result. Null until the import is done.")
    error: str | None = Field(description="Why the import failed. Null: it did not.")
    created_at: datetime
    finished_at: datetime | None


class ImportList(BaseModel):
    """The latest imports (at most 20), newest first."""

    items: list[ImportRecord]


def record(row: ImportRow, part_bytes: int) -> dict[str, Any]:
    """An import as plain data with the fields of `ImportRecord`."""
    progress = row.progress or {}
    # Without a status, the job's record has been deleted, which happens only long after its end.
    state = "done" if row.job_id is not None and row.status is None else _STATES[row.status]
    return {
        "id": row.id,
        "name": row.name,
        "bytes": row.bytes,
        "received": row.received,
        "part_bytes": part_bytes,
        "state": state,
        "stage": row.stage if state == "running" else None,
        "rows": progress.get("rows"),
        "done": progress.get("done"),
        "summary": row.result,
        "error": row.error,
        "created_at": row.created_at,
        "finished_at": row.finished_at,
    }
