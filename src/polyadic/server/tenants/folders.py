"""Workspaces as subfolders of a folder: list, create and delete them."""

import asyncio
import os
import re
import secrets
import shutil
from collections.abc import Callable, Hashable
from contextlib import suppress
from pathlib import Path

from polyadic.config import FILE_NAME, template
from polyadic.server.api_keys import OWN_FOLDER
from polyadic.server.jobs.sqlite_job_store import SqliteJobStore
from polyadic.server.jobs.uploads import FolderUploadStore
from polyadic.server.problem_details import ProblemError
from polyadic.server.tenants.tenant_backend import WorkspaceLocation, is_name
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.workspace import Workspace

_OWN_FILES = re.compile(r"store\.sqlite.*|[a-z]+\.lock|writer\.pid|derived|prompts|\.uploads|polyadic\.toml")
_MAKING, _DELETED = ".making-", ".deleted-"


class FolderTenants:
    """Implements :class:`polyadic.server.tenants.tenant_backend.TenantBackend` with a folder.

    Each subfolder that holds a store or settings is a workspace.

    Parameters
    ----------
    folder
        Folder of the workspaces; it must exist.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.job_store = SqliteJobStore(self.folder / OWN_FOLDER / "jobs.sqlite")
        self.upload_store = FolderUploadStore(self.folder)

    @property
    def scratch_folder(self) -> Path:
        return self.folder / OWN_FOLDER / "exports"

    async def begin(self) -> None:
        sweep(self.folder)
        shutil.rmtree(self.scratch_folder, ignore_errors=True)
        self.scratch_folder.mkdir(parents=True)

    def close(self) -> None:
        self.job_store.close()

    def failure(self) -> None:
        return None

    def collector(self) -> None:
        return None

    async def names(self, opens: Callable[[str], bool]) -> list[str]:
        return await asyncio.to_thread(self._names, opens)

    async def state(self, name: str) -> Hashable | None:
        if not is_name(name) or not is_workspace(self.folder / name):
            return None
        return changed_at(self.folder / name / FILE_NAME)

    def location(self, name: str) -> WorkspaceLocation:
        place = str(self.folder / name)
        return WorkspaceLocation(place, place)

    async def make(self, name: str) -> None:
        await asyncio.to_thread(make, self.folder / name)

    async def remove(self, name: str) -> None:
        await asyncio.to_thread(remove, self.folder / name)

    def _names(self, opens: Callable[[str], bool]) -> list[str]:
        with os.scandir(self.folder) as entries:
            names = sorted(entry.name for entry in entries if opens(entry.name))
        return [name for name in names if is_workspace(self.folder / name)]

    def __str__(self) -> str:
        return str(self.folder)


def changed_at(file: Path) -> int:
    """Return the modification time of a file in nanoseconds; 0 if it does not exist."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def is_workspace(folder: Path) -> bool:
    """Return whether a folder is a workspace: a valid name, with a store or settings, and not a symbolic link."""
    if not is_name(folder.name) or folder.is_symlink() or not folder.is_dir():
        return False
    return SqliteStore.exists(folder) or (folder / FILE_NAME).is_file()


def make(folder: Path) -> None:
    """Create a workspace, completely or not at all, with a copy of the ``polyadic.toml`` beside it, if there is one.

    Raises
    ------
    ProblemError
        Something with this name exists (409).
    """
    temporary = folder.with_name(f"{_MAKING}{secrets.token_hex(4)}")
    if os.path.lexists(folder):
        raise ProblemError(409, "workspace-exists", "a workspace or another file with this name exists")
    defaults = folder.with_name(FILE_NAME)
    try:
        temporary.mkdir()
        settings = defaults.read_text(encoding="utf-8") if defaults.is_file() else template()
        (temporary / FILE_NAME).write_text(settings, encoding="utf-8")
        with Workspace(temporary) as kb:
            kb.store(make=True)
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def remove(folder: Path) -> None:
    """Delete the files of a workspace; the folder is renamed first, so that no partial workspace is ever visible."""
    aside = folder.with_name(f"{_DELETED}{secrets.token_hex(4)}")
    folder.rename(aside)
    _remove_own_files(aside)
    if aside.exists():
        aside.rename(folder)


def sweep(folder: Path) -> None:
    """Delete what is left of workspaces that were being created or deleted when the server was killed."""
    for leftover in folder.glob(f"{_MAKING}*"):
        shutil.rmtree(leftover, ignore_errors=True)
    for leftover in folder.glob(f"{_DELETED}*"):
        _remove_own_files(leftover)


def _remove_own_files(aside: Path) -> None:
    """Delete Polyadic's files, and the folder if nothing else is in it."""
    for entry in list(aside.iterdir()):
        if not _OWN_FILES.fullmatch(entry.name):
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
    with suppress(OSError):
        aside.rmdir()
