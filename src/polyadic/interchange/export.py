"""Writing a workspace in another format: the one entry for what goes out.

The same evidence gives the same bytes, whatever the history: sorted, no times, no vectors.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from polyadic.interchange.facts_writer import fact_lines
from polyadic.interchange.graphml import graphml_pieces
from polyadic.interchange.hif_writer import hif_pieces
from polyadic.interchange.neo4j import tables
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace

WRITERS: Mapping[str, Callable[[Reader], Iterator[str]]] = {
    "hif": hif_pieces,
    "graphml": graphml_pieces,
    "jsonl": fact_lines,
}
"""Formats of one file; ``csv`` is a folder."""


def exported(kb: Workspace, name: str) -> Iterator[bytes]:
    """The workspace in the format of this name, in pieces; of one committed state, also where it is written meanwhile.

    Raises
    ------
    NotFound
        There is no workspace.
    """
    with kb.store().read() as reader:
        for piece in WRITERS[name](reader):
            yield piece.encode()


def export_file(kb: Workspace, name: str, path: Path | str) -> None:
    """Write a file, whole or not at all; ``name`` as for :func:`exported`."""
    _write(Path(path), exported(kb, name))


def export_tables(kb: Workspace, folder: Path | str) -> None:
    """Write the files of Neo4j's import tool into a folder, which is made if it is not there."""
    with kb.store().read() as reader:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, lines in tables(reader):
            _write(Path(folder) / name, (line.encode() for line in lines))


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    """What was there stays until all is written."""
    if path.exists() and not path.is_file():
        # A pipe or a device takes what comes; a folder says that it is none.
        with path.open("wb") as file:
            file.writelines(pieces)
        return
    aside = path.with_name(f".{path.name}.{os.getpid()}.partial")
    try:
        with aside.open("wb") as file:
            file.writelines(pieces)
        aside.replace(path)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise
