"""Detect communities of entities and summaries, and write their reports."""

import asyncio
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from polyadic.hierarchy.build_context import BuildContext
from polyadic.hierarchy.community_graph import CommunityGraph, build_community_graph
from polyadic.hierarchy.community_update import CommunityDraft, CommunityUpdate, update_communities
from polyadic.hierarchy.cost_bound import most_reports
from polyadic.hierarchy.fact_assignment import assigned, within
from polyadic.hierarchy.layering import LayerSet
from polyadic.hierarchy.leiden import communities as leiden
from polyadic.hierarchy.prompt_context import MemberContext
from polyadic.hierarchy.summarizer import CommunityDescription
from polyadic.model.hierarchy import Community
from polyadic.storage.incidence import grouped
from polyadic.storage.protocol import Links, Rows
from polyadic.text.tokens import count_tokens

_BASIS_DIGITS = 8


@dataclass(frozen=True, slots=True)
class _Draft:
    """A community, its previous version, and the fact rows that its report is made from."""

    community: Community
    former: Community | None
    facts: list[int]


class CommunityReportBuilder:
    """Build the communities of a hierarchy on top of its layers."""

    def __init__(self, work: BuildContext, layers: LayerSet) -> None:
        self._work = work
        self._layers = layers
        self._with_report: frozenset[int] = frozenset()

    async def communities(self) -> list[Community]:
        """Build all communities with reports, by level, then by identifier; raises BuildInterrupted."""
        work = self._work
        work.begin("finding communities")
        # In a thread, so that the event loop is not blocked.
        drafts = await asyncio.to_thread(lambda: self._drafts(list(self._updated().groups())))
        self._with_report = self._chosen_for_reports(drafts)
        due = [draft for draft in drafts if self._has_report(draft) and self._is_due(draft)]

        async def write(draft: _Draft) -> CommunityDescription:
            facts = [work.ground.fact_context(row) for row in draft.facts]
            return await work.writing.report(self._member_contexts(draft.community.members), facts)

        written = await work.written("reports", due, write)
        work.report.reports_written += len(due)
        fresh = {id(draft): words for draft, words in zip(due, written, strict=True)}
        return [self._community(draft, fresh.get(id(draft))) for draft in drafts]

    def _updated(self) -> CommunityUpdate:
        """Assign every node to communities."""
        settings = self._work.settings
        former = () if self._layers.rebuilt else self._work.former.communities
        grouping = CommunityUpdate(former, self._nodes, settings.community_members)
        summaries = ((node, self._layers.summaries[node].members) for node in self._nodes[len(self._ground_ids) :])
        update_communities(grouping, summaries, self._nodes, self._detect, self._neighbours)
        return grouping

    # the graph

    @property
    def _ground_ids(self) -> tuple[str, ...]:
        return self._work.ground.ids

    @cached_property
    def _nodes(self) -> list[str]:
        """Entities in the order of their rows, then summaries layer by layer."""
        summaries = self._layers.summaries
        return [*self._ground_ids, *sorted(summaries, key=lambda one: (summaries[one].layer, one))]

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {node: number for number, node in enumerate(self._nodes)}

    @cached_property
    def _graph(self) -> CommunityGraph:
        pairs = [
            (self._rows[one], self._rows[member])
            for one in self._nodes[len(self._ground_ids) :]
            for member in self._layers.summaries[one].members
        ]
        both = np.array(pairs, dtype=np.int64).reshape(len(pairs), 2)
        ground = self._work.ground
        return build_community_graph(ground.links, ground.scores, Links(both[:, 0], both[:, 1]), len(self._nodes))

    @cached_property
    def _strengths(self) -> NDArray[np.float64]:
        """Strength of each node: the sum of its edge weights."""
        graph = self._graph
        ends = np.concatenate([graph.sources, graph.targets])
        both = np.concatenate([graph.weights, graph.weights])
        return np.bincount(ends, both, len(self._nodes)).astype(np.float64)

    def _detect(self, nodes: Sequence[str]) -> list[tuple[int, Collection[str], int]]:
        """Detect communities within a set of nodes: level, members, index of the parent."""
        graph, settings = self._graph, self._work.settings
        rows = np.array([self._rows[node] for node in nodes], dtype=np.int64)
        new = np.full(len(self._nodes), -1, dtype=np.int64)
        new[rows] = np.arange(len(rows))
        sources, targets = new[graph.sources], new[graph.targets]
        inside = (sources >= 0) & (targets >= 0)
        part = CommunityGraph(len(rows), sources[inside], targets[inside], graph.weights[inside])
        found = leiden(part, settings.community_split, settings.community_members, settings.seed)
        return [(one.level, [nodes[member] for member in one.members], one.parent) for one in found]

    def _neighbours(self, nodes: Sequence[str]) -> dict[str, dict[str, float]]:
        graph = self._graph
        selected = np.zeros(len(self._nodes), dtype=bool)
        selected[[self._rows[node] for node in nodes]] = True
        found: dict[str, dict[str, float]] = {node: {} for node in nodes}
        for here, there in ((graph.sources, graph.targets), (graph.targets, graph.sources)):
            edges = np.flatnonzero(selected[here])
            triples = zip(here[edges].tolist(), there[edges].tolist(), graph.weights[edges].tolist(), strict=True)
            for one, other, weight in triples:
                found[self._nodes[one]][self._nodes[other]] = weight
        return found

    # input of the reports

    def _drafts(self, groups: Sequence[CommunityDraft]) -> list[_Draft]:
        ids = {id(group): group.id for group in groups}
        known = {} if self._work.rebuild else {one.id: one for one in self._work.former.communities}
        drafts = []
        for level in sorted({group.level for group in groups}):
            here = sorted((group for group in groups if group.level == level), key=lambda group: ids[id(group)])
            for group, facts in zip(here, self._facts(here), strict=True):
                parent = ids[id(group.parent)] if group.parent else ""
                community = Community(level, tuple(sorted(group.members)), parent)
                drafts.append(_Draft(community, group.former or known.get(community.id), facts))
        return drafts

    def _facts(self, groups: Sequence[CommunityDraft]) -> list[list[int]]:
        """Fact rows for the report of each community of one level, the most important first."""
        ground, most = self._work.ground, self._work.settings.report_tokens
        home = np.full(len(self._ground_ids), -1, dtype=np.int64)
        for number, group in enumerate(groups):
            home[[ground.rows[member] for member in group.members if member in ground.rows]] = number
        belongs = assigned(ground.links, ground.degrees, home, len(ground.facts))
        rows: Rows = np.lexsort((np.arange(len(belongs)), -ground.importance))
        rows = rows[belongs[rows] >= 0]
        starts, order = grouped(belongs[rows], len(groups))
        sorted_rows = rows[order]
        bounds = zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
        return [within(sorted_rows[first:last].tolist(), ground.facts, most) for first, last in bounds]

    def _member_contexts(self, members: Sequence[str]) -> list[MemberContext]:
        """Members of a community for the prompt, the strongest first."""
        ground, summaries = self._work.ground, self._layers.summaries
        ranked = sorted(members, key=lambda member: (-self._strengths[self._rows[member]], member))
        found = ((one, summaries.get(one) or ground.entities[ground.rows[one]]) for one in ranked)
        return [MemberContext(one, node.name, node.type, node.description) for one, node in found]

    # what has changed

    def _chosen_for_reports(self, drafts: Sequence[_Draft]) -> frozenset[int]:
        """Choose the communities that get a report: those with enough facts, parents first, at most `most_reports`.

        With fewer facts, the facts themselves say as much.
        """
        least = self._work.settings.report_facts
        enough = [draft for draft in drafts if len(draft.facts) >= least]
        ranked = sorted(enough, key=lambda draft: (draft.community.level, -len(draft.facts)))
        return frozenset(map(id, ranked[: most_reports(len(self._work.ground.facts), least)]))

    def _has_report(self, draft: _Draft) -> bool:
        return id(draft) in self._with_report

    def _is_due(self, draft: _Draft) -> bool:
        """Whether a report is due: there is no current one, or the share of new facts exceeds the limit."""
        former = draft.former
        if self._work.rebuild or former is None or former.stale or former.report is None:
            return True
        if self._work.is_wanting(former.report.by) or not self._is_current(former.sources):
            return True
        basis = self._basis(draft.facts)
        fresh = len(basis - set(former.basis.split()))
        return fresh > self._work.settings.renew_above * len(basis)

    def _is_current(self, sources: Sequence[str]) -> bool:
        """Whether the sources of a report are unchanged; summaries may have changed in this run."""
        former, now = self._former_summaries, self._layers
        return not any(one in now.changed or (one in former and one not in now.summaries) for one in sources)

    @cached_property
    def _former_summaries(self) -> frozenset[str]:
        return frozenset(summary.id for summary in self._work.former.summaries)

    def _basis(self, facts: Sequence[int]) -> set[str]:
        """Shortened identifiers of the facts of a report, to count new facts later."""
        return {self._work.ground.facts[row].id[:_BASIS_DIGITS] for row in facts}

    def _community(self, draft: _Draft, words: CommunityDescription | None) -> Community:
        bare, former = draft.community, draft.former
        if words is not None and words.report is not None:
            basis, tokens = " ".join(sorted(self._basis(draft.facts))), count_tokens([words.report.text])[0]
            return Community(bare.level, bare.members, bare.parent, basis, words.sources, words.report, tokens)
        if words is None and self._has_report(draft) and former is not None:
            return Community(
                bare.level, bare.members, bare.parent, former.basis, former.sources, former.report, former.tokens
            )
        return bare
