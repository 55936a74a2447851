"""Contents and cost of a workspace in numbers."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from polyadic.hierarchy.outline import entities_to_cluster, unplaced
from polyadic.model.hierarchy import EXTRACTIVE
from polyadic.model.types import Usage
from polyadic.storage.protocol import Counts, FailedChunk, LedgerEntry, Reader, Store, UsageTotals


@dataclass(frozen=True, slots=True)
class HierarchyStatus:
    """The size and state of a hierarchy.

    Parameters
    ----------
    layers, levels
        Number of summaries of each layer, from 1, and of communities on each level, from 0.
    reports
        Number of community reports, on all levels.
    extractive
        Number of summaries and reports made from names and facts without a language model.
    sparsities
        Cluster sparsity of each clustered layer, from layer 0.
    stale_clusters, stale_communities
        Number of clusters and communities to rebuild because their sources changed; their texts are not used.
    unplaced
        Number of entities in no cluster because they were added later; dates, amounts and numbers do not count.
    """

    layers: tuple[int, ...]
    levels: tuple[int, ...]
    reports: int
    extractive: int
    sparsities: tuple[float, ...]
    stale_clusters: int
    stale_communities: int
    unplaced: int

    @property
    def is_up_to_date(self) -> bool:
        return not (self.stale_clusters or self.stale_communities or self.unplaced)


@dataclass(frozen=True, slots=True)
class WorkspaceStatus:
    """The contents of a workspace.

    ``arities`` counts facts by the number of entities that they connect; ``extractors`` counts documents by the
    extractor of their facts. ``failures`` are chunks that could not be extracted. ``spent`` is the total cost of model
    calls for indexing and questions, ``spent_for`` the same by purpose. ``bytes`` is the size on disk. ``hierarchy`` is
    None if none was built.
    """

    folder: str
    counts: Counts
    arities: dict[int, int]
    bytes: int
    embedder: str
    extractors: dict[str, int]
    failures: tuple[FailedChunk, ...]
    spent: Usage
    spent_for: dict[str, Usage]
    hierarchy: HierarchyStatus | None = None


@dataclass(frozen=True, slots=True)
class PaidTotal:
    """The total cost of one model for one purpose: ``extract``, ``glean``, ``embed``, ``answer``, ...

    ``seconds`` is the sum of the response times.
    """

    purpose: str
    model: str
    usage: Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class DocumentCost:
    """The cost of the calls about one document; ``source`` is empty if the workspace no longer holds it."""

    document: str
    source: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class CostLedger:
    """All paid calls, with totals by purpose and model, and by document, most expensive first."""

    purposes: tuple[PaidTotal, ...]
    documents: tuple[DocumentCost, ...]
    calls: tuple[LedgerEntry, ...]


def status_of(store: Store, place: str, embedder: str) -> WorkspaceStatus:
    """Compute the status of a workspace from one committed state of its store."""
    size = store.size()
    with store.read() as reader:
        spent_for = _by_purpose(reader.records.spent())
        return WorkspaceStatus(
            folder=place,
            counts=reader.records.counts(),
            arities=reader.records.arities(),
            bytes=size,
            embedder=embedder,
            extractors=reader.records.extractors(),
            failures=tuple(reader.records.failures()),
            spent=sum(spent_for.values(), Usage()),
            spent_for=spent_for,
            hierarchy=hierarchy_status(reader),
        )


def ledger_of(store: Store, about: Collection[str] | None = None) -> CostLedger:
    """Return the ledger of a store; with ``about``, only the calls about these documents (by id)."""
    with store.read() as reader:
        calls = [entry for entry in reader.records.ledger() if about is None or entry.call.document in about]
        spent = [reader.records.spent()] if about is None else [reader.records.spent_on(document) for document in about]
        sources = {record.id: record.source for record in reader.records.documents()}
    by_document: dict[str, Usage] = {}
    for entry in calls:
        if document := entry.call.document:
            by_document[document] = by_document.get(document, Usage()) + entry.call.usage
    costs = [DocumentCost(document, sources.get(document, ""), usage) for document, usage in by_document.items()]
    costs.sort(key=lambda cost: (-cost.usage.money, -cost.usage.tokens, cost.source, cost.document))
    return CostLedger(_totals(spent), tuple(costs), tuple(calls))


def hierarchy_status(reader: Reader) -> HierarchyStatus | None:
    """Return the size and state of the hierarchy; None if none was built."""
    hierarchy = reader.records.hierarchy()
    if not hierarchy.clusters and not hierarchy.communities:
        return None
    layers, levels = Counter(s.layer for s in hierarchy.summaries), Counter(c.level for c in hierarchy.communities)
    reports = [community.report for community in hierarchy.communities if community.report]
    return HierarchyStatus(
        layers=tuple(layers[layer] for layer in sorted(layers)),
        levels=tuple(levels[level] for level in sorted(levels)),
        reports=len(reports),
        extractive=Counter([*(s.by for s in hierarchy.summaries), *(r.by for r in reports)])[EXTRACTIVE],
        sparsities=hierarchy.sparsities,
        stale_clusters=sum(cluster.stale for cluster in hierarchy.clusters),
        stale_communities=sum(community.stale for community in hierarchy.communities),
        unplaced=len(unplaced(entities_to_cluster(reader), hierarchy)) if hierarchy.clusters else 0,
    )


def _by_purpose(spent: UsageTotals) -> dict[str, Usage]:
    sums: dict[str, Usage] = {}
    for (purpose, _), (usage, _) in spent.items():
        sums[purpose] = sums.get(purpose, Usage()) + usage
    return sums


def _totals(several: Sequence[UsageTotals]) -> tuple[PaidTotal, ...]:
    """Sum up several tables of costs by purpose and model."""
    sums: dict[tuple[str, str], tuple[Usage, float]] = {}
    for spent in several:
        for key, (usage, seconds) in spent.items():
            before, seconds_before = sums.get(key, (Usage(), 0.0))
            sums[key] = before + usage, seconds_before + seconds
    return tuple(PaidTotal(*key, *sums[key]) for key in sorted(sums))
