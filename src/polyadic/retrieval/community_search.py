"""The communities of what a question is nearest to, and their key entities (HiRAG, arXiv 2503.10150, Algorithm 2)."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.retrieval.hierarchy_nodes import Nodes, entities_in, nodes_of, summaries_in
from polyadic.storage.hierarchy import HierarchyMembers, HierarchyReader
from polyadic.storage.protocol import Hits, Rows, Vectors

AGAIN = 0.5
"""What is left of what a node counts for the next community, once one that holds it has been chosen."""


@dataclass(frozen=True, slots=True)
class NearCommunity:
    """A community (by row), how near it is to the question, and which of the nearest nodes it holds, in their order."""

    row: int
    nearness: float
    holds: Nodes


def search_communities(near: Hits, most: int, themes: HierarchyReader, again: float = AGAIN) -> list[NearCommunity]:
    """The communities that hold any of the nearest nodes, the nearest first, at most so many.

    A community is as near as the sum of the similarities of those of the nodes that it holds. As all levels serve,
    communities hold one another: a node that one of those chosen holds counts less for the next (``again``), and less
    still for that after it, so that what comes next brings something else. Of as near ones the more specific, which
    holds fewer, comes first. A community that brings nothing any more is left out.

    Parameters
    ----------
    near
        Nodes (see hierarchy_nodes.py) with their similarity to the question.
    """
    rows = themes.communities_of(entities_in(near.rows), summaries_in(near.rows))
    if not len(rows):
        return []
    held, sizes = holding(rows, near.rows, themes.held(rows))
    worth = np.maximum(near.scores.astype(np.float64), 0.0)
    chosen: list[NearCommunity] = []
    left = np.ones(len(rows), dtype=bool)
    while left.any() and len(chosen) < most:
        nearness = np.round(held @ worth, 6)
        best = int(np.lexsort((np.arange(len(rows)), sizes, -nearness, ~left))[0])
        if nearness[best] <= 0 and chosen:
            break
        chosen.append(NearCommunity(int(rows[best]), float(nearness[best]), near.rows[held[best]]))
        worth[held[best]] *= again
        left[best] = False
    return chosen


def key_entities(
    communities: list[NearCommunity], most: int, worth: Callable[[Nodes], Vectors], themes: HierarchyReader
) -> list[Nodes]:
    """Of each community the nodes that are worth most, at most so many, the best first."""
    rows = np.array([one.row for one in communities], dtype=np.int64)
    members = themes.held(rows)
    sources = np.concatenate([members.entities.sources, members.summaries.sources])
    nodes = nodes_of(members.entities.targets, members.summaries.targets)
    once, which = np.unique(nodes, return_inverse=True)
    # The best first; of as good ones in the order of rows, entities before summaries.
    order = np.lexsort((np.where(nodes >= 0, nodes, ~nodes), nodes < 0, -worth(once)[which]))
    nodes, sources = nodes[order], sources[order]
    return [nodes[sources == row][:most] for row in rows.tolist()]


def holding(rows: Rows, near: Nodes, members: HierarchyMembers) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Which of some nodes each community holds, shape (communities, nodes), and how many nodes it holds in all.

    ``rows`` are sorted, and each of them has members.
    """
    sources = np.concatenate([members.entities.sources, members.summaries.sources])
    nodes = nodes_of(members.entities.targets, members.summaries.targets)
    community = np.searchsorted(rows, sources)
    order = np.argsort(near)
    place = order[np.minimum(np.searchsorted(near[order], nodes), len(near) - 1)]
    found = near[place] == nodes
    held = np.zeros((len(rows), len(near)), dtype=bool)
    held[community[found], place[found]] = True
    return held, np.bincount(community, minlength=len(rows))
