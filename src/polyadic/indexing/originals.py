"""Record the files that documents were read from, and keep copies of them."""

from collections.abc import Iterable

from polyadic.loaders.file_access import unchanged_content
from polyadic.model.types import Document
from polyadic.storage.protocol import OriginalRecord, StagingWriter


def record_originals(preparer: StagingWriter, documents: Iterable[Document], is_staged: bool) -> None:
    """Record the original files of documents, and keep or drop their content as the settings say.

    A file that has changed since it was read is not kept.

    Parameters
    ----------
    preparer
        An open transaction.
    documents
        Documents as they were read; those without an original file are left as they are.
    is_staged
        Whether the files belong to the staged revisions of the documents, not to the current ones.
    """
    files = {document.id: document.original for document in documents if document.original is not None}
    known = preparer.originals(files, is_staged)
    for document_id, file in files.items():
        if known.get(document_id) != OriginalRecord(file.digest, file.is_kept):
            content = unchanged_content(file.path, file.digest) if file.is_kept else None
            preparer.put_original(document_id, file.digest, content, is_staged)
