"""A stage of a batch run, with its pending requests in the store."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from polyadic.llm.batch_model import BatchModel, PendingRequest
from polyadic.storage.protocol import Store


@dataclass(slots=True)
class BatchStage:
    """A stage that proceeds as far as replies are known; each round repeats earlier steps from cached replies.

    Parameters
    ----------
    store
        Store of the pending requests.
    model
        Batch model.
    errors
        Why the response to a request was unusable, by request key.
    note
        Called with each request whose reply is missing.

    Attributes
    ----------
    failed
        Reasons why responses to missing requests were unusable, counted.
    """

    key: ClassVar[str]
    """Key of the stage's pending requests in the store."""

    store: Store
    model: BatchModel
    errors: Mapping[str, str]
    note: Callable[[PendingRequest], None]
    failed: Counter[str] = field(default_factory=Counter, init=False)

    def is_pending(self) -> bool:
        """Whether requests of the stage are pending."""
        return self.requested() > 0

    def requested(self) -> int:
        """Number of requests of the stage so far, with and without a reply."""
        with self.store.write() as writer:
            return len(writer.waiting.keys(self.key))

    def note_all(self, requests: Iterable[PendingRequest]) -> None:
        """Note requests whose replies are missing, and count those whose responses were unusable."""
        for request in requests:
            self.note(request)
            if request.key in self.errors:
                self.failed[self.errors[request.key]] += 1

    def save(self, purposes: Mapping[str, str]) -> None:
        """Store the pending requests, by key with their purpose; without any, the stage is complete."""
        with self.store.write() as writer:
            if purposes:
                writer.waiting.put(self.key, purposes)
            else:
                writer.waiting.release(self.key)
