"""Helpers for hits and links returned by a store."""

import numpy as np

from polyadic.storage.protocol import Hits, Links, NodeType, Reader, Rows, Vectors


def above(least: float, hits: Hits) -> Hits:
    """Return the hits with at least this score."""
    passed = hits.scores >= least
    return Hits(hits.rows[passed], hits.scores[passed])


def targets_by_source(links: Links) -> dict[int, list[int]]:
    """Group the targets of links by source; sources without targets are absent."""
    targets: dict[int, list[int]] = {}
    for source, target in zip(links.sources.tolist(), links.targets.tolist(), strict=True):
        targets.setdefault(source, []).append(target)
    return targets


def alike_to(vector: Vectors, node_type: NodeType, rows: Rows, reader: Reader) -> Vectors:
    """Return the similarity of each row to a vector of shape (d,); repeated rows are compared once."""
    once, which = np.unique(rows, return_inverse=True)
    return np.asarray(reader.similarity(node_type, once, vector[None, :])[0][which], dtype=np.float32)
