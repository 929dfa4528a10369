"""Wire shapes of imports."""

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
    """A file that is to be sent in parts."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"name": "markets.parquet", "bytes": 9_412_033}]},
    )

    name: FileName = Field(
        description="File name. Its ending (.parquet, .csv, .jsonl) gives the format."
    )
    bytes: int = Field(ge=1, strict=True, description="Size of the file in bytes.")


class ImportSummary(BaseModel):
    """What became of the rows of a file."""

    kind: Literal["markets", "prices"]
    read: int
    added: int
    updated: int
    unchanged: int
    refused: dict[str, int] = Field(description="Rows refused, by reason.")
    quarantined: dict[str, int] = Field(description="Quotes held in quarantine, by reason.")
    examples: dict[str, list[str]] = Field(description="Examples of refused rows, by reason.")
    seconds: float


class ImportRecord(BaseModel):
    """A file on its way into the catalogue, or what became of it."""

    id: str
    name: str
    bytes: int
    received: int = Field(description="Bytes received so far; 0 once the file has been read.")
    part_bytes: int = Field(description="Largest size of one part, in bytes.")
    state: State
    stage: str | None = Field(description="reading or importing, while the import runs.")
    rows: int | None = Field(description="Rows in the file, known once it is opened.")
    done: int | None = Field(description="Rows processed so far.")
    summary: ImportSummary | None
    error: str | None
    created_at: datetime
    finished_at: datetime | None


class ImportList(BaseModel):
    """The latest imports, the newest first."""

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
