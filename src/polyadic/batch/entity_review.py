"""Let a model judge candidate pairs of entities by batch files, as ``entities review --by-model`` does by calls."""

from dataclasses import dataclass

from polyadic.batch.report import EntityVerdicts
from polyadic.batch.stage import BatchStage
from polyadic.llm.cached_model import CachedModel, StoreResponseCache
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.identity import digest
from polyadic.resolution.llm_adjudication import PAIRS_A_REQUEST, adjudicate, pairs_to_judge
from polyadic.resolution.merge_candidates import CandidatePairs, MergeCandidate


@dataclass(slots=True)
class BatchEntityReview(BatchStage):
    """Requests about the uncertain pairs of a review, made with ``prompts``, and their verdicts."""

    key = digest("entities")

    prompts: PromptLibrary

    async def judge(self, limit: int = 0) -> EntityVerdicts:
        """Read the verdicts that are known, and store the requests that are missing.

        Parameters
        ----------
        limit
            Number of pairs to list, as in a review; pairs that were requested earlier are always included.
        """
        candidates = self._candidates(limit, self.requested())
        asked = CachedModel(self.model, StoreResponseCache(self.store))
        judged = await adjudicate(candidates, asked, self.prompts)
        self.note_all(judged.pending)
        self.save({request.key: request.purpose for request in judged.pending})
        return EntityVerdicts(len(judged.verdicts), judged.unreadable, len(judged.pending))

    def _candidates(self, limit: int, requested: int) -> list[MergeCandidate]:
        with self.store.read() as reader:
            found = CandidatePairs.of(reader)
            listed = pairs_to_judge(found, found.ranked()[:limit])
            pairs = max(listed, found.uncertain()[: requested * PAIRS_A_REQUEST], key=len)
            return [found.candidate(pair) for pair in pairs]
