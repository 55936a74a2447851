"""A store of any size to build a hierarchy over: facts of topics, written like those of any document.

Entities belong to topics, which belong to fields; names, types and descriptions share the words of both, so that the
vectors of the hashing embedder lie in clusters within clusters. A fact connects entities of one topic for the most
part; some of them, and a few known everywhere, are in very many facts. Arities are those of 2wiki-101 read without a
model.
"""

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from polyadic.config import ChunkingSettings, EmbeddingSettings, Settings
from polyadic.indexing.publisher import Publisher
from polyadic.indexing.report import IndexReport
from polyadic.interchange.document_record import ChunkExport, DocumentExport
from polyadic.interchange.ingest import take
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.workspace import Workspace

SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"), chunking=ChunkingSettings(language="en"))
FACTS_A_DOCUMENT = 10
TOPIC, TOPICS_A_FIELD = 50, 20
EVERYWHERE = 100
"""So many entities are known in every topic."""
_SAME_TOPIC, _SAME_FIELD = 0.8, 0.1
# How much less often each entity of a topic is named than the one before it (Zipf).
_ZIPF = 0.8
_ARITIES = {2: 285, 3: 418, 4: 486, 5: 348, 6: 284, 7: 201, 8: 121, 9: 81, 10: 59, 11: 44, 13: 33, 15: 18, 22: 2}
_SYLLABLES = tuple("".join(pair) for pair in itertools.product("bdfgklmnprstvz", "aeiou"))


@dataclass(frozen=True)
class Plan:
    """A store of so many entities and facts; there have to be as many facts as entities."""

    entities: int
    facts: int
    seed: int = 0

    def fill(self, folder: Path) -> Workspace:
        """A new workspace with all of them, published by the one way in that there is."""
        kb = Workspace(folder, SETTINGS)
        publisher = Publisher(kb.store(make=True), kb.embedder, SETTINGS.chunking)
        asyncio.run(take(self.documents(), publisher, IndexReport()))
        counts = kb.status().counts
        assert (counts.entities, counts.facts) == (self.entities, self.facts), counts
        return kb

    def documents(self) -> Iterator[DocumentExport]:
        facts = self._facts()
        for number in range(-(-self.facts // FACTS_A_DOCUMENT)):
            yield self._told(number, list(itertools.islice(facts, FACTS_A_DOCUMENT)))

    def name(self, entity: int) -> str:
        return f"{_word(entity)} {_word(7919 * self.topic(entity) + 13)}".title()

    def topic(self, entity: int) -> int:
        return entity // TOPIC

    def question(self, number: int) -> str:
        """One that names two entities of one topic, and no other asks of."""
        first = (number * 977) % self.entities // TOPIC * TOPIC
        return f"What connects {self.name(first)} with {self.name(min(first + 7, self.entities - 1))}?"

    def _facts(self) -> Iterator[list[int]]:
        """The participants of each fact; every entity is the first of one."""
        drawn = np.random.default_rng(self.seed)
        arities = drawn.choice(list(_ARITIES), self.facts, p=np.array([*_ARITIES.values()]) / sum(_ARITIES.values()))
        for number, arity in enumerate(arities.tolist()):
            first = number % self.entities
            others = [self._other(first, *drawn.random(3)) for _ in range(arity - 1)]
            if set(others) <= {first}:
                others = [(first + 1) % self.entities]
            yield list(dict.fromkeys([first, *others]))

    def _other(self, entity: int, where: float, which: float, topic: float) -> int:
        """Another participant: of the same topic, of one in the same field, or one of those known everywhere."""
        if where >= _SAME_TOPIC + _SAME_FIELD:
            return int(self._everywhere[np.searchsorted(_zipf(EVERYWHERE), which)])
        chosen = self.topic(entity)
        if where >= _SAME_TOPIC:
            chosen += int(topic * TOPICS_A_FIELD) - chosen % TOPICS_A_FIELD
        return min(chosen * TOPIC + int(np.searchsorted(_zipf(TOPIC), which)), self.entities - 1)

    @cached_property
    def _everywhere(self) -> np.ndarray:
        return np.random.default_rng(self.seed + 1).choice(self.entities, EVERYWHERE)

    def _told(self, number: int, facts: list[list[int]]) -> DocumentExport:
        said = [self._sentence(n, fact) for n, fact in enumerate(facts, number * FACTS_A_DOCUMENT)]
        text = " ".join(said)
        document = Document(f"memory:hierarchy/{number}", f"Notes {_word(number)} {number}", text)
        chunk = Chunk(document.id, Span(0, len(text)), text, len(text) // 5, 0)
        starts = itertools.accumulate((len(one) + 1 for one in said), initial=0)
        evidence = tuple(
            Evidence(one, 8.0, tuple(map(self._participation, fact)), (Span(start, start + len(one)),), "generated")
            for one, fact, start in zip(said, facts, starts, strict=False)
        )
        return DocumentExport(document, "generated", "generated", (ChunkExport(chunk, evidence),))

    def _sentence(self, number: int, fact: list[int]) -> str:
        names = [self.name(entity) for entity in fact]
        return f"{names[0]} {_word(31 * number + 5)} {number} {_word(number % 97)} {', '.join(names[1:])}."

    def _participation(self, entity: int) -> Participation:
        field = _word(104729 * (self.topic(entity) // TOPICS_A_FIELD) + 29)
        topic = _word(7919 * self.topic(entity) + 13)
        return Participation(self.name(entity), f"{field} thing", f"{topic} of {field}, number {entity}", 60.0)


@cache
def _zipf(n: int) -> np.ndarray:
    """The sums of the chances of n ranks up to each, without the last, which is 1."""
    chances = np.arange(1, n + 1) ** -_ZIPF
    return np.cumsum(chances / chances.sum())[:-1]


def _word(number: int) -> str:
    """A word of its own for each number.

    >>> len({_word(number) for number in range(100_000)})
    100000
    """
    syllables = []
    number += len(_SYLLABLES) ** 2
    while number:
        number, place = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[place])
    return "".join(syllables)
