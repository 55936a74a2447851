"""Passages of any method are put into the order of a reranker, or stay where there is none to be had."""

import asyncio
from collections.abc import Sequence

import pytest

from polyadic.embeddings.embedder import Embedder
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.errors import ModelUnavailable
from polyadic.model.types import Item, ItemKind, Knowledge, Usage
from polyadic.retrieval.reranking import RerankedMethod
from polyadic.storage.protocol import Reader
from tests.retrieval.conftest import read_from_memory


def item(kind: ItemKind, name: str, score: float) -> Item:
    return Item(kind, name, name, score, "why", 1)


ITEMS = (
    item(ItemKind.FACT, "fact of a", 0.9),
    item(ItemKind.CHUNK, "a", 0.8),
    item(ItemKind.CHUNK, "b", 0.6),
    item(ItemKind.FACT, "fact of c", 0.5),
    item(ItemKind.FACT, "another of c", 0.4),
    item(ItemKind.CHUNK, "c", 0.2),
    item(ItemKind.FACT, "left over", 0.1),
)


class Given:
    """Implements Method with these items."""

    name = "given"

    def __init__(self, items: tuple[Item, ...]) -> None:
        self._items = items

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        return Knowledge(question, self.name, self._items, len(self._items), 0, ())


class Judging:
    """Implements Reranker: passages are worth what is said here, or it is not to be had."""

    name = "judge"

    def __init__(self, **worth: float) -> None:
        self._worth = worth

    async def scores(self, question: str, passages: Sequence[str]) -> list[float]:
        if not self._worth:
            raise ModelUnavailable("nobody answers at http://host/v1", "start it")
        return [self._worth[passage] for passage in passages]

    def take_usage(self) -> tuple[Usage, float]:
        return Usage(), 0.0

    async def close(self) -> None:
        """There is nothing to let go of."""


def reranked(reranker: Judging, passages: int = 10, items: tuple[Item, ...] = ITEMS) -> Knowledge:
    method = RerankedMethod(Given(items), reranker, passages)
    return asyncio.run(method.retrieve("Who?", read_from_memory([]), HashingEmbedder(), 100))


def test_passages_follow_the_reranker_with_their_facts() -> None:
    found = reranked(Judging(a=0.1, b=0.5, c=0.9))
    names = [one.id for one in found.items]
    assert names == ["fact of c", "another of c", "c", "b", "fact of a", "a", "left over"]
    assert [one.score for one in found.chunks] == [0.8, 0.6, 0.2]
    assert (found.method, found.tokens, found.note) == ("given", 7, "")
    assert found.trace[-1].name == "rerank" and found.trace[-1].detail == "3 passages by judge"


def test_only_the_first_passages_are_reranked() -> None:
    found = reranked(Judging(a=0.1, b=0.5), passages=2)
    assert [one.id for one in found.items] == ["b", "fact of a", "a", "fact of c", "another of c", "c", "left over"]


def test_failed_reranker_keeps_the_order_and_is_reported() -> None:
    found = reranked(Judging())
    assert found.items == ITEMS
    assert found.note == "not reranked: nobody answers at http://host/v1"
    assert found.trace[-1].detail == found.note


@pytest.mark.parametrize("items", [(), ITEMS[:2], ITEMS[:1]])
def test_less_than_two_passages_need_no_reranker(items: tuple[Item, ...]) -> None:
    assert reranked(Judging(), items=items) == asyncio.run(
        Given(items).retrieve("Who?", read_from_memory([]), HashingEmbedder(), 100)
    )
