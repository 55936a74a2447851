"""The file that a document was read from: the copy in the store, or the unchanged file on this machine."""

import os
from pathlib import Path

from polyadic.loaders.original_content import unchanged_content
from polyadic.storage.protocol import Reader


def has_original(reader: Reader, document_id: str) -> bool:
    """Return whether the file that a document was read from is available."""
    record = reader.records.original(document_id)
    return record is not None and (record.is_kept or _on_disk(reader, document_id, record.digest) is not None)


def original_content(reader: Reader, document_id: str) -> bytes | None:
    """Return the file that a document was read from, exactly as it was then; None if it is not available.

    A file on this machine is read only below a root of the workspace, and returned only if its digest is that of the
    file that was indexed. So a document with a made-up source reveals no file.
    """
    record = reader.records.original(document_id)
    if record is None:
        return None
    kept = reader.records.original_content(document_id) if record.is_kept else None
    return kept if kept is not None else _on_disk(reader, document_id, record.digest)


def _on_disk(reader: Reader, document_id: str, digest: str) -> bytes | None:
    source = reader.records.document(document_id).source
    path = Path(source)
    # Sources of files are absolute paths without links; with a link, another folder would be read.
    if not path.is_absolute() or os.path.realpath(source) != source:
        return None
    is_below_root = any(path.is_relative_to(root) for root in reader.records.roots())
    return unchanged_content(path, digest) if is_below_root else None
