"""Folders of workspaces that benchmarks keep for the next run."""

import shutil
from pathlib import Path

from polyadic.config import Settings
from polyadic.workspace import Workspace


def kept_for(documents: Path, folder: Path, settings: Settings | None = None) -> Path:
    """Return the folder of a workspace, deleted if it holds documents of another place, such as another checkout.

    Documents are known by their paths, so the workspace would otherwise hold them twice.
    """
    if folder.is_dir() and any(not source.startswith(str(documents)) for source in _sources(folder, settings)):
        shutil.rmtree(folder)
    return folder


def _sources(folder: Path, settings: Settings | None) -> list[str]:
    with Workspace(folder, settings) as workspace, workspace.store().read() as reader:
        return [record.source for record in reader.records.documents()]
