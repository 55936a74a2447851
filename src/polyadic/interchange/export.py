"""Export a workspace to other formats.

Output is deterministic: the same evidence gives the same bytes, whatever the history. It is sorted and contains neither
times nor vectors.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from polyadic.interchange.facts_writer import fact_lines
from polyadic.interchange.graphml import graphml_pieces
from polyadic.interchange.hif_writer import hif_pieces
from polyadic.interchange.neo4j import tables
from polyadic.query.shown_source_names import RelativeNames, SourceNames
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace

WRITERS: Mapping[str, Callable[[Reader, SourceNames | None], Iterator[str]]] = {
    "hif": hif_pieces,
    "graphml": graphml_pieces,
    "jsonl": fact_lines,
}
"""Single-file formats; ``csv`` writes a folder."""


def exported(kb: Workspace, name: str, hide_paths: bool = False) -> Iterator[bytes]:
    """Export one committed state of the workspace in pieces, even if another process writes to it.

    With ``hide_paths``, the sources of documents are relative to the roots of the workspace.

    Raises
    ------
    NotFound
        There is no workspace.
    """
    with kb.store().read() as reader:
        for piece in WRITERS[name](reader, RelativeNames.of(reader) if hide_paths else None):
            yield piece.encode()


def export_file(kb: Workspace, name: str, path: Path | str, hide_paths: bool = False) -> None:
    """Export the workspace to a file atomically, as :func:`exported` does; ``name`` is a key of :data:`WRITERS`."""
    _write(Path(path), exported(kb, name, hide_paths))


def export_tables(kb: Workspace, folder: Path | str) -> list[Path]:
    """Write the files of Neo4j's import tool into a folder, which is created if necessary; return their paths."""
    written = []
    with kb.store().read() as reader:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, lines in tables(reader):
            written.append(Path(folder) / name)
            _write(written[-1], (line.encode() for line in lines))
    return written


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file; the previous one stays until all pieces are written."""
    if path.exists() and not path.is_file():
        # Pipes and devices are written directly; for a folder, open raises IsADirectoryError.
        with path.open("wb") as file:
            file.writelines(pieces)
        return
    partial_file = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with partial_file.open("wb") as file:
            file.writelines(pieces)
        partial_file.replace(path)
    except BaseException as problem:
        with suppress(OSError):
            partial_file.unlink()
        if isinstance(problem, OSError) and problem.filename == str(partial_file):
            # The name of the file that was asked for says more.
            problem.filename = str(path)
        raise
