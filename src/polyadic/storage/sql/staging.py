"""Staged revisions, invisible to readers: chunked documents and the evidence extracted from their chunks.

Statements cover all documents of a batch, as each is a round trip to the server.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from polyadic.model import identity
from polyadic.model.types import Chunk, Document, Evidence
from polyadic.storage.connection import Connection, keys_of, select_in
from polyadic.storage.records import Cut, Fingerprint
from polyadic.storage.sql.encoding import HEADINGS, dump_evidence, entity_digest
from polyadic.storage.sql.revisions import (
    DOCUMENT_FIELDS,
    FINGERPRINT_FIELDS,
    ORIGINALS,
    STAGED,
    TEXTS,
    carry_originals,
)
from polyadic.storage.sql.tables import CHUNK, DOCUMENT, REVISION, STAGED_REVISION
from polyadic.storage.table import Insert, Update
from polyadic.text.headings import headings, headings_of


class Staging:
    """Stages documents within the open transaction of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def stage(self, documents: Sequence[Cut]) -> dict[str, frozenset[str]]:
        """Implement :meth:`polyadic.storage.protocol.Writer.stage`."""
        rows = self._document_rows([document for document, *_ in documents])
        resumed = self._resume({rows[one[0].id]: one for one in documents})
        self._insert([one for one in documents if one[0].id not in resumed], rows)
        extracted: dict[str, set[str]] = {document.id: set() for document, *_ in documents}
        of_revision = {revision: document for document, revision in resumed.items()}
        sql = "SELECT revision, digest FROM chunk WHERE evidence IS NOT NULL AND revision {any_of}"
        for revision, digest in select_in(self._connection, sql, list(of_revision)):
            extracted[of_revision[revision]].add(digest.hex())
        return {document: frozenset(chunks) for document, chunks in extracted.items()}

    def put_evidence(self, evidence: Mapping[str, Mapping[str, Sequence[Evidence]]]) -> None:
        """Implement :meth:`polyadic.storage.protocol.Writer.put_evidence`."""
        revisions = self._staged_revisions(evidence.keys())
        self._connection.change(
            Update(CHUNK, where=("digest", "revision"), set=("evidence", "evidence_count", "failure")),
            [
                (dump_evidence(statements), len(statements), None, bytes.fromhex(chunk), revisions[document])
                for document, chunks in evidence.items()
                for chunk, statements in chunks.items()
            ],
        )

    def put_failure(self, document_id: str, chunk_id: str, reason: str) -> None:
        """Implement :meth:`polyadic.storage.protocol.Writer.put_failure`."""
        (revision,) = self._staged_revisions([document_id]).values()
        failed = (reason, bytes.fromhex(chunk_id), revision)
        self._connection.change(Update(CHUNK, where=("digest", "revision"), set=("failure",)), [failed])

    def _staged_revisions(self, document_ids: Collection[str]) -> dict[str, int]:
        """Return the staged revision of each document.

        Raises
        ------
        LookupError
            A document has no staged revision.
        """
        sql = f"SELECT d.digest, r.id FROM {STAGED} AND d.digest {{any_of}}"
        rows = select_in(self._connection, sql, [*map(bytes.fromhex, document_ids)])
        revisions = {digest.hex(): int(revision) for digest, revision in rows}
        if missing := [one for one in document_ids if one not in revisions]:
            raise LookupError(f"document {missing[0]} has not been staged")
        return revisions

    def _document_rows(self, documents: Sequence[Document]) -> dict[str, int]:
        """Return the row of each document; missing ones are inserted."""
        sources = {bytes.fromhex(document.id): document.source for document in documents}
        self._connection.change(Insert(DOCUMENT, ("digest", "source"), ignore=True), sorted(sources.items()))
        return {digest.hex(): row for digest, row in keys_of(self._connection, DOCUMENT, list(sources)).items()}

    def _resume(self, documents: Mapping[int, Cut]) -> dict[str, int]:
        """Return, by document, staged revisions of an earlier run with the same stamp and chunks; delete others."""
        resumed = {}
        sql = f"SELECT r.document, r.id, r.content, r.pipeline_config FROM {STAGED} AND d.id {{any_of}}"
        for row, revision, content, config in list(select_in(self._connection, sql, list(documents))):
            document, stamp, chunks = documents[row]
            cut = self._connection.execute("SELECT digest FROM chunk WHERE revision = ? ORDER BY id", (revision,))
            same = [digest.hex() for (digest,) in cut] == [chunk.id for chunk in chunks]
            if same and (content, config) == (stamp.content, stamp.pipeline_config):
                resumed[document.id] = revision
            else:
                delete_revision(self._connection, revision)
        return resumed

    def _insert(self, documents: Sequence[Cut], rows: Mapping[str, int]) -> None:
        insert = Insert(REVISION)
        self._connection.change(
            insert,
            [insert.row({"document": rows[cut[0].id], **_revision_columns(*cut[:2])}) for cut in documents],
        )
        revisions = self._staged_revisions([document.id for document, *_ in documents])
        carry_originals(self._connection, list(revisions.values()))
        TEXTS.put(self._connection, [(revisions[document.id], document.text) for document, *_ in documents])
        self._connection.change(Insert(STAGED_REVISION), [(revision,) for revision in revisions.values()])
        self._connection.change(
            Insert(CHUNK, ("digest", "revision", "start", "stop", "new_from", "tokens", "headings")),
            [row for document, _, chunks in documents for row in _chunk_rows(revisions[document.id], document, chunks)],
        )


def delete_revision(connection: Connection, revision: int) -> None:
    """Delete a revision with its chunks, its text and its original file."""
    TEXTS.drop(connection, revision)
    ORIGINALS.drop(connection, revision)
    for table, key in (("chunk", "revision"), ("revision", "id"), ("staged_revision", "revision")):
        connection.execute(f"DELETE FROM {table} WHERE {key} = ?", (revision,))


def _revision_columns(document: Document, stamp: Fingerprint) -> dict[str, Any]:
    """Return the columns of a revision by name, except the key of its document."""
    return {
        **FINGERPRINT_FIELDS.dump(stamp),
        **DOCUMENT_FIELDS.dump(document),
        "title_entity": entity_digest(identity.entity_key(document.title)),
        "bare_title_entity": entity_digest(identity.entity_key(identity.without_qualifier(document.title))),
        "characters": len(document.text),
        "original": b"",
    }


def _chunk_rows(revision: int, document: Document, chunks: Sequence[Chunk]) -> Iterator[tuple[Any, ...]]:
    outline = headings(document.text)
    for one in chunks:
        section = HEADINGS.dump(headings_of(outline, one.span))
        yield bytes.fromhex(one.id), revision, one.span.start, one.span.end, one.new_from, one.tokens, section
