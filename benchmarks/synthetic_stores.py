"""Stores of as many facts as entities, of any size, whose vectors and scores are as real ones.

Names, facts and documents are those of benchmarks/hierarchy_store.py, and one entity more is in every fifth fact; every
fifth entity is described in several ways. Vectors are those of benchmarks/synthetic_vectors.py.
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
from polyadic.interchange.document_record import DocumentExport
from polyadic.interchange.ingest import take
from polyadic.model.types import Participation
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.workspace import Workspace

HUB, HUB_EVERY = 7, 5
SEVERAL_EVERY = 5
_WAYS = ("early", "late", "by others")
REAL = "real-vectors.npz"
FACT_SCORES = {9.0: 806, 9.5: 671, 10.0: 299, 8.5: 110, 8.0: 109, 3.0: 8, 7.0: 7, 6.0: 4}
ENTITY_SCORES = {95.0: 1243, 50.0: 1143, 45.0: 1035, 60.0: 1005, 55.0: 858, 40.0: 846, 98.0: 671, 35.0: 596, 65.0: 470}
"""How often a language model gave which score (2wiki-101/facts.jsonl); the rarest are left out."""


@dataclass(frozen=True)
class Grown(Plan):
    """A store of as many facts as entities, of which one is in very many facts."""

    def _facts(self) -> Iterator[list[int]]:
        for number, fact in enumerate(super()._facts()):
            yield list(dict.fromkeys([*fact, HUB])) if number % HUB_EVERY == 0 else fact

    def _told(self, number: int, facts: list[list[int]]) -> DocumentExport:
        told = super()._told(number, facts)
        (passage,) = told.passages
        known, chances = _chances(FACT_SCORES)
        scores = np.random.default_rng(number).choice(known, size=len(facts), p=chances)
        evidence = zip(passage.evidence, scores.tolist(), strict=True)
        scored = tuple(
            replace(one, score=score, participants=tuple(_described(who, number) for who in one.participants))
            for one, score in evidence
        )
        return replace(told, passages=(replace(passage, evidence=scored),))

    def _participation(self, entity: int) -> Participation:
        scores, chances = _chances(ENTITY_SCORES)
        place = np.searchsorted(np.cumsum(chances), entity * 7_919 % 10_007 / 10_007)
        return replace(super()._participation(entity), score=float(scores[place]))

    def about_hub(self, number: int) -> str:
        return f"What connects {self.name(HUB)} with {self.name(number * 7_919 % self.entities)}?"


def _described(one: Participation, document: int) -> Participation:
    """As it is told of there: one of a few in several ways, each of which has a vector of its own."""
    several = zlib.crc32(one.name.encode()) % SEVERAL_EVERY == 0
    return replace(one, description=f"{one.description}, told {_WAYS[document % len(_WAYS)]}") if several else one


def _chances(counts: dict[float, int]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The scores, and how likely each is."""
    times = np.array(list(counts.values()))
    return np.array(list(counts)), times / times.sum()


class Scaled(Workspace):
    """A workspace whose vectors lie as those of real texts do; ``REAL`` beside its folder keeps these."""

    @cached_property
    def embedder(self) -> Realistic:
        return Realistic(self.folder.parent / REAL)


def fill(folder: Path, plan: Grown) -> None:
    """A store with all of it, saved as it is when it is opened for a question; nothing where that is done already."""
    if SqliteStore.exists(folder):
        return
    aside = folder.with_name(f"{folder.name}-filling")
    kb = Scaled(aside, SETTINGS)
    publisher = Publisher(kb.store(make=True), kb.embedder, SETTINGS.chunking)
    asyncio.run(take(plan.documents(), publisher, IndexReport()))
    counts = kb.status().counts
    assert (counts.entities, counts.facts) == (plan.entities, plan.facts), counts
    kb.retrieve(plan.question(0), "chunks")
    kb.close()
    aside.rename(folder)
