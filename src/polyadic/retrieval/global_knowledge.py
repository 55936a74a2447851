"""Global knowledge (GraphRAG, HiRAG): the reports of the communities that a question leads to, or of the largest.

A report is split into its *head*, title and summary, and its findings, so that the relevant parts fit into the context
and can be cited separately. A finding that repeats a fact literally becomes that fact.

A question about the documents as a whole is similar to nothing in them, so similarity cannot choose what to read. The
communities of the hierarchy divide the documents into subjects instead, and each of them gets a share of the tokens.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from polyadic.embeddings.embedder import Embedder
from polyadic.model.hierarchy import Community, Report, ReportFinding
from polyadic.model.types import Item, ItemKind, Knowledge, RetrievalSection
from polyadic.retrieval.community_search import NearCommunity, largest_communities
from polyadic.retrieval.hierarchy_items import counted, extractive, first_places
from polyadic.retrieval.hierarchy_nodes import names
from polyadic.retrieval.hierarchy_search import HierarchySearch
from polyadic.retrieval.items import fact_items
from polyadic.retrieval.overview import NAME
from polyadic.retrieval.token_budget import knowledge, truncate_to_budget
from polyadic.retrieval.trace import Trace
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.protocol import Reader, Rows, Vectors

FINDINGS = 40
_NAMES = 3

# A title, a summary and a finding: with less, a report says too little.
_TOKENS_OF_A_REPORT = 100


@dataclass(frozen=True, slots=True)
class ReportContext:
    """A community with its report, its similarity to the question, and the reason for including it."""

    community: Community
    report: Report
    nearness: float
    why: str


@dataclass(frozen=True, slots=True)
class _Finding:
    """A finding, its facts, nearest to the question first, and the similarity of the first one."""

    of: ReportContext
    number: int
    finding: ReportFinding
    facts: Rows
    similarity: float


def heads(contexts: Sequence[ReportContext], vector: Vectors, reader: Reader, hierarchy: HierarchyReader) -> list[Item]:
    """Return an item for each report: its title and summary.

    Its evidence is that of the findings' facts that are nearest to the question, shape (d,).
    """
    cited = _cited(contexts, vector, reader, hierarchy)
    places = first_places(
        [cited.nearest(tuple(fact for f in context.report.findings for fact in f.facts))[0] for context in contexts],
        reader,
    )
    items = []
    for context, where in zip(contexts, places, strict=True):
        report = context.report
        text = f"{report.title}. {report.summary}" if report.summary else report.title
        why = f"report on {context.why}{extractive(report.by)}"
        items.append(
            Item(
                ItemKind.REPORT,
                context.community.id,
                text,
                context.nearness,
                why,
                0,
                where,
                section=RetrievalSection.GLOBAL,
            )
        )
    return counted(items)


def whole_reports(
    contexts: Sequence[ReportContext], vector: Vectors, reader: Reader, hierarchy: HierarchyReader
) -> list[Item]:
    """Return an item for each report with its complete text."""
    whole = {context.community.id: context for context in contexts}
    items = heads(contexts, vector, reader, hierarchy)
    return [
        replace(
            item, text=whole[item.id].report.text, tokens=whole[item.id].community.tokens, section=RetrievalSection.NONE
        )
        for item in items
    ]


def _blocks(
    contexts: Sequence[ReportContext], vector: Vectors, reader: Reader, hierarchy: HierarchyReader
) -> list[list[Item]]:
    """Return for each report its title with the summary, then its findings, which do not repeat the title."""
    cited = _cited(contexts, vector, reader, hierarchy)
    blocks = []
    for context, head in zip(contexts, heads(contexts, vector, reader, hierarchy), strict=True):
        found = _finding_items(_findings_of(context, cited), reader, titled=False)
        blocks.append([replace(item, section=RetrievalSection.NONE) for item in (head, *found)])
    return blocks


def reports_in_turn(
    contexts: Sequence[ReportContext], vector: Vectors, reader: Reader, hierarchy: HierarchyReader, context_tokens: int
) -> list[Item]:
    """Return title, summary and findings of the reports, each report as one block, within a token budget.

    Every report gets its summary before any gets a second finding; those of the top level get theirs before lower
    levels get any. The next finding of a report is one about a document that has fewest items so far.
    """
    blocks = _blocks(contexts, vector, reader, hierarchy)
    by_level: dict[int, list[list[Item]]] = {}
    for context, block in zip(contexts, blocks, strict=True):
        by_level.setdefault(context.community.level, []).append(block)
    order = [item for level in by_level.values() for item in _in_turn(level)]
    kept = {id(item) for item in truncate_to_budget(order, context_tokens)[0]}
    return [item for block in blocks for item in block if id(item) in kept]


def _in_turn(blocks: Sequence[Sequence[Item]]) -> Iterator[Item]:
    """Yield the first item of each block, then of each in turn the one about a document with fewest items so far."""
    shown = Counter[str]()
    waiting = [list(block) for block in blocks]
    for turn in range(max(map(len, waiting), default=0)):
        for items in filter(None, waiting):
            best = min(range(len(items)), key=lambda i: shown[_document(items[i])]) if turn else 0
            item = items.pop(best)
            shown[_document(item)] += 1
            yield item


def _document(item: Item) -> str:
    return item.places[0].document_id if item.places else ""


def findings(
    contexts: Sequence[ReportContext], vector: Vectors, reader: Reader, hierarchy: HierarchyReader, most: int
) -> list[Item]:
    """Return at most ``most`` findings: for each report in turn its nearest to the question, then its next, etc."""
    cited = _cited(contexts, vector, reader, hierarchy)
    turns: list[tuple[int, int, _Finding]] = []
    for place, context in enumerate(contexts):
        near = sorted(_findings_of(context, cited), key=lambda finding: -finding.similarity)
        turns += [(turn, place, finding) for turn, finding in enumerate(near)]
    chosen = [finding for _, _, finding in sorted(turns, key=lambda turn: turn[:2])[:most]]
    return _finding_items(chosen, reader)


def _findings_of(context: ReportContext, cited: "_CitedFacts") -> list[_Finding]:
    return [
        _Finding(context, number, finding, *cited.nearest(finding.facts))
        for number, finding in enumerate(context.report.findings)
        if finding.facts
    ]


def _cited(
    contexts: Sequence[ReportContext], vector: Vectors, reader: Reader, hierarchy: HierarchyReader
) -> "_CitedFacts":
    all_findings = [finding for context in contexts for finding in context.report.findings]
    return _CitedFacts(all_findings, vector, reader, hierarchy)


def _finding_items(chosen: Sequence[_Finding], reader: Reader, titled: bool = True) -> list[Item]:
    """Return an item for each finding; ``titled`` puts the title of the report before it."""
    whys = [f"finding of the report on {entry.of.why}{extractive(entry.of.report.by)}" for entry in chosen]
    firsts = np.array([entry.facts[0] for entry in chosen], dtype=np.int64)
    facts = fact_items(firsts, np.array([entry.similarity for entry in chosen], dtype=np.float32), whys, reader)
    places = first_places([entry.facts for entry in chosen], reader)
    items = []
    for entry, fact, why, where in zip(chosen, facts, whys, places, strict=True):
        if entry.finding.text == fact.text:
            items.append(replace(fact, section=RetrievalSection.GLOBAL))
            continue
        name = f"{entry.of.community.id}:{entry.number + 1}"
        text = f"{entry.of.report.title}: {entry.finding.text}" if titled else entry.finding.text
        items.append(
            Item(ItemKind.REPORT, name, text, entry.similarity, why, 0, where, section=RetrievalSection.GLOBAL)
        )
    counts = {item.id: item for item in counted([item for item in items if item.kind is ItemKind.REPORT])}
    return [counts.get(item.id, item) for item in items if item.places]


class _CitedFacts:
    """The facts that findings cite, with their similarity to the question."""

    def __init__(
        self, all_findings: Sequence[ReportFinding], vector: Vectors, reader: Reader, hierarchy: HierarchyReader
    ) -> None:
        identifiers = sorted({fact for finding in all_findings for fact in finding.facts})
        rows = hierarchy.facts(identifiers)
        similarities = reader.similarity("fact", rows, vector[None, :])[0]
        known = zip(identifiers, rows.tolist(), similarities.tolist(), strict=True)
        self._known = {identifier: (row, nearness) for identifier, row, nearness in known}

    def nearest(self, identifiers: Sequence[str]) -> tuple[Rows, float]:
        """Return the rows of these facts, nearest first, and the highest similarity."""
        ranked = sorted({self._known[identifier] for identifier in identifiers}, key=lambda fact: (-fact[1], fact[0]))
        return np.array([row for row, _ in ranked], dtype=np.int64), ranked[0][1] if ranked else 0.0


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


async def report_overview(question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge | None:
    """Return the reports of the largest communities; None if there are none."""
    hierarchy = reader.hierarchy_reader()
    if not hierarchy.community_count:
        return None
    trace = Trace()
    vector = (await embedder.embed([question]))[0]
    largest = largest_communities(max(1, context_tokens // _TOKENS_OF_A_REPORT), vector, reader, hierarchy)
    contexts = report_contexts(largest, reader, hierarchy)
    items = reports_in_turn(contexts, vector, reader, hierarchy, context_tokens)
    trace.done("overview", f"{len(items)} items of the reports of {len(contexts)} communities")
    return knowledge(question, NAME, items, context_tokens, trace) if items else None
