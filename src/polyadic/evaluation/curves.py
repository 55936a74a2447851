"""Quality and tokens against k and against a limit of tokens, from what was retrieved once.

Source: HyperGraphRAG v3 (arXiv 2503.21322v3), Figure 6a and 6b.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.record import QuestionRecord

KS = tuple(range(1, 21))
LIMITS = (250, 500, 750, 1000, 1500, 2000, 3000, 4000, 6000, 8000)

Records = Sequence[Sequence[QuestionRecord | None]]
"""By method and question; None where there is none."""


@dataclass(frozen=True)
class Curves:
    """Means over the questions with gold passages, one row a method; NaN where there is none.

    ``recall`` and ``all_gold`` say how many of a question's gold passages, and whether all of them, are among the
    first k of ``ks``; ``tokens`` what the items have together that bring these k. ``covered`` says how many gold
    passages lie under an item that fits into each of ``limits``, which go no further than the budget that retrieval
    had.
    """

    ks: tuple[int, ...]
    recall: NDArray[np.float64]
    all_gold: NDArray[np.float64]
    tokens: NDArray[np.float64]
    limits: tuple[int, ...]
    covered: NDArray[np.float64]


def curves(questions: Sequence[DatasetQuestion], records: Records, context_tokens: int) -> Curves:
    """The curves of each method over these questions."""
    limits = tuple(limit for limit in LIMITS if limit <= context_tokens) or (context_tokens,)
    with_gold = [place for place, question in enumerate(questions) if question.gold]
    recall, all_gold, tokens, covered = [], [], [], []
    for row in records:
        several = [(questions[place], record) for place in with_gold if (record := row[place]) is not None]
        found = np.array([_gold_among(question, record) for question, record in several]).reshape(-1, len(KS))
        recall.append(_mean(found))
        all_gold.append(_mean((found >= 1 - 1e-9).astype(float)))
        tokens.append(_mean(np.array([_tokens_to(r) for _, r in several]).reshape(-1, len(KS))))
        covered.append(_mean(np.array([_covered(q, r, limits) for q, r in several]).reshape(-1, len(limits))))
    return Curves(KS, np.array(recall), np.array(all_gold), np.array(tokens), limits, np.array(covered))


def fitting(record: QuestionRecord, limit: int) -> list[int]:
    """The places of those items that fit into so many tokens, best first, as retrieval fits them into its budget."""
    room, kept = limit, []
    for place, found in enumerate(record.found):
        if found.tokens <= room:
            room -= found.tokens
            kept.append(place)
    return kept


def _gold_among(question: DatasetQuestion, record: QuestionRecord) -> list[float]:
    hits = np.cumsum([passage in question.gold for passage in record.passages[: KS[-1]]] or [False])
    return [float(hits[min(k, len(hits)) - 1]) / len(question.gold) for k in KS]


def _tokens_to(record: QuestionRecord) -> list[int]:
    """The tokens of all items up to that which brings the k-th passage, for each k; of all where there are fewer."""
    seen, total, at = set[str](), 0, list[int]()
    for found in record.found:
        total += found.tokens
        new = set(found.passages) - seen
        at += [total] * len(new)
        seen |= new
    return [at[k - 1] if k <= len(at) else total for k in KS]


def _covered(question: DatasetQuestion, record: QuestionRecord, limits: Sequence[int]) -> list[float]:
    shares = []
    for limit in limits:
        under = {passage for place in fitting(record, limit) for passage in record.found[place].passages}
        shares.append(len(under & question.gold) / len(question.gold))
    return shares


def _mean(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(values.mean(axis=0) if len(values) else np.full(values.shape[1], np.nan), dtype=np.float64)
