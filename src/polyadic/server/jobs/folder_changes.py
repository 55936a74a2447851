"""The input of a job that reads a watched folder: the paths that have changed in it."""

import json
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from polyadic.errors import FolderMissing
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.query.shown_source_names import RelativeNames
from polyadic.server.jobs.uploads import Upload
from polyadic.workspace import Workspace

_FILE = "changes.json"


@dataclass(frozen=True, slots=True)
class FolderChanges:
    """Changes in a folder. They are stored like an upload, because clients must not see paths of the server.

    Parameters
    ----------
    folder
        Absolute path of the folder.
    paths
        Absolute paths of files and folders that were added, changed or deleted.
    unread
        Names, as in job reports, of files that could not be read before: they are read again, so that the report of
        the latest job lists all of them.
    """

    folder: str
    paths: Collection[str]
    unread: Collection[str] = ()

    def save(self, upload: Upload) -> None:
        """Store the changes as the content of an upload, and finish it."""
        upload.folder.mkdir(parents=True)
        content = {"folder": self.folder, "paths": sorted(self.paths), "unread": sorted(self.unread)}
        (upload.folder / _FILE).write_text(json.dumps(content), encoding="utf-8")
        upload.finish()

    @classmethod
    def load(cls, upload: Upload) -> "FolderChanges":
        return cls(**json.loads((upload.folder / _FILE).read_text(encoding="utf-8")))

    async def index(self, kb: Workspace, report_progress: Callable[[IndexProgress], None]) -> IndexReport:
        """Index what was added or changed, and delete the documents of what was deleted.

        Raises
        ------
        FolderMissing
            The folder is missing, for example because its disk is not mounted. Its documents are kept.
        """
        if not Path(self.folder).is_dir():
            raise FolderMissing(f"{self.folder} is missing", "its documents are kept until it is back")
        changed = {Path(path) for path in self.paths} | set(self._unread_paths(kb))
        return await kb.aindex([self.folder], report_progress, prune=True, changed=changed)

    def _unread_paths(self, kb: Workspace) -> Iterator[Path]:
        with kb.store().read() as reader:
            names = RelativeNames.of(reader)
        for name in self.unread:
            for source in names.sources(name):
                # A source may be a row of a file.
                for path in map(Path, (source, source.rpartition("#")[0])):
                    if path.is_relative_to(self.folder):
                        yield path
