"""The arrays of one committed state, saved as derived files from which later states are updated incrementally."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from polyadic.storage.arrays.array_files import mapped, write
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import PQIndex
from polyadic.storage.arrays.segments import COLUMNS, Segment
from polyadic.storage.incidence import Incidence, Integers
from polyadic.storage.records import NODE_TYPES, WAYS, IncidenceWay, NodeType

LAYOUT = 7
"""Version of the array layout. Increment it when the same tables give other arrays; older files are then rebuilt."""

_DEGREES: tuple[tuple[NodeType, IncidenceWay], ...] = (
    ("entity", "entity_facts"),
    ("fact", "fact_entities"),
    ("chunk", "chunk_facts"),
)


@dataclass(frozen=True)
class Base:
    """A segment of each node type, and what connects their positions.

    Attributes
    ----------
    incidence
        Neighbours in ascending order: ``fact_entities``, ``entity_facts``, ``fact_chunks`` and ``chunk_facts``;
        ``topic_chunks`` are the chunks about each entity in document order. ``contested`` are the chunks whose topic an
        entity may become, or cease to be, when its degree or score changes.
    topics
        Topic entity of each chunk, -1 if there is none.
    """

    segments: Mapping[NodeType, Segment]
    incidence: Mapping[str, Incidence]
    topics: Integers

    @classmethod
    def of(cls, segments: Mapping[NodeType, Segment], participation: Incidence, statements: Incidence) -> Self:
        """Derive the incidence in both directions and the degrees, but no topic entities.

        Parameters
        ----------
        participation
            Entities of each fact.
        statements
            Facts of each chunk.
        """
        incidence = {
            "fact_entities": participation,
            "entity_facts": participation.transposed(len(segments["entity"])),
            "chunk_facts": statements,
            "fact_chunks": statements.transposed(len(segments["fact"])),
        }
        counted = {
            node_type: segments[node_type].with_columns(degree=incidence[way].sizes) for node_type, way in _DEGREES
        }
        return cls(counted, incidence, np.zeros(0, dtype=np.int64))

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Memory-map the arrays in a folder.

        Raises
        ------
        OSError, ValueError
            The folder does not exist, or is incomplete.
        """

        def array(name: str) -> Any:
            # A plain array view: indexing a memmap object costs several times as much.
            return mapped(folder, name).view(np.ndarray)

        def incidence(name: str) -> Incidence:
            return Incidence(array(f"{name}_starts"), array(f"{name}_targets"))

        def segment(node_type: NodeType) -> Segment:
            path = _codes_path(folder, node_type)
            return Segment(
                {name: array(f"{node_type}_{name}") for name in COLUMNS[node_type]},
                array(f"{node_type}_by_id"),
                Matrix.load(folder, f"{node_type}_matrix"),
                PQIndex.load(path) if path.exists() else None,
            )

        return cls(
            {node_type: segment(node_type) for node_type in NODE_TYPES},
            {name: incidence(name) for name in (*WAYS, "topic_chunks", "contested")},
            array("topics"),
        )

    def save(self, folder: Path) -> None:
        """Write and sync all arrays except the vectors, which the builder has written as ``..._matrix``."""
        for node_type, segment in self.segments.items():
            for name, column in {**segment.columns, "by_id": segment.by_id}.items():
                write(folder, f"{node_type}_{name}", column)
            if segment.codes is not None:
                segment.codes.save(_codes_path(folder, node_type))
        for name, one in self.incidence.items():
            write(folder, f"{name}_starts", one.starts)
            write(folder, f"{name}_targets", one.targets)
        write(folder, "topics", self.topics)

    @property
    def size(self) -> int:
        """The number of rows of all node types."""
        return sum(map(len, self.segments.values()))


def _codes_path(folder: Path, node_type: NodeType) -> Path:
    return folder / f"{node_type}.codes"
