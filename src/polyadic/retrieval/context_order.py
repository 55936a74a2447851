"""One list of facts and passages that serves a reader with little room and one with much.

Facts are cheap, so the best come first, then the passages, then further facts. Each passage's best fact *leads* it:
leads keep the order of the passages, so documents first appear in the order of their passages; other facts stand
where their score puts them, which is what tells good from bad within long passages about many things.
"""

import numpy as np

from polyadic.model.types import ItemKind
from polyadic.retrieval.subgraph import Places, Subgraph
from polyadic.storage.protocol import Vectors
from polyadic.storage.row_sets import among, distinct

FACTS_FIRST = 24
"""Facts before the first passage."""

_NONE = -1


def order_context(
    graph: Subgraph, chunks: Places, scores: Vectors, most: int, first: int = FACTS_FIRST
) -> list[tuple[ItemKind, int]]:
    """Facts and chunks in reading order, as kinds and positions in the graph.

    Parameters
    ----------
    chunks
        The chunks to show, best first.
    scores
        Of each fact of the graph, shape (facts,).
    most
        Facts to show beside the leads.
    first
        Entries before the first passage, nearly all of them facts.
    """
    leads = _leads(graph, chunks, scores)
    worth = np.where(leads == _NONE, 0.0, scores[leads]) if len(scores) else np.zeros(len(leads))
    # A lead is worth as much as the best lead after it, so that sorting keeps the order of the passages.
    worth = np.maximum.accumulate(worth[::-1])[::-1]
    led = [
        (-value, (ItemKind.CHUNK, chunk) if lead == _NONE else (ItemKind.FACT, lead))
        for value, chunk, lead in zip(worth.tolist(), chunks.tolist(), leads.tolist(), strict=True)
    ]
    others = [(-float(scores[fact]), (ItemKind.FACT, fact)) for fact in _others(graph, chunks, leads, scores, most)]
    entries = [entry for _, entry in sorted(led + others, key=lambda pair: pair[0])]
    passages = [(ItemKind.CHUNK, chunk) for chunk in chunks.tolist()]
    return list(dict.fromkeys([*entries[:first], *passages, *entries[first:]]))


def _leads(graph: Subgraph, chunks: Places, scores: Vectors) -> Places:
    """For each chunk its best fact that leads none before it; _NONE where there is none."""
    facts, stating = graph.statement
    leads: dict[int, int] = {}
    for chunk in chunks.tolist():
        stated = facts[stating == chunk]
        best_first = stated[np.argsort(-scores[stated], kind="stable")].tolist()
        leads[chunk] = next((fact for fact in best_first if fact not in leads.values()), _NONE)
    return np.array(list(leads.values()), dtype=np.int64)


def _others(graph: Subgraph, chunks: Places, leads: Places, scores: Vectors, most: int) -> list[int]:
    """The best facts of these chunks that lead none of them."""
    facts, stating = graph.statement
    stated = distinct(facts[among(stating, chunks)])
    others = stated[~among(stated, leads)]
    best: list[int] = others[np.argsort(-scores[others], kind="stable")[:most]].tolist()
    return best
