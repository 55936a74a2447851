"""Retrieve the facts about a broad topic: "How did the part that women play in spaceflight change?".

Such an answer rests on many facts of many passages, of which few fit into a context. So the most relevant facts come
first, as for lists (list_items.py).
"""

from dataclasses import dataclass

import numpy as np

from polyadic.embeddings.embedder import Embedder
from polyadic.retrieval.fact_ranking import candidate_facts, fact_relevance, within
from polyadic.retrieval.items import RetrievedRow, retrieved_rows
from polyadic.retrieval.relevance.question_features import read_asked
from polyadic.storage.protocol import Reader, Rows

SHARE = 0.5
"""Maximum share of the token budget for the facts; passages get the rest."""
# A fact is about the topic if it has this share of the relevance of the best one, which has at least this relevance. A
# topic is broad if such facts stand in so many documents, or in so many passages, about 2,000 tokens. Chosen on fifteen
# broad and fourteen narrow topics of the spaceflight corpus.
_ABOUT, _LEAST = 0.6, 0.45
_DOCUMENTS, _PASSAGES = 4, 8
# With a large budget, passages show what surrounds the facts. Chosen among 16, 24 and 32 on two questions.
_FACTS = 24
_WHY = "about the topic of the question"


@dataclass(frozen=True, slots=True)
class TopicFacts:
    """The facts about a broad topic, most relevant first, within their share of the budget; where they stand."""

    facts: tuple[RetrievedRow, ...]
    documents: int
    passages: int


async def find_topic(topic: str, reader: Reader, embedder: Embedder, context_tokens: int) -> TopicFacts | None:
    """Find the facts about a topic; None if the topic is not broad in these documents.

    Parameters
    ----------
    topic
        A noun phrase.
    reader
        The store.
    embedder
        Embeds the topic.
    context_tokens
        Token budget of the whole result.
    """
    vector = (await embedder.embed([topic]))[0]
    facts = candidate_facts(topic, vector, reader)
    relevance = fact_relevance(facts, [fact.text for fact in reader.facts(facts)], read_asked(topic), vector, reader)
    best = float(relevance.max(initial=0.0))
    if best < _LEAST:
        return None
    documents, passages = _spread(facts[relevance >= _ABOUT * best], reader)
    if documents < _DOCUMENTS and passages < _PASSAGES:
        return None
    order = np.argsort(-relevance, kind="stable")[:_FACTS]
    rows = retrieved_rows("fact", facts[order], relevance[order], [_WHY] * len(order), reader)
    return TopicFacts(within(rows, int(SHARE * context_tokens)), documents, passages)


def _spread(facts: Rows, reader: Reader) -> tuple[int, int]:
    """Return the number of documents and of passages in which facts stand."""
    chunks = np.unique(reader.links("fact_chunks", facts).targets)
    return len({place.document_id for place in reader.chunk_places(chunks)}), len(chunks)
