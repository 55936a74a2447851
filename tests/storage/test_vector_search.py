"""Codes choose what is compared: hardly anything near is missed, whatever has changed since they were made."""

from contextlib import closing
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from numpy.typing import NDArray

from polyadic.concurrency.background_result import BackgroundResult
from polyadic.errors import EmbedderMismatch
from polyadic.storage.arrays import builder, matrix, vector_search
from polyadic.storage.arrays.matrix import Matrix
from polyadic.storage.arrays.pq_index import LEAST, PQIndex
from polyadic.storage.arrays.segments import NodeRows, Segment
from polyadic.storage.arrays.vector_search import RowVectors, VectorSearch
from polyadic.storage.sql.half_precision import HALF, rounded
from polyadic.storage.sqlite.store import SqliteStore
from tests.support.store_driver import publish
from tests.support.vectors import vector

Floats = NDArray[np.float32]
Integers = NDArray[np.int64]

ROWS, FORMS, DIMENSION, K = 10_000, 2, 31, 20
CHANGED, ADDED, GONE = 300, 300, 300


def near_real_ones(drawn: np.random.Generator, count: int) -> Floats:
    """Vectors of length 1 in clusters of some hundred, as texts about the same lie together."""
    centres = np.random.default_rng(7).standard_normal((50, DIMENSION))
    found = centres[drawn.integers(len(centres), size=count)] + 0.7 * drawn.standard_normal((count, DIMENSION))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), dtype=np.float32)


