"""Original files of revisions, stored in fixed-size pieces.

The key of a piece is computed from its revision and its number in the file, as for texts (texts.py).
"""

from collections.abc import Mapping, Sequence

from polyadic.storage.connection import Connection
from polyadic.storage.records import OriginalRecord
from polyadic.storage.row_changes import Insert
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.tables import ORIGINAL_SEGMENT

_PIECE = 1 << 16
_MOST_PIECES = 1 << 20
_NONE = b""
_RECORDS = (
    f"SELECT r.id, r.original, EXISTS (SELECT 1 FROM original_segment s WHERE s.id = r.id * {_MOST_PIECES})"
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
    drop_original(connection, revision)
    data = content or b""
    connection.change(
        Insert(ORIGINAL_SEGMENT, ORIGINAL_SEGMENT.names),
        [
            (_key(revision) + number, data[start : start + _PIECE])
            for number, start in enumerate(range(0, len(data), _PIECE))
        ],
    )


def carry_originals(connection: Connection, revisions: Sequence[int]) -> None:
    """Give staged revisions the original files of the current revisions of the same content."""
    for revision, old, digest in list(select_in(connection, _OF_SAME_CONTENT, revisions, (_NONE,))):
        connection.execute("UPDATE revision SET original = ? WHERE id = ?", (digest, revision))
        connection.execute(
            "INSERT INTO original_segment (id, data)"
            " SELECT id + ?, data FROM original_segment WHERE id >= ? AND id < ?",
            (_key(revision) - _key(old), _key(old), _key(old + 1)),
        )


def drop_original(connection: Connection, revision: int) -> None:
    """Delete the content of the original file of a revision."""
    bounds = _key(revision), _key(revision + 1)
    connection.execute("DELETE FROM original_segment WHERE id >= ? AND id < ?", bounds)


def original_content(connection: Connection, revision: int) -> bytes | None:
    """Return the content of the original file of a revision; None if it is not kept."""
    bounds = _key(revision), _key(revision + 1)
    pieces = connection.execute("SELECT data FROM original_segment WHERE id >= ? AND id < ? ORDER BY id", bounds)
    return b"".join(bytes(piece) for (piece,) in pieces) or None


def stray_originals(connection: Connection) -> int:
    """Count deleted revisions whose original file is still stored."""
    rows = connection.execute(
        "SELECT 1 FROM (SELECT DISTINCT id / ? AS revision FROM original_segment) p"
        " WHERE NOT EXISTS (SELECT 1 FROM revision r WHERE r.id = p.revision)",
        (_MOST_PIECES,),
    )
    return len(rows.fetchall())


def _key(revision: int) -> int:
    """Return the key of the first piece of a revision."""
    return revision * _MOST_PIECES
