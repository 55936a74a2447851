"""Entities and summaries of all layers as nodes of one graph.

A node is an integer: the row of an entity, or the complement of the row of a summary (``~row``, below zero). So one
array holds both, and sorting it gives an order that depends on public identifiers only.
"""

import numpy as np

from polyadic.retrieval.entity_search import main_similarity, nearest_entities
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Hits, Reader, Rows, Vectors

Nodes = Rows


def nodes_of(entities: Rows, summaries: Rows) -> Nodes:
    """Return the nodes of entities and summaries, entities first, each in the given order.

    >>> nodes_of(np.array([3, 5]), np.array([0, 1])).tolist()
    [3, 5, -1, -2]
    """
    return np.concatenate([entities, ~summaries])


def entities_in(nodes: Nodes) -> Rows:
    """Return the rows of the entities among nodes, in their order."""
    return nodes[nodes >= 0]


def summaries_in(nodes: Nodes) -> Rows:
    """Return the rows of the summaries among nodes, in their order.

    >>> summaries_in(np.array([3, -1, 5, -3])).tolist()
    [0, 2]
    """
    return ~nodes[nodes < 0]


def nearest(vector: Vectors, k: int, reader: Reader, hierarchy: HierarchyReader, one_vector: bool = False) -> Hits:
    """Return the k nodes of any layer most similar to a vector of shape (d,); ties prefer entities.

    With ``one_vector``, an entity is compared by its main vector only (see entity_search.py).
    """
    entities, summaries = nearest_entities(vector, k, reader, one_vector), hierarchy.nearest(vector, k)
    nodes = nodes_of(entities.rows, summaries.rows)
    scores = np.concatenate([entities.scores, summaries.scores])
    best = np.argsort(-scores, kind="stable")[:k]
    return Hits(nodes[best], scores[best])


def similarity(
    nodes: Nodes, vector: Vectors, reader: Reader, hierarchy: HierarchyReader, one_vector: bool = False
) -> Vectors:
    """Return the cosine of each node with a vector of shape (d,); ``one_vector`` as for :func:`nearest`."""
    similarities = np.zeros(len(nodes), dtype=np.float32)
    is_entity = nodes >= 0
    if is_entity.any():
        similarities[is_entity] = (
            main_similarity(nodes[is_entity], vector, reader)
            if one_vector
            else reader.similarity("entity", nodes[is_entity], vector[None, :])[0]
        )
    if not is_entity.all():
        similarities[~is_entity] = hierarchy.similarity(~nodes[~is_entity], vector[None, :])[0]
    return similarities


def identifiers(nodes: Nodes, reader: Reader, hierarchy: HierarchyReader) -> dict[int, str]:
    """Return the public identifier of each node."""
    entities, summaries = np.unique(entities_in(nodes)), np.unique(summaries_in(nodes))
    found = {row: entity.id for row, entity in zip(entities.tolist(), reader.entities(entities), strict=True)}
    summary_ids = zip((~summaries).tolist(), hierarchy.summaries(summaries), strict=True)
    return found | {node: summary.id for node, summary in summary_ids}


def names(nodes: Nodes, reader: Reader, hierarchy: HierarchyReader) -> dict[int, str]:
    """Return the name of each node."""
    entities, summaries = np.unique(entities_in(nodes)), np.unique(summaries_in(nodes))
    named = {row: entity.name for row, entity in zip(entities.tolist(), reader.entities(entities), strict=True)}
    summary_names = zip((~summaries).tolist(), hierarchy.summaries(summaries), strict=True)
    return named | {node: summary.name for node, summary in summary_names}
