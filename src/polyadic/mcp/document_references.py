"""What clients call a document: its resource, identifier, source, end of its source, or title.

Unlike at a terminal, nothing on the disk is looked at: what a name is found to be tells a client nothing about files.
"""

import re
from collections.abc import Sequence

from polyadic.errors import NotFound
from polyadic.mcp.limits import NAME, cut
from polyadic.model.identity import document_id
from polyadic.storage.protocol import DocumentRecord, Reader

URI = "polyadic://document/"
_WHOLE = re.compile(r"[0-9a-f]{32}")
_BEGINNING = re.compile(r"[0-9a-f]{8,32}")
_LISTED = "list_documents lists them"


def uri_of(document: str) -> str:
    """The resource of a document, by its identifier.

    >>> uri_of("5f0c")
    'polyadic://document/5f0c'
    """
    return f"{URI}{document}"


def document_named(reader: Reader, reference: str) -> DocumentRecord:
    """The document that a client means.

    Raises
    ------
    NotFound
        There is none, or more than one.
    """
    name = reference.removeprefix(URI)
    whole = reader.record(name) if _WHOLE.fullmatch(name) else None
    record = whole or reader.record(document_id(name))
    if record:
        return record
    for matches in _guesses(reader.documents(), name) if name.strip() else ():
        if len(matches) == 1:
            return matches[0]
        if matches:
            some = ", ".join(match.id for match in matches[:3])
            raise NotFound(
                f"{len(matches):,} documents answer to {_shown(name)}", f"name one by its id, such as {some}"
            )
    raise NotFound(f"no document matches {_shown(name)}", _LISTED)


def documents_named(reader: Reader, reference: str) -> frozenset[str]:
    """The documents that a client means, by identifier: one, or those of a folder or a file of rows.

    Raises
    ------
    NotFound
        There is none, or more than one document that is not in one folder.
    """
    below = reader.select([reference], {}) if reference.strip() else frozenset()
    return below or frozenset([document_named(reader, reference).id])


def _guesses(records: Sequence[DocumentRecord], name: str) -> list[list[DocumentRecord]]:
    """What the name may mean, the likelier first."""
    ends = (f"/{name.removeprefix('./')}", f"#{name}")
    digits = bool(_BEGINNING.fullmatch(name))
    return [
        [record for record in records if record.source.endswith(ends)],
        [record for record in records if record.title.casefold() == name.casefold()],
        [record for record in records if digits and record.id.startswith(name)],
    ]


def _shown(name: str) -> str:
    return repr(cut(name, NAME // 5))
