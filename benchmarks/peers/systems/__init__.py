"""The systems that are measured, each behind one small protocol and in an environment of its own."""

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

from benchmarks.peers.stand_in import StandIn

POLYADIC = "polyadic"


@dataclass(frozen=True, slots=True)
class Holding:
    """How much a store holds, as its system counts it."""

    entities: int
    facts: int


class System(Protocol):
    """One system, made with the model that it asks. What is slow to import is imported with its module.

    Each module in this package has a class ``Measured`` that implements this.
    """

    def __init__(self, model: StandIn) -> None: ...

    async def warm(self) -> None:
        """Load what is loaded with the first document, where that is not done by importing."""
        ...

    async def open(self, folder: Path) -> None:
        """Open the store in a folder, which is empty where there is none yet; ready for questions and documents."""
        ...

    async def insert(self, texts: Sequence[str]) -> None:
        """Read documents; they are in the store when this returns."""
        ...

    async def query(self, question: str, method: str) -> str:
        """What is retrieved for a question, as text; no answer is made of it. ``method`` is one that METHODS names."""
        ...

    async def holding(self) -> Holding: ...

    async def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A system by its name for people, the methods that are measured, and the packages that it needs.

    The first package is the system itself; there is none for the one that is here.
    """

    title: str
    methods: tuple[str, ...]
    packages: tuple[str, ...] = ()


SYSTEMS = {
    POLYADIC: Entry("Polyadic", ("hypergraph", "walk")),
    "lightrag": Entry("LightRAG", ("mix",), ("lightrag-hku==1.5.7",)),
    "nano": Entry("nano-graphrag", ("local",), ("nano-graphrag==0.0.8.2",)),
    # Later versions of sentencepiece do not go with the protobuf that its other packages ask for.
    "fast": Entry("fast-graphrag", ("default",), ("fast-graphrag==0.0.5", "sentencepiece==0.2.0")),
}


def system(name: str, seconds: float) -> tuple[System, StandIn]:
    """A system with a model that takes so many seconds for a call."""
    module = importlib.import_module(f"{__name__}.{name}_system")
    model = StandIn(seconds)
    return cast(System, module.Measured(model)), model
