"""Products block by block are those of the whole, and no block is so large that other threads would be woken for it."""

from typing import Any, cast
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from polyadic.storage.arrays import matmul as module
from polyadic.storage.arrays.matmul import multiply, multiply_by

DIMENSION, AT_ONCE = 31, 1_000


@pytest.mark.parametrize("count", [0, 1, 10, 11, 95])
@pytest.mark.parametrize("several", [1, 3, 40])
def test_blocked_product_equals_the_whole(several: int, count: int) -> None:
    drawn = np.random.default_rng([several, count])
    vectors, others = (drawn.standard_normal((n, DIMENSION)).astype(np.float32) for n in (several, count))
    with patch.object(module, "_AT_ONCE", AT_ONCE):
        found = multiply(vectors, others)
        assert np.array_equal(multiply_by(vectors[0], others), multiply(vectors[:1], others)[0])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, vectors.astype(np.float64) @ others.T.astype(np.float64), atol=1e-4)


class Noting:
    """Rows of ones that note how many numbers are taken of them at once."""

    def __init__(self, count: int) -> None:
        self.rows = np.ones((count, DIMENSION), dtype=np.float32)
        self.taken: list[int] = []

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice) -> NDArray[np.float32]:
        self.taken.append(self.rows[part].size)
        return self.rows[part]


def test_blocks_fit_single_threaded_size() -> None:
    vectors, others = np.ones((3, DIMENSION), dtype=np.float32), Noting(95)
    with patch.object(module, "_AT_ONCE", AT_ONCE):
        assert (multiply(vectors, cast(Any, others)) == DIMENSION).all()
    assert 3 * max(others.taken) <= AT_ONCE
    assert sum(others.taken) == others.rows.size
