"""Write to the tables of a store in one transaction: stage, publish and withdraw documents."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Container, Iterable, Iterator, Sequence

from polyadic.model.hierarchy import Rearrangement
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Chunk, Evidence, Span
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.leases import DocumentLeases
from polyadic.storage.pending_requests import WAITS, PendingRequests
from polyadic.storage.records import CachedReply, Fingerprint, LedgerCall, OriginalRecord, StoreChange, Vectors
from polyadic.storage.sql import change_log, ledger
from polyadic.storage.sql.encoding import text_digest, to_json
from polyadic.storage.sql.entity_tables import EntityTables
from polyadic.storage.sql.fact_tables import FactTables
from polyadic.storage.sql.full_text import searchable
from polyadic.storage.sql.half_precision import HalfVector
from polyadic.storage.sql.hierarchy_tables import HierarchyTables
from polyadic.storage.sql.meta import add_roots, dimension_of, other_vectors
from polyadic.storage.sql.revisions import (
    chunks_of,
    evidence_of,
    originals_of,
    put_original,
    quotes,
    resolution_of,
    stamps_of,
)
from polyadic.storage.sql.staging import Staging, delete_revision
from polyadic.storage.sql.tables import DECISION, DOCUMENT, PASSAGE_WINDOW, STAGED_REVISION, STATEMENT, VECTOR
from polyadic.storage.sql.title_entities import entity_rows, titled_by
from polyadic.storage.sql.vectors import PendingVectors, texts_without
from polyadic.storage.table import Delete, Insert, Update

_INSERT_WINDOW = Insert(PASSAGE_WINDOW, ("vector", "chunk", "ordinal"))
Words = tuple[int, str, str]
"""A chunk (table key), the title of its document, and its own text, both normalized by full_text.searchable."""


class SqlWriter(Staging, ABC):
    """Implements :class:`polyadic.storage.protocol.Writer` within the open transaction of a connection.

    An engine implements its full-text index.
    """

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._resolution: EntityResolution | None = None
        self._vectors = PendingVectors()
        self._touched = change_log.TouchedRows()
        self._facts = FactTables(connection, self._vectors, self._touched)
        self._entities = EntityTables(connection, self._vectors, self._touched, self.resolution)
        self._hierarchy = HierarchyTables(connection, self._vectors)
        self.waiting = PendingRequests(connection)

    # staging

    def stamps(self, document_ids: Sequence[str]) -> dict[str, Fingerprint]:
        return stamps_of(self._connection, document_ids)

    def add_roots(self, folders: Collection[str]) -> None:
        add_roots(self._connection, folders)

    def drop_staged(self, claims: DocumentLeases) -> None:
        leased = claims.acquire({document for document, _ in self._orphans()})
        # Read again, as other runs may have worked on them until they were leased.
        for document, revision in self._orphans():
            if document in leased:
                if revision is not None:
                    delete_revision(self._connection, revision)
                self._connection.execute(
                    "DELETE FROM document WHERE current IS NULL AND digest = ?", (bytes.fromhex(document),)
                )
        claims.release(leased)

    def originals(self, document_ids: Collection[str], is_staged: bool) -> dict[str, OriginalRecord]:
        return originals_of(self._connection, self._revisions(document_ids, is_staged))

    def put_original(self, document_id: str, digest: str, content: bytes | None, is_staged: bool) -> None:
        for revision in self._revisions([document_id], is_staged).values():
            put_original(self._connection, revision, bytes.fromhex(digest), content)

    def staged(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        (revision,) = self._staged_revisions([document_id]).values()
        return chunks_of(self._connection, document_id, revision)

    def current(self, document_ids: Sequence[str]) -> Iterator[tuple[str, list[tuple[Chunk, tuple[Evidence, ...]]]]]:
        for document, revision in self._current(document_ids).items():
            yield document, chunks_of(self._connection, document, revision)

    # entity resolution

    def resolution(self) -> EntityResolution:
        if self._resolution is None:
            self._resolution = resolution_of(self._connection)
        return self._resolution

    def naming(self, keys: Collection[str]) -> list[tuple[str, tuple[Evidence, ...]]]:
        entities = list(entity_rows(self._connection, keys).values())
        sql = "SELECT s.chunk FROM participation p JOIN statement s ON s.fact = p.fact WHERE p.entity {any_of}"
        stating = {chunk for (chunk,) in select_in(self._connection, sql, entities)}
        return list(evidence_of(self._connection, sorted(stating)))

    # vectors

    def texts_without_vectors(self, texts: Sequence[str]) -> list[str]:
        return texts_without(self._connection, VECTOR, texts)

    def put_vectors(self, texts: Sequence[str], vectors: Vectors) -> None:
        kept = dimension_of(self._connection)
        if kept and len(texts) and vectors.shape[1] != kept:
            raise other_vectors(vectors.shape[1], kept)
        self._connection.change(
            Insert(VECTOR, ("digest", "uses", "data"), ignore=True),
            [(text_digest(text), 0, vector) for text, vector in zip(texts, HalfVector.each(vectors), strict=True)],
        )

    # ledger and response cache

    def record_call(self, call: LedgerCall, reply: CachedReply | None) -> None:
        ledger.enter(self._connection, [(call, reply)])

    def forget_replies(self) -> None:
        self._connection.execute("DELETE FROM reply")

    # publishing

    def apply(self, change: StoreChange) -> None:
        for revision in self._current((*change.published, *change.deleted)).values():
            self._retract(revision)
        touched = self._hierarchy.touched(change)
        self._decide(change)
        self._apply_tallies(change)
        self._entities.rename(key for decision in (*change.decided, *change.undone) for key in decision.touched)
        self._hierarchy.mark(touched)
        self._publish(change)
        for document_id in change.deleted:
            self._delete_document(document_id)
        self._touched.chunks |= titled_by(self._connection, self._touched, self.resolution())
        change_log.enter(self._connection, self._touched)

    def update_hierarchy(self, change: Rearrangement) -> None:
        self._hierarchy.update_hierarchy(change)

    def attach(self) -> list[str]:
        return self._vectors.meet(self._connection)

    def index_words(self, revision: int, chunks: Container[int] | None = None) -> None:
        """Add the chunks of a revision, or only the given ones (all table keys), to the full-text index."""
        self._index_words([words for words in self._words([revision]) if chunks is None or words[0] in chunks])

    # steps of the above

    def _orphans(self) -> list[tuple[str, int | None]]:
        """Return unpublished leftovers: staged revisions with their documents, and documents without any (None)."""
        rows = self._connection.execute(
            # CROSS JOIN fixes the join order: few of all revisions are staged.
            "SELECT document.digest, r.id FROM staged_revision s CROSS JOIN revision r JOIN document ON"
            " document.id = r.document"
            f" WHERE r.id = s.revision AND NOT {WAITS}"
        ).fetchall()
        rows += self._connection.execute(f"SELECT digest, NULL FROM document WHERE current IS NULL AND NOT {WAITS}")
        return [(digest.hex(), revision) for digest, revision in rows]

    def _decide(self, change: StoreChange) -> None:
        self._connection.change(
            Insert(DECISION), [(bytes.fromhex(one.id), ledger.now(), to_json(one)) for one in change.decided]
        )
        self._connection.change(Delete(DECISION, ("digest",)), [(bytes.fromhex(one.id),) for one in change.undone])
        self._touched.decisions.update((*change.decided, *change.undone))
        self._resolution = None

    def _apply_tallies(self, change: StoreChange) -> None:
        """Add the tallies of a change to facts and entities; those left without evidence are deleted."""
        facts, entities = change.tallies.facts, change.tallies.entities
        rows = self._entities.rows([*entities, *(key for fact in facts.values() for key in fact.participants)])
        degrees = self._facts.apply(facts, change.fact_tokens, rows)
        self._entities.apply(entities, rows, degrees)

    def _revisions(self, document_ids: Collection[str], is_staged: bool) -> dict[str, int]:
        return self._staged_revisions(document_ids) if is_staged else self._current(document_ids)

    def _current(self, document_ids: Collection[str]) -> dict[str, int]:
        """Return the current revision of each document that has one."""
        sql = "SELECT digest, current FROM document WHERE current IS NOT NULL AND digest {any_of}"
        revisions = dict(select_in(self._connection, sql, [*map(bytes.fromhex, document_ids)]))
        return {one: revisions[digest] for one in document_ids if (digest := bytes.fromhex(one)) in revisions}

    def _retract(self, revision: int) -> None:
        """Delete a current revision and all rows that depend on it, except facts and entities."""
        self._forget_words(self._words([revision]))
        chunks = self._connection.execute("SELECT id FROM chunk WHERE revision = ?", (revision,)).fetchall()
        keys = [chunk for (chunk,) in chunks]
        self._touched.chunks.update(keys)
        windows = select_in(self._connection, "SELECT vector FROM passage_window WHERE chunk {any_of}", keys)
        self._vectors.release(vector for (vector,) in windows)
        for table in (PASSAGE_WINDOW, STATEMENT):
            self._connection.change(Delete(table, ("chunk",)), chunks)
        document = "(SELECT document FROM revision WHERE id = ?)"
        self._connection.execute(f"UPDATE document SET current = NULL WHERE id = {document}", (revision,))
        delete_revision(self._connection, revision)

    def _delete_document(self, document_id: str) -> None:
        """Delete a document with all its revisions and their texts."""
        digest = bytes.fromhex(document_id)
        sql = "SELECT r.id FROM revision r JOIN document d ON d.id = r.document WHERE d.digest = ?"
        for (revision,) in self._connection.execute(sql, (digest,)).fetchall():
            delete_revision(self._connection, revision)
        self.waiting.release(document_id)
        self._connection.execute("DELETE FROM document WHERE digest = ?", (digest,))

    def _publish(self, change: StoreChange) -> None:
        """Make the staged revisions of documents current."""
        revisions = self._staged_revisions(change.published)
        self._connection.change(
            Update(DOCUMENT, where=("digest",), set=("current",)),
            [(revision, bytes.fromhex(document)) for document, revision in revisions.items()],
        )
        keys = list(revisions.values())
        self._connection.change(Delete(STAGED_REVISION, ("revision",)), [(key,) for key in keys])
        self.waiting.release(*revisions)
        sql = "SELECT id, digest, start, stop FROM chunk WHERE revision {any_of}"
        chunks = list(select_in(self._connection, sql, keys))
        self._touched.chunks.update(chunk for chunk, *_ in chunks)
        self._insert_statements(
            (chunk, Span(start, stop), change.evidence.get(digest.hex(), ())) for chunk, digest, start, stop in chunks
        )
        for chunk, digest, *_ in chunks:
            for ordinal, text in enumerate(change.windows[digest.hex()]):
                self._vectors.add(_INSERT_WINDOW, (chunk, ordinal), text)
        self._index_words(self._words(keys))

    def _insert_statements(self, chunks: Iterable[tuple[int, Span, Sequence[Evidence]]]) -> None:
        """Insert where each fact is stated: the spans of its evidence, or the whole chunk if it has none."""
        stated = [
            (fact_id, chunk, one.spans or (whole,))
            for chunk, whole, evidence in chunks
            for one in evidence
            if (fact_id := one.fact_id)
        ]
        rows = self._facts.rows(fact_id for fact_id, *_ in stated)
        self._connection.change(
            Insert(STATEMENT, ignore=True),
            [(chunk, rows[f], span.start, span.end) for f, chunk, spans in stated for span in spans],
        )

    def _words(self, revisions: Sequence[int]) -> list[Words]:
        sql = (
            "SELECT c.id, r.title, r.id, c.start, c.stop FROM revision r JOIN chunk c ON c.revision = r.id"
            " WHERE r.id {any_of}"
        )
        chunks = list(select_in(self._connection, sql, revisions))
        texts = quotes(self._connection, [(revision, start, stop) for _, _, revision, start, stop in chunks])
        return [
            (chunk, searchable(title), searchable(text)) for (chunk, title, *_), text in zip(chunks, texts, strict=True)
        ]

    @abstractmethod
    def _index_words(self, words: Sequence[Words]) -> None:
        """Add chunks to the full-text index."""

    @abstractmethod
    def _forget_words(self, words: Sequence[Words]) -> None:
        """Remove chunks from the full-text index, given the words with which they were added."""
