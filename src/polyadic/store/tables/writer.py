"""Writing to the tables of a store inside one transaction: staging, publishing, withdrawing."""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Container, Mapping, Sequence

from polyadic import identity
from polyadic.knowledge import Chunk, Document, Evidence, Span
from polyadic.overlay import Decision, Overlay
from polyadic.store.claims import Claims
from polyadic.store.connection import Connection
from polyadic.store.protocol import Call, Change, Stamp, ToRemember, Vectors
from polyadic.store.tables import changes, ledger
from polyadic.store.tables.derived import DerivedTables
from polyadic.store.tables.digests import digest_bytes, vector_digest
from polyadic.store.tables.dimension import dimension_of, other_vectors
from polyadic.store.tables.full_text import searchable
from polyadic.store.tables.half_precision import HalfVector
from polyadic.store.tables.records import (
    chunks_of,
    current_revision,
    dump_decision,
    dump_evidence,
    dump_metadata,
    dump_pages,
    evidence_of,
    overlay_of,
    stamp_of,
)
from polyadic.store.tables.selecting import select_in
from polyadic.store.tables.texts import drop_text, put_text, text_of
from polyadic.store.tables.theme_tables import ThemeTables
from polyadic.store.tables.vector_needs import VectorNeeds
from polyadic.store.tables.waiting_tables import WAITS, WaitingTables
from polyadic.themes import Rearrangement

Words = tuple[int, str, str]
"""A chunk (key of the table) with the words of its document's title and its own (see full_text.searchable)."""


