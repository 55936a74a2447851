"""Revisions of documents: their texts and original files, chunks and evidence.

Texts and original files are stored in segments of one size. A part of a value is read by primary key, so the cost of a
quotation does not grow with the document.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Chunk, Document, Evidence, Span
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.records import Fingerprint, OriginalRecord
from polyadic.storage.sql.encoding import load_decision, load_evidence
from polyadic.storage.sql.tables import ORIGINAL_SEGMENT, REVISION, TEXT_SEGMENT
from polyadic.storage.table import Insert, Selection, Table

PLACED = "chunk c JOIN revision r ON r.id = c.revision JOIN document d ON d.id = r.document"
"""Chunks with their documents."""
PUBLISHED = f"{PLACED} AND d.current = r.id"
"""Chunks that readers see, with their documents; found from either side by a primary key."""
STAGED = "revision r JOIN document d ON d.id = r.document WHERE (d.current IS NULL OR r.id <> d.current)"
"""Revisions that readers do not see, with their documents."""
DOCUMENT_FIELDS = Selection(REVISION, "title", "metadata", "pages")
"""Fields of a document that are columns of its revision: written, and read, by these names."""
DOCUMENT = f"r.id, d.source, {DOCUMENT_FIELDS.of('r')}"
"""Columns of a document ``d`` and its revision ``r`` from which :func:`document_of` makes a document."""
FINGERPRINT_FIELDS = Selection(REVISION, "content", "pipeline_config", "extractor")
MOST_SEGMENTS = 1 << 20
"""Upper bound of segments per value."""
Stretch = tuple[int, int, int]
"""A range of characters of a text: revision, start, end."""
_ORIGINALS = (
    f"SELECT r.id, r.original, EXISTS (SELECT 1 FROM original_segment s WHERE s.id = r.id * {MOST_SEGMENTS})"
    " FROM revision r WHERE r.original <> ? AND r.id {any_of}"
)
_OF_SAME_CONTENT = (
    "SELECT r.id, old.id, old.original FROM revision r JOIN document d ON d.id = r.document"
    " JOIN revision old ON old.id = d.current"
    " WHERE old.original <> ? AND old.content = r.content AND r.id {any_of}"
)
_NONE = b""


@dataclass(frozen=True, slots=True)
class Segments:
    """One text or byte string per revision, in a table with the columns ``id`` and the segment.

    The id of a segment is computed from its revision and its number in the value. ``size`` is the length of a segment.
    """

    table: Table
    size: int

    def key(self, revision: int, place: int = 0) -> int:
        """Return the id of the segment that contains a place of the value."""
        return revision * MOST_SEGMENTS + place // self.size

    def put(self, connection: Connection, values: Sequence[tuple[int, str | bytes]]) -> None:
        """Store the values of revisions that have none."""
        connection.change(
            Insert(self.table),
            [
                (self.key(revision, start), value[start : start + self.size])
                for revision, value in values
                for start in range(0, len(value), self.size)
            ],
        )

    def read(self, connection: Connection, revision: int) -> list[Any]:
        """Return the segments of a revision, in order."""
        sql = f"SELECT {self.table.names[1]} FROM {self.table.name} WHERE id >= ? AND id < ? ORDER BY id"
        return [segment for (segment,) in connection.execute(sql, (self.key(revision), self.key(revision + 1)))]

    def copy(self, connection: Connection, old: int, new: int) -> None:
        """Give a revision the value of another."""
        connection.execute(
            f"INSERT INTO {self.table.name} ({', '.join(self.table.names)})"
            f" SELECT id + ?, {self.table.names[1]} FROM {self.table.name} WHERE id >= ? AND id < ?",
            (self.key(new) - self.key(old), self.key(old), self.key(old + 1)),
        )

    def drop(self, connection: Connection, revision: int) -> None:
        """Delete the value of a revision."""
        sql = f"DELETE FROM {self.table.name} WHERE id >= ? AND id < ?"
        connection.execute(sql, (self.key(revision), self.key(revision + 1)))


TEXTS = Segments(TEXT_SEGMENT, size=2000)
"""Eight segments of one-byte characters fill a page of the file."""
ORIGINALS = Segments(ORIGINAL_SEGMENT, size=1 << 16)


def text_of(connection: Connection, revision: int) -> str:
    """Return the whole text of a revision."""
    return "".join(TEXTS.read(connection, revision))


def quotes(connection: Connection, stretches: Sequence[Stretch]) -> list[str]:
    """Return the text of each stretch; a segment that several share is read once."""
    wanted = sorted({key for stretch in stretches for key in _keys(*stretch)})
    return cut(dict(select_in(connection, "SELECT id, text FROM text_segment WHERE id {any_of}", wanted)), stretches)


def cut(segments: Mapping[int, str], stretches: Sequence[Stretch]) -> list[str]:
    """Cut the text of each stretch from segments, given by key."""
    quotes = []
    for revision, start, stop in stretches:
        text = "".join([segments.get(key, "") for key in _keys(revision, start, stop)])
        first = start % TEXTS.size
        quotes.append(text[first : first + stop - start])
    return quotes


def _keys(revision: int, start: int, stop: int) -> range:
    """Return the keys of the segments that a stretch covers."""
    first = revision * MOST_SEGMENTS
    return range(first + start // TEXTS.size, first + max(start, stop - 1) // TEXTS.size + 1)


def originals_of(connection: Connection, revisions: Mapping[str, int]) -> dict[str, OriginalRecord]:
    """Return the original file of each document that was read from one; ``revisions`` are keys by document."""
    documents = {revision: document for document, revision in revisions.items()}
    rows = select_in(connection, _ORIGINALS, list(documents), (_NONE,))
    return {documents[revision]: OriginalRecord(digest.hex(), bool(is_kept)) for revision, digest, is_kept in rows}


def put_original(connection: Connection, revision: int, digest: bytes, content: bytes | None) -> None:
    """Record the digest of the original file of a revision, and keep or drop its content."""
    connection.execute("UPDATE revision SET original = ? WHERE id = ?", (digest, revision))
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


def document_of(connection: Connection, revision: int, source: str, *stored: Any) -> Document:
    """Make a document of the columns DOCUMENT of its revision, and the text."""
    return Document(source=source, text=text_of(connection, revision), **DOCUMENT_FIELDS.load(stored))


def stamps_of(connection: Connection, document_ids: Sequence[str]) -> dict[str, Fingerprint]:
    """Return the fingerprints of the current revisions of documents; complete if all chunks have evidence."""
    rows = select_in(
        connection,
        f"SELECT d.digest, NOT EXISTS (SELECT 1 FROM chunk c WHERE c.revision = r.id AND c.evidence IS NULL),"
        f" {FINGERPRINT_FIELDS.of('r')} FROM document d JOIN revision r ON r.id = d.current WHERE d.digest {{any_of}}",
        [*map(bytes.fromhex, document_ids)],
    )
    return {
        digest.hex(): Fingerprint(complete=bool(complete), **FINGERPRINT_FIELDS.load(stored))
        for digest, complete, *stored in rows
    }


def current_revision(connection: Connection, document_id: str) -> int | None:
    """Return the revision of a document that readers see; None if there is none."""
    row = connection.execute("SELECT current FROM document WHERE digest = ?", (bytes.fromhex(document_id),)).fetchone()
    return row[0] if row else None


def chunks_of(connection: Connection, document_id: str, revision: int) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
    """Return the chunks of a revision with their evidence, in document order."""
    text = text_of(connection, revision)
    rows = connection.execute(
        "SELECT start, stop, new_from, tokens, evidence FROM chunk WHERE revision = ? ORDER BY id", (revision,)
    )
    return [
        (Chunk(document_id, Span(start, stop), text[start:stop], tokens, new_from), load_evidence(evidence))
        for start, stop, new_from, tokens, evidence in rows
    ]


def evidence_of(connection: Connection, chunks: Sequence[int]) -> Iterator[tuple[str, tuple[Evidence, ...]]]:
    """Yield the evidence of chunks (table keys), each with the identifier of its document."""
    for digest, evidence in select_in(
        connection,
        f"SELECT d.digest, c.evidence FROM {PLACED} WHERE c.evidence IS NOT NULL AND c.id {{any_of}}",
        chunks,
    ):
        yield digest.hex(), load_evidence(evidence)


def resolution_of(connection: Connection) -> EntityResolution:
    """Return the entity resolution made of all stored decisions."""
    return EntityResolution.of(load_decision(text) for (text,) in connection.execute("SELECT content FROM decision"))
