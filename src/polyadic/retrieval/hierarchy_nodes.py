"""Entities and summaries of all layers as nodes of one graph.

A node is an integer: an entity its row, a summary the complement of its row (``~row``, below zero). So one array holds
both, and sorting it puts them in an order that depends on nothing but public identifiers.
"""

import numpy as np

from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Hits, Reader, Rows, Vectors

Nodes = Rows


def nodes_of(entities: Rows, summaries: Rows) -> Nodes:
    """Entities first, each in the order given.

    >>> nodes_of(np.array([3, 5]), np.array([0, 1])).tolist()
    [3, 5, -1, -2]
    """
    return np.concatenate([entities, ~summaries])


def entities_in(nodes: Nodes) -> Rows:
    """The rows of the entities among them, in their order."""
    return nodes[nodes >= 0]


def summaries_in(nodes: Nodes) -> Rows:
    """The rows of the summaries among them, in their order.

    >>> summaries_in(np.array([3, -1, 5, -3])).tolist()
    [0, 2]
    """
    return ~nodes[nodes < 0]


def nearest(vector: Vectors, k: int, reader: Reader, themes: HierarchyReader) -> Hits:
    """The k nodes of any layer most similar to a vector of shape (d,); entities before summaries where equal."""
    entities, summaries = reader.nearest("entity", vector, k), themes.nearest(vector, k)
    nodes = nodes_of(entities.rows, summaries.rows)
    scores = np.concatenate([entities.scores, summaries.scores])
    best = np.argsort(-scores, kind="stable")[:k]
    return Hits(nodes[best], scores[best])


def similarity(nodes: Nodes, vector: Vectors, reader: Reader, themes: HierarchyReader) -> Vectors:
    """Cosine of each node with a vector of shape (d,)."""
    alike = np.zeros(len(nodes), dtype=np.float32)
    is_entity = nodes >= 0
    if is_entity.any():
        alike[is_entity] = reader.similarity("entity", nodes[is_entity], vector[None, :])[0]
    if not is_entity.all():
        alike[~is_entity] = themes.similarity(~nodes[~is_entity], vector[None, :])[0]
    return alike


def names(nodes: Nodes, reader: Reader, themes: HierarchyReader) -> dict[int, str]:
    """The name of each node."""
    entities, summaries = np.unique(entities_in(nodes)), np.unique(summaries_in(nodes))
    named = {row: entity.name for row, entity in zip(entities.tolist(), reader.entities(entities), strict=True)}
    told = zip((~summaries).tolist(), themes.summaries(summaries), strict=True)
    return named | {node: summary.name for node, summary in told}
