"""Rerank the first passages of any retrieval method."""

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter

from polyadic.embeddings.embedder import Embedder
from polyadic.errors import ModelUnavailable
from polyadic.model.types import Item, ItemKind, Knowledge, TraceStep
from polyadic.rerankers.reranker import Reranker
from polyadic.retrieval.method import Method
from polyadic.storage.protocol import Reader
from polyadic.tracing.spans import step_done


class RerankedMethod:
    """A method whose passages are reranked; facts stay before the passages that state them.

    If the reranker is unavailable, the order does not change, and trace and note say so.

    Parameters
    ----------
    method
        The method to rerank.
    reranker
        Scores the passages.
    passages
        Number of passages to rerank; later ones keep their order.
    """

    def __init__(self, method: Method, reranker: Reranker, passages: int) -> None:
        self.name = method.name
        self._method = method
        self._reranker = reranker
        self._passages = passages

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        knowledge = await self._method.retrieve(question, reader, embedder, context_tokens)
        blocks, rest = _blocks(knowledge.items, self._passages)
        if len(blocks) < 2:
            return knowledge
        started = perf_counter()
        try:
            scores = await self._reranker.scores(question, [block[-1].text for block in blocks])
        except ModelUnavailable as problem:
            note = f"not reranked: {problem.what}"
            step = TraceStep("rerank", note, perf_counter() - started)
            step_done(step.name)
            return replace(
                knowledge, trace=(*knowledge.trace, step), note="; ".join(filter(None, (knowledge.note, note)))
            )
        order = sorted(range(len(blocks)), key=lambda place: -scores[place])
        items = tuple(item for place in order for item in blocks[place])
        step = TraceStep("rerank", f"{len(blocks)} passages by {self._reranker.name}", perf_counter() - started)
        step_done(step.name)
        return replace(knowledge, items=(*_rescored(items), *rest), trace=(*knowledge.trace, step))


def _blocks(items: Sequence[Item], most: int) -> tuple[list[list[Item]], list[Item]]:
    """Return the first passages, each preceded by the items before it, and the remaining items."""
    blocks: list[list[Item]] = []
    block: list[Item] = []
    for place, item in enumerate(items):
        block.append(item)
        if item.kind is ItemKind.CHUNK:
            blocks.append(block)
            block = []
            if len(blocks) == most:
                return blocks, list(items[place + 1 :])
    return blocks, block


def _rescored(items: Sequence[Item]) -> list[Item]:
    """Reassign the scores of the passages in descending order, because readers compare scores."""
    scores = sorted((item.score for item in items if item.kind is ItemKind.CHUNK), reverse=True)
    descending = iter(scores)
    return [replace(item, score=next(descending)) if item.kind is ItemKind.CHUNK else item for item in items]
