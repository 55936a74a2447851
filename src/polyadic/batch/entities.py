"""Let a model judge candidate pairs of entities by batch files, as ``entities review --by-model`` does by calls."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from polyadic.batch.report import EntityVerdicts
from polyadic.llm.batch_model import BatchModel, PendingRequest
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.model.identity import digest
from polyadic.resolution.candidates import CandidatePairs, MergeCandidate
from polyadic.resolution.llm_adjudication import PAIRS_A_REQUEST, adjudicate, pairs_to_judge
from polyadic.storage.protocol import Store

ASKER = digest("entities")
"""Key of the pending requests about entities in the store."""


@dataclass(slots=True)
class BatchEntityReview:
    """Requests about the uncertain pairs of a review, and their verdicts as far as replies are known.

    Parameters
    ----------
    store
        Store of the pending requests.
    model
        Batch model.
    prompts
        Prompts of the requests.
    errors
        Why the response to a request was unusable, by request key.
    note
        Called with each request whose reply is missing.
    failed
        Filled with the reasons why responses to missing requests were unusable, counted.
    """

    store: Store
    model: BatchModel
    prompts: PromptLibrary
    errors: Mapping[str, str]
    note: Callable[[PendingRequest], None]
    failed: Counter[str] = field(default_factory=Counter)

    def is_pending(self) -> bool:
        """Whether requests about entities are pending."""
        return self._requested() > 0

    async def judge(self, limit: int = 0) -> EntityVerdicts:
        """Read the verdicts that are known, and store the requests that are missing.

        Parameters
        ----------
        limit
            Number of pairs to list, as in a review; pairs that were requested earlier are always included.
        """
        candidates = self._candidates(limit, self._requested())
        asked = CachedModel(self.model, StoreResponseCache(self.store))
        judged = await adjudicate(candidates, asked, self.prompts)
        for request in judged.pending:
            self.note(request)
            if request.key in self.errors:
                self.failed[self.errors[request.key]] += 1
        with self.store.write() as writer:
            if judged.pending:
                writer.waiting.put(ASKER, {request.key: request.purpose for request in judged.pending})
            else:
                writer.waiting.release(ASKER)
        return EntityVerdicts(len(judged.verdicts), judged.unreadable, len(judged.pending))

    def _requested(self) -> int:
        """Number of requests of this review so far, with and without a reply."""
        with self.store.write() as writer:
            return len(writer.waiting.keys(ASKER))

    def _candidates(self, limit: int, requested: int) -> list[MergeCandidate]:
        with self.store.read() as reader:
            found = CandidatePairs.of(reader)
            listed = pairs_to_judge(found, found.ranked()[:limit])
            pairs = max(listed, found.uncertain()[: requested * PAIRS_A_REQUEST], key=len)
            return [found.candidate(pair) for pair in pairs]
