"""Generate synthetic stores of any size, with as many facts as entities and realistic vectors and scores.

Names, facts and documents are those of benchmarks/hierarchy_store.py. In addition, a hub entity is in every fifth fact,
and every fifth entity has several descriptions. Vectors are those of benchmarks/synthetic_vectors.py.
"""

import asyncio
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.hierarchy_store import SETTINGS, Plan
from benchmarks.synthetic_vectors import Realistic
from polyadic.indexing.publisher import Publisher
from polyadic.indexing.report import IndexReport
from polyadic.interchange.document_export import DocumentExport
from polyadic.interchange.import_file import ingest_exports
from polyadic.model.types import Participation
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.workspace import Workspace

HUB, HUB_EVERY = 7, 5
SEVERAL_EVERY = 5
_VARIANTS = ("early", "late", "by others")
REAL = "real-vectors.npz"
FACT_SCORES = {9.0: 806, 9.5: 671, 10.0: 299, 8.5: 110, 8.0: 109, 3.0: 8, 7.0: 7, 6.0: 4}
ENTITY_SCORES = {95.0: 1243, 50.0: 1143, 45.0: 1035, 60.0: 1005, 55.0: 858, 40.0: 846, 98.0: 671, 35.0: 596, 65.0: 470}
"""Score frequencies of a language model (2wiki-101/facts.jsonl), without the rarest."""


@dataclass(frozen=True)
class Grown(Plan):
    """A store with a hub entity and realistic scores; it needs as many facts as entities."""

    def _facts(self) -> Iterator[list[int]]:
        for number, fact in enumerate(super()._facts()):
            yield list(dict.fromkeys([*fact, HUB])) if number % HUB_EVERY == 0 else fact

    def _export(self, number: int, facts: list[list[int]]) -> DocumentExport:
        export = super()._export(number, facts)
        (chunk_export,) = export.chunk_exports
        values, chances = _chances(FACT_SCORES)
        scores = np.random.default_rng(number).choice(values, size=len(facts), p=chances)
        evidence = zip(chunk_export.evidence, scores.tolist(), strict=True)
        scored = tuple(
            replace(
                one,
                score=score,
                participants=tuple(_described(participant, number) for participant in one.participants),
            )
            for one, score in evidence
        )
        return replace(export, chunk_exports=(replace(chunk_export, evidence=scored),))

    def _participation(self, entity: int) -> Participation:
        scores, chances = _chances(ENTITY_SCORES)
        place = np.searchsorted(np.cumsum(chances), entity * 7_919 % 10_007 / 10_007)
        return replace(super()._participation(entity), score=float(scores[place]))

    def about_hub(self, number: int) -> str:
        return f"What connects {self.name(HUB)} with {self.name(number * 7_919 % self.entities)}?"


def _described(participant: Participation, document: int) -> Participation:
    """Vary the description of every fifth entity by document, so that each description has its own vector."""
    has_several = zlib.crc32(participant.name.encode()) % SEVERAL_EVERY == 0
    return (
        replace(
            participant,
            description=f"{participant.description}, version {_VARIANTS[document % len(_VARIANTS)]}",
        )
        if has_several
        else participant
    )


def _chances(counts: dict[float, int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the scores and their probabilities."""
    times = np.array(list(counts.values()))
    return np.array(list(counts)), times / times.sum()


class Scaled(Workspace):
    """A workspace with realistic vectors; the file ``REAL`` beside its folder holds the real ones."""

    @cached_property
    def embedder(self) -> Realistic:
        return Realistic(self.folder.parent / REAL)


def fill(folder: Path, plan: Grown) -> None:
    """Fill a store and open it once for a question, so that its arrays are saved; does nothing if it exists."""
    if SqliteStore.exists(folder):
        return
    partial_folder = folder.with_name(f"{folder.name}-filling")
    kb = Scaled(partial_folder, SETTINGS)
    publisher = Publisher(kb.store(make=True), kb.embedder, SETTINGS.chunking)
    asyncio.run(ingest_exports(plan.documents(), publisher, IndexReport()))
    counts = kb.status().counts
    assert (counts.entities, counts.facts) == (plan.entities, plan.facts), counts
    kb.retrieve(plan.question(0), "chunks")
    kb.close()
    partial_folder.rename(folder)
