"""Find the documents about a broad topic, such as the Apollo programme, by the facts that name it."""

import numpy as np

from polyadic.retrieval.relevance.stemming import stem
from polyadic.storage.protocol import Reader, Rows
from polyadic.text.language import detect_language
from polyadic.text.stopwords import function_words
from polyadic.text.words import WORD

# A document is about a topic that so many of its facts name, at least.
_FACTS, _SHARE = 3, 0.25
_PASSAGES = 300
# The first facts stand for all of a long document.
_MOST_FACTS = 500


def topic_documents(topic: str, reader: Reader) -> tuple[str, ...]:
    """Return the identifiers of the documents about a topic, most relevant first.

    A document is about a topic if at least three and a quarter of its facts name it. The words that identify a topic
    are those with a capital letter, or else all its content words: of "the Apollo programme", a fact may only say
    "Apollo 11".

    Parameters
    ----------
    topic
        A noun phrase.
    reader
        The store.
    """
    words = _identifying(topic)
    if not words:
        return ()
    passages = reader.search(" ".join(words), _PASSAGES).rows
    candidates = dict.fromkeys(place.document_id for place in reader.chunk_places(passages))
    language = detect_language(topic)
    stems = frozenset(stem(word, language) for word in words)
    return tuple(document for document in candidates if _is_about(reader.chunks_in(document), stems, language, reader))


def _identifying(topic: str) -> list[str]:
    words = WORD.findall(topic)
    named = [word.lower() for word in words if word[0].isupper()]
    content = [word.lower() for word in words if word.lower() not in function_words(detect_language(topic))]
    return named or content


def _is_about(chunks: Rows, stems: frozenset[str], language: str, reader: Reader) -> bool:
    """Return whether enough facts of passages have all these stems in their text or their entities."""
    facts = np.unique(reader.links("chunk_facts", chunks).targets)[:_MOST_FACTS]
    texts = (" ".join((fact.text, *fact.entities)) for fact in reader.facts(facts))
    naming = sum(stems <= {stem(word, language) for word in WORD.findall(text.lower())} for text in texts)
    return naming >= max(_FACTS, _SHARE * len(facts))
