"""C-ERec: the share of capitalized words of the gold answer that occur in the generated answer."""

from polyadic.evaluation.measures.token_sets import capitalized_words, most_covered
from polyadic.evaluation.outcome import QuestionOutcome


class ContextEntityRecall:
    """|E(G) ∩ E(P)| / |E(G)| in percent, where E are capitalized words, G the gold and P the generated answer.

    Source: HyperGraphRAG v1 (arXiv 2503.21322v1). The best of several gold answers counts; the measure does not apply
    if none has a capitalized word. It differs from the RAGAS measure of the same name.
    """

    name = "c-erec"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        if outcome.answer is None:
            return None
        return most_covered(map(capitalized_words, outcome.question.answers), capitalized_words(outcome.answer))
