"""Original files of revisions: their digests, and the files that are kept, in segments."""

from collections.abc import Mapping, Sequence

from polyadic.storage.connection import Connection
from polyadic.storage.records import OriginalRecord
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.segments import MOST_SEGMENTS, Segments
from polyadic.storage.sql.tables import ORIGINAL_SEGMENT

ORIGINALS = Segments(ORIGINAL_SEGMENT, size=1 << 16)
_NONE = b""
_RECORDS = (
    f"SELECT r.id, r.original, EXISTS (SELECT 1 FROM original_segment s WHERE s.id = r.id * {MOST_SEGMENTS})"
    " FROM revision r WHERE r.original <> ? AND r.id {any_of}"
)
_OF_SAME_CONTENT = (
    "SELECT r.id, old.id, old.original FROM revision r JOIN document d ON d.id = r.document"
    " JOIN revision old ON old.id = d.current"
    " WHERE old.original <> ? AND old.content = r.content AND r.id {any_of}"
)


def originals_of(connection: Connection, revisions: Mapping[str, int]) -> dict[str, OriginalRecord]:
    """Return the original file of each document that was read from one; ``revisions`` are keys by document."""
    documents = {revision: document for document, revision in revisions.items()}
    rows = select_in(connection, _RECORDS, list(documents), (_NONE,))
    return {documents[revision]: OriginalRecord(digest.hex(), bool(is_kept)) for revision, digest, is_kept in rows}


def put_original(connection: Connection, revision: int, digest: str, content: bytes | None) -> None:
    """Record the digest of the original file of a revision, and keep or drop its content."""
    connection.execute("UPDATE revision SET original = ? WHERE id = ?", (digest_bytes(digest), revision))
    ORIGINALS.drop(connection, revision)
    ORIGINALS.put(connection, [(revision, content or b"")])


def carry_originals(connection: Connection, revisions: Sequence[int]) -> None:
    """Give staged revisions the original files of the current revisions of the same content."""
    for revision, old, digest in list(select_in(connection, _OF_SAME_CONTENT, revisions, (_NONE,))):
        connection.execute("UPDATE revision SET original = ? WHERE id = ?", (digest, revision))
        ORIGINALS.copy(connection, old, revision)


def original_content(connection: Connection, revision: int) -> bytes | None:
    """Return the content of the original file of a revision; None if it is not kept."""
    return b"".join(map(bytes, ORIGINALS.read(connection, revision))) or None
