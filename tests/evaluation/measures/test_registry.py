"""Measures by name."""

import pytest

from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.errors import SettingsError
from polyadic.evaluation.measures.measure import EmbeddingMeasure, JudgedMeasure, Measure
from polyadic.evaluation.measures.registry import NAMES, MeasureResources, measure_named
from polyadic.llm.prompts.library import PromptLibrary

TOOLS = MeasureResources(HashingEmbedder, PromptLibrary())


@pytest.mark.parametrize("name", NAMES)
def test_every_measure_is_registered_by_name_with_one_kind(name: str) -> None:
    wanted = name.replace("K", "8")
    measure = measure_named(f" {wanted.upper()} ", TOOLS)
    assert measure.name == wanted
    assert measure.best == (1.0 if "@" in name else 100.0)
    assert sum(isinstance(measure, kind) for kind in (Measure, EmbeddingMeasure, JudgedMeasure)) == 1


@pytest.mark.parametrize("name", ["", "recall", "recall@0", "recall@x", "f1@5", "precision@5", "recall@12345"])
def test_unknown_measure_lists_the_known_ones(name: str) -> None:
    with pytest.raises(SettingsError, match=r'^there is no measure ".*": known: f1, em, c-rec, .*recall@K, all-gold@K'):
        measure_named(name, TOOLS)


def test_embedder_is_loaded_only_if_needed() -> None:
    loaded: list[int] = []

    def load() -> HashingEmbedder:
        loaded.append(1)
        return HashingEmbedder()

    measure_named("g-e", MeasureResources(load, PromptLibrary()))
    assert not loaded
    measure_named("r-s", MeasureResources(load, PromptLibrary()))
    assert loaded
