"""Folders that a server watches, each for a workspace. Only the operator chooses them; no request names a path."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyadic.errors import SettingsError
from polyadic.model.identity import digest
from polyadic.server.tenants.names import is_name


@dataclass(frozen=True, slots=True)
class WatchedFolder:
    """A folder whose documents a workspace keeps up to date.

    Parameters
    ----------
    workspace
        Name of the workspace.
    path
        Absolute path, with all links resolved.
    name
        Name for clients: the last part of the path, numbered if another folder of the workspace has it.
    """

    workspace: str
    path: Path
    name: str

    @property
    def id(self) -> str:
        """Identifier for clients, the same on all servers."""
        return digest(self.workspace, str(self.path))


def watched_folders(options: Iterable[str], served: Path | None = None) -> list[WatchedFolder]:
    """Parse options of the form ``WORKSPACE=FOLDER``.

    Parameters
    ----------
    options
        Values of the option ``--watch``.
    served
        Folder of the workspaces, which changes whenever a workspace does, so it cannot be watched.

    Raises
    ------
    SettingsError
        An option has another form, or its folder does not exist or overlaps the served folder.
    """
    folders: list[WatchedFolder] = []
    for option in options:
        workspace, _, folder = option.partition("=")
        if not is_name(workspace) or not folder:
            raise SettingsError(
                f"--watch {option} does not name a workspace and a folder", "write for example letters=/srv/letters"
            )
        path = Path(os.path.realpath(folder))
        if not path.is_dir():
            raise SettingsError(f"{folder} cannot be watched, because there is no such folder", "create it first")
        if served is not None and (path.is_relative_to(served) or served.is_relative_to(path)):
            raise SettingsError(f"{folder} cannot be watched, because it overlaps {served}", "watch another folder")
        folders.append(WatchedFolder(workspace, path, _name(path, workspace, folders)))
    return folders


def _name(path: Path, workspace: str, others: Sequence[WatchedFolder]) -> str:
    called = path.name or "/"
    same = sum(other.path.name == path.name for other in others if other.workspace == workspace)
    return f"{called} ({same + 1})" if same else called
