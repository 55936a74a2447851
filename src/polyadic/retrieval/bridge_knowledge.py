"""Bridge knowledge (HiRAG, arXiv 2503.10150): the facts among the entities on the paths between key entities."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from statistics import mean

import numpy as np

from polyadic.model.hierarchy import Summary
from polyadic.model.types import Item, RetrievalSection
from polyadic.retrieval.edge_weights import completeness
from polyadic.retrieval.hierarchy_items import counted, covering, membership, summary_items
from polyadic.retrieval.hierarchy_nodes import Nodes, entities_in, identifiers, names, summaries_in
from polyadic.retrieval.hierarchy_search import HierarchySearch
from polyadic.retrieval.items import fact_items
from polyadic.retrieval.shortest_paths import FACTS_OF_A_NODE, Pair, ShortestPath
from polyadic.retrieval.similarity_hits import targets_by_source
from polyadic.storage.protocol import Rows, Vectors

FACTS_OF_A_STEP = 2
"""Facts shown for a step from one entity to the next; further facts that join the two follow after all paths."""
ITEMS = 100
_AMONG = "connects entities on the paths"
_TWO = 2


def consecutive(keys: Sequence[Nodes]) -> list[Pair]:
    """Return the pairs to connect by paths (Eq. 15): consecutive key entities, from community to community.

    >>> consecutive([np.array([1, 2]), np.array([2, -1])])
    [(1, 2), (2, -1)]
    """
    once = list(dict.fromkeys(node for nodes in keys for node in nodes.tolist()))
    return list(pairwise(once))


def bridge_items(
    paths: Sequence[ShortestPath], search: HierarchySearch, bounded: bool = True, described: bool = False
) -> list[Item]:
    """Return the facts and memberships along these paths in order, then others that join any of their nodes.

    A step through a fact is shown as that fact and others that join the same two, a step through a summary as its
    membership fact. The path whose steps are nearest to the question on average comes first.

    Parameters
    ----------
    paths
        Paths between key entities.
    search
        The question.
    bounded
        Whether to return at most ITEMS items, with the nearest facts of hubs and the memberships on the paths;
        otherwise all facts and memberships among the nodes on the paths (Eq. 16).
    described
        Whether to return each membership that a model described as an item of its own, the strongest first.
    """
    facts, similarities = _facts_among(paths, search, bounded)
    near = dict(zip(facts.tolist(), similarities.tolist(), strict=True))
    paths = _nearest_first(paths, near, search)
    joining = _joining(facts, near, paths, search)
    nodes = np.array([node for path in paths for node in path.nodes], dtype=np.int64)
    named = names(nodes, search.reader, search.hierarchy)
    whys: dict[int, str] = {}
    for path in paths:
        chain = " — ".join(named[node] for node in path.nodes)
        for step in _along(path, joining):
            whys.setdefault(step, f"on the path {chain}")
    worth = dict(zip(facts.tolist(), (similarities * completeness(facts, search.reader)).tolist(), strict=True))
    rest = sorted(worth, key=lambda fact: (-worth[fact], fact))
    members = _members_on(paths) if bounded else _members_among(np.unique(nodes), search)
    whys |= {step: whys.get(step, _AMONG) for step in (*rest, *members)}
    whys = dict(list(whys.items())[: ITEMS if bounded else None])
    items = {
        step: [item] for step, item in _fact_items([step for step in whys if step >= 0], whys, near, search).items()
    }
    of_summaries = [step for step in whys if step < 0]
    joint = _membership_items(of_summaries, whys, members, named, search)
    items |= described_memberships(joint, members, named, search) if described else {n: [i] for n, i in joint.items()}
    return [replace(item, section=RetrievalSection.BRIDGE) for step in whys for item in items.get(step, ())]


def _facts_among(paths: Sequence[ShortestPath], search: HierarchySearch, bounded: bool) -> tuple[Rows, Vectors]:
    """Return the facts that join entities on the paths (Eq. 16), and their similarity to the question.

    If bounded, these are for a hub the facts nearest to the question; facts on the paths are always included.
    """
    reader, on_paths = search.reader, _entities_on(paths)
    through = np.array([step for path in paths for step in path.steps if step >= 0], dtype=np.int64)
    limit = FACTS_OF_A_NODE if bounded else max(1, reader.size("fact"))
    facts = np.union1d(reader.facts_of(on_paths, limit, search.vector).targets, through)
    links = reader.links("fact_entities", facts)
    on_them = np.searchsorted(facts, links.sources[np.isin(links.targets, on_paths)])
    facts = facts[np.bincount(on_them, minlength=len(facts)) >= _TWO]
    return facts, reader.similarity("fact", facts, search.vector[None, :])[0]


def _nearest_first(
    paths: Sequence[ShortestPath], near: Mapping[int, float], search: HierarchySearch
) -> list[ShortestPath]:
    """Sort paths by the mean similarity of their steps; a membership has the similarity of its summary."""
    summaries = np.array(sorted({step for path in paths for step in path.steps if step < 0}), dtype=np.int64)
    similarities = search.hierarchy.similarity(summaries_in(summaries), search.vector[None, :])[0]
    near = {**near, **dict(zip(summaries.tolist(), similarities.tolist(), strict=True))}
    return sorted(paths, key=lambda path: -mean(near[step] for step in path.steps))


def _entities_on(paths: Sequence[ShortestPath]) -> Rows:
    return np.unique(entities_in(np.array([node for path in paths for node in path.nodes], dtype=np.int64)))


def _joining(
    facts: Rows, near: Mapping[int, float], paths: Sequence[ShortestPath], search: HierarchySearch
) -> dict[Pair, list[int]]:
    """Return the facts that join each two neighbours on a path, nearest to the question first."""
    neighbours = {frozenset(pair) for path in paths for pair in pairwise(path.nodes)}
    on_paths = set(_entities_on(paths).tolist())
    joining: dict[Pair, list[int]] = {}
    for fact, entities in targets_by_source(search.reader.links("fact_entities", facts)).items():
        for pair in permutations(sorted(on_paths.intersection(entities)), _TWO):
            if frozenset(pair) in neighbours:
                joining.setdefault(pair, []).append(fact)
    return {pair: sorted(among, key=lambda fact: (-near[fact], fact)) for pair, among in joining.items()}


def _along(path: ShortestPath, joining: Mapping[Pair, Sequence[int]]) -> Iterator[int]:
    """Yield the items of each step of a path: facts by row, memberships by the node of their summary."""
    for pair, step in zip(pairwise(path.nodes), path.steps, strict=True):
        further = [fact for fact in joining.get(pair, ()) if fact != step]
        yield from (step, *further[: FACTS_OF_A_STEP - 1])


def _fact_items(
    facts: Sequence[int], whys: Mapping[int, str], near: Mapping[int, float], search: HierarchySearch
) -> dict[int, Item]:
    scores = np.array([near[fact] for fact in facts], dtype=np.float32)
    items = fact_items(np.array(facts, dtype=np.int64), scores, [whys[fact] for fact in facts], search.reader)
    return dict(zip(facts, items, strict=True))


def _members_on(paths: Sequence[ShortestPath]) -> dict[int, list[int]]:
    """Return the members by which a path enters or leaves each summary."""
    members: dict[int, dict[int, None]] = {}
    for path in paths:
        for pair, step in zip(pairwise(path.nodes), path.steps, strict=True):
            if step < 0:
                members.setdefault(step, {}).update({node: None for node in pair if node != step})
    return {summary: [*nodes] for summary, nodes in members.items()}


def _members_among(nodes: Nodes, search: HierarchySearch) -> dict[int, list[int]]:
    """Return the members of each summary that are among these nodes, for summaries with any."""
    covered = search.hierarchy.covered(summaries_in(nodes))
    pairs = [
        *zip((~covered.entities.sources).tolist(), covered.entities.targets.tolist(), strict=True),
        *zip((~covered.summaries.sources).tolist(), (~covered.summaries.targets).tolist(), strict=True),
    ]
    among, members = set(nodes.tolist()), dict[int, list[int]]()
    for summary, member in sorted(pairs):
        if member in among:
            members.setdefault(summary, []).append(member)
    return members


def _membership_items(
    summaries: Sequence[int],
    whys: Mapping[int, str],
    members: Mapping[int, Sequence[int]],
    named: Mapping[int, str],
    search: HierarchySearch,
) -> dict[int, Item]:
    """Return each summary with its members among the nodes."""
    rows, vector = summaries_in(np.array(summaries, dtype=np.int64)), search.vector
    known = search.hierarchy.summaries(rows)
    texts = [
        covering(summary, [*dict.fromkeys(named[member] for member in members[node])])
        for node, summary in zip(summaries, known, strict=True)
    ]
    similarities = search.hierarchy.similarity(rows, vector[None, :])[0]
    reasons = [whys[summary] for summary in summaries]
    items = {
        item.id: item
        for item in summary_items(rows, texts, similarities, reasons, vector, search.reader, search.hierarchy)
    }
    return {node: items[summary.id] for node, summary in zip(summaries, known, strict=True) if summary.id in items}


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
