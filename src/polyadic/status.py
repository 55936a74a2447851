"""What a workspace holds, in numbers."""

from dataclasses import dataclass
from pathlib import Path

from polyadic.knowledge import Usage
from polyadic.store.protocol import Counts, FailedChunk, Store


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds.

    ``arities`` counts facts by how many entities they connect, ``extractors`` documents by what read their facts;
    ``failures`` are chunks that could not be read; ``spent`` is what indexing paid language models so far; ``bytes``
    is on disk.
    """

    folder: Path
    counts: Counts
    arities: dict[int, int]
    bytes: int
    embedder: str
    extractors: dict[str, int]
    failures: tuple[FailedChunk, ...]
    spent: Usage


def status_of(store: Store, folder: Path, embedder: str) -> Status:
    """Counted in one committed state of the store."""
    with store.read() as reader:
        return Status(
            folder=folder.absolute(),
            counts=reader.counts(),
            arities=reader.arities(),
            bytes=store.size(),
            embedder=embedder,
            extractors=reader.extractors(),
            failures=tuple(reader.failures()),
            spent=sum((usage for usage, _ in reader.spent().values()), Usage()),
        )
