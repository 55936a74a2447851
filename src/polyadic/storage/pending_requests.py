"""Pending requests of batch jobs, and the questions and documents that wait for their replies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from polyadic.model.types import Document, Usage


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


class PendingRequests(Protocol):
    """The pending requests of batch jobs within a write transaction.

    A waiting document has a staged revision, which is kept until the document is published, changed or deleted.
    """

    def put(self, requester: str, purposes: Mapping[str, str]) -> None:
        """Add the requests that a document or question waits for: purposes by request key."""

    def get(self, key: str) -> PendingReply | None:
        """Return a pending request; None if nothing waits for its reply."""

    def is_known(self, key: str) -> bool:
        """Return whether the reply to a request is cached."""

    def cache_reply(self, key: str, text: str, complete: bool) -> None:
        """Cache a paid reply."""

    def enter(self, response: str) -> bool:
        """Mark a response (by digest) as entered in the ledger, permanently; False if it already was."""

    def pay(self, key: str, usage: Usage) -> None:
        """Record the usage of a response to a pending request."""

    def paid(self, key: str) -> Usage:
        """Return the recorded usage of a pending request; zero if it is not pending."""

    def keys(self, requester: str) -> dict[str, str]:
        """Return the requests that a document or question waits for: purposes by key."""

    def documents(self) -> list[str]:
        """Return the identifiers of waiting documents, ordered by source."""

    def document(self, document_id: str) -> Document | None:
        """Return the staged revision of a waiting document; None if there is none."""

    def settle(self, document_id: str, content: str) -> None:
        """Release a document if its staged revision has other content than this."""

    def release(self, *document_ids: str) -> None:
        """Remove the pending requests of documents."""

    def save_question(self, question: str, content: str) -> None:
        """Save a question (its digest, and the task as JSON) until it is answered."""

    def questions(self) -> list[tuple[str, str]]:
        """Return unanswered questions: digest and content."""

    def delete_questions(self, questions: Sequence[str]) -> None:
        """Delete answered questions (by digest)."""

    def dialect(self, model: str) -> str | None:
        """Return the request dialect (JSON) learned from a model's rejections in batches; None if there is none."""

    def keep_dialect(self, model: str, content: str) -> None:
        """Replace the learned dialect of a model."""

    def forget(self) -> None:
        """Delete all pending requests; their staged revisions are deleted with the next clean-up."""

    def counts(self) -> PendingCounts: ...
