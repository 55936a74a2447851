"""Read revisions of documents, their chunks and evidence, and the entity resolution decisions."""

from collections.abc import Iterator, Sequence
from typing import Any

from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Chunk, Document, Evidence, Span
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.records import Fingerprint
from polyadic.storage.sql.encoding import load_decision, load_evidence
from polyadic.storage.sql.segments import text_of
from polyadic.storage.sql.tables import REVISION
from polyadic.storage.table import Selection

DOCUMENT_FIELDS = Selection(REVISION, "title", "metadata", "pages")
"""Fields of a document that are columns of its revision: written, and read, by these names."""
DOCUMENT = f"r.id, d.source, {DOCUMENT_FIELDS.of('r')}"
"""Columns of a document ``d`` and its revision ``r`` from which :func:`document_of` makes a document."""
FINGERPRINT_FIELDS = Selection(REVISION, "content", "pipeline_config", "extractor")


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
        "SELECT d.digest, c.evidence FROM chunk c JOIN revision r ON r.id = c.revision"
        " JOIN document d ON d.id = r.document WHERE c.evidence IS NOT NULL AND c.id {any_of}",
        chunks,
    ):
        yield digest.hex(), load_evidence(evidence)


def resolution_of(connection: Connection) -> EntityResolution:
    """Return the entity resolution made of all stored decisions."""
    return EntityResolution.of(load_decision(text) for (text,) in connection.execute("SELECT content FROM decision"))
