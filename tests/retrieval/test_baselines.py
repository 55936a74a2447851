"""What the baselines of the papers find in stores whose answer is known."""

import asyncio
from collections import Counter
from typing import Any, cast

import numpy as np
import pytest

from polyadic.config import METHODS, HippoRAG2Settings, LightRAGSettings, PathRAGSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import ItemKind, Knowledge
from polyadic.retrieval.registry import asks_for_names, method_named
from polyadic.storage.protocol import Links, Reader
from tests.model_server import ModelServer
from tests.retrieval.conftest import solver_at
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stories import reader_of, sentence

CHAIN = {
    "one": [["Ada", "Byron"]],
    "two": [["Byron", "Missolonghi", "Greece"]],
    "three": [["Babbage", "Turin"]],
    "four": [["Menabrea", "Turin", "Savoy"]],
}
DEFAULTS = Settings()


def ask(
    method: str,
    reader: MemoryReader,
    question: str,
    settings: Settings | None = None,
    server: ModelServer | None = None,
) -> Knowledge:
    chosen = method_named(method, settings or DEFAULTS, solver=solver_at(server) if server else None)
    return asyncio.run(chosen.retrieve(question, reader, HashingEmbedder(), 4000))


@pytest.mark.parametrize("method", METHODS)
def test_knowledge_names_its_method(method: str, solving: ModelServer) -> None:
    assert method_named(method, Settings(), solver=solver_at(solving)).name == method
    assert ask(method, reader_of(CHAIN), "Ada", server=solving).method in {method, "walk"}


def test_only_keyword_methods_extract_question_entities() -> None:
    asking = {method for method in METHODS if asks_for_names(method)}
    baselines = {"lightrag", "lightrag-bare", "pathrag", "hipporag", "fastgraphrag"}
    assert asking == {*baselines, *(m for m in METHODS if m.startswith("hypergraph"))}


@pytest.mark.parametrize(
    ("method", "kinds"),
    [
        ("hypergraph-without-er", {ItemKind.FACT, ItemKind.CHUNK}),
        ("hypergraph-without-hr", {ItemKind.FACT, ItemKind.CHUNK}),
        ("hypergraph-without-er-hr", {ItemKind.CHUNK}),
        ("hypergraph-without-cr", {ItemKind.FACT}),
        ("hypergraph-without-all", set()),
    ],
)
def test_ablations_omit_the_part_they_name(method: str, kinds: set[ItemKind]) -> None:
    found = ask(method, reader_of(CHAIN), "Ada meets Byron")
    assert {item.kind for item in found.items} == kinds
    off = {step.name for step in found.trace if step.detail == "switched off"}
    wanted = {"er": "entities", "hr": "facts", "cr": "passages"}
    named = method.removeprefix("hypergraph-without-").replace("all", "er-hr-cr").split("-")
    assert off == {wanted[part] for part in named}


POETS = {"one": [["Ada", "Byron"]], "two": [["Byron", "Shelley"]], "three": [["Shelley", "Keats"]]}


class TestBinary:
    def test_local_relations_are_ordered_by_degree_then_weight(self) -> None:
        documents = {
            "a": [["Ada", "Byron"], ["Ada", "Byron", "Milbanke"]],
            "b": [["Byron", "Greece"], ["Byron", "Pisa"]],
        }
        settings = Settings(lightrag=LightRAGSettings(entities=1, relations=1))
        found = ask("lightrag", reader_of(documents), "Ada", settings)
        pairs = [item.entities for item in found.facts]
        # Ada has two facts, Byron four, Milbanke one; what is said of a pair stands together.
        assert list(dict.fromkeys(pairs)) == [("Ada", "Byron"), ("Ada", "Milbanke")]
        assert pairs.count(("Ada", "Byron")) == 2

    def test_global_relations_are_those_nearest_to_the_question(self) -> None:
        settings = Settings(lightrag=LightRAGSettings(entities=1, relations=2, relation_share=1.0))
        found = ask("lightrag", reader_of(CHAIN), "Ada? whom meets turin meets savoy?", settings)
        # One of Ada's, one of those nearest to the question, in turn.
        assert (found.facts[0].entities, found.facts[0].why) == (("Ada", "Byron"), "about Ada")
        assert found.facts[1].why.startswith("similar to the question")
        assert sentence(["Menabrea", "Turin", "Savoy"]) in found.facts[1].text
        assert len(found.facts) == 3

    def test_relations_bring_their_passages(self) -> None:
        found = ask("lightrag", reader_of(CHAIN), "Ada")
        assert found.chunks[0].places[0].source == "memory:one"

    def test_pairs_get_their_budget_share_before_passages(self) -> None:
        kinds = {
            share: [
                item.kind
                for item in ask(
                    "lightrag", reader_of(CHAIN), "Ada", Settings(lightrag=LightRAGSettings(relation_share=share))
                ).items
            ]
            for share in (0.0, 1.0)
        }
        assert kinds[0.0][0] is ItemKind.CHUNK
        assert kinds[1.0][0] is ItemKind.FACT
        assert Counter(kinds[0.0]) == Counter(kinds[1.0])

    def test_bare_pairs_contain_two_names(self) -> None:
        found = ask("lightrag-bare", reader_of(CHAIN), "Ada")
        assert {item.text for item in found.facts} >= {"Ada — Byron"}
        assert not any("meets" in item.text for item in found.facts)


