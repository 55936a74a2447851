"""Choose sentences of other documents that a search over all documents would find for a question.

They teach the cross-encoder what the best sentence looks like where no document answers; a few may answer all the same.
"""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

from polyadic.embeddings.embedder import Embedder
from polyadic.text.stopwords import function_words

_AT_ONCE = 512
# How much the share of the question's words, weighted by rarity, counts beside the cosine.
_LEXICAL = 0.5


@dataclass(frozen=True, slots=True)
class Pooled:
    """A sentence with its context, and where it stands: sentences that stand near each other have one subject.

    ``place`` counts the sentences of the source.
    """

    pair: tuple[str, str]
    source: str
    place: int


def found_elsewhere(
    questions: Sequence[tuple[str, str, int]], pool: Sequence[Pooled], embedder: Embedder, many: int, near: int
) -> Iterator[list[tuple[str, str]]]:
    """Yield for each question the sentences that a search finds best, best first, outside its own document.

    Parameters
    ----------
    questions
        Text, source and place of each question; an empty source is the same as no sentence's.
    pool
        The sentences to search.
    embedder
        Embeds questions and sentences.
    many
        How many to find for each.
    near
        Sentences of the same source within this many places are left out.
    """
    sentences = [one.pair[1] for one in pool]
    asked = [text for text, _, _ in questions]
    vectors, asked_vectors = (asyncio.run(embedder.embed(texts)) for texts in (sentences, asked))
    words, asked_words = _words(sentences, asked)
    sources = {name: number for number, name in enumerate(dict.fromkeys(one.source for one in pool))}
    source = np.array([sources[one.source] for one in pool])
    place = np.array([one.place for one in pool])
    for start in range(0, len(questions), _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        scores = asked_vectors[part] @ vectors.T + _LEXICAL * (asked_words[part] @ words.T).toarray()
        for (_, own, position), row in zip(questions[part], scores, strict=True):
            row[(source == sources.get(own, -1)) & (np.abs(place - position) <= near)] = -np.inf
            best = np.argpartition(-row, many)[:many]
            yield [pool[number].pair for number in best[np.argsort(-row[best])]]


def _words(sentences: Sequence[str], questions: Sequence[str]) -> tuple[csr_matrix, csr_matrix]:
    """Return which words each sentence holds, and the share of each question that each of its words makes up."""
    weighted = TfidfVectorizer(stop_words=sorted(function_words("en")), norm="l1", binary=True, dtype=np.float32)
    weighted.fit(sentences)
    held = CountVectorizer(vocabulary=weighted.vocabulary_, binary=True, dtype=np.float32)
    return csr_matrix(held.transform(sentences)), csr_matrix(weighted.transform(questions))
