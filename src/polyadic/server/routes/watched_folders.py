"""Route for the folders that the server watches."""

import asyncio
from pathlib import Path

from fastapi import APIRouter

from polyadic.server.dependencies import Name, ReadingAll, Served
from polyadic.server.schemas import WatchedFolderList, WatchedFolderView
from polyadic.server.server_state import ServerState
from polyadic.server.watched_folders import FolderFollower
from polyadic.workspace import Workspace

router = APIRouter(prefix="/v1/workspaces/{workspace}/watched-folders", tags=["documents"])


@router.get("", summary="List watched folders")
async def watched_folders(workspace: Name, kb: ReadingAll, service: Served) -> WatchedFolderList:
    """List the folders that the operator lets the server watch for this workspace, with their state."""
    followers = [one for one in service.watching.followers if one.folder.workspace == workspace]
    return WatchedFolderList(folders=[await _view(service, kb, follower) for follower in followers])


async def _view(service: ServerState, kb: Workspace, follower: FolderFollower) -> WatchedFolderView:
    folder = follower.folder
    jobs = await service.jobs.jobs_of_folder(folder.workspace, folder.id)
    documents, failed_chunks = await asyncio.to_thread(_counts, kb, folder.path)
    return WatchedFolderView(
        id=folder.id,
        name=folder.name,
        state=await asyncio.to_thread(follower.state),
        documents=documents,
        failed_chunks=failed_chunks,
        job=jobs[0] if jobs else None,
    )


def _counts(kb: Workspace, folder: Path) -> tuple[int, int]:
    """Count the documents from a folder, and their failed chunks."""
    with kb.store().read() as reader:
        failed = sum(Path(chunk.source).is_relative_to(folder) for chunk in reader.records.failures())
        return len(reader.records.select([str(folder)], {})), failed
