"""All that can be asked of the themes of a reader, compared with a plain search through its hierarchy."""

from typing import Any

import numpy as np

from polyadic.storage.hierarchy import HierarchyMembers, HierarchyReader
from polyadic.storage.protocol import Links, Reader, Rows
from tests.retrieval.memory_hierarchy import MemoryThemes
from tests.storage.hierarchies import ALL, themes_of
from tests.support.vectors import kept, vectors


def told(themes: HierarchyReader, rows: Rows) -> dict[str, Any]:
    """All that can be asked of themes, about these entities and about some in another order."""
    summaries, communities = np.arange(themes.summary_count), np.arange(themes.community_count)
    backwards = rows[::-2]
    asked = vectors(["one", "another"])

    def members(found: HierarchyMembers) -> list[Any]:
        return [pairs(found.entities), pairs(found.summaries)]

    def pairs(links: Links) -> list[Any]:
        return [*zip(links.sources.tolist(), links.targets.tolist(), strict=True)]

    best, hits = themes.nearest(asked[0], 3), themes.nearest(asked[0], ALL)
    return {
        "summaries": themes.summaries(summaries[::-1]),
        "communities": themes.communities(communities[::-1]),
        "best": best.scores.round(4).tolist(),
        # Products of matrices of other sizes differ in their last digits, so ties may stand in another order.
        "nearest": sorted(zip(hits.rows.tolist(), hits.scores.round(4).tolist(), strict=True)),
        "similarity": themes.similarity(summaries[::-1], asked).round(4).tolist(),
        "of": [pairs(themes.summaries_of(rows)), pairs(themes.summaries_of(backwards))],
        "above": pairs(themes.above(summaries)),
        "covered": members(themes.covered(summaries[::-1])),
        "held": members(themes.held(communities[::-1])),
        "communities of": themes.communities_of(rows, summaries).tolist(),
        "of each entity": [themes.communities_of(rows[[i]], summaries[:0]).tolist() for i in range(len(rows))],
        "of each summary": [themes.communities_of(rows[:0], summaries[[i]]).tolist() for i in summaries.tolist()],
    }


def agree(reader: Reader) -> None:
    """What the store searches is what its hierarchy, searched the plain way, has."""
    hierarchy, themes = reader.hierarchy(), reader.themes()
    told_of = themes_of(hierarchy.clusters, hierarchy.communities).values()
    held = {one for theme in told_of if not theme.stale for one in theme.members}
    entities = sorted(held - {summary.id for summary in hierarchy.summaries})
    rows = dict(zip(entities, themes.entities(entities).tolist(), strict=True))
    asked = np.union1d(reader.all_rows("entity"), list(rows.values())).astype(np.int64)
    assert told(themes, asked) == told(MemoryThemes(hierarchy, rows, {}, kept), asked)
