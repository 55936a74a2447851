"""A workspace in another format."""

import asyncio
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query
from starlette.responses import FileResponse

from polyadic.interchange.export import export_file
from polyadic.server.dependencies import Name, Reading, Served

router = APIRouter(prefix="/v1/workspaces/{workspace}", tags=["export"])
_ENDINGS = {"hif": "hif.json", "graphml": "graphml", "jsonl": "jsonl"}
_TYPES = {"hif": "application/json", "graphml": "application/xml", "jsonl": "application/x-ndjson"}


def _aside(service: Served) -> Iterator[Path]:
    """Where to write what is sent; gone when it is, or when the client is."""
    file = service.site.aside / secrets.token_hex(8)
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


@router.get(
    "/export",
    summary="The workspace in another format",
    response_class=FileResponse,
    responses={200: {"content": {media: {"schema": {}} for media in _TYPES.values()}}},
)
async def export(
    workspace: Name,
    kb: Reading,
    service: Served,
    file: Annotated[Path, Depends(_aside)],
    format: Annotated[Literal["hif", "graphml", "jsonl"], Query(description="hif holds everything")] = "hif",
) -> FileResponse:
    """Of one state, whole; the same evidence gives the same bytes."""
    # Written first: whoever reads slowly must not keep a state of the store from being tidied up.
    async with service.turns.turn(workspace):
        await asyncio.to_thread(export_file, kb, format, file)
    name = f"{workspace}.{_ENDINGS[format]}"
    return FileResponse(file, media_type=_TYPES[format], filename=name)
