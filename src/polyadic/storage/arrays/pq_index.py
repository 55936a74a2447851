"""Product-quantized vectors (4 bits per two dimensions) for fast approximate search.

The search yields candidates, which are then compared exactly. It is a product quantizer (Jégou et al. 2011,
section III) with in-register lookup tables (André et al. 2017), as implemented by faiss. It reads a sixteenth of the
bytes of an exact comparison, and misses hardly any neighbours (docs/performance.md).
"""

from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.arrays.array_files import synced
from polyadic.storage.incidence import Floats, Integers
from polyadic.storage.sql.half_precision import widened

if TYPE_CHECKING:
    import faiss

LEAST = 8_192
"""Fewer vectors are compared exactly, which takes no longer."""
_DIMENSIONS_PER_CODE, _BITS = 2, 4
_TRAINING_ROWS, _ITERATIONS = 16_384, 10
_BLOCK_ROWS = 8_192


@dataclass(frozen=True, slots=True)
class PQIndex:
    """An index of one code per vector, by place."""

    index: "faiss.Index"

    @classmethod
    def of(cls, matrix: NDArray[Any]) -> Self:
        """Train on a sample of the vectors, shape (n, d) with n at least 16, and encode them all."""
        faiss = _faiss()
        width = _DIMENSIONS_PER_CODE * -(-matrix.shape[1] // _DIMENSIONS_PER_CODE)
        index = faiss.IndexPQFastScan(width, width // _DIMENSIONS_PER_CODE, _BITS, faiss.METRIC_INNER_PRODUCT)
        index.pq.cp.niter = _ITERATIONS
        # Rows are ordered by digest, so that a regular sample is as good as a random one.
        index.train(_padded(widened(matrix[:: max(1, len(matrix) // _TRAINING_ROWS)][:_TRAINING_ROWS])))
        for start in range(0, len(matrix), _BLOCK_ROWS):
            index.add(_padded(widened(matrix[start : start + _BLOCK_ROWS])))
        return cls(index)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Load an index; raises ValueError if the file is incomplete."""
        faiss = _faiss()
        try:
            return cls(faiss.read_index(str(path)))
        except RuntimeError as error:
            raise ValueError(f"{path} is not a valid vector index") from error

    def save(self, path: Path) -> None:
        """Write and sync the index; raises OSError."""
        with synced(path) as file:
            file.write(_faiss().serialize_index(self.index).data)

    @property
    def size(self) -> int:
        """The number of vectors."""
        return int(self.index.ntotal)

    def nearest(self, vector: Floats, k: int) -> tuple[Integers, Floats]:
        """Return about k places with the highest inner products, highest first, and these products, approximately."""
        products, places = self.index.search(_padded(vector[None, :]), min(k, self.size))
        valid = places[0] >= 0
        return np.asarray(places[0][valid], dtype=np.int64), np.asarray(products[0][valid], dtype=np.float32)


def _faiss() -> ModuleType:
    """Import faiss on first use: small stores do not need it."""
    import faiss

    # Its threads spin while they wait for one another, many times a second; each query is searched by one anyway.
    faiss.omp_set_num_threads(1)
    return faiss


def _padded(matrix: Floats) -> Floats:
    """Pad vectors of odd length with a zero."""
    odd = matrix.shape[1] % _DIMENSIONS_PER_CODE
    return np.ascontiguousarray(np.pad(matrix, ((0, 0), (0, odd))) if odd else matrix)
