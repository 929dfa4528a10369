"""Imports of markets and prices from files, at /internal/v1/admin/imports."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request, Response

from augury.http import openapi, routing
from augury.http.allowance import UPLOAD, allowed
from augury.http.callers import AdminCaller
from augury.imports import schemas
from augury.imports.service import ImportService

router = routing.router(tags=["imports"])

_AT = "/internal/v1/admin/imports"
MAX_LISTED = 20


async def _service(request: Request) -> ImportService:
    return request.app.state.services.imports


Service = Annotated[ImportService, Depends(_service)]


@router.get(_AT, summary="List imports", response_model=schemas.ImportList)
async def list_imports(caller: AdminCaller, service: Service, response: Response) -> dict[str, Any]:
    """The 20 latest imports, with their progress and results."""
    response.headers["Cache-Control"] = "no-store"
    found = await service.newest(MAX_LISTED)
    return {"items": [schemas.record(row, service.part_bytes) for row in found]}


@router.post(
    _AT,
    status_code=201,
    summary="Begin an import",
    response_model=schemas.ImportRecord,
    responses=openapi.errors(403, 413, 422),
)
async def begin(
    body: schemas.ImportRequest, caller: AdminCaller, service: Service
) -> dict[str, Any]:
    """Announce a file of markets or prices. Then send its parts, then start the import."""
    row = await service.begin(body.name, body.bytes)
    return schemas.record(row, service.part_bytes)


@router.put(
    f"{_AT}/{{import_id}}/parts/{{number}}",
    summary="Send a part of a file",
    response_model=schemas.ImportRecord,
    responses=openapi.errors(404, 409, 413, 422),
)
@allowed(UPLOAD)
async def put_part(
    import_id: str,
    number: Annotated[int, Path(ge=0, lt=100_000)],
    caller: AdminCaller,
    service: Service,
    request: Request,
) -> dict[str, Any]:
    """Send the raw bytes of one part. Parts are numbered from 0, in the order of the file. A part
    may be sent again."""
    row = await service.put(import_id, number, await request.body())
    return schemas.record(row, service.part_bytes)


@router.post(
    f"{_AT}/{{import_id}}/start",
    status_code=202,
    summary="Start an import",
    response_model=schemas.ImportRecord,
    responses=openapi.errors(404, 409),
)
async def start(import_id: str, caller: AdminCaller, service: Service) -> dict[str, Any]:
    """Start reading the file. Call this when all parts have arrived; before that, the response is
    409. Idempotent."""
    return schemas.record(await service.start(import_id), service.part_bytes)


@router.get(
    f"{_AT}/{{import_id}}",
    summary="Read an import",
    response_model=schemas.ImportRecord,
    responses=openapi.errors(404),
)
async def read_import(
    import_id: str, caller: AdminCaller, service: Service, response: Response
) -> dict[str, Any]:
    """The progress of an import, and how many rows were added, updated or refused."""
    response.headers["Cache-Control"] = "no-store"
    return schemas.record(await service.get(import_id), service.part_bytes)


@router.delete(
    f"{_AT}/{{import_id}}",
    status_code=204,
    summary="Cancel an import",
    responses=openapi.errors(404),
)
async def remove(import_id: str, caller: AdminCaller, service: Service) -> Response:
    """Cancel the import of a file and delete its parts. Rows already in the catalogue stay."""
    await service.remove(import_id)
    return Response(status_code=204)
