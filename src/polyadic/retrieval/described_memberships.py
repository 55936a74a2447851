"""Memberships of summaries as relations of their own, with description and strength (HiRAG, Figure 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from polyadic.model.hierarchy import Summary
from polyadic.model.types import Item
from polyadic.retrieval.hierarchy_items import counted, covering, membership
from polyadic.retrieval.hierarchy_nodes import identifiers, summaries_in
from polyadic.retrieval.hierarchy_search import HierarchySearch


def described_memberships(
    joint: Mapping[int, Item],
    members: Mapping[int, Sequence[int]],
    named: Mapping[int, str],
    search: HierarchySearch,
) -> dict[int, list[Item]]:
    """Return an item for each membership that a model described, the strongest of a summary first.

    Members without a description stay together in one item, the last of their summary.

    Parameters
    ----------
    joint
        The item about all members of a summary, by node.
    members
        The members to show, by node of their summary.
    named
        Names of the nodes.
    search
        The question.
    """
    nodes = np.array([node for shown in members.values() for node in shown], dtype=np.int64)
    ids = identifiers(nodes, search.reader, search.hierarchy)
    summaries = search.hierarchy.summaries(summaries_in(np.array([*joint], dtype=np.int64)))
    return {
        node: counted(_items(item, summary, {ids[one]: named[one] for one in members[node]}))
        for (node, item), summary in zip(joint.items(), summaries, strict=True)
    }


def _items(joint: Item, summary: Summary, names: Mapping[str, str]) -> list[Item]:
    """Return the items of one summary; ``names`` are those of the members to show, by identifier."""
    described = [one for one in summary.memberships if one.member in names]
    described.sort(key=lambda one: (-one.strength, names[one.member]))
    items = [
        replace(joint, id=f"{summary.id}/{one.member}", text=membership(names[one.member], summary, one))
        for one in described
    ]
    rest = [name for member, name in names.items() if member not in {one.member for one in described}]
    return [*items, replace(joint, text=covering(summary, rest))] if rest else items
