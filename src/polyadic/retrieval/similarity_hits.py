"""Small steps on what a store answers."""

import numpy as np

from polyadic.storage.protocol import Hits, Links, Reader, Rows, Side, Vectors


def above(least: float, hits: Hits) -> Hits:
    """The hits with at least this score."""
    passed = hits.scores >= least
    return Hits(hits.rows[passed], hits.scores[passed])


def targets_by_source(links: Links) -> dict[int, list[int]]:
    """What each row that was asked about leads to; absent where it leads nowhere."""
    found: dict[int, list[int]] = {}
    for source, target in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
        found.setdefault(source, []).append(target)
    return found


def alike_to(vector: Vectors, side: Side, rows: Rows, reader: Reader) -> Vectors:
    """The similarity of each row to a vector of shape (d,); rows that come often are compared once."""
    once, which = np.unique(rows, return_inverse=True)
    return np.asarray(reader.similarity(side, once, vector[None, :])[0][which], dtype=np.float32)
