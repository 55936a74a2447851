"""Any method, with the first of its passages put into the order that a reranking model gives them."""

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
    """Implements Method: the passages of another one, reranked; its facts stay before the passages that state them.

    Where the reranker is not to be had, the order stays as it is, and trace and note say so.

    Parameters
    ----------
    method
        What finds knowledge.
    reranker
        What judges it.
    passages
        How many of the first passages are judged; those that follow keep their order.
    """

    def __init__(self, method: Method, reranker: Reranker, passages: int) -> None:
        self.name = method.name
        self._method = method
        self._reranker = reranker
        self._passages = passages

    async def retrieve(self, question: str, reader: Reader, embedder: Embedder, context_tokens: int) -> Knowledge:
        found = await self._method.retrieve(question, reader, embedder, context_tokens)
        blocks, rest = _blocks(found.items, self._passages)
        if len(blocks) < 2:
            return found
        started = perf_counter()
        try:
            scores = await self._reranker.scores(question, [block[-1].text for block in blocks])
        except ModelUnavailable as problem:
            note = f"not reranked: {problem.what}"
            step = TraceStep("rerank", note, perf_counter() - started)
            step_done(step.name)
            return replace(found, trace=(*found.trace, step), note="; ".join(filter(None, (found.note, note))))
        order = sorted(range(len(blocks)), key=lambda place: -scores[place])
        items = tuple(item for place in order for item in blocks[place])
        step = TraceStep("rerank", f"{len(blocks)} passages by {self._reranker.name}", perf_counter() - started)
        step_done(step.name)
        return replace(found, items=(*_rescored(items), *rest), trace=(*found.trace, step))


def _blocks(items: Sequence[Item], most: int) -> tuple[list[list[Item]], list[Item]]:
    """The first passages, each after the items that a method put before it, and what follows them."""
    blocks: list[list[Item]] = []
    begun: list[Item] = []
    for place, item in enumerate(items):
        begun.append(item)
        if item.kind is ItemKind.CHUNK:
            blocks.append(begun)
            begun = []
            if len(blocks) == most:
                return blocks, list(items[place + 1 :])
    return blocks, begun


def _rescored(items: Sequence[Item]) -> list[Item]:
    """The passages with the scores that they had, in falling order: scores are compared by those who read them."""
    scores = sorted((item.score for item in items if item.kind is ItemKind.CHUNK), reverse=True)
    falling = iter(scores)
    return [replace(item, score=next(falling)) if item.kind is ItemKind.CHUNK else item for item in items]
