"""UMAP in place of PCA, with a seed and without."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from polyadic.clustering import gmm
from polyadic.clustering.dimension_reduction import DIMENSIONS, Floats, Reduction, reduced
from polyadic.clustering.soft_clustering import cluster
from polyadic.config import HierarchyBuildSettings, ModelSettings, Settings
from polyadic.errors import PackageMissing
from polyadic.storage.protocol import Vectors
from polyadic.workspace import Workspace
from tests.clustering.test_soft_clustering import all_own, blobs

VECTORS = blobs([15, 15], spread=0.4)


def points(vectors: Vectors, reduction: Reduction, seed: int = 0, is_local: bool = False) -> Floats:
    found = reduced(vectors, np.arange(len(vectors)), seed, reduction, is_local)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def asked() -> Iterator[list[dict[str, Any]]]:
    """The settings of each UMAP, which is interpreted and has few epochs: compiling it takes longer than the rest."""
    asked: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("NUMBA_DISABLE_JIT", "1")
        umap = pytest.importorskip("umap", reason="needs the extra umap")

        class Noted(umap.UMAP):  # type: ignore[misc, name-defined]
            def __init__(self, **settings: Any) -> None:
                asked.append(settings)
                super().__init__(**settings, n_epochs=20)

        patch.setattr(umap, "UMAP", Noted)
        yield asked


@pytest.mark.slow
def test_umap_has_the_settings_of_raptor(asked: list[dict[str, Any]]) -> None:
    points(VECTORS, "umap", seed=5)
    points(VECTORS, "umap-unseeded", is_local=True)
    shared = {"n_components": 10, "metric": "cosine", "n_jobs": 1}
    # RAPTOR takes the root of n - 1 neighbours for all rows, and 10 for those of a cluster.
    assert asked[-2] == shared | {"n_neighbors": 5, "random_state": 5}
    assert asked[-1] == shared | {"n_neighbors": 10, "random_state": None}


@pytest.mark.slow
@pytest.mark.usefixtures("asked")
def test_umap_with_a_seed_is_repeatable_and_without_is_not() -> None:
    first, again, other = (points(VECTORS, "umap", seed) for seed in (3, 3, 4))
    assert first.shape == (30, DIMENSIONS) and np.array_equal(first, again) and not np.array_equal(first, other)
    once, twice = (points(VECTORS, "umap-unseeded", 3) for _ in range(2))
    assert not np.array_equal(once, twice)


@pytest.mark.slow
@pytest.mark.usefixtures("asked")
def test_umap_separates_what_pca_separates() -> None:
    found = cluster(blobs([25, 25]), 1000, 0.1, 0, raptor=True, reduction="umap")
    assert all_own(found) == list(range(50))
    assert all(set(one.members) <= set(range(25)) or set(one.members) <= set(range(25, 50)) for one in found)


def test_few_vectors_are_reduced_by_pca() -> None:
    few = VECTORS[: DIMENSIONS + 1]
    assert np.array_equal(points(few, "umap"), points(few, "pca"))


def test_first_stage_is_global_and_the_next_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[tuple[int, str, bool]] = []

    def noted(vectors: Vectors, sample: NDArray[np.int64], seed: int, reduction: Reduction, is_local: bool) -> object:
        stages.append((len(vectors), reduction, is_local))
        return reduced(vectors, sample, seed, "pca", is_local)

    monkeypatch.setattr(gmm, "reduced", noted)
    cluster(blobs([8, 7]), 1000, 0.1, 0, raptor=True, reduction="umap")
    assert stages[0] == (15, "umap", False) and len(stages) > 1
    assert all(reduction == "umap" and is_local for _, reduction, is_local in stages[1:])


def test_missing_package_is_said_before_anything_is_built(tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("polyadic.optional_dependencies.find_spec", lambda module: None if module == "umap" else module)
    settings = Settings(model=ModelSettings(), hierarchy_build=HierarchyBuildSettings(reduction="umap"))
    with Workspace(str(tmp_path), settings) as kb, pytest.raises(PackageMissing) as raised:
        kb.hierarchy.build()
    assert str(raised.value).startswith('reduction = "umap" needs umap-learn, which is not installed: pip install')
