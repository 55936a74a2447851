"""What is awaited from batch files: requests whose replies are to come, and the questions that need some of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from polyadic.model.types import Document, Usage


@dataclass(frozen=True, slots=True)
class AwaitedReply:
    """A request whose reply is awaited.

    ``document`` is the identifier of the document that it is about, of the first where several need it, empty where
    only questions do. ``known`` says that the reply is there by now.
    """

    purpose: str
    document: str
    known: bool


@dataclass(frozen=True, slots=True)
class PendingCounts:
    """How much is awaited: requests without a reply, documents that wait to be published, questions to be answered."""

    requests: int
    documents: int
    questions: int


class PendingRequests(Protocol):
    """The part of a Writer that knows what is awaited from batch files.

    A document that waits has a staged revision, which is kept until it is published, changed or withdrawn.
    """

    def put(self, asker: str, purposes: Mapping[str, str]) -> None:
        """What a document or a question waits for from now on: purposes by the keys of requests."""

    def get(self, key: str) -> AwaitedReply | None:
        """What is known of a request; None where nothing waits for a reply to it."""

    def is_known(self, key: str) -> bool:
        """Whether the reply to a request is remembered."""

    def remember(self, key: str, text: str, complete: bool) -> None:
        """Remember a reply that has been paid for."""

    def enter(self, response: str) -> bool:
        """Note for good that a response, by its digest, is entered in the ledger; False where it was before."""

    def pay(self, key: str, usage: Usage) -> None:
        """Note that this was paid for a response to a request that is awaited."""

    def paid(self, key: str) -> Usage:
        """What responses to a request have cost while it is awaited; nothing where nothing waits for it."""

    def keys(self, asker: str) -> dict[str, str]:
        """Purposes of the requests that a document or a question waits for, by key."""

    def documents(self) -> list[str]:
        """The documents that wait, by identifier, in the order of their sources."""

    def document(self, document_id: str) -> Document | None:
        """The staged revision of a document that waits; None where there is none."""

    def settle(self, document_id: str, content: str) -> None:
        """Let a document that is of this content wait no longer for the replies to another content of it."""

    def release(self, *document_ids: str) -> None:
        """Let documents wait no longer."""

    def ask(self, question: str, content: str) -> None:
        """Keep a question (its digest, and what is to be done as JSON) until it has been answered."""

    def asked(self) -> list[tuple[str, str]]:
        """Questions that have not been answered: digest and content."""

    def answered(self, questions: Sequence[str]) -> None:
        """Forget questions (by digest)."""

    def dialect(self, model: str) -> str | None:
        """What was learned (JSON) from a model's refusals in batches; None where nothing was."""

    def keep_dialect(self, model: str, content: str) -> None:
        """Keep what was learned, instead of what was before."""

    def forget(self) -> None:
        """Forget all that is awaited; staged revisions are then dropped with other leftovers."""

    def counts(self) -> PendingCounts: ...
