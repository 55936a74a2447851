"""Staged revisions, invisible to readers: chunked documents and the evidence extracted from their chunks.

Statements cover all documents of a batch, as each is a round trip to the server.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from polyadic.model import identity
from polyadic.model.types import Chunk, Document, Evidence
from polyadic.storage.connection import Connection
from polyadic.storage.protocol import Cut, Fingerprint
from polyadic.storage.row_changes import Insert, Update
from polyadic.storage.sql.digests import digest_bytes, entity_digest
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.originals import ORIGINALS, carry_originals
from polyadic.storage.sql.serialization import dump_evidence, dump_headings, dump_metadata, dump_pages
from polyadic.storage.sql.tables import CHUNK, DOCUMENT, REVISION, STAGED_REVISION
from polyadic.storage.sql.texts import TEXTS
from polyadic.text.headings import headings, headings_of

_STAGED = "FROM revision r JOIN document d ON d.id = r.document WHERE (d.current IS NULL OR r.id <> d.current)"


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

    def _staged_revisions(self, document_ids: Collection[str]) -> dict[str, int]:
        """Return the staged revision of each document.

        Raises
        ------
        LookupError
            A document has no staged revision.
        """
        sql = f"SELECT d.digest, r.id {_STAGED} AND d.digest {{any_of}}"
        rows = select_in(self._connection, sql, [*map(digest_bytes, document_ids)])
        revisions = {digest.hex(): int(revision) for digest, revision in rows}
        if missing := [one for one in document_ids if one not in revisions]:
            raise LookupError(f"document {missing[0]} has not been staged")
        return revisions

    def put_evidence(self, evidence: Mapping[str, Mapping[str, Sequence[Evidence]]]) -> None:
        """Implement :meth:`polyadic.storage.protocol.Writer.put_evidence`."""
        revisions = self._staged_revisions(evidence.keys())
        self._connection.change(
            Update(CHUNK, where=("digest", "revision"), set=("evidence", "evidence_count", "failure")),
            [
                (dump_evidence(statements), len(statements), None, digest_bytes(chunk), revisions[document])
                for document, chunks in evidence.items()
                for chunk, statements in chunks.items()
            ],
        )

    def put_failure(self, document_id: str, chunk_id: str, reason: str) -> None:
        """Implement :meth:`polyadic.storage.protocol.Writer.put_failure`."""
        (revision,) = self._staged_revisions([document_id]).values()
        failed = (reason, digest_bytes(chunk_id), revision)
        self._connection.change(Update(CHUNK, where=("digest", "revision"), set=("failure",)), [failed])

    def _document_rows(self, documents: Sequence[Document]) -> dict[str, int]:
        digests = {digest_bytes(document.id): document for document in documents}
        self._connection.change(
            Insert(DOCUMENT, ("digest", "source"), ignore=True),
            [(digest, document.source) for digest, document in sorted(digests.items(), key=lambda one: one[0])],
        )
        sql = "SELECT digest, id FROM document WHERE digest {any_of}"
        return {digest.hex(): row for digest, row in select_in(self._connection, sql, list(digests))}

    def _resume(self, documents: Mapping[int, Cut]) -> dict[str, int]:
        """Return, by document, staged revisions of an earlier run with the same stamp and chunks; delete others."""
        resumed = {}
        sql = f"SELECT r.document, r.id, r.content, r.pipeline_config {_STAGED} AND d.id {{any_of}}"
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
        self._connection.change(
            Insert(REVISION, REVISION.names[1:]),
            [(rows[document.id], *_revision_columns(document, stamp)) for document, stamp, _ in documents],
        )
        revisions = self._staged_revisions([document.id for document, *_ in documents])
        carry_originals(self._connection, list(revisions.values()))
        TEXTS.put(self._connection, [(revisions[document.id], document.text) for document, *_ in documents])
        self._connection.change(
            Insert(STAGED_REVISION, STAGED_REVISION.names), [(revision,) for revision in revisions.values()]
        )
        self._connection.change(
            Insert(CHUNK, ("digest", "revision", "start", "stop", "new_from", "tokens", "headings")),
            [row for document, _, chunks in documents for row in _chunk_rows(revisions[document.id], document, chunks)],
        )


def delete_revision(connection: Connection, revision: int) -> None:
    """Delete a revision with its chunks, its text and its original file."""
    connection.execute("DELETE FROM chunk WHERE revision = ?", (revision,))
    TEXTS.drop(connection, revision)
    ORIGINALS.drop(connection, revision)
    connection.execute("DELETE FROM revision WHERE id = ?", (revision,))
    connection.execute("DELETE FROM staged_revision WHERE revision = ?", (revision,))


def _chunk_rows(revision: int, document: Document, chunks: Sequence[Chunk]) -> Iterator[tuple[bytes | int | str, ...]]:
    outline = headings(document.text)
    for one in chunks:
        section = dump_headings(headings_of(outline, one.span))
        yield digest_bytes(one.id), revision, one.span.start, one.span.end, one.new_from, one.tokens, section


def _revision_columns(document: Document, stamp: Fingerprint) -> tuple[str | int | bytes, ...]:
    """Return the columns of a revision that follow the key of its document."""
    return (
        stamp.content,
        stamp.pipeline_config,
        stamp.extractor,
        document.title,
        entity_digest(identity.entity_key(document.title)),
        entity_digest(identity.entity_key(identity.without_qualifier(document.title))),
        len(document.text),
        dump_metadata(document.metadata),
        dump_pages(document.pages),
        b"",
    )
