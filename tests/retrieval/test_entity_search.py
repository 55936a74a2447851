"""Search by the main vector of each entity, against a comparison of all of them."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.retrieval import entity_search
from polyadic.retrieval.entity_search import main_similarity, nearest_entities
from polyadic.storage.protocol import Vectors
from tests.retrieval.memory_reader import MemoryReader

WORDS = ("queen", "ship", "film", "river", "poet")
QUESTION = "the film of a poet"


def embed(texts: Sequence[str]) -> Vectors:
    return asyncio.run(HashingEmbedder().embed(texts))


def described(descriptions: Sequence[Sequence[str]]) -> MemoryReader:
    """A store with an entity for each list of descriptions; the first description has two pieces of evidence."""
    said = []
    for number, texts in enumerate(descriptions):
        for place, text in enumerate((texts[0], *texts)):
            people = (Participation(f"e{number}", "", text, 10.0 + 9 * number), Participation("other", "", "", 50.0))
            said.append(Evidence(f"fact {number} {place}", 5.0, people, (Span(0, 3),), "by hand"))
    document = Document("memory:one", "", "one")
    return MemoryReader([(document, Chunk(document.id, Span(0, 3), "one", 1, 0), said)], embed)


stores = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4, unique=True), min_size=1, max_size=9)


@pytest.mark.parametrize("by_score", [False, True])
@pytest.mark.parametrize("first", [1, 256])
def test_the_best_are_found_however_few_are_compared_at_first(
    by_score: bool, first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entity_search, "_FIRST", first)
    monkeypatch.setattr(entity_search, "_FACTOR", 2)

    @given(stores, st.integers(1, 4))
    def check(descriptions: list[list[str]], k: int) -> None:
        reader, vector = described(descriptions), embed([QUESTION])[0]
        rows = reader.rows("entity")
        scores = main_similarity(rows, vector, reader) * (reader.scores("entity", rows) if by_score else 1)
        hits = nearest_entities(vector, k, reader, one_vector=True, by_score=by_score)
        assert hits.scores.tolist() == pytest.approx(np.sort(scores)[::-1][:k].tolist(), abs=1e-5)
        assert scores[hits.rows].tolist() == pytest.approx(hits.scores.tolist(), abs=1e-5)

    check()


def test_other_descriptions_count_only_without_one_vector() -> None:
    reader, vector = described([["a river", "film of a poet"]]), embed(["e0: film of a poet"])[0]
    assert nearest_entities(vector, 1, reader, one_vector=False).scores[0] == pytest.approx(1.0)
    alone = nearest_entities(vector, 1, reader, one_vector=True).scores[0]
    assert alone == pytest.approx(float(embed(["e0: a river"])[0] @ vector), abs=1e-6)
