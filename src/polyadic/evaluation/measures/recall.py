"""recall@k: the share of a question's gold passages among the first k retrieved; all-gold@k: whether all are."""

from collections.abc import Sequence, Set


def recall_at(k: int, retrieved: Sequence[str], gold: Set[str]) -> float:
    """Share in [0, 1] of the gold passages among the first k. Source: any textbook; as in HippoRAG's evaluation.

    >>> recall_at(2, ["a", "x", "b"], {"a", "b"})
    0.5
    """
    return len(gold & set(retrieved[:k])) / len(gold)


def all_gold_at(k: int, retrieved: Sequence[str], gold: Set[str]) -> float:
    """1 if every gold passage is among the first k, else 0 ("perfect@k" of fast-graphrag's benchmark).

    >>> all_gold_at(3, ["a", "x", "b"], {"a", "b"})
    1.0
    """
    return float(gold <= set(retrieved[:k]))
