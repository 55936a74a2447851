"""Average trained adapters: ``python -m benchmarks.answer_selection.averaging RANK WRITTEN ADAPTER...``.

The average of networks that were fine-tuned from the same weights is often better than each of them (arXiv 2203.05482).
Low-rank changes are averaged as products, of whose singular values the largest ``RANK`` are kept. The package's adapter
is the average, of rank 48, of what training gave with these options:

- none
- ``--hard 0.5``
- ``--hard 0.5 --rounds 1.5 --own-rounds 8 --public-share 0.7``
- ``--hard 0.8 --rounds 1.5 --own-rounds 6 --public-share 0.5``
- the same with ``--seed 1``
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def averaged(adapters: Sequence[Mapping[str, NDArray[np.floating]]], rank: int) -> dict[str, NDArray[np.float16]]:
    """Return the average of adapters, whose changes have at most this rank."""
    average: dict[str, NDArray[np.float32]] = {}
    for name in adapters[0]:
        if name.endswith(".up"):
            down = f"{name.removesuffix('.up')}.down"
            products = [adapter[name].astype(np.float32) @ adapter[down].astype(np.float32) for adapter in adapters]
            average[name], average[down] = factors(np.mean(products, axis=0), rank)
        elif not name.endswith(".down"):
            average[name] = np.mean([adapter[name].astype(np.float32) for adapter in adapters], axis=0)
    return {name: array.astype(np.float16) for name, array in average.items()}


def factors(change: NDArray[np.float32], rank: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return two matrices whose product is the best approximation of a change by this rank."""
    left, sizes, right = np.linalg.svd(change, full_matrices=False)
    roots = np.sqrt(sizes[:rank])
    return left[:, :rank] * roots, roots[:, None] * right[:rank]


def main(rank: str, written: str, *paths: str) -> None:
    adapters = []
    for path in paths:
        with np.load(path, allow_pickle=False) as arrays:
            adapters.append(dict(arrays))
    np.savez_compressed(Path(written), allow_pickle=False, **averaged(adapters, int(rank)))


if __name__ == "__main__":
    main(*sys.argv[1:])
