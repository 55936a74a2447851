"""C-ERec: how many names of the golden answer are in the generated one."""

from polyadic.evaluation.measures.token_sets import capitalised_words, most_covered
from polyadic.evaluation.outcome import QuestionOutcome


class ContextEntityRecall:
    """|E(G) ∩ E(P)| / |E(G)| in percent: E the capitalised words, G the golden answer, P the generated answer.

    Source: HyperGraphRAG v1 (arXiv 2503.21322v1). Of several golden answers, the one that is
    covered best; it does not apply where none has a capitalised word. RAGAS's measure of the same name is another.
    """

    name = "c-erec"
    best = 100.0

    def score(self, outcome: QuestionOutcome) -> float | None:
        if outcome.answer is None:
            return None
        return most_covered(map(capitalised_words, outcome.question.answers), capitalised_words(outcome.answer))
