"""Rows of a state are found in its base and in its delta, and the other way round, whatever came and went."""

import numpy as np
import pytest

from polyadic.storage.arrays.row_map import RowMap


@pytest.mark.parametrize("size", [0, 1, 2, 7, 60])
def test_row_map_equals_naive_lookup(size: int) -> None:
    for seed in range(12):
        _locate_rows_one_by_one(size, seed)


def _locate_rows_one_by_one(size: int, seed: int) -> None:
    drawn = np.random.default_rng([size, seed])
    known = np.sort(drawn.choice(200, size, replace=False))
    share_changed, share_gone = drawn.choice([0.0, 0.2, 1.0], 2)
    changed = np.flatnonzero(drawn.random(size) < share_changed)
    gone = np.setdiff1d(np.flatnonzero(drawn.random(size) < share_gone), changed)
    others = np.setdiff1d(np.arange(200), known)
    added = drawn.choice(others, drawn.choice([0, 1, 9, 80]), replace=False)
    delta = np.sort(np.concatenate([known[changed], added]))
    row_map = RowMap.of(_digests(known), _digests(delta), gone)

    state = np.sort(np.concatenate([np.delete(known, np.concatenate([changed, gone])), delta]))
    assert row_map.size == len(state)
    positions = row_map.positions(np.arange(len(state)))
    assert positions.tolist() == [size + _place(one, delta) if one in delta else _place(one, known) for one in state]
    assert row_map.in_base(positions).tolist() == [_place(one, known) for one in state]
    assert row_map.rows(row_map.delta).tolist() == [_place(one, state) for one in delta]
    there = np.setdiff1d(np.arange(size), gone)
    assert row_map.rows(there).tolist() == [_place(one, state) for one in known[there]]
    assert row_map.is_current(there).tolist() == [one not in changed for one in there]
    assert row_map.changed == len(gone) + len(delta)


def _digests(numbers: np.ndarray) -> np.ndarray:
    return np.array([f"{one:016d}".encode() for one in numbers], dtype="S16")


def _place(one: int, among: np.ndarray) -> int:
    return among.tolist().index(one) if one in among else -1
