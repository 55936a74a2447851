"""Find the communities nearest to a question, and their key entities (HiRAG, arXiv 2503.10150, Algorithm 2)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.model.hierarchy import Report
from polyadic.retrieval.hierarchy_nodes import Nodes, entities_in, nodes_of, summaries_in
from polyadic.storage.hierarchy import HierarchyMembers, HierarchyReader
from polyadic.storage.protocol import Hits, Reader, Rows, Vectors

AGAIN = 0.5
"""Factor for the weight of a node once a chosen community contains it."""
# Number of the largest communities to consider for each one that is chosen, because lower levels rank last.
_CONSIDERED = 4


@dataclass(frozen=True, slots=True)
class NearCommunity:
    """A community (by row), its score for the question, and the nearest nodes that it contains, in their order."""

    row: int
    nearness: float
    holds: Nodes


def search_communities(near: Hits, most: int, hierarchy: HierarchyReader, again: float = AGAIN) -> list[NearCommunity]:
    """Return at most ``most`` communities that contain any of the nearest nodes, nearest first; all of them if it is 0.

    The score of a community is the sum of the similarities of the nearest nodes in it. All levels are used, so
    communities contain one another: the weight of a node is multiplied by ``again`` for each chosen community that
    contains it, so that the next community adds something new. Ties prefer the more specific community, which has fewer
    members. A community that adds nothing is left out, unless all are wanted (HiRAG, Eq. 13).

    Parameters
    ----------
    near
        Nodes (see hierarchy_nodes.py) with their similarity to the question.
    most
        Maximum number of communities; 0 for all.
    hierarchy
        The hierarchy.
    again
        Factor for nodes that a chosen community contains.
    """
    rows = hierarchy.communities_of(entities_in(near.rows), summaries_in(near.rows))
    if not len(rows):
        return []
    held, sizes = holding(rows, near.rows, hierarchy.held(rows))
    worth = np.maximum(near.scores.astype(np.float64), 0.0)
    chosen: list[NearCommunity] = []
    left = np.ones(len(rows), dtype=bool)
    while left.any() and len(chosen) < (most or len(rows)):
        nearness = np.round(held @ worth, 6)
        best = int(np.lexsort((np.arange(len(rows)), sizes, -nearness, ~left))[0])
        if most and nearness[best] <= 0 and chosen:
            break
        chosen.append(NearCommunity(int(rows[best]), float(nearness[best]), near.rows[held[best]]))
        worth[held[best]] *= again
        left[best] = False
    return chosen


def largest_communities(
    most: int, vector: Vectors | None, reader: Reader, hierarchy: HierarchyReader
) -> list[NearCommunity]:
    """Return the largest communities with a report: the top level first, then by size × rating × relevance.

    Parameters
    ----------
    most
        Maximum number of communities.
    vector
        Vector of the question, shape (d,). The relevance of a community is 1 plus the highest cosine of the question
        with a fact that its report cites, so that a question without a topic hardly changes the order. None: 1.
    reader, hierarchy
        The store and its hierarchy.

    Returns
    -------
    list of NearCommunity
        Each holds its entities, those with most facts first, then its summaries.
    """
    every = np.arange(hierarchy.community_count)
    members = hierarchy.held(every)
    sizes = np.bincount(np.concatenate([members.entities.sources, members.summaries.sources]), minlength=len(every))
    largest = every[np.argsort(-sizes, kind="stable")[: most * _CONSIDERED]]
    ranked: list[tuple[int, float, int]] = []
    for row, community in zip(largest.tolist(), hierarchy.communities(largest), strict=True):
        if community.report is None:
            continue
        relevance = 1.0 if vector is None else 1.0 + _nearness(community.report, vector, reader, hierarchy)
        score = int(sizes[row]) * community.report.rating * relevance
        ranked.append((community.level, -score, row))
    found = []
    for _, score, row in sorted(ranked)[:most]:
        entities = members.entities.targets[members.entities.sources == row]
        by_degree = entities[np.argsort(-reader.degrees("entity_facts", entities), kind="stable")]
        summaries = members.summaries.targets[members.summaries.sources == row]
        found.append(NearCommunity(row, -score, nodes_of(by_degree, summaries)))
    return found


def _nearness(report: Report, vector: Vectors, reader: Reader, hierarchy: HierarchyReader) -> float:
    """Return the highest cosine of a vector with a fact that a report cites; at least 0."""
    cited = hierarchy.facts(sorted({fact for finding in report.findings for fact in finding.facts}))
    return float(reader.similarity("fact", cited, vector[None, :])[0].max(initial=0.0))


def key_entities(
    communities: list[NearCommunity], most: int, worth: Callable[[Nodes], Vectors], hierarchy: HierarchyReader
) -> list[Nodes]:
    """Return for each community its ``most`` best nodes by ``worth``, best first."""
    rows = np.array([community.row for community in communities], dtype=np.int64)
    members = hierarchy.held(rows)
    sources = np.concatenate([members.entities.sources, members.summaries.sources])
    nodes = nodes_of(members.entities.targets, members.summaries.targets)
    once, which = np.unique(nodes, return_inverse=True)
    # Best first; ties are ordered by row, entities before summaries.
    order = np.lexsort((np.where(nodes >= 0, nodes, ~nodes), nodes < 0, -worth(once)[which]))
    nodes, sources = nodes[order], sources[order]
    return [nodes[sources == row][:most] for row in rows.tolist()]


def holding(rows: Rows, near: Nodes, members: HierarchyMembers) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return which nodes each community contains, shape (communities, nodes), and the size of each community.

    ``rows`` are sorted, and each community has members.
    """
    sources = np.concatenate([members.entities.sources, members.summaries.sources])
    nodes = nodes_of(members.entities.targets, members.summaries.targets)
    community = np.searchsorted(rows, sources)
    order = np.argsort(near)
    place = order[np.minimum(np.searchsorted(near[order], nodes), len(near) - 1)]
    present = near[place] == nodes
    held = np.zeros((len(rows), len(near)), dtype=bool)
    held[community[present], place[present]] = True
    return held, np.bincount(community, minlength=len(rows))
