"""Generate synthetic documents and model replies, identical for every measured system.

A passage of about 1,100 tokens names 16 entities, and the mock model extracts 12 facts with 2 to 6 of them. Entity
frequencies follow Zipf's law: 2,250 passages have about 20,000 entities and 27,000 facts. Everything is determined by
the passage's number, which its text contains as a mark.
"""

import re
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ENTITIES, FACTS = 16, 12
_ENTITY_COUNT, _ZIPF = 60_000, 0.7
_WORDS_OF_A_PASSAGE = 600
_DESCRIPTION_WORDS, _FACT_WORDS, _SENTENCE_WORDS = 12, 10, 16
_MARK = re.compile(r"mark(\d{6})")
_SOURCES = Path(__file__).parent.parent / "examples" / "spaceflight"
_FEATURES = 8_191


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage: entities (name and description) and facts (sentence and names of its entities)."""

    number: int
    entities: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def text(self) -> str:
        """Text with the names of the entities, followed by random words."""
        random = np.random.default_rng([self.number, 1])
        filling = _random_words(random, _WORDS_OF_A_PASSAGE)
        sentences = [f"Of mark{self.number:06d}: {', '.join(name for name, _ in self.entities)}."]
        sentences += [
            f"{' '.join(filling[start : start + _SENTENCE_WORDS])}.".capitalize()
            for start in range(0, len(filling), _SENTENCE_WORDS)
        ]
        return " ".join(sentences)


def passage(number: int) -> Passage:
    """Generate the passage with a number; the same on every machine.

    >>> passage(3) == passage(3), len(passage(3).entities), len(passage(3).facts)
    (True, 16, 12)
    """
    random = np.random.default_rng([number, 0])
    chosen = dict.fromkeys(np.searchsorted(_cumulative_zipf(), random.random(4 * ENTITIES)).tolist())
    names = [name(entity) for entity in list(chosen)[:ENTITIES]]
    entities = tuple(
        (entity_name, f"{entity_name} is a matter of {' '.join(_random_words(random, _DESCRIPTION_WORDS))}")
        for entity_name in names
    )
    facts = []
    for fact in range(FACTS):
        size = int(random.integers(2, 7))
        members = [names[place] for place in random.permutation(ENTITIES)[:size]]
        # Make sure that every entity is in a fact.
        members[:2] = names[2 * fact : 2 * fact + 2] or members[:2]
        members = list(dict.fromkeys(members))
        text = (
            f"{', '.join(members[:-1])} and {members[-1]}"
            f" share {' '.join(_random_words(random, _FACT_WORDS))} {number}-{fact}."
        )
        facts.append((text, tuple(members)))
    return Passage(number, entities, tuple(facts))


def documents(passages: int, a_document: int, first: int = 0) -> list[str]:
    """Generate documents of ``a_document`` passages each."""
    starts = range(first, first + passages, a_document)
    return [
        "\n\n".join(passage(n).text for n in range(start, min(start + a_document, first + passages)))
        for start in starts
    ]


def marked(text: str) -> int:
    """Return the number of the first passage in a text.

    >>> marked(passage(17).text)
    17
    """
    match = _MARK.search(text)
    return int(match[1]) if match else 0


def is_marked(text: str) -> bool:
    """Whether a text contains a passage's mark; the last chunk of a document may be too short for it.

    >>> is_marked(passage(17).text), is_marked("Ada met Babbage.")
    (True, False)
    """
    return _MARK.search(text) is not None


def name(entity: int) -> str:
    words = _words()
    first, second = words[entity % len(words)], words[entity * 7_919 % len(words)]
    return f"{first} {second} {entity}".title()


def vectors(texts: Sequence[str], dimension: int = 384) -> NDArray[np.float32]:
    """Embed texts by their first words: shape (n, dimension), unit length; about 20 µs per text."""
    matrix = np.empty((len(texts), dimension), dtype=np.float32)
    for row, text in enumerate(texts):
        vector = _pool(dimension)[[_feature(word) for word in text[:200].split()[:24]] or [0]].sum(axis=0)
        matrix[row] = vector / np.sqrt(vector @ vector)
    return matrix


@cache
def _feature(word: str) -> int:
    return zlib.crc32(word.encode()) % _FEATURES


@cache
def _pool(dimension: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal((_FEATURES, dimension)).astype(np.float32)


@cache
def _words() -> list[str]:
    """Return the words of the sample documents in a pseudo-random order."""
    words = {word for file in sorted(_SOURCES.iterdir()) for word in re.findall("[a-z]{3,}", file.read_text("utf-8"))}
    return sorted(words, key=lambda word: zlib.crc32(word.encode()))


def _random_words(random: np.random.Generator, count: int) -> list[str]:
    words = _words()
    return [words[place] for place in random.integers(len(words), size=count).tolist()]


@cache
def _cumulative_zipf() -> NDArray[np.float64]:
    chances = np.arange(1, _ENTITY_COUNT + 1) ** -_ZIPF
    return np.cumsum(chances / chances.sum())[:-1]
