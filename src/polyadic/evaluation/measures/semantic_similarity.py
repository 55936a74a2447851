"""R-S: how alike what was retrieved and the gold knowledge are as a whole."""

from collections.abc import Sequence

from polyadic.embeddings.embedder import Embedder
from polyadic.evaluation.outcome import QuestionOutcome


class SemanticSimilarity:
    """The cosine between the embeddings of all retrieved knowledge and of all gold knowledge, in percent.

    Source: HyperGraphRAG v3 (arXiv 2503.21322v3). The paper embeds with SimCSE; any embedder may stand here,
    and values of two embedders cannot be compared. All knowledge is one text, best first; where nothing was retrieved,
    the score is 0. It does not apply to questions without gold knowledge.

    An embedder reads no more than its window: 128 tokens in the paper, 256 for all-MiniLM-L6-v2. Only the beginning of
    either text counts then, so the score says how alike the few best pieces and the first gold ones are, whatever
    follows: knowledge that is ten times as long costs nothing, what is found late earns nothing, and order decides.
    """

    name = "r-s"
    best = 100.0

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def scores(self, outcomes: Sequence[QuestionOutcome]) -> list[float | None]:
        """Raises as Embedder.embed does."""
        found: list[float | None] = [0.0 if outcome.question.knowledge else None for outcome in outcomes]
        both = [n for n, outcome in enumerate(outcomes) if outcome.question.knowledge and outcome.knowledge]
        texts = [outcomes[n].knowledge for n in both] + [outcomes[n].question.knowledge for n in both]
        vectors = await self._embedder.embed(["\n".join(text) for text in texts])
        for n, retrieved, gold in zip(both, vectors[: len(both)], vectors[len(both) :], strict=True):
            found[n] = 100 * float(retrieved @ gold)
        return found
