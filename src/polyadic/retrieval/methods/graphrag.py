"""Method ``graphrag``: GraphRAG's local search (arXiv 2404.16130 and its code).

It retrieves the 60 entities nearest to the question, the reports of the communities that contain most of them, their
facts, and the passages that state these. Differences from GraphRAG:

- Entities are those of the documents, without summaries. Communities are those of the stored hierarchy, of all levels.
  They also contain summaries, unless it was built with ``layers = 0``: then they are GraphRAG's own, found by Leiden in
  the graph of entities.
- Facts of any number of entities replace relationships; they are ranked by similarity to the question. With ``pairs``
  (method ``graphrag-binary``), facts are expanded into pairs in GraphRAG's order: pairs of two of the nearest entities
  by the degree of both, then pairs of one of them, by the number of the nearest entities that the other is paired with,
  then by degree.
- Reports get half of the tokens, because there are no tables of entities, relationships and claims.
"""

from collections import Counter
from dataclasses import replace

import numpy as np

from polyadic.config import GraphRAGSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Item, ItemKind, Knowledge, RetrievalSection
from polyadic.retrieval.clique_expansion import PairwiseEdges, expand_cliques, gathered, pair_items
from polyadic.retrieval.community_search import NearCommunity, holding
from polyadic.retrieval.global_knowledge import report_contexts, whole_reports
from polyadic.retrieval.hierarchy_search import NOT_BUILT, HierarchySearch
from polyadic.retrieval.local_knowledge import FACTS_OF_AN_ENTITY, local_items
from polyadic.retrieval.shared_budget import split_budget
from polyadic.retrieval.similarity_hits import alike_to
from polyadic.retrieval.token_budget import knowledge
from polyadic.retrieval.trace import Trace
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.incidence import among
from polyadic.storage.protocol import Hits, Reader, Rows

_PAIRS_OF_AN_ENTITY = 10
"""GraphRAG's top_k_relationships: pairs for each of the nearest entities, in total."""
_PAIR_SHARE = 0.75
"""Share of pairs among pairs, descriptions and passages: that of facts and descriptions in local_items."""
_UNLIMITED = 10**9


class GraphRAG:
    """Retrieve community reports, facts and passages of the entities nearest to the question."""

    name = "graphrag"

    def __init__(self, settings: GraphRAGSettings) -> None:
        self._settings = settings

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace, hierarchy = Trace(), reader.hierarchy_reader()
        vector = (await embedder.embed([question]))[0]
        trace.done("embed", "the question")
        near = reader.nearest("entity", vector, self._settings.entities)
        communities = most_held(near, self._settings.communities, hierarchy)
        search = HierarchySearch(vector, near, communities, [], False, reader, hierarchy)
        contexts = report_contexts(communities, reader, hierarchy)
        # GraphRAG's order: by the number of these entities in the community, then by rating.
        contexts.sort(key=lambda context: (-context.nearness, -context.report.rating))
        reports = whole_reports(contexts, vector, reader, hierarchy)
        trace.done("reports", f"{len(reports)} of communities" if search.built else NOT_BUILT)
        facts = [replace(item, section=RetrievalSection.NONE) for item in local_items(search)]
        if self._settings.pairs:
            facts = _with_pairs(facts, search)
        trace.done("facts", f"{len(facts)} facts, passages and descriptions of {len(near.rows)} entities")
        shares = {"reports": self._settings.report_share, "facts": 1 - self._settings.report_share}
        kept, omitted = split_budget({"reports": reports, "facts": facts}, shares, context_tokens)
        result = knowledge(question, self.name, kept, context_tokens, trace)
        return replace(result, omitted=omitted, note="" if search.built else NOT_BUILT)


def most_held(near: Hits, most: int, hierarchy: HierarchyReader) -> list[NearCommunity]:
    """Return the communities that contain most of the nearest entities; ties prefer the more specific ones."""
    rows = hierarchy.communities_of(near.rows, np.zeros(0, dtype=np.int64))
    if not len(rows):
        return []
    held, sizes = holding(rows, near.rows, hierarchy.held(rows))
    counts = held.sum(axis=1)
    best = np.lexsort((np.arange(len(rows)), sizes, -counts))[:most]
    return [NearCommunity(int(rows[i]), float(counts[i]), near.rows[held[i]]) for i in best.tolist()]


def _with_pairs(items: list[Item], search: HierarchySearch) -> list[Item]:
    """Replace the facts among items by pairs of entities."""
    reader, near = search.reader, search.near.rows
    pairs = expand_cliques(np.unique(reader.facts_of(near, FACTS_OF_AN_ENTITY, search.vector).targets), reader)
    pairs = pairs.at(among(pairs.firsts, near) | among(pairs.seconds, near))
    ordered = _relationship_order(pairs, near, reader)[: _PAIRS_OF_AN_ENTITY * len(near)]
    similarity = alike_to(search.vector, "fact", pairs.facts, reader)
    edges = pairs.at(gathered(pairs, ordered, similarity))
    whys = ["about entities near the question"] * len(edges)
    relationships = pair_items(edges, alike_to(search.vector, "fact", edges.facts, reader), whys, reader)
    others = [item for item in items if item.kind is not ItemKind.FACT]
    shares = {"pairs": _PAIR_SHARE, "others": 1 - _PAIR_SHARE}
    mixed, _ = split_budget({"pairs": relationships, "others": others}, shares, _UNLIMITED)
    return list(mixed)


def _relationship_order(pairs: PairwiseEdges, near: Rows, reader: Reader) -> list[tuple[int, int]]:
    """Return each pair of entities once, in GraphRAG's order."""
    distinct_pairs = sorted(set(pairs.ends))
    entities = np.unique(np.array(distinct_pairs, dtype=np.int64).reshape(-1))
    degree = dict(zip(entities.tolist(), reader.degrees("entity_facts", entities).tolist(), strict=True))
    selected = set(near.tolist())
    links = Counter(end for ends in distinct_pairs for end in ends if end not in selected)

    def rank(ends: tuple[int, int]) -> tuple[bool, int, int]:
        outside = [end for end in ends if end not in selected]
        return bool(outside), -sum(links[end] for end in outside), -(degree[ends[0]] + degree[ends[1]])

    return sorted(distinct_pairs, key=rank)
