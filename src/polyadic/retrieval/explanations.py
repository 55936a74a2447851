"""Explain retrieved facts and chunks for the user."""

import numpy as np
from numpy.typing import NDArray

from polyadic.retrieval.bridge_entities import BridgeEntities
from polyadic.retrieval.entity_linking import AnalyzedQuestion
from polyadic.retrieval.subgraph import Places, Subgraph, assign
from polyadic.storage.protocol import Vectors


class Explanations:
    """Explain each fact and chunk of a subgraph by a name in the question, or else by a bridge."""

    def __init__(self, graph: Subgraph, question: AnalyzedQuestion, bridges: BridgeEntities) -> None:
        self._texts = [f"about {name}, which the question names" for name in question.mentions]
        self._texts += [f"reached through {name}" for name in bridges.names]
        # A reason is an index of _texts: lower ones explain better; len(_texts) means none.
        reasons = np.full(len(graph.entities), len(self._texts))
        assign(reasons, graph.entities, bridges.rows, len(question.mentions) + np.arange(len(bridges.rows)))
        assign(reasons, graph.entities, question.anchors, question.groups)
        self._facts = self._first(len(graph.facts), graph.participation, reasons)
        stated = self._first(len(graph.chunks), graph.statement[::-1], self._facts)
        named = self._first(len(graph.chunks), graph.naming, reasons)
        self._chunks = np.where(named < len(self._texts), named, stated)

    def of_facts(self, facts: Places, similarities: Vectors) -> list[str]:
        """Explain facts, given by position in the graph, with their similarity to the question."""
        return self._explain(self._facts[facts], similarities)

    def of_chunks(self, chunks: Places, similarities: Vectors) -> list[str]:
        """Explain chunks, given by position in the graph, with their similarity to the question."""
        return self._explain(self._chunks[chunks], similarities)

    def _first(self, size: int, incidence: Places, reasons: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return for each source of an incidence the best reason among its targets."""
        first = np.full(size, len(self._texts))
        np.minimum.at(first, incidence[0], reasons[incidence[1]])
        return first

    def _explain(self, reasons: NDArray[np.int64], similarities: Vectors) -> list[str]:
        return [
            self._texts[reason] if reason < len(self._texts) else f"similar to the question ({similarity:.2f})"
            for reason, similarity in zip(reasons.tolist(), similarities.tolist(), strict=True)
        ]
