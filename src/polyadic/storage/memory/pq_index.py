"""Vectors in short: half a byte for every two numbers, so that all of them are looked through for a question.

What comes of it is a choice of the nearest, which are then compared as they are. A product quantiser (Jégou et al.
2011, section III) that is looked up in registers (André et al. 2017), by faiss. It reads a sixteenth of what comparing
all vectors reads, and misses hardly any (docs/performance.md).
"""

import os
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.incidence import Floats, Integers
from polyadic.storage.sql.half_precision import widened

if TYPE_CHECKING:
    import faiss

LEAST = 8_192
"""Fewer vectors are compared as they are, which takes no longer."""
_WIDTH, _BITS = 2, 4
_LEARNED_FROM, _ROUNDS = 16_384, 10
_AT_ONCE = 8_192


@dataclass(frozen=True, slots=True)
class PQIndex:
    """One code for each of n vectors, by place."""

    index: "faiss.Index"

    @classmethod
    def of(cls, matrix: NDArray[Any]) -> Self:
        """Learn codes from some of the vectors, shape (n, d) with n at least 16, and give one to each."""
        faiss = _faiss()
        width = _WIDTH * -(-matrix.shape[1] // _WIDTH)
        index = faiss.IndexPQFastScan(width, width // _WIDTH, _BITS, faiss.METRIC_INNER_PRODUCT)
        index.pq.cp.niter = _ROUNDS
        # Rows go by their digests, so that every so-manieth is as good as any drawn.
        index.train(_even(widened(matrix[:: max(1, len(matrix) // _LEARNED_FROM)][:_LEARNED_FROM])))
        for start in range(0, len(matrix), _AT_ONCE):
            index.add(_even(widened(matrix[start : start + _AT_ONCE])))
        return cls(index)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Raises ValueError where the file is not whole."""
        faiss = _faiss()
        try:
            return cls(faiss.read_index(str(path)))
        except RuntimeError as error:
            raise ValueError(f"{path} holds no codes") from error

    def save(self, path: Path) -> None:
        """Write and sync them; raises OSError."""
        with path.open("wb") as file:
            file.write(_faiss().serialize_index(self.index).data)
            file.flush()
            os.fsync(file.fileno())

    def nearest(self, vector: Floats, k: int) -> tuple[Integers, Floats]:
        """About the k places whose vectors have the highest products with one of shape (d,), and these products,
        roughly; the highest first."""
        products, places = self.index.search(_even(vector[None, :]), min(k, self.index.ntotal))
        found = places[0] >= 0
        return np.asarray(places[0][found], dtype=np.int64), np.asarray(products[0][found], dtype=np.float32)


def _faiss() -> ModuleType:
    """Imported late: a small store needs none of it."""
    import faiss

    # Its threads spin while they wait for one another, many times a second; a question is looked up by one anyway.
    faiss.omp_set_num_threads(1)
    return faiss


def _even(matrix: Floats) -> Floats:
    """With a number more a vector where their count is odd."""
    odd = matrix.shape[1] % _WIDTH
    return np.ascontiguousarray(np.pad(matrix, ((0, 0), (0, odd))) if odd else matrix)
