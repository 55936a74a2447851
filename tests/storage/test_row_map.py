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
    bases = np.array([int(np.searchsorted(known, one)) if one in known else -1 for one in delta], dtype=np.int64)
    row_map = RowMap.of(_digests(known), _digests(delta), bases, np.union1d(changed, gone))

    state = np.sort(np.concatenate([np.delete(known, np.concatenate([changed, gone])), delta]))
    assert row_map.size == len(state)
    found_in_base, found_in_delta = row_map.locate(np.arange(len(state)))
    assert found_in_base.tolist() == [_place(one, known) for one in state]
    assert found_in_delta.tolist() == [_place(one, delta) for one in state]
    assert row_map.rows_of_delta.tolist() == [_place(one, state) for one in delta]
    there = np.setdiff1d(np.arange(size), gone)
    assert row_map.rows_of_base(there).tolist() == [_place(one, state) for one in known[there]]


def _digests(numbers: np.ndarray) -> np.ndarray:
    return np.array([f"{one:016d}".encode() for one in numbers], dtype="S16")


def _place(one: int, among: np.ndarray) -> int:
    return among.tolist().index(one) if one in among else -1
