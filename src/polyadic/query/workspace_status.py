"""What a workspace holds, and what was paid for it, in numbers."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from polyadic.model.hierarchy import EXTRACTIVE
from polyadic.model.types import Usage
from polyadic.storage.protocol import Counts, FailedChunk, LedgerEntry, Reader, Spent, Store


@dataclass(frozen=True, slots=True)
class HierarchyStatus:
    """What there is of a hierarchy.

    Parameters
    ----------
    layers, levels
        How many summaries there are of each layer, from 1, and communities on each level, from 0.
    reports
        Of communities, on all levels.
    extractive
        Summaries and reports made of names and facts, by no language model.
    sparsities
        Cluster sparsity of each layer that was clustered, from layer 0.
    stale_clusters, stale_communities
        Those that have to be made again, because what they rested on has changed; nothing of them is told.
    unplaced
        Entities in no cluster: they came later.
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
    """What a workspace holds.

    ``arities`` counts facts by how many entities they connect, ``extractors`` documents by what read their facts;
    ``failures`` are chunks that could not be read; ``spent`` is what models were paid so far, for indexing and for
    questions, ``spent_for`` the same by purpose; ``bytes`` is on disk. ``hierarchy`` is None where none was built.
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
    """What a model was paid for one purpose: ``extract``, ``glean``, ``embed``, ``answer``, ...

    ``seconds`` are those until all replies, one after the other.
    """

    purpose: str
    model: str
    usage: Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class DocumentCost:
    """What the calls about one document cost; ``source`` is empty where the workspace no longer holds it."""

    document: str
    source: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class CostLedger:
    """Every call that was paid for, and what they sum to: by purpose and model, and by document, the dearest first."""

    purposes: tuple[PaidTotal, ...]
    documents: tuple[DocumentCost, ...]
    calls: tuple[LedgerEntry, ...]


def status_of(store: Store, place: str, embedder: str) -> WorkspaceStatus:
    """Counted in one committed state of the store."""
    size = store.size()
    with store.read() as reader:
        spent_for = _by_purpose(reader.spent())
        return WorkspaceStatus(
            folder=place,
            counts=reader.counts(),
            arities=reader.arities(),
            bytes=size,
            embedder=embedder,
            extractors=reader.extractors(),
            failures=tuple(reader.failures()),
            spent=sum(spent_for.values(), Usage()),
            spent_for=spent_for,
            hierarchy=_hierarchy(reader),
        )


def ledger_of(store: Store, about: Collection[str] | None = None) -> CostLedger:
    """The ledger of a store; of the calls about these documents (by id) where some are named."""
    with store.read() as reader:
        calls = [entry for entry in reader.ledger() if about is None or entry.call.document in about]
        spent = [reader.spent()] if about is None else [reader.spent_on(document) for document in about]
        sources = {record.id: record.source for record in reader.documents()}
    by_document: dict[str, Usage] = {}
    for entry in calls:
        if document := entry.call.document:
            by_document[document] = by_document.get(document, Usage()) + entry.call.usage
    costs = [DocumentCost(document, sources.get(document, ""), usage) for document, usage in by_document.items()]
    costs.sort(key=lambda cost: (-cost.usage.money, -cost.usage.tokens, cost.source, cost.document))
    return CostLedger(_joined(spent), tuple(costs), tuple(calls))


def _hierarchy(reader: Reader) -> HierarchyStatus | None:
    held = reader.hierarchy()
    if not held.clusters and not held.communities:
        return None
    layers, levels = Counter(one.layer for one in held.summaries), Counter(one.level for one in held.communities)
    reports = [one.report for one in held.communities if one.report]
    placed = {member for one in held.clusters if one.layer == 0 for member in one.own}
    return HierarchyStatus(
        layers=tuple(layers[layer] for layer in sorted(layers)),
        levels=tuple(levels[level] for level in sorted(levels)),
        reports=len(reports),
        extractive=Counter([*(one.by for one in held.summaries), *(one.by for one in reports)])[EXTRACTIVE],
        sparsities=held.sparsities,
        stale_clusters=sum(one.stale for one in held.clusters),
        stale_communities=sum(one.stale for one in held.communities),
        unplaced=reader.size("entity") - len(placed) if held.clusters else 0,
    )


def _by_purpose(spent: Spent) -> dict[str, Usage]:
    sums: dict[str, Usage] = {}
    for (purpose, _), (usage, _) in spent.items():
        sums[purpose] = sums.get(purpose, Usage()) + usage
    return sums


def _joined(several: Sequence[Spent]) -> tuple[PaidTotal, ...]:
    """The sums of several, by purpose and model."""
    sums: dict[tuple[str, str], tuple[Usage, float]] = {}
    for spent in several:
        for key, (usage, seconds) in spent.items():
            before, seconds_before = sums.get(key, (Usage(), 0.0))
            sums[key] = before + usage, seconds_before + seconds
    return tuple(PaidTotal(*key, *sums[key]) for key in sorted(sums))
