"""Route to export a workspace in another format."""

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import FileResponse

from polyadic.interchange.export import export_file
from polyadic.server.dependencies import Name, Reading, Served
from polyadic.server.openapi import errors

router = APIRouter(prefix="/v1/workspaces/{workspace}", tags=["export"], responses=errors(504))
_SUFFIXES = {"hif": "hif.json", "graphml": "graphml", "jsonl": "jsonl"}
_TYPES = {"hif": "application/json", "graphml": "application/xml", "jsonl": "application/x-ndjson"}


def _temporary_file(service: Served) -> Iterator[Path]:
    """Yield a temporary file for the export; it is deleted when the response is sent or the client disconnects."""
    file = service.tenants.scratch_folder / secrets.token_hex(8)
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


@router.get(
    "/export",
    summary="Export a workspace",
    response_class=FileResponse,
    responses={200: {"content": {media: {"schema": {}} for media in _TYPES.values()}}},
)
async def export(
    workspace: Name,
    kb: Reading,
    service: Served,
    file: Annotated[Path, Depends(_temporary_file)],
    format: Annotated[Literal["hif", "graphml", "jsonl"], Query(description="hif exports everything")] = "hif",
) -> FileResponse:
    """Export one consistent state of the workspace; the same evidence gives the same bytes."""
    # Written to a file first: a slow client must not keep a snapshot of the store alive.
    async with service.turns.turn(workspace):
        await asyncio.to_thread(export_file, kb, format, file, True)
    name = f"{workspace}.{_SUFFIXES[format]}"
    return FileResponse(file, media_type=_TYPES[format], filename=name)
