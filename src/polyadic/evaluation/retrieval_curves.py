"""Compute quality and tokens over k and over a token limit, from one retrieval per question.

Source: HyperGraphRAG v3 (arXiv 2503.21322v3), Figure 6a and 6b.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.question_record import QuestionRecord
from polyadic.model.types import ItemKind

KS = tuple(range(1, 21))
LIMITS = (250, 500, 750, 1000, 1500, 2000, 3000, 4000, 6000, 8000)

Records = Sequence[Sequence[QuestionRecord | None]]
"""Records by method and question; None if missing."""


@dataclass(frozen=True)
class Curves:
    """Means over the questions with gold passages, one row per method; NaN without such questions.

    Attributes
    ----------
    recall, all_gold
        Share of gold passages among the first k of ``ks``, and share of questions with all of them.
    tokens
        Tokens of the items that cover the first k passages.
    limits
        Token limits, up to the budget of the retrieval.
    covered
        Share of gold passages covered by the items that fit into each limit.
    """

    ks: tuple[int, ...]
    recall: NDArray[np.float64]
    all_gold: NDArray[np.float64]
    tokens: NDArray[np.float64]
    limits: tuple[int, ...]
    covered: NDArray[np.float64]


def curves(questions: Sequence[DatasetQuestion], records: Records, context_tokens: int) -> Curves:
    """Compute the curves of each method over these questions."""
    limits = tuple(limit for limit in LIMITS if limit <= context_tokens) or (context_tokens,)
    with_gold = [place for place, question in enumerate(questions) if question.gold]
    recall, all_gold, tokens, covered = [], [], [], []
    for row in records:
        with_records = [(questions[place], record) for place in with_gold if (record := row[place]) is not None]
        recall_at_k = np.array([_recall_at(question, record) for question, record in with_records]).reshape(-1, len(KS))
        recall.append(_mean(recall_at_k))
        all_gold.append(_mean((recall_at_k >= 1 - 1e-9).astype(float)))
        tokens.append(_mean(np.array([_tokens_to(r) for _, r in with_records]).reshape(-1, len(KS))))
        covered.append(_mean(np.array([_covered(q, r, limits) for q, r in with_records]).reshape(-1, len(limits))))
    return Curves(KS, np.array(recall), np.array(all_gold), np.array(tokens), limits, np.array(covered))


def fitting(record: QuestionRecord, limit: int) -> list[int]:
    """Return the indices of the items that fit into ``limit`` tokens, chosen greedily as in retrieval.

    A fact that takes no tokens, because a retrieved passage states it, fits only with a chunk of that passage.
    """
    room, chosen, read = limit, set[int](), set[str]()
    for place, item in enumerate(record.found):
        if 0 < item.tokens <= room:
            room -= item.tokens
            chosen.add(place)
            if item.kind == ItemKind.CHUNK:
                read.update(item.passages)
    free = {place for place, item in enumerate(record.found) if not item.tokens and not read.isdisjoint(item.passages)}
    return sorted(chosen | free)


def _recall_at(question: DatasetQuestion, record: QuestionRecord) -> list[float]:
    hits = np.cumsum([passage in question.gold for passage in record.passages[: KS[-1]]] or [False])
    return [float(hits[min(k, len(hits)) - 1]) / len(question.gold) for k in KS]


def _tokens_to(record: QuestionRecord) -> list[int]:
    """Return the tokens of the items up to the one with the k-th passage, for each k; of all items if fewer."""
    seen, total, tokens_at = set[str](), 0, list[int]()
    for item in record.found:
        total += item.tokens
        new = set(item.passages) - seen
        tokens_at += [total] * len(new)
        seen |= new
    return [tokens_at[k - 1] if k <= len(tokens_at) else total for k in KS]


def _covered(question: DatasetQuestion, record: QuestionRecord, limits: Sequence[int]) -> list[float]:
    shares = []
    for limit in limits:
        covered_passages = {passage for place in fitting(record, limit) for passage in record.found[place].passages}
        shares.append(len(covered_passages & question.gold) / len(question.gold))
    return shares


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values.mean(axis=0) if len(values) else np.full(values.shape[1], np.nan), dtype=np.float64)
