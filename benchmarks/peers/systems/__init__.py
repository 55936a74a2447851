"""Measured systems, each behind a common protocol and in its own environment."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from benchmarks.peers.stand_in import StandIn

POLYADIC = "polyadic"


@dataclass(frozen=True, slots=True)
class Holding:
    """Contents of a store, as its system counts them."""

    entities: int
    facts: int


class System(Protocol):
    """A system with its mock model; each module of this package implements it as ``Measured``.

    Slow imports are done when the module is imported.
    """

    def __init__(self, model: StandIn) -> None: ...

    async def warm(self) -> None:
        """Load what the first document would load, unless importing has done so."""
        ...

    async def open(self, folder: Path) -> None:
        """Open the store in a folder, which is empty for a new store, ready for questions and documents."""
        ...

    async def insert(self, texts: Sequence[str]) -> None:
        """Index documents; they are stored when this returns."""
        ...

    async def query(self, question: str, method: str) -> str:
        """Return the retrieved text for a question, without generating an answer; ``method`` is from ``Entry``."""
        ...

    async def holding(self) -> Holding: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A system's display name, measured methods, and required packages.

    The first package is the system itself; Polyadic needs none.
    """

    title: str
    methods: tuple[str, ...]
    packages: tuple[str, ...] = ()


SYSTEMS = {
    POLYADIC: Entry("Polyadic", ("hypergraph", "walk")),
    "lightrag": Entry("LightRAG", ("mix",), ("lightrag-hku==1.5.7",)),
    "nano": Entry("nano-graphrag", ("local",), ("nano-graphrag==0.0.8.2",)),
    # Later versions of sentencepiece conflict with the protobuf version of its other dependencies.
    "fast": Entry("fast-graphrag", ("default",), ("fast-graphrag==0.0.5", "sentencepiece==0.2.0")),
}


def system(name: str, seconds: float) -> tuple[System, StandIn]:
    """Create a system with a mock model that takes ``seconds`` per call."""
    module = importlib.import_module(f"{__name__}.{name}_system")
    model = StandIn(seconds)
    return cast(System, module.Measured(model)), model
