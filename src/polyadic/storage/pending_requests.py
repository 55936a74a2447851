"""Pending batch requests: the tables ``pending_request``, ``recorded_response`` and ``pending_question``."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from polyadic.model.types import Document, Usage
from polyadic.storage.connection import Connection
from polyadic.storage.sql import ledger
from polyadic.storage.sql.meta import meta, put_meta
from polyadic.storage.sql.revisions import DOCUMENT, STAGED, document_of
from polyadic.storage.sql.tables import PENDING_QUESTION, PENDING_REQUEST
from polyadic.storage.table import Delete, Insert, Selection

WAITS = "EXISTS (SELECT 1 FROM pending_request a WHERE a.requester = document.digest)"
"""SQL condition on a row of ``document``: it waits for replies from a batch file."""
_OPEN = "NOT EXISTS (SELECT 1 FROM reply WHERE reply.digest = pending_request.digest)"
_USAGE = Selection(PENDING_REQUEST, "calls", "prompt_tokens", "completion_tokens", "money")


@dataclass(frozen=True, slots=True)
class PendingReply:
    """A pending request.

    ``document`` is the identifier of the document that it is about: the first one if several need it, empty if only
    questions do. ``known`` is true if the reply has arrived.
    """

    purpose: str
    document: str
    known: bool


@dataclass(frozen=True, slots=True)
class PendingCounts:
    """Counts of requests without a reply, unpublished documents and unanswered questions."""

    requests: int
    documents: int
    questions: int


class PendingRequests:
    """The pending requests of batch jobs within the open transaction of a connection.

    A waiting document has a staged revision, which is kept until the document is published, changed or deleted.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, requester: str, purposes: Mapping[str, str]) -> None:
        """Add the requests that a document or question waits for: purposes by request key."""
        digest = bytes.fromhex(requester)
        wanted = {bytes.fromhex(key): purpose for key, purpose in purposes.items()}
        # Rows whose replies have arrived stay: their cost is attributed until the requester has processed them.
        open_before = self._connection.execute(
            f"SELECT digest FROM pending_request WHERE requester = ? AND {_OPEN}", (digest,)
        ).fetchall()
        self._connection.change(
            Delete(PENDING_REQUEST, PENDING_REQUEST.key),
            [(key, digest) for (key,) in open_before if key not in wanted],
        )
        self._connection.change(
            Insert(PENDING_REQUEST, ("digest", "requester", "purpose"), ignore=True),
            [(key, digest, purpose) for key, purpose in wanted.items()],
        )

    def get(self, key: str) -> PendingReply | None:
        """Return a pending request; None if nothing waits for its reply."""
        row = self._connection.execute(
            "SELECT a.purpose, d.digest FROM pending_request a LEFT JOIN document d ON d.digest = a.requester"
            " WHERE a.digest = ? ORDER BY d.digest NULLS LAST",
            (bytes.fromhex(key),),
        ).fetchone()
        return PendingReply(row[0], row[1].hex() if row[1] else "", self.is_known(key)) if row else None

    def is_known(self, key: str) -> bool:
        """Return whether the reply to a request is cached."""
        found = self._connection.execute("SELECT 1 FROM reply WHERE digest = ?", (bytes.fromhex(key),))
        return found.fetchone() is not None

    def cache_reply(self, key: str, text: str, complete: bool) -> None:
        """Cache a paid reply."""
        ledger.cache_replies(self._connection, [(key, text, complete)])

    def enter(self, response: str) -> bool:
        """Mark a response (by digest) as entered in the ledger, permanently; False if it already was."""
        entered = self._connection.execute(
            "INSERT INTO recorded_response (digest) VALUES (?) ON CONFLICT DO NOTHING", (bytes.fromhex(response),)
        )
        return entered.rowcount > 0

    def pay(self, key: str, usage: Usage) -> None:
        """Record the usage of a response to a pending request."""
        self._connection.execute(
            "UPDATE pending_request SET calls = calls + ?, prompt_tokens = prompt_tokens + ?,"
            " completion_tokens = completion_tokens + ?, money = money + ? WHERE digest = ?",
            (*_USAGE.dump(usage).values(), bytes.fromhex(key)),
        )

    def paid(self, key: str) -> Usage:
        """Return the recorded usage of a pending request; zero if it is not pending."""
        sql = f"SELECT {_USAGE.of('a')} FROM pending_request a WHERE digest = ? ORDER BY calls DESC"
        row = self._connection.execute(sql, (bytes.fromhex(key),)).fetchone()
        return Usage(**_USAGE.load(row)) if row else Usage()

    def keys(self, requester: str) -> dict[str, str]:
        """Return the requests that a document or question waits for: purposes by key."""
        sql = "SELECT digest, purpose FROM pending_request WHERE requester = ?"
        return {digest.hex(): purpose for digest, purpose in self._connection.execute(sql, (bytes.fromhex(requester),))}

    def documents(self) -> list[str]:
        """Return the identifiers of waiting documents, ordered by source."""
        rows = self._connection.execute(f"SELECT digest FROM document WHERE {WAITS} ORDER BY source")
        return [digest.hex() for (digest,) in rows]

    def document(self, document_id: str) -> Document | None:
        """Return the staged revision of a waiting document; None if there is none."""
        sql = f"SELECT {DOCUMENT} FROM {STAGED} AND d.digest = ?"
        row = self._connection.execute(sql, (bytes.fromhex(document_id),)).fetchone()
        return document_of(self._connection, *row) if row else None

    def settle(self, document_id: str, content: str) -> None:
        """Release a document if its staged revision has other content than this."""
        sql = f"SELECT r.content FROM {STAGED} AND d.digest = ?"
        staged = self._connection.execute(sql, (bytes.fromhex(document_id),)).fetchone()
        if staged is not None and staged[0] != content:
            self.release(document_id)

    def release(self, *requesters: str) -> None:
        """Remove the pending requests of documents."""
        digests = [(bytes.fromhex(requester),) for requester in requesters]
        self._connection.change(Delete(PENDING_REQUEST, ("requester",)), digests)

    def save_question(self, question: str, content: str) -> None:
        """Save a question (its digest, and the task as JSON) until it is answered."""
        self._connection.change(Insert(PENDING_QUESTION, replace=("content",)), [(bytes.fromhex(question), content)])

    def questions(self) -> list[tuple[str, str]]:
        """Return unanswered questions: digest and content."""
        rows = self._connection.execute("SELECT digest, content FROM pending_question")
        return [(digest.hex(), content) for digest, content in rows]

    def delete_questions(self, questions: Sequence[str]) -> None:
        """Delete answered questions (by digest)."""
        digests = [(bytes.fromhex(question),) for question in questions]
        self._connection.change(Delete(PENDING_QUESTION, ("digest",)), digests)
        self.release(*questions)

    def dialect(self, model: str) -> str | None:
        """Return the request dialect (JSON) learned from a model's rejections in batches; None if there is none."""
        return meta(self._connection, f"dialect {model}")

    def keep_dialect(self, model: str, content: str) -> None:
        """Replace the learned dialect of a model."""
        put_meta(self._connection, f"dialect {model}", content)

    def forget(self) -> None:
        """Delete all pending requests; their staged revisions are deleted with the next clean-up."""
        for table in (PENDING_QUESTION, PENDING_REQUEST):
            self._connection.execute(f"DELETE FROM {table.name}")

    def counts(self) -> PendingCounts:
        requests, documents, questions = self._connection.execute(
            f"SELECT (SELECT count(DISTINCT digest) FROM pending_request WHERE {_OPEN}),"
            f" (SELECT count(*) FROM document WHERE {WAITS}), (SELECT count(*) FROM pending_question)"
        ).fetchone()
        return PendingCounts(requests, documents, questions)
