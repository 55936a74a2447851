"""Bridge knowledge (HiRAG, arXiv 2503.10150): the facts among the entities on the paths between key entities."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, permutations
from statistics import mean

import numpy as np

from polyadic.model.types import Item, RetrievalSection
from polyadic.retrieval.edge_weights import completeness
from polyadic.retrieval.hierarchy_items import covering, summary_items
from polyadic.retrieval.hierarchy_nodes import Nodes, entities_in, names, summaries_in
from polyadic.retrieval.hierarchy_search import HierarchySearch
from polyadic.retrieval.items import fact_items
from polyadic.retrieval.path_graph import FACTS_OF_A_NODE
from polyadic.retrieval.shortest_paths import Pair, ShortestPath
from polyadic.retrieval.similarity_hits import targets_by_source
from polyadic.storage.protocol import Rows, Vectors

FACTS_OF_A_STEP = 2
"""Told where a path leads from one entity to the next; what else joins the two follows after all paths."""
ITEMS = 100
_AMONG = "joins what the paths lead through"
_TWO = 2


def consecutive(keys: Sequence[Nodes]) -> list[Pair]:
    """The pairs between which paths are sought (Eq. 15): key entities in their order, from community to community.

    >>> consecutive([np.array([1, 2]), np.array([2, -1])])
    [(1, 2), (2, -1)]
    """
    once = list(dict.fromkeys(node for nodes in keys for node in nodes.tolist()))
    return list(pairwise(once))


def bridge_items(paths: Sequence[ShortestPath], search: HierarchySearch) -> list[Item]:
    """What joins the nodes of these paths, along them, so that it reads as a chain; then what else joins any of them.

    A step through a fact is told by that fact and what else joins the same two, a step through a summary by its
    membership fact. The path whose steps are nearest to the question on average is told first.
    """
    facts, alike = _facts_among(paths, search)
    near = dict(zip(facts.tolist(), alike.tolist(), strict=True))
    paths = _nearest_first(paths, near, search)
    joining = _joining(facts, near, paths, search)
    nodes = np.array([node for path in paths for node in path.nodes], dtype=np.int64)
    named = names(nodes, search.reader, search.themes)
    whys: dict[int, str] = {}
    for path in paths:
        chain = " — ".join(named[node] for node in path.nodes)
        for told in _along(path, joining):
            whys.setdefault(told, f"on the path {chain}")
    telling = dict(zip(facts.tolist(), (alike * completeness(facts, search.reader)).tolist(), strict=True))
    rest = sorted(telling, key=lambda fact: (-telling[fact], fact))
    whys = dict(list((whys | {fact: whys.get(fact, _AMONG) for fact in rest}).items())[:ITEMS])
    items = _told_facts([one for one in whys if one >= 0], whys, near, search)
    items |= _told_memberships([one for one in whys if one < 0], whys, paths, named, search)
    return [replace(items[one], section=RetrievalSection.BRIDGE) for one in whys if one in items]


def _facts_among(paths: Sequence[ShortestPath], search: HierarchySearch) -> tuple[Rows, Vectors]:
    """The facts that join entities on the paths (Eq. 16), and how near the question they are.

    Of a hub, those nearest to the question; and in any case those that the paths lead through.
    """
    reader, on_paths = search.reader, _entities_on(paths)
    through = np.array([step for path in paths for step in path.steps if step >= 0], dtype=np.int64)
    facts = np.union1d(reader.facts_of(on_paths, FACTS_OF_A_NODE, search.vector).targets, through)
    links = reader.entities_of(facts)
    on_them = np.searchsorted(facts, links.sources[np.isin(links.targets, on_paths)])
    facts = facts[np.bincount(on_them, minlength=len(facts)) >= _TWO]
    return facts, reader.similarity("fact", facts, search.vector[None, :])[0]


def _nearest_first(
    paths: Sequence[ShortestPath], near: Mapping[int, float], search: HierarchySearch
) -> list[ShortestPath]:
    """A membership is as near as its summary."""
    summaries = np.array(sorted({step for path in paths for step in path.steps if step < 0}), dtype=np.int64)
    alike = search.themes.similarity(summaries_in(summaries), search.vector[None, :])[0]
    near = {**near, **dict(zip(summaries.tolist(), alike.tolist(), strict=True))}
    return sorted(paths, key=lambda path: -mean(near[step] for step in path.steps))


def _entities_on(paths: Sequence[ShortestPath]) -> Rows:
    return np.unique(entities_in(np.array([node for path in paths for node in path.nodes], dtype=np.int64)))


def _joining(
    facts: Rows, near: Mapping[int, float], paths: Sequence[ShortestPath], search: HierarchySearch
) -> dict[Pair, list[int]]:
    """The facts that join each two neighbours on a path, the nearest to the question first."""
    neighbours = {frozenset(pair) for path in paths for pair in pairwise(path.nodes)}
    on_paths = set(_entities_on(paths).tolist())
    found: dict[Pair, list[int]] = {}
    for fact, entities in targets_by_source(search.reader.entities_of(facts)).items():
        for pair in permutations(sorted(on_paths.intersection(entities)), _TWO):
            if frozenset(pair) in neighbours:
                found.setdefault(pair, []).append(fact)
    return {pair: sorted(among, key=lambda fact: (-near[fact], fact)) for pair, among in found.items()}


def _along(path: ShortestPath, joining: Mapping[Pair, Sequence[int]]) -> Iterator[int]:
    """What tells of each step of a path: facts by row, memberships by the node of their summary."""
    for pair, step in zip(pairwise(path.nodes), path.steps, strict=True):
        further = [fact for fact in joining.get(pair, ()) if fact != step]
        yield from (step, *further[: FACTS_OF_A_STEP - 1])


def _told_facts(
    facts: Sequence[int], whys: Mapping[int, str], near: Mapping[int, float], search: HierarchySearch
) -> dict[int, Item]:
    scores = np.array([near[fact] for fact in facts], dtype=np.float32)
    items = fact_items(np.array(facts, dtype=np.int64), scores, [whys[fact] for fact in facts], search.reader)
    return dict(zip(facts, items, strict=True))


def _told_memberships(
    summaries: Sequence[int],
    whys: Mapping[int, str],
    paths: Sequence[ShortestPath],
    named: Mapping[int, str],
    search: HierarchySearch,
) -> dict[int, Item]:
    """Each summary with those members from which or to which a path leads."""
    members: dict[int, dict[str, None]] = {summary: {} for summary in summaries}
    for path in paths:
        for pair, step in zip(pairwise(path.nodes), path.steps, strict=True):
            if step in members:
                members[step].update({named[node]: None for node in pair if node != step})
    rows, vector = summaries_in(np.array(summaries, dtype=np.int64)), search.vector
    known = search.themes.summaries(rows)
    texts = [covering(one, [*members[node]]) for node, one in zip(summaries, known, strict=True)]
    alike = search.themes.similarity(rows, vector[None, :])[0]
    told = [whys[summary] for summary in summaries]
    items = {item.id: item for item in summary_items(rows, texts, alike, told, vector, search.reader, search.themes)}
    return {node: items[one.id] for node, one in zip(summaries, known, strict=True) if one.id in items}
