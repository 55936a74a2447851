"""Revisions that nobody sees yet: documents as they were cut, and the evidence that comes for their chunks.

Statements are made for all documents of a batch at once: to a server each is a round trip.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from polyadic.model import identity
from polyadic.model.types import Chunk, Document, Evidence
from polyadic.storage.connection import Connection
from polyadic.storage.protocol import Cut, Fingerprint
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.serialization import dump_evidence, dump_headings, dump_metadata, dump_pages
from polyadic.storage.sql.sql_in import select_in
from polyadic.storage.sql.texts import drop_text, put_texts
from polyadic.text.headings import headings, headings_of

_STAGED = "FROM revision r JOIN document d ON d.id = r.document WHERE (d.current IS NULL OR r.id <> d.current)"


class Staging:
    """Stages documents within the open transaction of a connection."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def stage(self, documents: Sequence[Cut]) -> dict[str, frozenset[str]]:
        """As :meth:`polyadic.storage.protocol.Writer.stage`."""
        rows = self._document_rows([document for document, *_ in documents])
        kept = self._left_over({rows[one[0].id]: one for one in documents})
        self._insert([one for one in documents if one[0].id not in kept], rows)
        done: dict[str, set[str]] = {document.id: set() for document, *_ in documents}
        of_revision = {revision: document for document, revision in kept.items()}
        sql = "SELECT revision, digest FROM chunk WHERE evidence IS NOT NULL AND revision IN ({})"
        for revision, digest in select_in(self._connection, sql, list(of_revision)):
            done[of_revision[revision]].add(digest.hex())
        return {document: frozenset(chunks) for document, chunks in done.items()}

    def revisions(self, document_ids: Collection[str]) -> dict[str, int]:
        """The staged revision of each document.

        Raises
        ------
        LookupError
            One has none.
        """
        sql = f"SELECT d.digest, r.id {_STAGED} AND d.digest IN ({{}})"
        rows = select_in(self._connection, sql, [*map(digest_bytes, document_ids)])
        found = {digest.hex(): int(revision) for digest, revision in rows}
        if lacking := [one for one in document_ids if one not in found]:
            raise LookupError(f"document {lacking[0]} has not been staged")
        return found

    def put_evidence(self, evidence: Mapping[str, Mapping[str, Sequence[Evidence]]]) -> None:
        """As :meth:`polyadic.storage.protocol.Writer.put_evidence`."""
        revisions = self.revisions(evidence.keys())
        # The sign keeps SQLite from looking through all chunks of the revision for each of them.
        self._connection.executemany(
            "UPDATE chunk SET evidence = ?, told = ?, failure = NULL WHERE +revision = ? AND digest = ?",
            [
                (dump_evidence(said), len(said), revisions[document], digest_bytes(chunk))
                for document, chunks in evidence.items()
                for chunk, said in chunks.items()
            ],
        )

    def _document_rows(self, documents: Sequence[Document]) -> dict[str, int]:
        digests = {digest_bytes(document.id): document for document in documents}
        self._connection.executemany(
            "INSERT INTO document (digest, source) VALUES (?, ?) ON CONFLICT DO NOTHING",
            [(digest, document.source) for digest, document in sorted(digests.items(), key=lambda one: one[0])],
        )
        sql = "SELECT digest, id FROM document WHERE digest IN ({})"
        return {digest.hex(): row for digest, row in select_in(self._connection, sql, list(digests))}

    def _left_over(self, documents: Mapping[int, Cut]) -> dict[str, int]:
        """By document the revision that an interrupted run left for its stamp and chunks; others are dropped."""
        kept = {}
        sql = f"SELECT r.document, r.id, r.content, r.recipe {_STAGED} AND d.id IN ({{}})"
        for row, revision, content, recipe in list(select_in(self._connection, sql, list(documents))):
            document, stamp, chunks = documents[row]
            cut = self._connection.execute("SELECT digest FROM chunk WHERE revision = ? ORDER BY id", (revision,))
            same = [digest.hex() for (digest,) in cut] == [chunk.id for chunk in chunks]
            if same and (content, recipe) == (stamp.content, stamp.recipe):
                kept[document.id] = revision
            else:
                delete_revision(self._connection, revision)
        return kept

    def _insert(self, documents: Sequence[Cut], rows: Mapping[str, int]) -> None:
        self._connection.executemany(
            "INSERT INTO revision (document, content, recipe, extractor, title, title_key, title_bare, characters,"
            " metadata, pages) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [(rows[document.id], *_described(document, stamp)) for document, stamp, _ in documents],
        )
        revisions = self.revisions([document.id for document, *_ in documents])
        put_texts(self._connection, [(revisions[document.id], document.text) for document, *_ in documents])
        self._connection.executemany(
            "INSERT INTO staged (revision) VALUES (?)", [(revision,) for revision in revisions.values()]
        )
        self._connection.executemany(
            "INSERT INTO chunk (digest, revision, start, stop, fresh, tokens, headings) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [row for document, _, chunks in documents for row in _chunk_rows(revisions[document.id], document, chunks)],
        )


def delete_revision(connection: Connection, revision: int) -> None:
    """Delete a revision with its chunks and its text."""
    connection.execute("DELETE FROM chunk WHERE revision = ?", (revision,))
    drop_text(connection, revision)
    connection.execute("DELETE FROM revision WHERE id = ?", (revision,))
    connection.execute("DELETE FROM staged WHERE revision = ?", (revision,))


def _chunk_rows(revision: int, document: Document, chunks: Sequence[Chunk]) -> Iterator[tuple[bytes | int | str, ...]]:
    outline = headings(document.text)
    for one in chunks:
        told = dump_headings(headings_of(outline, one.span))
        yield digest_bytes(one.id), revision, one.span.start, one.span.end, one.fresh, one.tokens, told


def _described(document: Document, stamp: Fingerprint) -> tuple[str | int, ...]:
    """What stands beside the key of a document in its revision."""
    return (
        stamp.content,
        stamp.recipe,
        stamp.extractor,
        document.title,
        identity.entity_key(document.title),
        identity.entity_key(identity.without_qualifier(document.title)),
        len(document.text),
        dump_metadata(document.metadata),
        dump_pages(document.pages),
    )
