"""Method ``pathrag``: PathRAG (arXiv 2502.14902, section 3), over facts expanded into pairs.

It finds the entities nearest to the names in the question, and between each two of them the paths with enough flow; the
most reliable paths are retrieved pair by pair. Differences from the paper and its code:

- Keywords: the names in the question replace those of a language model.
- The graph consists of the facts of these entities; for a hub, only those nearest to the question. The middle of a path
  of three pairs is found if such a fact states it. Pairs have no direction.
- A pair has the sentences of its facts, three at most, as separate items, so that each can be cited; a pair on several
  paths occurs once.
- The best path comes first, as in every method; ``best_last`` puts it last, as the paper does.
"""

from dataclasses import replace

import numpy as np

from polyadic.config import PathRAGSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Item, Knowledge
from polyadic.retrieval.clique_expansion import PairwiseEdges, expand_cliques, gathered, pair_items
from polyadic.retrieval.flow_pruning import FlowPath, paths_between
from polyadic.retrieval.query_entity_extraction import QueryEntityFinder, embed_question_and_names
from polyadic.retrieval.similarity_hits import alike_to
from polyadic.retrieval.token_budget import knowledge
from polyadic.retrieval.trace import Trace
from polyadic.storage.protocol import Reader, Rows, Vectors

_FACTS_OF_AN_ENTITY = 60


class PathRAG:
    """Retrieve the pairs on the most reliable paths between entities near the question."""

    name = "pathrag"

    def __init__(self, settings: PathRAGSettings, question_entities: QueryEntityFinder) -> None:
        self._settings = settings
        self._question_entities = question_entities

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace, settings = Trace(), self._settings
        named, (h_q, h_names) = await embed_question_and_names(
            question, self._question_entities, reader, embedder, trace, joined=True
        )
        near = reader.nearest("entity", h_names, settings.entities).rows
        pairs = expand_cliques(np.unique(reader.facts_of(near, _FACTS_OF_AN_ENTITY, h_q).targets), reader)
        paths = paths_between(_graph(pairs), near.tolist(), settings.decay, settings.threshold)
        trace.done("paths", f"{len(paths)} between {len(near)} entities; {min(len(paths), settings.paths)} are used")
        items = self._items(paths[: settings.paths], pairs, h_q, reader)
        result = knowledge(question, self.name, items, context_tokens, trace)
        return replace(result, items=result.items[:: -1 if settings.best_last else 1], usage=named.usage)

    def _items(self, paths: list[FlowPath], pairs: PairwiseEdges, h_q: Vectors, reader: Reader) -> list[Item]:
        """Return the facts about each pair on each path, in order of the paths."""
        on = {ends: path for path in reversed(paths) for ends in _pairs_on(path)}
        ordered = list(dict.fromkeys(ends for path in paths for ends in _pairs_on(path)))
        edges = pairs.at(gathered(pairs, ordered, alike_to(h_q, "fact", pairs.facts, reader)))
        reliability = np.array([on[ends].reliability for ends in edges.ends], dtype=np.float32)
        names = _names(paths, reader)
        whys = [f"on the path {' — '.join(names[node] for node in on[ends].nodes)}" for ends in edges.ends]
        return pair_items(edges, reliability, whys, reader, self._settings.sentences)


def _graph(pairs: PairwiseEdges) -> dict[int, list[int]]:
    """Return the sorted neighbours of each entity, by row."""
    neighbours: dict[int, set[int]] = {}
    for first, second in pairs.ends:
        neighbours.setdefault(first, set()).add(second)
        neighbours.setdefault(second, set()).add(first)
    return {node: sorted(others) for node, others in neighbours.items()}


def _pairs_on(path: FlowPath) -> list[tuple[int, int]]:
    return [(min(pair), max(pair)) for pair in zip(path.nodes, path.nodes[1:], strict=False)]


def _names(paths: list[FlowPath], reader: Reader) -> dict[int, str]:
    rows: Rows = np.array(sorted({node for path in paths for node in path.nodes}), dtype=np.int64)
    return {row: entity.name for row, entity in zip(rows.tolist(), reader.entities(rows), strict=True)}
