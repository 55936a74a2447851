"""The file that a document was read from: the copy in the store, or the unchanged file on this machine."""

import os
from pathlib import Path

from polyadic.loaders.file_access import is_unchanged, unchanged_content
from polyadic.storage.protocol import Reader


def has_original(reader: Reader, document_id: str) -> bool:
    """Return whether the file that a document was read from is available."""
    record = reader.records.original(document_id)
    if record is None or record.is_kept:
        return record is not None
    path = _path(reader, document_id)
    return path is not None and is_unchanged(path, record.digest)


def original_content(reader: Reader, document_id: str) -> bytes | None:
    """Return the file that a document was read from, exactly as it was then; None if it is not available.

    A file on this machine is read only below a root of the workspace, and returned only if its digest is that of the
    file that was indexed. So a document with a made-up source reveals no file.
    """
    record = reader.records.original(document_id)
    if record is None:
        return None
    kept = reader.records.original_content(document_id) if record.is_kept else None
    if kept is not None:
        return kept
    path = _path(reader, document_id)
    return unchanged_content(path, record.digest) if path is not None else None


def _path(reader: Reader, document_id: str) -> Path | None:
    """Return the path of a document below a root of the workspace; None if it has none."""
    source = reader.records.document(document_id).source
    path = Path(source)
    # Sources of files are absolute paths without links; with a link, another folder would be read.
    if not path.is_absolute() or os.path.realpath(source) != source:
        return None
    return path if any(path.is_relative_to(root) for root in reader.records.roots()) else None
