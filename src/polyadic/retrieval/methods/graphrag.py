"""Method ``graphrag``: GraphRAG's local search (arXiv 2404.16130 and its code), a baseline on the same hierarchy.

It retrieves the 60 entities nearest to the question, the reports of the communities that contain most of them, their
facts, and the passages that state these. Differences from GraphRAG:

- Entities are those of the documents, without summaries; communities are those of this hierarchy, which also contain
  summaries, and all levels are used.
- Facts of any number of entities replace relationships; they are ranked by similarity to the question.
- Reports get half of the tokens, because there are no tables of entities, relationships and claims.
"""

from dataclasses import replace

import numpy as np

from polyadic.embeddings.embedder import Embedder
from polyadic.model.types import Knowledge, RetrievalSection
from polyadic.retrieval.budget_split import split_budget
from polyadic.retrieval.community_search import NearCommunity, holding
from polyadic.retrieval.global_items import report_contexts
from polyadic.retrieval.hierarchy_search import NOT_BUILT, HierarchySearch
from polyadic.retrieval.local_items import local_items
from polyadic.retrieval.report_items import whole_reports
from polyadic.retrieval.token_budget import knowledge
from polyadic.retrieval.trace import Trace
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Hits, Reader

ENTITIES, COMMUNITIES = 60, 20
_SHARES = {"reports": 0.5, "facts": 0.5}


class GraphRAG:
    """Retrieve community reports, facts and passages of the entities nearest to the question."""

    name = "graphrag"

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        trace, hierarchy = Trace(), reader.hierarchy_reader()
        vector = (await embedder.embed([question]))[0]
        trace.done("embed", "the question")
        near = reader.nearest("entity", vector, ENTITIES)
        communities = most_held(near, COMMUNITIES, hierarchy)
        search = HierarchySearch(vector, near, communities, [], False, reader, hierarchy)
        contexts = report_contexts(communities, reader, hierarchy)
        # GraphRAG's order: by the number of these entities in the community, then by rating.
        contexts.sort(key=lambda context: (-context.nearness, -context.report.rating))
        reports = whole_reports(contexts, vector, reader, hierarchy)
        trace.done("reports", f"{len(reports)} of communities" if search.built else NOT_BUILT)
        facts = [replace(item, section=RetrievalSection.NONE) for item in local_items(search)]
        trace.done("facts", f"{len(facts)} facts, passages and descriptions of {len(near.rows)} entities")
        kept, omitted = split_budget({"reports": reports, "facts": facts}, _SHARES, context_tokens)
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
