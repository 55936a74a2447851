"""Workspaces as folders: which names they may have, where one is, making and removing them."""

import os
import re
import secrets
import shutil
from contextlib import suppress
from pathlib import Path

from polyadic.serving.problems import Refused
from polyadic.settings import FILE_NAME, template
from polyadic.store.sqlite.store import SqliteStore
from polyadic.workspace import Workspace

NAME = r"[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?"
"""Lower case alone: on some file systems ``A`` and ``a`` are one folder."""

INCOMING = ".incoming"
"""In a workspace: what clients handed in, until it is read."""

_OURS = re.compile(r"store\.sqlite.*|[a-z]+\.lock|writer\.pid|derived|prompts|\.incoming|polyadic\.toml")
_MAKING, _DELETED = ".making-", ".deleted-"


def is_name(name: str) -> bool:
    """Whether a workspace may be called so; no such name leads out of a folder.

    >>> [name for name in ("letters", "kb-2", "..", "a/b", "A", ".server", "a\\n") if is_name(name)]
    ['letters', 'kb-2']
    """
    return re.fullmatch(NAME, name) is not None


def is_workspace(folder: Path) -> bool:
    """Whether there is one: a folder of such a name with a store or settings, and no link, which may lead anywhere."""
    if not is_name(folder.name) or folder.is_symlink() or not folder.is_dir():
        return False
    return SqliteStore.exists(folder) or (folder / FILE_NAME).is_file()


def make(folder: Path) -> None:
    """Make a workspace, whole or not at all, with the settings of ``polyadic.toml`` beside it, where there is one.

    Raises
    ------
    Refused
        There is something of this name (409).
    """
    aside = folder.with_name(f"{_MAKING}{secrets.token_hex(4)}")
    if os.path.lexists(folder):
        raise Refused(409, "workspace-exists", "there is a workspace of this name, or something else in its place")
    defaults = folder.with_name(FILE_NAME)
    try:
        aside.mkdir()
        told = defaults.read_text(encoding="utf-8") if defaults.is_file() else template()
        (aside / FILE_NAME).write_text(told, encoding="utf-8")
        with Workspace(aside) as kb:
            kb.store(make=True)
        aside.rename(folder)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise


def remove(folder: Path) -> None:
    """Remove what makes a folder a workspace; out of sight first, so that half of one is never seen."""
    aside = folder.with_name(f"{_DELETED}{secrets.token_hex(4)}")
    folder.rename(aside)
    _remove_ours(aside)
    if aside.exists():
        aside.rename(folder)


def sweep(folder: Path) -> None:
    """Remove what is left of workspaces that were being made or deleted when the server was killed."""
    for left in folder.glob(f"{_MAKING}*"):
        shutil.rmtree(left, ignore_errors=True)
    for left in folder.glob(f"{_DELETED}*"):
        _remove_ours(left)


def _remove_ours(aside: Path) -> None:
    """Remove what is Polyadic's, and the folder if nothing else is in it."""
    for entry in list(aside.iterdir()):
        if not _OURS.fullmatch(entry.name):
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)
        else:
            entry.unlink(missing_ok=True)
    with suppress(OSError):
        aside.rmdir()
