"""Method ``auto``: words, vectors and a walk over the hypergraph together, the question deciding what counts.

The passages around a question are gathered by ``walk``, which starts from names, from the nearest vectors and from the
best by BM25. They are then ranked by all of these (fusion.py).
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from polyadic.config import Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Heading, Knowledge
from polyadic.retrieval.fusion import FusionSignals, fused
from polyadic.retrieval.methods.walk import Walk, WalkOutcome
from polyadic.retrieval.ranking import best_target
from polyadic.retrieval.relevance.question_features import QuestionFeatures, read_asked
from polyadic.retrieval.subgraph import position
from polyadic.retrieval.token_budget import knowledge_of
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader, Vectors
from polyadic.storage.row_sets import distinct
from polyadic.text.headings import heading_path

_FLATTENING = np.float32(4.0)
# How much the score of a passage counts for the facts that it states. Chosen with _FACTS_FIRST.
_OF_THE_PASSAGE = np.float32(0.75)
# Fewer than of a walk: the first passage answers more often than it does there. Chosen on the kinds for development of
# benchmarks/ordinary and on two multi-hop sets.
_FACTS_FIRST = 16
# Of a word with digits or marks in a heading: "§ 823", "--retry".
_OF_A_CODE = 2.0


class Auto:
    """Implements Method."""

    name = "auto"

    def __init__(self, settings: Settings) -> None:
        self._walk = Walk(settings.walk)

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace = Trace()
        walked = await self._walk.walked(question, reader, embedder, trace)
        scores = fused(signals(question, walked, reader))
        # Above 0, as shares of the best are taken of scores; flattened, as the odds of the model are too sure.
        shares = np.exp((scores - scores.max()) / _FLATTENING) if len(scores) else scores
        ranked = self._walk.listed(_with_passages(walked, shares), shares, reader, _FACTS_FIRST)
        trace.done("rank", f"{len(ranked)} facts and passages, by words, vectors and walk")
        return knowledge_of(question, self.name, ranked, context_tokens, trace, reader)


def _with_passages(walked: WalkOutcome, shares: Vectors) -> WalkOutcome:
    """Facts scored with the best passage that states them: the walk alone does not know the words of the question."""
    graph = walked.end.graph
    stating = best_target(graph.statement, shares, len(graph.facts))
    return replace(walked, fact_scores=np.asarray(walked.fact_scores * stating**_OF_THE_PASSAGE, dtype=np.float32))


def signals(question: str, walked: WalkOutcome, reader: Reader) -> FusionSignals:
    """What a walk tells of the passages around a question."""
    graph, lexical = walked.end.graph, walked.start.lexical_chunks
    bm25 = np.zeros(len(graph.chunks), dtype=np.float32)
    bm25[position(lexical.rows, graph.chunks)] = lexical.scores
    mass = walked.end.masses.chunks
    return FusionSignals(
        question,
        bm25,
        walked.chunk_similarity,
        walked.chunk_scores,
        best_target(graph.statement[::-1], walked.end.similarity, len(graph.chunks)),
        np.sqrt(mass / max(float(mass.max(initial=0.0)), 1e-9)),
        *_in_headings(question, walked, reader),
        len(walked.asked.mentions),
        reader.spread(walked.asked.anchors),
    )


def _in_headings(question: str, walked: WalkOutcome, reader: Reader) -> tuple[Vectors, Vectors, Vectors]:
    """The shares of the question's words in the title, the headings, and both, of each of the nearest passages.

    Of several sections that a passage is part of, the one with most counts; words with digits or marks count twice.
    """
    asked = read_asked(question)
    words = {word: _OF_A_CODE if word in asked.codes else 1.0 for word in asked.content}
    whole = sum(words.values()) or 1.0

    def share(held: frozenset[str]) -> float:
        return sum(weight for word, weight in words.items() if word in held) / whole

    rows = distinct(walked.start.nearest_chunks.rows, walked.start.lexical_chunks.rows)
    places = reader.chunk_places(rows)
    outlines = reader.headings([place.chunk_id for place in places])
    found = np.zeros((3, len(walked.end.graph.chunks)), dtype=np.float32)
    for row, place in zip(position(rows, walked.end.graph.chunks).tolist(), places, strict=True):
        title = asked.stems(place.title)
        sections = _sections(outlines[place.chunk_id], asked)
        found[0, row] = share(title)
        found[1, row] = max(map(share, sections), default=0.0)
        found[2, row] = max((share(section | title) for section in sections), default=share(title))
    titles, headings, both = found
    return titles, headings, both


def _sections(outline: Sequence[Heading], asked: QuestionFeatures) -> list[frozenset[str]]:
    """The stems of the headings above each section of an outline, its own included."""
    return [
        frozenset().union(*(asked.stems(above.words) for above in heading_path(outline, heading.end)))
        for heading in outline
    ]
