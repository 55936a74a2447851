"""Order facts and passages in one list that suits both small and large token budgets.

Facts are short, so the best come first, then the passages, then further facts. The best fact of each passage is its
*lead*: leads keep the order of the passages, so documents first appear in the order of their passages. Other facts are
ordered by score, which separates relevant from irrelevant facts within long passages about many things.
"""

import numpy as np

from polyadic.model.types import ItemKind
from polyadic.retrieval.subgraph import Places, Subgraph
from polyadic.storage.incidence import among, distinct
from polyadic.storage.protocol import Vectors

FACTS_FIRST = 24
"""Number of facts before the first passage."""

_NONE = -1


def order_context(
    graph: Subgraph, chunks: Places, scores: Vectors, most: int, first: int = FACTS_FIRST
) -> list[tuple[ItemKind, int]]:
    """Return facts and chunks in reading order, as kinds and positions in the graph.

    Parameters
    ----------
    graph
        The subgraph around the question.
    chunks
        The chunks to show, best first.
    scores
        Score of each fact of the graph, shape (facts,).
    most
        Number of facts to show besides the leads.
    first
        Number of entries before the first passage, nearly all of them facts.
    """
    leads = _leads(graph, chunks, scores)
    worth = np.where(leads == _NONE, 0.0, scores[leads]) if len(scores) else np.zeros(len(leads))
    # The score of a lead is raised to that of the best lead after it, so that sorting keeps the order of the passages.
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
    """Return for each chunk its best fact that is not the lead of an earlier one; _NONE if there is none."""
    facts, stating = graph.statement
    leads: dict[int, int] = {}
    for chunk in chunks.tolist():
        stated = facts[stating == chunk]
        best_first = stated[np.argsort(-scores[stated], kind="stable")].tolist()
        leads[chunk] = next((fact for fact in best_first if fact not in leads.values()), _NONE)
    return np.array(list(leads.values()), dtype=np.int64)


def _others(graph: Subgraph, chunks: Places, leads: Places, scores: Vectors, most: int) -> list[int]:
    """Return the best facts of these chunks that are not leads."""
    facts, stating = graph.statement
    stated = distinct(facts[among(stating, chunks)])
    others = stated[~among(stated, leads)]
    best: list[int] = others[np.argsort(-scores[others], kind="stable")[:most]].tolist()
    return best
