"""Resolve a client's reference to a document: resource URI, identifier, source, end of the source, or title.

Unlike the command line, this never looks at files on disk, so the reply does not reveal which files exist.
"""

import re
from collections.abc import Sequence

from polyadic.errors import NotFound
from polyadic.mcp.limits import NAME, cut
from polyadic.model.identity import document_id
from polyadic.query.shown_source_names import SourceNames
from polyadic.storage.protocol import DocumentRecord, Reader

URI = "polyadic://document/"
_FULL_ID = re.compile(r"[0-9a-f]{32}")
_ID_PREFIX = re.compile(r"[0-9a-f]{8,32}")
_HINT = "list_documents lists them"


def uri_of(document: str) -> str:
    """Return the resource URI of a document identifier.

    >>> uri_of("5f0c")
    'polyadic://document/5f0c'
    """
    return f"{URI}{document}"


def document_named(reader: Reader, names: SourceNames, reference: str) -> DocumentRecord:
    """Find the document that a reference names.

    Raises
    ------
    NotFound
        No document matches, or more than one.
    """
    name = reference.removeprefix(URI)
    exact = reader.records.record(name) if _FULL_ID.fullmatch(name) else None
    named = [record for source in names.sources(name) if (record := reader.records.record(document_id(source)))]
    if exact or len(named) == 1:
        return exact or named[0]
    for matches in (named, *_candidates(reader.records.documents(), names, name)) if name.strip() else ():
        if len(matches) == 1:
            return matches[0]
        if matches:
            examples = ", ".join(match.id for match in matches[:3])
            raise NotFound(f"{len(matches):,} documents match {_quoted(name)}", f"use an id, such as {examples}")
    raise NotFound(f"no document matches {_quoted(name)}", _HINT)


def documents_named(reader: Reader, names: SourceNames, reference: str) -> frozenset[str]:
    """Find the identifiers of the documents that a reference names.

    A reference names one document, or all documents of a folder or of a table.

    Raises
    ------
    NotFound
        No document matches, or several that do not share a folder.
    """
    sources = names.sources(reference) if reference.strip() else []
    selected = reader.records.select(sources, {}) if sources else frozenset()
    return selected or frozenset([document_named(reader, names, reference).id])


def _candidates(records: Sequence[DocumentRecord], names: SourceNames, name: str) -> list[list[DocumentRecord]]:
    """Return candidate lists for a name, the most likely match first."""
    endings = (f"/{name.removeprefix('./')}", f"#{name}")
    is_id_prefix = bool(_ID_PREFIX.fullmatch(name))
    return [
        [record for record in records if f"/{names.shown(record.source)}".endswith(endings)],
        [record for record in records if record.title.casefold() == name.casefold()],
        [record for record in records if is_id_prefix and record.id.startswith(name)],
    ]


def _quoted(name: str) -> str:
    return repr(cut(name, NAME // 5))
