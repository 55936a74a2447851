"""Answer a question for all items of a kind without a language model: quote a sentence for each item."""

from collections.abc import Sequence
from dataclasses import replace

from polyadic.embeddings.embedder import Embedder
from polyadic.generation.extractive_answerer import quotation, quote_answer
from polyadic.generation.quoted_text import QuotedText
from polyadic.model.types import Answer, Item, Knowledge, RetrievalSection, SourceSpan
from polyadic.storage.protocol import Reader
from polyadic.text.list_questions import list_question

MOST_QUOTED = 16
# Minimum relevance of a quoted sentence relative to the best one; below it, most sentences are off topic.
_LEAST_RELEVANT = 0.75


def has_list(knowledge: Knowledge) -> bool:
    """Return whether a list was retrieved (retrieval/list_items.py)."""
    return any(item.section is RetrievalSection.LIST for item in knowledge.items)


async def quote_list(knowledge: Knowledge, embedder: Embedder, reader: Reader) -> Answer:
    """Quote the best sentence about each item of a retrieved list.

    Whether to answer at all is decided as for other questions, for the phrase without "list all".

    Parameters
    ----------
    knowledge
        The retrieved items, with a list among them.
    embedder, reader
        As for :func:`quote_answer`.

    Returns
    -------
    Answer
        One citation per line, each of exactly the quoted characters; the note says that the list may be incomplete.
    """
    asked = list_question(knowledge.question)
    judged = await quote_answer(
        replace(knowledge, question=asked.phrase if asked else knowledge.question), embedder, reader
    )
    answer = replace(judged, question=knowledge.question, knowledge=knowledge)
    if not answer.answered:
        return answer
    listed = [item for item in knowledge.items if item.section is RetrievalSection.LIST and item.places]
    quoted = QuotedText.of((f'"{quotation(place)}"', place, score) for place, score in _places(listed))
    return replace(answer, text=quoted.text, citations=quoted.citations, claims=quoted.claims)


def _places(listed: Sequence[Item]) -> list[tuple[SourceSpan, float]]:
    """Return the spans to quote, each once, with their relevance relative to the best one."""
    best = max(item.score for item in listed)
    if best <= 0:
        return [(listed[0].places[0], 1.0)]
    scores: dict[SourceSpan, float] = {}
    for item in listed:
        scores.setdefault(item.places[0], item.score / best)
    relevant = [(place, score) for place, score in scores.items() if score >= _LEAST_RELEVANT]
    return relevant[:MOST_QUOTED]
