"""Global knowledge (HiRAG, arXiv 2503.10150): the reports of the communities that a question leads to."""

from collections.abc import Sequence

import numpy as np

from polyadic.knowledge import Item
from polyadic.retrieval.near_communities import Near
from polyadic.retrieval.nodes import names
from polyadic.retrieval.report_items import Told, findings, heads
from polyadic.retrieval.theme_search import ThemeSearch
from polyadic.store.protocol import Reader
from polyadic.store.themes import Themes

FINDINGS = 40
_NAMES = 3


def global_items(search: ThemeSearch) -> list[Item]:
    """What the reports are about, the nearest community first, then what they find, by turns."""
    told = told_reports(search.communities, search.reader, search.themes)
    found = findings(told, search.vector, search.reader, search.themes, FINDINGS)
    return [*heads(told, search.vector, search.reader, search.themes), *found]


def told_reports(communities: Sequence[Near], reader: Reader, themes: Themes) -> list[Told]:
    """The communities that have a report, with what the question has to do with them."""
    rows = np.array([one.row for one in communities], dtype=np.int64)
    told = []
    for near, community in zip(communities, themes.communities(rows), strict=True):
        if community.report is not None:
            held = ", ".join(names(near.holds[:_NAMES], reader, themes)[node] for node in near.holds[:_NAMES].tolist())
            told.append(Told(community, community.report, near.nearness, f"a community that holds {held}"))
    return told
