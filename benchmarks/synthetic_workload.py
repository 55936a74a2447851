"""Documents and what a language model would say of them, made up alike for every system that is measured.

A passage of about 1,100 tokens names 16 entities, and the model that stands in reads 12 facts of 2 to 6 of them in it.
Entities come up again as names do in print (Zipf): 2,250 passages have about 20,000 entities and 27,000 facts. All this
follows from a passage's number, which stands in its text as a mark.
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
_KNOWN, _ZIPF = 60_000, 0.7
_WORDS_OF_A_PASSAGE = 600
_DESCRIBED, _STATED, _A_SENTENCE = 12, 10, 16
_MARK = re.compile(r"mark(\d{6})")
_SOURCES = Path(__file__).parent.parent / "examples" / "spaceflight"
_FEATURES = 8_191


@dataclass(frozen=True, slots=True)
class Passage:
    """``entities`` are names with their descriptions, ``facts`` sentences with the names that each connects."""

    number: int
    entities: tuple[tuple[str, str], ...]
    facts: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def text(self) -> str:
        """Its entities by name, and then words."""
        drawn = np.random.default_rng([self.number, 1])
        filling = _drawn(drawn, _WORDS_OF_A_PASSAGE)
        said = [f"Of mark{self.number:06d}: {', '.join(name for name, _ in self.entities)}."]
        said += [
            f"{' '.join(filling[at : at + _A_SENTENCE])}.".capitalize() for at in range(0, len(filling), _A_SENTENCE)
        ]
        return " ".join(said)


def passage(number: int) -> Passage:
    """What the passage of this number says; the same on every machine.

    >>> passage(3) == passage(3), len(passage(3).entities), len(passage(3).facts)
    (True, 16, 12)
    """
    drawn = np.random.default_rng([number, 0])
    chosen = dict.fromkeys(np.searchsorted(_chances(), drawn.random(4 * ENTITIES)).tolist())
    names = [name(entity) for entity in list(chosen)[:ENTITIES]]
    entities = tuple((one, f"{one} is a matter of {' '.join(_drawn(drawn, _DESCRIBED))}") for one in names)
    facts = []
    for fact in range(FACTS):
        size = int(drawn.integers(2, 7))
        members = [names[place] for place in drawn.permutation(ENTITIES)[:size]]
        # Every entity is in one of the facts.
        members[:2] = names[2 * fact : 2 * fact + 2] or members[:2]
        members = list(dict.fromkeys(members))
        said = f"{', '.join(members[:-1])} and {members[-1]} share {' '.join(_drawn(drawn, _STATED))} {number}-{fact}."
        facts.append((said, tuple(members)))
    return Passage(number, entities, tuple(facts))


def documents(passages: int, a_document: int, first: int = 0) -> list[str]:
    """Texts of so many passages each."""
    starts = range(first, first + passages, a_document)
    return [
        "\n\n".join(passage(n).text for n in range(start, min(start + a_document, first + passages)))
        for start in starts
    ]


def marked(text: str) -> int:
    """The number of the first passage that a text shows.

    >>> marked(passage(17).text)
    17
    """
    found = _MARK.search(text)
    return int(found[1]) if found else 0


def is_marked(text: str) -> bool:
    """Whether a text shows a passage at all: what is left over at a document's end may be too short for it.

    >>> is_marked(passage(17).text), is_marked("Ada met Babbage.")
    (True, False)
    """
    return _MARK.search(text) is not None


def name(entity: int) -> str:
    words = _words()
    first, second = words[entity % len(words)], words[entity * 7_919 % len(words)]
    return f"{first} {second} {entity}".title()


def vectors(texts: Sequence[str], dimension: int = 384) -> NDArray[np.float32]:
    """Vectors of texts, of the words with which each begins: shape (n, dimension), of length 1; some 20 µs each."""
    made = np.empty((len(texts), dimension), dtype=np.float32)
    for row, text in enumerate(texts):
        vector = _pool(dimension)[[_feature(word) for word in text[:200].split()[:24]] or [0]].sum(axis=0)
        made[row] = vector / np.sqrt(vector @ vector)
    return made


@cache
def _feature(word: str) -> int:
    return zlib.crc32(word.encode()) % _FEATURES


@cache
def _pool(dimension: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).standard_normal((_FEATURES, dimension)).astype(np.float32)


@cache
def _words() -> list[str]:
    """Words of the sample documents, in an order of no meaning."""
    found = {word for file in sorted(_SOURCES.iterdir()) for word in re.findall("[a-z]{3,}", file.read_text("utf-8"))}
    return sorted(found, key=lambda word: zlib.crc32(word.encode()))


def _drawn(drawn: np.random.Generator, count: int) -> list[str]:
    words = _words()
    return [words[place] for place in drawn.integers(len(words), size=count).tolist()]


@cache
def _chances() -> NDArray[np.float64]:
    chances = np.arange(1, _KNOWN + 1) ** -_ZIPF
    return np.cumsum(chances / chances.sum())[:-1]
