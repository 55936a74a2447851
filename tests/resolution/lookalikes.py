"""Pairs of names that look alike, written for this project: two that are not one, and one that has two names."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.storage.protocol import Store
from tests.support.store_driver import publish_documents

FILE = Path(__file__).parent / "lookalikes.tsv"


@dataclass(frozen=True, slots=True)
class Lookalike:
    """Two names with their types, and whether they mean one."""

    same: bool
    types: tuple[str, str]
    names: tuple[str, str]

    @classmethod
    def of(cls, line: str) -> "Lookalike":
        same, kind, one, other = line.split("\t")
        first, _, second = kind.partition("|")
        return cls(same == "yes", (first, second or first), (one, other))


def lookalikes() -> list[Lookalike]:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [Lookalike.of(line) for line in lines[1:] if line and not line.startswith("#")]


def fill(store: Store, pairs: Sequence[Lookalike]) -> None:
    """Each pair in a document of its own, in which both are named: what is most misleading where they are two."""
    for number, pair in enumerate(pairs):
        source = Document(f"/lookalikes/{number}.txt", "", f"Of {' and '.join(pair.names)}.")
        whole = Span(0, len(source.text))
        said = [
            Evidence(
                f"{name} is told of.", 8.0, (Participation(name, kind), Participation(f"the tale {number}")), (), ""
            )
            for name, kind in zip(pair.names, pair.types, strict=True)
        ]
        publish_documents(store, [(source, [Chunk(source.id, whole, source.text, 5, 0)], said)])


def put_together(pairs: Sequence[Lookalike], resolution: EntityResolution) -> list[Lookalike]:
    """Those whose two names mean one entity under a resolution."""
    from polyadic.model.identity import entity_key

    return [pair for pair in pairs if resolution.one(*(entity_key(name) for name in pair.names))]
