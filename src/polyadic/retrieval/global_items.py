"""Global knowledge (HiRAG, arXiv 2503.10150): the reports of the communities that a question leads to."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from polyadic.model.types import Item, RetrievalSection
from polyadic.retrieval.community_search import NearCommunity
from polyadic.retrieval.hierarchy_nodes import names
from polyadic.retrieval.hierarchy_search import HierarchySearch
from polyadic.retrieval.report_items import ReportContext, findings, heads, reports_in_turn, whole_reports
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Reader

FINDINGS = 40
_NAMES = 3


def global_items(search: HierarchySearch, context_tokens: int, whole: bool = False) -> list[Item]:
    """Return the heads of the reports, nearest community first, then their findings, interleaved; or whole reports.

    For a general question, return the reports of the largest communities, each as one block, within the budget.
    """
    reports = report_contexts(search.communities, search.reader, search.hierarchy)
    items: list[Item] = []
    if search.whole:
        items = reports_in_turn(reports, search.vector, search.reader, search.hierarchy, context_tokens)
    elif whole:
        items = whole_reports(reports, search.vector, search.reader, search.hierarchy)
    if items:
        return [replace(item, section=RetrievalSection.GLOBAL) for item in items]
    found = findings(reports, search.vector, search.reader, search.hierarchy, FINDINGS)
    return [*heads(reports, search.vector, search.reader, search.hierarchy), *found]


def report_contexts(
    communities: Sequence[NearCommunity], reader: Reader, hierarchy: HierarchyReader
) -> list[ReportContext]:
    """Return the communities that have a report, with their relevance to the question."""
    rows = np.array([community.row for community in communities], dtype=np.int64)
    reports = []
    for near, community in zip(communities, hierarchy.communities(rows), strict=True):
        if community.report is not None:
            shown = near.holds[:_NAMES]
            named = names(shown, reader, hierarchy)
            held = ", ".join(named[node] for node in shown.tolist())
            reports.append(ReportContext(community, community.report, near.nearness, f"a community that holds {held}"))
    return reports