def segment(numbers: Integers, vectors: Floats, codes: PQIndex | None = None, first_key: int = 0) -> Segment:
    """Rows whose identifiers are these numbers, each with as many vectors."""
    sizes = np.full(len(numbers), len(vectors) // len(numbers))
    columns = {
        "id": first_key + np.arange(len(numbers)),
        "digest": np.array([f"{number:016d}".encode() for number in numbers], dtype="S16"),
        "vectors": sizes,
        "vector": np.cumsum(sizes) - sizes,
    }
    return Segment(columns, np.arange(len(numbers)), Matrix(vectors), codes)


@pytest.fixture(scope="module")
def kept() -> RowVectors:
    """Rows of two vectors each; some have changed since the codes were made, some came, some went."""
    drawn = np.random.default_rng(1)
    known = near_real_ones(drawn, FORMS * ROWS)
    touched = np.sort(drawn.choice(ROWS, CHANGED + GONE, replace=False))
    changed, gone = np.sort(touched[:CHANGED]), touched[CHANGED:]
    loaded = np.union1d(2 * changed, 2 * np.arange(ADDED) + 1)
    nodes = NodeRows.of(segment(2 * np.arange(ROWS), known, PQIndex.of(known)))
    delta = segment(loaded, near_real_ones(drawn, CHANGED + ADDED), first_key=ROWS)
    return RowVectors.of(nodes.updated(np.concatenate([changed, gone]), delta))


@pytest.fixture(scope="module")
def asked() -> Floats:
    return near_real_ones(np.random.default_rng(2), 40)


def compared(kept: RowVectors, vector: Floats) -> VectorSearch:
    """What comparing with all says."""
    return VectorSearch(replace(kept, codes=None), vector)


def shares(found: list[tuple[Integers, Integers]]) -> float:
    """The share of what is true that was found, on average."""
    return float(np.mean([np.isin(true, there).mean() for there, true in found]))


def test_nearest_vectors_are_found(kept: RowVectors, asked: Floats) -> None:
    found = [(VectorSearch(kept, one).contenders(K), compared(kept, one).contenders(K)) for one in asked]
    assert shares(found) > 0.99
    # It is a choice: most rows are not compared at all.
    assert max(len(there) for there, _ in found) < 3 * K


def test_the_highest_products_with_scores_are_found(kept: RowVectors, asked: Floats) -> None:
    drawn = np.random.default_rng(3)
    scores = drawn.uniform(20, 100, len(kept.rows)).astype(np.float32).take
    found = [
        (VectorSearch(kept, one).contenders(K, scores, 100.0), compared(kept, one).contenders(K, scores, 100.0))
        for one in asked
    ]
    assert shares(found) > 0.99


@pytest.mark.parametrize("scored", [True, False])
def test_prefetched_search_gives_the_same_result(kept: RowVectors, asked: Floats, scored: bool) -> None:
    scores = np.ones(len(kept.rows), dtype=np.float32).take if scored else None
    with (
        patch.object(vector_search, "LEAST_BEGUN", 1),
        patch.object(vector_search, "BackgroundResult", wraps=BackgroundResult) as begun,
    ):
        for one in asked:
            ahead, alone = VectorSearch(kept, one), VectorSearch(kept, one)
            ahead.begin(K, scored)
            assert np.array_equal(ahead.contenders(K, scores), alone.contenders(K, scores))
            hub, owner = np.arange(3_000), np.zeros(3_000, dtype=np.int64)
            assert np.array_equal(ahead.among(hub, owner, K), alone.among(hub, owner, K))
    assert begun.call_count == len(asked)


def test_small_searches_are_not_prefetched(kept: RowVectors, asked: Floats) -> None:
    with patch.object(vector_search, "BackgroundResult", side_effect=AssertionError):
        VectorSearch(kept, asked[0]).begin(K, scored=False)


def test_vector_of_another_dimension_is_refused_before_prefetching(kept: RowVectors) -> None:
    with patch.object(vector_search, "LEAST_BEGUN", 1), pytest.raises(EmbedderMismatch):
        VectorSearch(kept, np.ones(DIMENSION + 1, dtype=np.float32)).begin(K, scored=False)


def test_prefetch_errors_are_raised_on_use() -> None:
    begun = BackgroundResult(lambda: int("none"))
    with pytest.raises(ValueError, match="none"):
        begun.result()


def test_changed_vectors_are_always_compared(kept: RowVectors) -> None:
    rows = kept.nodes.row_map.rows(kept.nodes.row_map.delta)
    places, owners = kept.places(rows)
    for one, owner in zip(kept.at(places), owners, strict=True):
        assert rows[owner] in VectorSearch(kept, one).contenders(1)


def test_deleted_vectors_are_never_found(kept: RowVectors) -> None:
    former = kept.nodes.base.vectors.take(FORMS * kept.nodes.row_map.hidden)
    for one in former[:50]:
        (best,) = VectorSearch(kept, one).contenders(1)
        places, _ = kept.places(np.array([best]))
        assert (kept.at(places) @ one).max() < 0.999


def test_nearest_facts_of_a_hub_are_found(kept: RowVectors, asked: Floats) -> None:
    hub = np.sort(np.random.default_rng(4).choice(len(kept.rows), 4_000, replace=False))
    alone = np.zeros(len(hub), dtype=np.int64)
    found = [(VectorSearch(kept, one).among(hub, alone, K), compared(kept, one).among(hub, alone, K)) for one in asked]
    assert shares(found) > 0.97


def test_nearest_of_each_owner_are_found(kept: RowVectors, asked: Floats) -> None:
    sizes = (5, 300, 40, 0, 1)
    owned = [np.sort(np.random.default_rng(n).choice(len(kept.rows), n, replace=False)) for n in sizes]
    rows, owners = np.concatenate(owned), np.repeat(np.arange(len(sizes)), sizes)
    for near in (VectorSearch(kept, asked[0]), compared(kept, asked[0])):
        found = near.among(rows, owners, K)
        for owner, mine in enumerate(owned):
            places, of_row = kept.places(mine)
            cosines = np.full(len(mine), -1.0)
            np.maximum.at(cosines, of_row, kept.at(places) @ asked[0])
            nearest = np.sort(mine[np.argsort(-cosines)[:K]])
            assert np.array_equal(rows[found[owners[found] == owner]], nearest)


def test_rows_with_many_similar_vectors_do_not_displace_others(asked: Floats) -> None:
    rows, alike = 3_000, 8
    known = np.repeat(near_real_ones(np.random.default_rng(6), rows), alike, axis=0)
    kept = RowVectors.of(NodeRows.of(segment(np.arange(rows), known, PQIndex.of(known))))
    for one in asked:
        assert len(VectorSearch(kept, one).contenders(K)) >= K


def test_exhaustive_search_is_used_for_large_k(kept: RowVectors, asked: Floats) -> None:
    several = ROWS - GONE
    assert np.array_equal(
        VectorSearch(kept, asked[0]).contenders(several), compared(kept, asked[0]).contenders(several)
    )


def test_pq_codes_are_saved(kept: RowVectors, asked: Floats, tmp_path: Path) -> None:
    assert kept.codes is not None
    path = tmp_path / "entity.codes"
    kept.codes.save(path)
    for one in asked:
        saved, made = PQIndex.load(path).nearest(one, 9), kept.codes.nearest(one, 9)
        assert np.array_equal(saved[0], made[0])
    path.write_bytes(path.read_bytes()[:99])
    with pytest.raises(ValueError, match="is not a valid vector index"):
        PQIndex.load(path)


def test_arrays_are_written_in_blocks(tmp_path: Path) -> None:
    blocks = [rounded(near_real_ones(np.random.default_rng(n), n)) for n in (3, 0, 5)]
    written = Matrix.of_blocks(iter(blocks), DIMENSION, tmp_path, "vectors")
    assert np.array_equal(written.array, np.concatenate(blocks)) and written.array.dtype == HALF
    assert Matrix.of_blocks(iter(()), DIMENSION, tmp_path, "none").array.shape == (0, DIMENSION)


@pytest.mark.parametrize("most_mapped", [0, 10**9])
def test_mapped_and_read_rows_are_equal(tmp_path: Path, most_mapped: int) -> None:
    kept = rounded(near_real_ones(np.random.default_rng(5), 900))
    rows = kept.astype(np.float32)
    with patch.object(matrix, "MOST_MAPPED", most_mapped):
        written = Matrix.of_blocks([kept], DIMENSION, tmp_path, "vectors")
    assert np.array_equal(written.take(np.arange(900)[::-1]), rows[::-1])
    assert np.array_equal(written.times(rows[3]), rows @ rows[3])


def test_many_rows_are_compared_in_blocks(kept: RowVectors, asked: Floats) -> None:
    """As they are in memory, and as they are kept."""
    rows = kept.nodes.base.vectors.array[: 2 * LEAST + 1]
    np.testing.assert_allclose(Matrix(rows).times(asked[0]), rows @ asked[0], atol=1e-6)
    halves = rounded(rows)
    np.testing.assert_allclose(Matrix(halves).times(asked[0]), halves.astype(np.float32) @ asked[0], atol=1e-6)


def test_store_with_codes_reads_like_one_without(tmp_path: Path) -> None:
    said = [(f"Ada met {name}.", ["Ada", name]) for name in (f"Bolt {number}" for number in range(40))]
    read = []
    for least in (16, 10**9):
        with patch.object(builder, "LEAST", least), closing(SqliteStore(tmp_path / str(least), "test")) as store:
            publish(store, "a", said)
            with store.read() as reader:
                reader.nearest("fact", vector("who met whom"), 3)
        # As another process finds it.
        with closing(SqliteStore(tmp_path / str(least), "test")) as store, store.read() as reader:
            hits = [reader.nearest(node_type, vector("who met whom"), 9) for node_type in ("entity", "fact", "chunk")]
            read.append([(one.rows.tolist(), one.scores.tolist()) for one in hits])
        assert bool(list((tmp_path / str(least)).glob("derived/*/*.codes"))) == (least == 16)
    assert read[0] == read[1]


def test_damaged_codes_are_rebuilt(tmp_path: Path) -> None:
    said = [(f"Ada met Bolt {number}.", ["Ada", f"Bolt {number}"]) for number in range(40)]
    with patch.object(builder, "LEAST", 16):
        for _ in range(2):
            with closing(SqliteStore(tmp_path, "test")) as store:
                publish(store, "a", said)
                with store.read() as reader:
                    assert len(reader.nearest("fact", vector("who met whom"), 3).rows) == 3
            (file,) = tmp_path.glob("derived/*/fact.codes")
            file.write_bytes(b"none")
