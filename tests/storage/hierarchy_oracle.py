"""All that can be asked of the hierarchy reader of a store, compared with a plain search through its hierarchy."""

from typing import Any

import numpy as np

from polyadic.storage.hierarchy import HierarchyMembers, HierarchyReader
from polyadic.storage.protocol import Links, Reader, Rows
from tests.retrieval.memory_hierarchy import MemoryHierarchyReader
from tests.storage.hierarchies import ALL, nodes_of
from tests.support.vectors import kept, vectors


def all_of(parts: HierarchyReader, rows: Rows) -> dict[str, Any]:
    """All that can be asked of a hierarchy reader, about these entities and about some in another order."""
    summaries, communities = np.arange(parts.summary_count), np.arange(parts.community_count)
    backwards = rows[::-2]
    asked = vectors(["one", "another"])

    def members(found: HierarchyMembers) -> list[Any]:
        return [pairs(found.entities), pairs(found.summaries)]

    def pairs(links: Links) -> list[Any]:
        return [*zip(links.sources.tolist(), links.targets.tolist(), strict=True)]

    best, hits = parts.nearest(asked[0], 3), parts.nearest(asked[0], ALL)
    return {
        "summaries": parts.summaries(summaries[::-1]),
        "communities": parts.communities(communities[::-1]),
        "best": best.scores.round(4).tolist(),
        # Products of matrices of other sizes differ in their last digits, so ties may stand in another order.
        "nearest": sorted(zip(hits.rows.tolist(), hits.scores.round(4).tolist(), strict=True)),
        "similarity": parts.similarity(summaries[::-1], asked).round(4).tolist(),
        "of": [pairs(parts.summaries_of(rows)), pairs(parts.summaries_of(backwards))],
        "above": pairs(parts.above(summaries)),
        "covered": members(parts.covered(summaries[::-1])),
        "held": members(parts.held(communities[::-1])),
        "communities of": parts.communities_of(rows, summaries).tolist(),
        "of each entity": [parts.communities_of(rows[[i]], summaries[:0]).tolist() for i in range(len(rows))],
        "of each summary": [parts.communities_of(rows[:0], summaries[[i]]).tolist() for i in summaries.tolist()],
    }


def agree(reader: Reader) -> None:
    """What the store searches is what its hierarchy, searched the plain way, has."""
    hierarchy, parts = reader.records.hierarchy(), reader.hierarchy_reader()
    nodes = nodes_of(hierarchy.clusters, hierarchy.communities).values()
    held = {one for node in nodes if not node.stale for one in node.members}
    entities = sorted(held - {summary.id for summary in hierarchy.summaries})
    rows = dict(zip(entities, parts.entities(entities).tolist(), strict=True))
    asked = np.union1d(reader.rows("entity"), list(rows.values())).astype(np.int64)
    assert all_of(parts, asked) == all_of(MemoryHierarchyReader(hierarchy, rows, {}, kept), asked)
