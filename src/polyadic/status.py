"""What a workspace holds, and what was paid for it, in numbers."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyadic.knowledge import Usage
from polyadic.store.protocol import Counts, Entry, FailedChunk, Spent, Store


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds.

    ``arities`` counts facts by how many entities they connect, ``extractors`` documents by what read their facts;
    ``failures`` are chunks that could not be read; ``spent`` is what models were paid so far, for indexing and for
    questions, ``spent_for`` the same by purpose; ``bytes`` is on disk.
    """

    folder: Path
    counts: Counts
    arities: dict[int, int]
    bytes: int
    embedder: str
    extractors: dict[str, int]
    failures: tuple[FailedChunk, ...]
    spent: Usage
    spent_for: dict[str, Usage]


@dataclass(frozen=True, slots=True)
class Paid:
    """What a model was paid for one purpose: ``extract``, ``glean``, ``embed``, ``answer``, ...

    ``seconds`` are those until all replies, one after the other.
    """

    purpose: str
    model: str
    usage: Usage
    seconds: float


@dataclass(frozen=True, slots=True)
class PaidForDocument:
    """What the calls about one document cost; ``source`` is empty where the workspace no longer holds it."""

    document: str
    source: str
    usage: Usage


@dataclass(frozen=True, slots=True)
class Ledger:
    """Every call that was paid for, and what they sum to: by purpose and model, and by document, the dearest first."""

    purposes: tuple[Paid, ...]
    documents: tuple[PaidForDocument, ...]
    calls: tuple[Entry, ...]


def status_of(store: Store, folder: Path, embedder: str) -> Status:
    """Counted in one committed state of the store."""
    with store.read() as reader:
        spent_for = _by_purpose(reader.spent())
        return Status(
            folder=folder.absolute(),
            counts=reader.counts(),
            arities=reader.arities(),
            bytes=store.size(),
            embedder=embedder,
            extractors=reader.extractors(),
            failures=tuple(reader.failures()),
            spent=sum(spent_for.values(), Usage()),
            spent_for=spent_for,
        )


def ledger_of(store: Store, about: Collection[str] | None = None) -> Ledger:
    """The ledger of a store; of the calls about these documents (by id) where some are named."""
    with store.read() as reader:
        calls = [entry for entry in reader.ledger() if about is None or entry.call.document in about]
        spent = [reader.spent()] if about is None else [reader.spent_on(document) for document in about]
        sources = {record.id: record.source for record in reader.documents()}
    by_document: dict[str, Usage] = {}
    for entry in calls:
        if document := entry.call.document:
            by_document[document] = by_document.get(document, Usage()) + entry.call.usage
    costs = [PaidForDocument(document, sources.get(document, ""), usage) for document, usage in by_document.items()]
    costs.sort(key=lambda cost: (-cost.usage.money, -cost.usage.tokens, cost.source, cost.document))
    return Ledger(_joined(spent), tuple(costs), tuple(calls))


def _by_purpose(spent: Spent) -> dict[str, Usage]:
    sums: dict[str, Usage] = {}
    for (purpose, _), (usage, _) in spent.items():
        sums[purpose] = sums.get(purpose, Usage()) + usage
    return sums


def _joined(several: Sequence[Spent]) -> tuple[Paid, ...]:
    """The sums of several, by purpose and model."""
    sums: dict[tuple[str, str], tuple[Usage, float]] = {}
    for spent in several:
        for key, (usage, seconds) in spent.items():
            before, seconds_before = sums.get(key, (Usage(), 0.0))
            sums[key] = before + usage, seconds_before + seconds
    return tuple(Paid(*key, *sums[key]) for key in sorted(sums))
