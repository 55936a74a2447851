"""Local knowledge (HiRAG, arXiv 2503.10150): the entities nearest to a question, their facts, and source passages."""

from dataclasses import replace

import numpy as np

from polyadic.model.types import Item, RetrievalSection
from polyadic.model.value_entities import is_value
from polyadic.retrieval.edge_weights import completeness
from polyadic.retrieval.hierarchy_items import described, entity_items, summary_items
from polyadic.retrieval.hierarchy_nodes import Nodes, entities_in, names, summaries_in
from polyadic.retrieval.hierarchy_search import HierarchySearch
from polyadic.retrieval.items import chunk_items, fact_items, similar
from polyadic.retrieval.shared_budget import split_budget
from polyadic.retrieval.similarity_hits import targets_by_source
from polyadic.storage.protocol import Hits, Rows, Vectors

FACTS_OF_AN_ENTITY, FACTS, PASSAGES = 20, 40, 10
_PASSAGES_OF_A_FACT = 5
# Token shares of descriptions, facts and passages.
_SHARES = {"descriptions": 0.2, "facts": 0.55, "passages": 0.25}
_UNLIMITED = 10**9


def local_items(search: HierarchySearch, with_facts: bool = True) -> list[Item]:
    """Return descriptions, facts and passages of the nearest nodes, best first and interleaved.

    Facts are those of the nearest entities, nearest to the question first; passages are those that state them. An
    entity without a description is represented by its facts alone. For a general question no passage is nearer than
    others, so none is returned. Without ``with_facts``, only descriptions are returned.
    """
    if not with_facts:
        return [replace(item, section=RetrievalSection.LOCAL) for item in _descriptions(search)]
    facts, similarities = _facts(search)
    queues = {
        "descriptions": _descriptions(search),
        "facts": fact_items(facts, similarities, _whys(facts, search), search.reader),
        "passages": [] if search.whole else _passages(facts, similarities, search),
    }
    mixed, _ = split_budget(queues, _SHARES, _UNLIMITED)
    return [replace(item, section=RetrievalSection.LOCAL) for item in mixed]


def _descriptions(search: HierarchySearch) -> list[Item]:
    """Return the descriptions of the nearest entities and summaries, best first; values such as "1962" are left out."""
    reader, hierarchy, near = search.reader, search.hierarchy, search.near
    entities, summaries = entities_in(near.rows), summaries_in(near.rows)
    of_entities, of_summaries = near.scores[near.rows >= 0], near.scores[near.rows < 0]
    named = np.array([not is_value(one.name, one.type) for one in reader.entities(entities)], dtype=bool)
    entities, of_entities = entities[named], of_entities[named]
    items = entity_items(entities, of_entities, similar(of_entities.tolist()), search.vector, reader)
    texts = [described(summary.name, summary.type, summary.description) for summary in hierarchy.summaries(summaries)]
    whys = similar(of_summaries.tolist())
    items += summary_items(summaries, texts, of_summaries, whys, search.vector, reader, hierarchy)
    return sorted(items, key=lambda item: -item.score)


def _facts(search: HierarchySearch) -> tuple[Rows, Vectors]:
    """Return the facts of the nearest entities by similarity to the question x completeness."""
    reader = search.reader
    facts = np.unique(reader.facts_of(entities_in(search.near.rows), FACTS_OF_AN_ENTITY, search.vector).targets)
    similarities = reader.similarity("fact", facts, search.vector[None, :])[0] * completeness(facts, reader)
    best = np.argsort(-similarities, kind="stable")[:FACTS]
    return facts[best], similarities[best]


def _whys(facts: Rows, search: HierarchySearch) -> list[str]:
    """Explain each fact by the nearest entity that takes part in it."""
    rank = {node: i for i, node in enumerate(search.near.rows.tolist())}
    taking_part = targets_by_source(search.reader.links("fact_entities", facts))
    best = [min((e for e in taking_part[fact] if e in rank), key=rank.__getitem__) for fact in facts.tolist()]
    nodes: Nodes = np.array(best, dtype=np.int64)
    named = names(nodes, search.reader, search.hierarchy)
    return [f"about {named[node]}, which is near the question" for node in best]


def _passages(facts: Rows, similarities: Vectors, search: HierarchySearch) -> list[Item]:
    """Return the passages that state these facts, by the mean similarity of the passage and its nearest fact."""
    links = search.reader.links("fact_chunks", facts, _PASSAGES_OF_A_FACT)
    chunks, which = np.unique(links.targets, return_inverse=True)
    own = search.reader.similarity("chunk", chunks, search.vector[None, :])[0]
    stated = np.full(len(chunks), -1.0, dtype=np.float32)
    np.maximum.at(stated, which, similarities[_places(links.sources, facts)])
    nearness = ((own + stated) / 2).astype(np.float32)
    best = np.argsort(-nearness, kind="stable")[:PASSAGES]
    hits = Hits(chunks[best], nearness[best])
    return chunk_items(hits.rows, hits.scores, similar(hits.scores.tolist()), search.reader)


def _places(rows: Rows, among: Rows) -> Rows:
    """Return the positions of rows in an unsorted array that contains them all."""
    order = np.argsort(among)
    return order[np.searchsorted(among[order], rows)]
