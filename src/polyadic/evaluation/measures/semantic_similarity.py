"""R-S: embedding similarity of the retrieved and the gold knowledge."""

from collections.abc import Sequence

from polyadic.embeddings.embedder import Embedder
from polyadic.evaluation.question_record import QuestionOutcome


class SemanticSimilarity:
    """Cosine similarity of the embeddings of all retrieved and of all gold knowledge, in percent.

    Source: HyperGraphRAG v3 (arXiv 2503.21322v3). The paper embeds with SimCSE; any embedder can be used, but values of
    different embedders are not comparable. Retrieved knowledge is joined into one text, best first, and so is gold
    knowledge. The score is 0 if nothing was retrieved. The measure does not apply to questions without gold knowledge.

    An embedder reads only its context window: 128 tokens in the paper, 256 for all-MiniLM-L6-v2. So only the beginning
    of each text counts: the score compares the few best items with the first gold ones. Retrieving ten times as much
    costs nothing, late hits gain nothing, and the order is decisive.
    """

    name = "r-s"
    best = 100.0

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def scores(self, outcomes: Sequence[QuestionOutcome]) -> list[float | None]:
        """Return the score of each outcome, in order; raises the errors of ``Embedder.embed``."""
        scores_by_outcome: list[float | None] = [0.0 if outcome.question.knowledge else None for outcome in outcomes]
        both = [n for n, outcome in enumerate(outcomes) if outcome.question.knowledge and outcome.knowledge]
        texts = [outcomes[n].knowledge for n in both] + [outcomes[n].question.knowledge for n in both]
        vectors = await self._embedder.embed(["\n".join(text) for text in texts])
        for n, retrieved, gold in zip(both, vectors[: len(both)], vectors[len(both) :], strict=True):
            scores_by_outcome[n] = 100 * float(retrieved @ gold)
        return scores_by_outcome