class TestPaths:
    def test_path_text_lists_its_pairs(self) -> None:
        settings = Settings(pathrag=PathRAGSettings(entities=2))
        found = ask("pathrag", reader_of(POETS), "Ada and Shelley", settings)
        assert [item.text for item in found.items] == [
            f"Ada — Byron: {sentence(['Ada', 'Byron'])}",
            f"Byron — Shelley: {sentence(['Byron', 'Shelley'])}",
        ]
        assert {item.why for item in found.items} <= {
            "on the path Ada — Byron — Shelley",
            "on the path Shelley — Byron — Ada",
        }

    def test_best_item_can_be_ordered_last(self) -> None:
        first = ask("pathrag", reader_of(POETS), "Ada and Shelley and Byron")
        last = ask(
            "pathrag", reader_of(POETS), "Ada and Shelley and Byron", Settings(pathrag=PathRAGSettings(best_last=True))
        )
        assert last.items == first.items[::-1]
        scores = [item.score for item in first.items]
        assert scores == sorted(scores, reverse=True)
        assert len(set(scores)) > 1

    def test_only_the_most_reliable_paths_are_used(self) -> None:
        few = ask("pathrag", reader_of(POETS), "Ada and Shelley and Byron", Settings(pathrag=PathRAGSettings(paths=1)))
        assert len(few.items) == 1

    def test_disconnected_entities_have_no_path(self) -> None:
        apart = {"one": [["Ada", "Byron"]], "two": [["Turin", "Savoy"]]}
        assert (
            ask("pathrag", reader_of(apart), "Ada and Turin", Settings(pathrag=PathRAGSettings(entities=2))).items == ()
        )


class TestPassages:
    def test_only_passages_are_retrieved(self) -> None:
        assert {item.kind for item in ask("hipporag2", reader_of(CHAIN), "Ada meets Byron").items} == {ItemKind.CHUNK}

    def test_passage_is_reached_through_a_shared_entity(self) -> None:
        settings = Settings(hipporag2=HippoRAG2Settings(facts=1, passage_weight=0.001))
        found = ask("hipporag2", reader_of(CHAIN), "Whom meets Ada?", settings)
        assert found.documents[:2] == ("memory:one", "memory:two")
        assert "Byron" in found.items[1].why

    def test_passages_are_used_if_no_fact_is_similar(self) -> None:
        found = ask("hipporag2", reader_of(CHAIN), "zzz")
        assert [step.detail for step in found.trace if step.name == "walk"] == [
            "none, as no fact resembles the question"
        ]
        assert len(found.items) == 4

    def test_the_rarer_entity_weighs_more(self) -> None:
        story = {"start": [["Ada", "Hub", "Rare"]], **{f"hub {i}": [["Hub", f"Guest {i}"]] for i in range(9)}}
        story["rare"] = [["Rare", "Keats"]]
        settings = Settings(hipporag2=HippoRAG2Settings(facts=1, passage_weight=0.0))
        found = ask("hipporag2", reader_of(story), "Ada meets Hub meets Rare", settings)
        assert found.documents[:2] == ("memory:start", "memory:rare")


class Counting:
    """A Reader that counts the rows which pass through it."""

    def __init__(self, reader: MemoryReader) -> None:
        self._reader = reader
        self.rows: Counter[str] = Counter()
        self.calls: Counter[str] = Counter()

    def __getattr__(self, name: str) -> Any:
        called = getattr(self._reader, name)

        def counted(*given: Any) -> Any:
            found = called(*given)
            asked = sum(len(each) for each in given if isinstance(each, np.ndarray) and each.dtype == np.int64)
            self.rows[name] += asked + (len(found.targets) if isinstance(found, Links) else 0)
            self.calls[name] += 1
            return found

        return counted


@pytest.mark.parametrize("method", ["lightrag", "lightrag-bare", "pathrag", "hipporag", "hipporag2", "fastgraphrag"])
def test_hub_reads_are_bounded(method: str) -> None:
    def read(facts: int) -> Counting:
        reader = Counting(reader_of({f"day {i}": [["Hub", f"Guest {i}", f"Place {i}"]] for i in range(facts)}))
        chosen = method_named(method, Settings())
        asyncio.run(chosen.retrieve("Whom meets Hub?", cast(Reader, reader), HashingEmbedder(), 4000))
        return reader

    small, large = read(150), read(450)
    assert large.calls == small.calls
    # Which of the guests are nearest differs, and so by a little what is read of them.
    assert sum(large.rows.values()) < 1.2 * sum(small.rows.values())
