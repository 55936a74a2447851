"""Local knowledge (HiRAG, arXiv 2503.10150): the entities nearest to a question, their facts, and source passages."""

from dataclasses import replace

import numpy as np

from polyadic.model.types import Item, RetrievalSection
from polyadic.retrieval.budget_split import split_budget
from polyadic.retrieval.edge_weights import completeness
from polyadic.retrieval.hierarchy_items import described, entity_items, summary_items
from polyadic.retrieval.hierarchy_nodes import Nodes, entities_in, names, summaries_in
from polyadic.retrieval.hierarchy_search import HierarchySearch
from polyadic.retrieval.items import chunk_items, fact_items, similar
from polyadic.retrieval.similarity_hits import targets_by_source
from polyadic.storage.protocol import Hits, Rows, Vectors

FACTS_OF_AN_ENTITY, FACTS, PASSAGES = 20, 40, 10
_PASSAGES_OF_A_FACT = 5
# How descriptions, facts and passages are mixed, by tokens.
_SHARES = {"descriptions": 0.2, "facts": 0.55, "passages": 0.25}
_EVERYTHING = 10**9


def local_items(search: HierarchySearch) -> list[Item]:
    """What is known of the nearest nodes, best first: descriptions, facts and passages by turns.

    Facts are those in which the nearest entities take part, the nearest to the question first; passages those that
    state them. An entity without a description is told by its facts alone. Where the question is about no one thing,
    no passage is nearer than others, and none is told.
    """
    facts, alike = _facts(search)
    queues = {
        "descriptions": _descriptions(search),
        "facts": fact_items(facts, alike, _whys(facts, search), search.reader),
        "passages": [] if search.whole else _passages(facts, alike, search),
    }
    mixed, _ = split_budget(queues, _SHARES, _EVERYTHING)
    return [replace(item, section=RetrievalSection.LOCAL) for item in mixed]


def _descriptions(search: HierarchySearch) -> list[Item]:
    """Of each of the nearest entities and summaries that has one, in their order."""
    reader, themes, near = search.reader, search.themes, search.near
    entities, summaries = entities_in(near.rows), summaries_in(near.rows)
    of_entities, of_summaries = near.scores[near.rows >= 0], near.scores[near.rows < 0]
    items = entity_items(entities, of_entities, similar(of_entities.tolist()), search.vector, reader)
    texts = [described(one.name, one.type, one.description) for one in themes.summaries(summaries)]
    whys = similar(of_summaries.tolist())
    items += summary_items(summaries, texts, of_summaries, whys, search.vector, reader, themes)
    return sorted(items, key=lambda item: -item.score)


def _facts(search: HierarchySearch) -> tuple[Rows, Vectors]:
    """The facts of the nearest entities that are nearest to the question, less so the less they say on their own."""
    reader = search.reader
    facts = np.unique(reader.facts_of(entities_in(search.near.rows), FACTS_OF_AN_ENTITY, search.vector).targets)
    alike = reader.similarity("fact", facts, search.vector[None, :])[0] * completeness(facts, reader)
    best = np.argsort(-alike, kind="stable")[:FACTS]
    return facts[best], alike[best]


def _whys(facts: Rows, search: HierarchySearch) -> list[str]:
    """For each fact which of the nearest entities, the nearest of them, it is about."""
    rank = {node: i for i, node in enumerate(search.near.rows.tolist())}
    taking_part = targets_by_source(search.reader.entities_of(facts))
    best = [min((e for e in taking_part[fact] if e in rank), key=rank.__getitem__) for fact in facts.tolist()]
    nodes: Nodes = np.array(best, dtype=np.int64)
    named = names(nodes, search.reader, search.themes)
    return [f"about {named[node]}, which is near the question" for node in best]


def _passages(facts: Rows, alike: Vectors, search: HierarchySearch) -> list[Item]:
    """The passages that state these facts: as near as the passage and the nearest fact in it are on average."""
    links = search.reader.chunks_of(facts, _PASSAGES_OF_A_FACT)
    chunks, which = np.unique(links.targets, return_inverse=True)
    own = search.reader.similarity("chunk", chunks, search.vector[None, :])[0]
    stated = np.full(len(chunks), -1.0, dtype=np.float32)
    np.maximum.at(stated, which, alike[_places(links.sources, facts)])
    nearness = ((own + stated) / 2).astype(np.float32)
    best = np.argsort(-nearness, kind="stable")[:PASSAGES]
    hits = Hits(chunks[best], nearness[best])
    return chunk_items(hits.rows, hits.scores, similar(hits.scores.tolist()), search.reader)


def _places(rows: Rows, among: Rows) -> Rows:
    """Where rows stand in an array that holds them all in any order."""
    order = np.argsort(among)
    return order[np.searchsorted(among[order], rows)]