class SqlWriter(ABC):
    """Implements :class:`polyadic.store.protocol.Writer` within the open transaction of a connection.

    An engine adds how it keeps the words of passages.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._overlay: Overlay | None = None
        self._needs = VectorNeeds()
        self._touched = changes.Touched()
        self._derived = DerivedTables(connection, self._needs, self.overlay, self._touched)
        self._themes = ThemeTables(connection, self._needs)
        self.waiting = WaitingTables(connection)

    # staging

    def stamp(self, document_id: str) -> Stamp | None:
        return stamp_of(self._connection, document_id)

    def stage(self, document: Document, stamp: Stamp, chunks: Sequence[Chunk]) -> frozenset[str]:
        row = self._document_row(document)
        revision = self._left_over(row, stamp, chunks)
        if revision is None:
            revision = self._insert_revision(row, document, stamp, chunks)
        done = self._connection.execute(
            "SELECT digest FROM chunk WHERE revision = ? AND evidence IS NOT NULL", (revision,)
        )
        return frozenset(digest.hex() for (digest,) in done)

    def drop_staged(self, claims: Claims) -> None:
        left = self._connection.execute(
            # A cross join keeps its order: few revisions are staged, however many there are.
            "SELECT document.digest, r.id FROM staged s CROSS JOIN revision r JOIN document ON document.id = r.document"
            f" WHERE r.id = s.revision AND NOT {WAITS}"
        ).fetchall()
        left += self._connection.execute(f"SELECT digest, NULL FROM document WHERE current IS NULL AND NOT {WAITS}")
        taken = claims.take({digest.hex() for digest, _ in left})
        for digest, revision in left:
            if digest.hex() in taken and revision is not None:
                self._delete_revision(revision)
        self._connection.executemany(
            "DELETE FROM document WHERE current IS NULL AND digest = ?", [(digest_bytes(one),) for one in sorted(taken)]
        )
        claims.let_go(taken)

    def put_evidence(self, document_id: str, evidence: Mapping[str, Sequence[Evidence]]) -> None:
        revision = self._staged_revision(document_id)
        self._connection.executemany(
            "UPDATE chunk SET evidence = ?, told = ?, failure = NULL WHERE revision = ? AND digest = ?",
            [(dump_evidence(said), len(said), revision, digest_bytes(chunk)) for chunk, said in evidence.items()],
        )

    def put_failure(self, document_id: str, chunk_id: str, reason: str) -> None:
        self._connection.execute(
            "UPDATE chunk SET failure = ? WHERE revision = ? AND digest = ?",
            (reason, self._staged_revision(document_id), digest_bytes(chunk_id)),
        )

    def staged(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        return chunks_of(self._connection, document_id, self._staged_revision(document_id))

    def current(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        revision = current_revision(self._connection, document_id)
        return [] if revision is None else chunks_of(self._connection, document_id, revision)

    # who is who

    def overlay(self) -> Overlay:
        if self._overlay is None:
            self._overlay = overlay_of(self._connection)
        return self._overlay

    def naming(self, keys: Collection[str]) -> list[tuple[str, tuple[Evidence, ...]]]:
        stating = {
            chunk
            for (entity,) in select_in(self._connection, "SELECT id FROM entity WHERE key IN ({})", list(keys))
            for (chunk,) in self._connection.execute(
                "SELECT s.chunk FROM participation p JOIN statement s ON s.fact = p.fact WHERE p.entity = ?", (entity,)
            )
        }
        return list(evidence_of(self._connection, sorted(stating)))

    # vectors

    def lacking(self, texts: Sequence[str]) -> list[str]:
        wanted = {vector_digest(text): text for text in texts}
        for (digest,) in select_in(self._connection, "SELECT digest FROM vector WHERE digest IN ({})", list(wanted)):
            del wanted[digest]
        return list(wanted.values())

    def put_vectors(self, texts: Sequence[str], vectors: Vectors) -> None:
        kept = dimension_of(self._connection)
        if kept and len(texts) and vectors.shape[1] != kept:
            raise other_vectors(vectors.shape[1], kept)
        self._connection.executemany(
            "INSERT INTO vector (digest, uses, data) VALUES (?, 0, ?) ON CONFLICT DO NOTHING",
            list(zip(map(vector_digest, texts), HalfVector.each(vectors), strict=True)),
        )

    # what language models said

    def note_call(self, call: Call, reply: ToRemember | None) -> None:
        ledger.enter(self._connection, call, reply)

    def forget_replies(self) -> None:
        self._connection.execute("DELETE FROM reply")

    # publishing

    def apply(self, change: Change) -> None:
        for document_id in (*change.published, *change.withdrawn):
            self._retract(document_id)
        touched = self._themes.touched(change)
        self._decide(change.decided, change.undone)
        self._derived.apply(change.tallies, change.fact_tokens)
        self._derived.rename(key for decision in (*change.decided, *change.undone) for key in decision.touched)
        self._themes.mark(touched)
        for document_id in change.published:
            self._publish(document_id, change)
        for document_id in change.withdrawn:
            self._forget(document_id)
        self._touched.decisions.update((*change.decided, *change.undone))
        changes.enter(self._connection, self._touched, self.overlay())

    def rearrange(self, change: Rearrangement) -> None:
        self._themes.rearrange(change)

    def attach(self) -> list[str]:
        return self._needs.meet(self._connection)

    def index_words(self, revision: int, chunks: Container[int] | None = None) -> None:
        """Let the chunks of a revision (keys of the tables), or these of them, be found by their words."""
        self._index_words([words for words in self._words(revision) if chunks is None or words[0] in chunks])

    # steps of the above

    def _decide(self, decided: Sequence[Decision], undone: Sequence[Decision]) -> None:
        self._connection.executemany(
            "INSERT INTO decision (digest, at, content) VALUES (?, ?, ?)",
            [(digest_bytes(decision.id), ledger.now(), dump_decision(decision)) for decision in decided],
        )
        self._connection.executemany(
            "DELETE FROM decision WHERE digest = ?", [(digest_bytes(decision.id),) for decision in undone]
        )
        self._overlay = None

    def _document_row(self, document: Document) -> int:
        self._connection.execute(
            "INSERT INTO document (digest, source) VALUES (?, ?) ON CONFLICT DO NOTHING",
            (digest_bytes(document.id), document.source),
        )
        row: int = self._connection.execute(
            "SELECT id FROM document WHERE digest = ?", (digest_bytes(document.id),)
        ).fetchone()[0]
        return row

    def _left_over(self, document_row: int, stamp: Stamp, chunks: Sequence[Chunk]) -> int | None:
        """The revision that an interrupted run left for this stamp and these chunks; others are dropped."""
        kept = None
        for revision, content, recipe in self._connection.execute(
            "SELECT r.id, r.content, r.recipe FROM revision r JOIN document d ON d.id = r.document"
            " WHERE d.id = ? AND (d.current IS NULL OR r.id <> d.current)",
            (document_row,),
        ).fetchall():
            cut = self._connection.execute("SELECT digest FROM chunk WHERE revision = ? ORDER BY id", (revision,))
            same = [digest.hex() for (digest,) in cut] == [chunk.id for chunk in chunks]
            if same and (content, recipe) == (stamp.content, stamp.recipe):
                kept = revision
            else:
                self._delete_revision(revision)
        return kept

    def _insert_revision(self, document_row: int, document: Document, stamp: Stamp, chunks: Sequence[Chunk]) -> int:
        (revision,) = self._connection.execute(
            "INSERT INTO revision (document, content, recipe, extractor, title, title_key, title_bare, characters,"
            " metadata, pages) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (
                document_row,
                stamp.content,
                stamp.recipe,
                stamp.extractor,
                document.title,
                identity.entity_key(document.title),
                identity.entity_key(identity.without_qualifier(document.title)),
                len(document.text),
                dump_metadata(document.metadata),
                dump_pages(document.pages),
            ),
        ).fetchone()
        put_text(self._connection, revision, document.text)
        self._connection.execute("INSERT INTO staged (revision) VALUES (?)", (revision,))
        self._connection.executemany(
            "INSERT INTO chunk (digest, revision, start, stop, fresh, tokens) VALUES (?, ?, ?, ?, ?, ?)",
            [(digest_bytes(c.id), revision, c.span.start, c.span.end, c.fresh, c.tokens) for c in chunks],
        )
        return int(revision)

    def _staged_revision(self, document_id: str) -> int:
        row = self._connection.execute(
            "SELECT r.id FROM revision r JOIN document d ON d.id = r.document"
            " WHERE d.digest = ? AND (d.current IS NULL OR r.id <> d.current)",
            (digest_bytes(document_id),),
        ).fetchone()
        if row is None:
            raise LookupError(f"document {document_id} has not been staged")
        revision: int = row[0]
        return revision

    def _retract(self, document_id: str) -> None:
        """Take the current revision away, with all that hangs on it but facts and entities."""
        row = self._connection.execute(
            "SELECT id, current FROM document WHERE digest = ?", (digest_bytes(document_id),)
        ).fetchone()
        if row is None or row[1] is None:
            return
        document, revision = row
        self._forget_words(self._words(revision))
        chunks = [
            (chunk,) for (chunk,) in self._connection.execute("SELECT id FROM chunk WHERE revision = ?", (revision,))
        ]
        self._touched.chunks.update(chunk for (chunk,) in chunks)
        released: Counter[int] = Counter()
        for chunk in chunks:
            windows = self._connection.execute("SELECT vector FROM passage_window WHERE chunk = ?", chunk)
            released.update(vector for (vector,) in windows)
        self._derived.release(released)
        self._connection.executemany("DELETE FROM passage_window WHERE chunk = ?", chunks)
        self._connection.executemany("DELETE FROM statement WHERE chunk = ?", chunks)
        self._delete_revision(revision)
        self._connection.execute("UPDATE document SET current = NULL WHERE id = ?", (document,))

    def _forget(self, document_id: str) -> None:
        """Delete a document with every revision of it, so that nothing of its text is left."""
        digest = digest_bytes(document_id)
        revisions = self._connection.execute(
            "SELECT r.id FROM revision r JOIN document d ON d.id = r.document WHERE d.digest = ?", (digest,)
        ).fetchall()
        for (revision,) in revisions:
            self._delete_revision(revision)
        self.waiting.release(document_id)
        self._connection.execute("DELETE FROM document WHERE digest = ?", (digest,))

    def _delete_revision(self, revision: int) -> None:
        self._connection.execute("DELETE FROM chunk WHERE revision = ?", (revision,))
        drop_text(self._connection, revision)
        self._connection.execute("DELETE FROM revision WHERE id = ?", (revision,))
        self._connection.execute("DELETE FROM staged WHERE revision = ?", (revision,))

    def _publish(self, document_id: str, change: Change) -> None:
        revision = self._staged_revision(document_id)
        self._connection.execute(
            "UPDATE document SET current = ? WHERE digest = ?", (revision, digest_bytes(document_id))
        )
        self._connection.execute("DELETE FROM staged WHERE revision = ?", (revision,))
        self.waiting.release(document_id)
        chunks = self._connection.execute(
            "SELECT id, digest, start, stop FROM chunk WHERE revision = ?", (revision,)
        ).fetchall()
        self._touched.chunks.update(chunk for chunk, *_ in chunks)
        for chunk, digest, start, stop in chunks:
            self._insert_statements(chunk, Span(start, stop), change.evidence.get(digest.hex(), ()))
            for ordinal, text in enumerate(change.windows[digest.hex()]):
                self._needs.add(
                    "INSERT INTO passage_window (vector, chunk, ordinal) VALUES (?, ?, ?)", (chunk, ordinal), text
                )
        self.index_words(revision)

    def _insert_statements(self, chunk: int, whole: Span, evidence: Sequence[Evidence]) -> None:
        """Where each fact is stated; one that names no characters is stated by the whole chunk."""
        stated = [(fact_id, one.spans) for one in evidence if (fact_id := one.fact_id)]
        rows = self._derived.fact_rows(fact_id for fact_id, _ in stated)
        self._connection.executemany(
            "INSERT INTO statement (chunk, fact, start, stop) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            [(chunk, rows[f], span.start, span.end) for f, spans in stated for span in spans or (whole,)],
        )

    def _words(self, revision: int) -> list[Words]:
        (title,) = self._connection.execute("SELECT title FROM revision WHERE id = ?", (revision,)).fetchone()
        text = text_of(self._connection, revision)
        chunks = self._connection.execute("SELECT id, start, stop FROM chunk WHERE revision = ?", (revision,))
        return [(chunk, searchable(title), searchable(text[start:stop])) for chunk, start, stop in chunks]

    @abstractmethod
    def _index_words(self, words: Sequence[Words]) -> None:
        """Let chunks be found by their words."""

    @abstractmethod
    def _forget_words(self, words: Sequence[Words]) -> None:
        """Let them be found no more; the words are those by which they are."""
