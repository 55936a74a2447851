"""RAPTOR's collapsed tree against an independent reading of its nodes, and the cache of trees."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from polyadic.config import RaptorSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.errors import PolyadicError
from polyadic.model.types import ItemKind, Knowledge
from polyadic.retrieval import chunk_tree
from polyadic.retrieval.chunk_tree import ChunkTree, ChunkTreeCache, SummaryNode, build_chunk_tree
from polyadic.retrieval.methods import raptor
from polyadic.retrieval.registry import method_named
from polyadic.storage.protocol import Vectors
from tests.retrieval.memory_reader import MemoryReader
from tests.retrieval.stories import FactsByDocument, reader_of

THEMES = {
    "poems": ["Byron", "Shelley", "Keats", "Poem", "Verse"],
    "engines": ["Babbage", "Menabrea", "Engine", "Mill", "Store"],
    "voyages": ["Darwin", "FitzRoy", "Beagle", "Finch", "Island"],
}
STORY: FactsByDocument = {
    f"{theme} {number}": [
        [names[number % 5], names[(number + 1) % 5], f"{theme} {number}"],
        [*names[2:4], f"N{number}"],
    ]
    for theme, names in THEMES.items()
    for number in range(12)
}
OPTIONS = RaptorSettings(cluster_tokens=120, summary_tokens=30)
QUESTION = "Which Poem did Byron show to Shelley?"


def tree_of(reader: MemoryReader, options: RaptorSettings = OPTIONS) -> ChunkTree:
    return asyncio.run(build_chunk_tree(reader, HashingEmbedder(), options))


def ask(
    reader: MemoryReader, question: str = QUESTION, tokens: int = 4000, options: RaptorSettings = OPTIONS
) -> Knowledge:
    method = method_named("raptor", Settings(raptor=options))
    return asyncio.run(method.retrieve(question, reader, HashingEmbedder(), tokens))


@pytest.fixture(scope="module")
def reader() -> MemoryReader:
    return reader_of(STORY)


@pytest.fixture(scope="module")
def tree(reader: MemoryReader) -> ChunkTree:
    return tree_of(reader)


def test_every_chunk_is_below_a_summary_of_the_first_layer(tree: ChunkTree) -> None:
    lowest = [node for node in tree.summaries if node.layer == 1]
    assert frozenset[int]().union(*(node.chunks for node in lowest)) == set(range(len(STORY)))
    assert all(len(node.chunks) > 1 for node in lowest)


def test_layers_grow_smaller_and_stop(reader: MemoryReader) -> None:
    tree = tree_of(reader, RaptorSettings(cluster_tokens=30, summary_tokens=30))
    sizes = [sum(node.layer == layer for node in tree.summaries) for layer in range(1, 6)]
    assert sizes[0] >= chunk_tree.FEWEST and sizes[1] > 0
    assert all(later < earlier for earlier, later in zip([len(STORY), *sizes], sizes, strict=False) if later)
    above = [node for node in tree.summaries if node.layer == 2]
    below = {fact for node in tree.summaries if node.layer == 1 for fact in node.facts}
    assert all(set(node.facts) <= below for node in above)


def expected_facts(node: SummaryNode, reader: MemoryReader) -> list[int]:
    chunks = np.array(sorted(node.chunks))
    centre = reader.directions("chunk", chunks).sum(axis=0)
    stated = [reader.links("chunk_facts", np.array([chunk])).targets.tolist() for chunk in chunks]
    facts = np.unique(np.concatenate(stated))
    nearness = dict(zip(facts.tolist(), reader.similarity("fact", facts, centre[None, :])[0].tolist(), strict=True))
    best = {max(of_chunk, key=lambda fact: (nearness[fact], -fact)) for of_chunk in stated}
    ordered = sorted(best, key=lambda fact: (-nearness[fact], fact))
    tokens = np.cumsum(reader.tokens("fact", np.array(ordered)))
    return ordered[: max(1, int((tokens <= OPTIONS.summary_tokens).sum()))]


def test_summaries_are_the_members_facts_nearest_to_the_centre(reader: MemoryReader, tree: ChunkTree) -> None:
    lowest = [node for node in tree.summaries if node.layer == 1]
    assert len(lowest) > 1
    assert [list(node.facts) for node in lowest] == [expected_facts(node, reader) for node in lowest]


def test_summaries_and_passages_are_ranked_together(reader: MemoryReader) -> None:
    options = OPTIONS.model_copy(update={"nodes": 6})
    found, tree = ask(reader, options=options), tree_of(reader, options)
    vector = asyncio.run(HashingEmbedder().embed([QUESTION]))[0]
    chunks = reader.similarity("chunk", reader.rows("chunk"), vector[None, :])[0]
    texts = [" ".join(fact.text for fact in reader.facts(np.array(node.facts))) for node in tree.summaries]
    summaries = asyncio.run(HashingEmbedder().embed(texts)) @ vector
    best = np.sort(np.concatenate([chunks, summaries]))[::-1][:6]
    shown = list(dict.fromkeys(item.score for item in found.items))
    assert shown == pytest.approx(list(dict.fromkeys(best.tolist()))[: len(shown)], abs=1e-6) and len(shown) > 1
    assert {item.kind for item in found.items} == {ItemKind.FACT, ItemKind.CHUNK}
    scores = [item.score for item in found.items]
    assert scores == sorted(scores, reverse=True)
    assert any("layer 1; extractive" in item.why for item in found.facts)


def test_few_passages_have_no_tree() -> None:
    few = reader_of(dict(list(STORY.items())[: chunk_tree.FEWEST - 1]))
    assert tree_of(few).summaries == ()
    assert {item.kind for item in ask(few).items} == {ItemKind.CHUNK}


def test_tree_is_built_once_per_version() -> None:
    cache, embedder = ChunkTreeCache(most=2), HashingEmbedder()
    readers = [reader_of({f"letter {number}": [["Ada", f"Letter {number}"]]}) for number in range(3)]

    def tree(number: int) -> ChunkTree:
        return asyncio.run(cache.tree(readers[number], embedder, OPTIONS))

    first, second = tree(0), tree(1)
    assert tree(0) is first and tree(1) is second and first is not second
    tree(2)
    assert tree(1) is second and tree(0) is not first


class CountingEmbedder(HashingEmbedder):
    """Counts batches; the first ones fail."""

    def __init__(self, failures: int = 0) -> None:
        super().__init__()
        self.failures, self.batches = failures, 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.batches += 1
        await asyncio.sleep(0.01)
        if self.batches <= self.failures:
            raise PolyadicError("the embedder failed", "try again")
        return await super().embed(texts)


def built_at_once(cache: ChunkTreeCache, reader: MemoryReader, embedder: CountingEmbedder) -> list[object]:
    """Ask for a tree three times at once: twice on one event loop, and once on that of another thread."""

    async def twice() -> list[object]:
        trees = (cache.tree(reader, embedder, OPTIONS) for _ in range(2))
        return list(await asyncio.gather(*trees, return_exceptions=True))

    with ThreadPoolExecutor(1) as other:
        third = other.submit(lambda: asyncio.run(cache.tree(reader, embedder, OPTIONS)))
        return [*asyncio.run(twice()), third.result()]


def test_tree_is_built_once_for_simultaneous_questions(reader: MemoryReader) -> None:
    alone, together = CountingEmbedder(), CountingEmbedder()
    asyncio.run(build_chunk_tree(reader, alone, OPTIONS))
    first, *others = built_at_once(ChunkTreeCache(), reader, together)
    assert isinstance(first, ChunkTree) and all(tree is first for tree in others)
    assert together.batches == alone.batches > 0


def test_failed_build_is_repeated_for_a_question_that_waited(reader: MemoryReader) -> None:
    cache, embedder = ChunkTreeCache(), CountingEmbedder(failures=1)

    async def twice() -> list[object]:
        trees = (cache.tree(reader, embedder, OPTIONS) for _ in range(2))
        return list(await asyncio.gather(*trees, return_exceptions=True))

    failed, built = asyncio.run(twice())
    assert isinstance(failed, PolyadicError) and isinstance(built, ChunkTree)


def test_store_that_is_too_large_is_refused(reader: MemoryReader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raptor, "MOST_CHUNKS", len(STORY) - 1)
    with pytest.raises(PolyadicError, match="36 are more than 35: select fewer documents"):
        ask(reader)
