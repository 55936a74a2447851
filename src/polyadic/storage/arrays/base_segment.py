"""The saved arrays of a state: derived files from which later states are updated incrementally."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.arrays.array_files import mapped, write
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import PQIndex
from polyadic.storage.arrays.protocol import WAYS
from polyadic.storage.arrays.snapshot import ArraySnapshot
from polyadic.storage.incidence import Digests, Incidence, Integers
from polyadic.storage.records import NODE_TYPES, NodeType

LAYOUT = 6
"""Version of the array layout. Increment it when the same tables give other arrays; older files are then rebuilt."""


@dataclass(frozen=True)
class BaseSegment:
    """The snapshot of a state, its vectors, and what updating it incrementally needs.

    Attributes
    ----------
    digests
        Public identifiers by node type.
    sorting
        Permutation that sorts the primary keys, by node type.
    chunk_documents, chunk_offsets
        Position of each chunk.
    contested
        For each entity, the chunks whose topic it may become, or cease to be, when its degree or score changes (see
        topic_entities.py).
    vectors
        Vectors by node type, row by row.
    vector_starts
        First vector of each row, for the node types whose rows may have several: entities and chunks.
    codes
        Quantized vectors of the node types that have many.
    """

    snapshot: ArraySnapshot
    digests: Mapping[NodeType, Digests]
    sorting: Mapping[NodeType, Integers]
    chunk_documents: Digests
    chunk_offsets: Integers
    contested: Incidence
    vectors: Mapping[NodeType, Matrix]
    vector_starts: Mapping[NodeType, Integers]
    codes: Mapping[NodeType, PQIndex]

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

        snapshot = ArraySnapshot(
            keys={node_type: array(f"{node_type}_keys") for node_type in NODE_TYPES},
            row_scores={"entity": array("entity_scores"), "fact": array("fact_scores")},
            chunk_counts=array("chunk_counts"),
            chunk_order=array("chunk_order"),
            titles=array("titles"),
            topics=array("topics"),
            chunks_by_topic=incidence("chunks_by_topic"),
            incidence={way: incidence(way) for way in WAYS},
        )
        return cls(
            snapshot,
            digests={node_type: array(f"{node_type}_digests") for node_type in NODE_TYPES},
            sorting={node_type: array(f"{node_type}_sorting") for node_type in NODE_TYPES},
            chunk_documents=array("chunk_documents"),
            chunk_offsets=array("chunk_offsets"),
            contested=incidence("contested"),
            vectors={node_type: Matrix.load(folder, f"{node_type}_vectors") for node_type in NODE_TYPES},
            vector_starts={"entity": array("entity_vector_starts"), "chunk": array("chunk_vector_starts")},
            codes={
                node_type: PQIndex.load(path)
                for node_type in NODE_TYPES
                if (path := _codes_path(folder, node_type)).exists()
            },
        )

    def save(self, folder: Path) -> None:
        """Write and sync all arrays except the vectors."""
        for name, array in self._arrays().items():
            write(folder, name, array)
        for node_type, codes in self.codes.items():
            codes.save(_codes_path(folder, node_type))

    @property
    def size(self) -> int:
        """The number of rows of all node types."""
        return sum(map(len, self.digests.values()))

    def find(self, node_type: NodeType, ids: Integers) -> Integers:
        """Return the rows of primary keys, -1 for unknown keys."""
        sorting, keys = self.sorting[node_type], self.snapshot.keys[node_type]
        if not len(sorting):
            return np.full(len(ids), -1, dtype=np.int64)
        rows = sorting[np.minimum(keys.searchsorted(ids, sorter=sorting), len(sorting) - 1)]
        return np.where(keys[rows] == ids, rows, -1).astype(np.int64)

    @cached_property
    def vector_owners(self) -> Mapping[NodeType, Integers]:
        """The row of each vector, for the node types whose rows may have several."""
        return {
            node_type: np.repeat(np.arange(len(starts) - 1), np.diff(starts))
            for node_type, starts in self.vector_starts.items()
        }

    def _arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by the names that :meth:`load` gives them."""
        s = self.snapshot
        by_node_type: list[tuple[str, Mapping[Any, NDArray[Any]]]] = [
            ("keys", s.keys),
            ("scores", s.row_scores),
            ("digests", self.digests),
            ("sorting", self.sorting),
            ("vector_starts", self.vector_starts),
        ]
        lists: dict[str, Incidence] = {"chunks_by_topic": s.chunks_by_topic, "contested": self.contested}
        lists |= {way: s.incidence[way] for way in WAYS}
        single = {name: getattr(s, name) for name in ("chunk_counts", "chunk_order", "titles", "topics")}
        return {
            **single,
            "chunk_documents": self.chunk_documents,
            "chunk_offsets": self.chunk_offsets,
            **{f"{node_type}_{name}": array for name, arrays in by_node_type for node_type, array in arrays.items()},
            **{f"{name}_starts": one.starts for name, one in lists.items()},
            **{f"{name}_targets": one.targets for name, one in lists.items()},
        }


def _codes_path(folder: Path, node_type: NodeType) -> Path:
    return folder / f"{node_type}.codes"
