"""Generate synthetic stores of any size with a hierarchical structure.

Entities belong to topics, which belong to fields. Names, types and descriptions share the words of both, so that the
vectors of the hashing embedder form nested clusters. Most facts connect entities of one topic; some entities of a topic
and a few global ones occur in very many facts. The arity distribution is that of 2wiki-101, extracted without a model.
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
from polyadic.interchange.document_export import ChunkExport, DocumentExport
from polyadic.interchange.import_file import ingest_exports
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.workspace import Workspace

SETTINGS = Settings(embedding=EmbeddingSettings(model="hashing"), chunking=ChunkingSettings(language="en"))
FACTS_A_DOCUMENT = 10
TOPIC, TOPICS_A_FIELD = 50, 20
EVERYWHERE = 100
"""Number of entities that occur in all topics."""
_SAME_TOPIC, _SAME_FIELD = 0.8, 0.1
# Zipf exponent of the entity frequencies within a topic.
_ZIPF = 0.8
_ARITIES = {2: 285, 3: 418, 4: 486, 5: 348, 6: 284, 7: 201, 8: 121, 9: 81, 10: 59, 11: 44, 13: 33, 15: 18, 22: 2}
_SYLLABLES = tuple("".join(pair) for pair in itertools.product("bdfgklmnprstvz", "aeiou"))


@dataclass(frozen=True)
class Plan:
    """Size of a store; it needs at least as many facts as entities."""

    entities: int
    facts: int
    seed: int = 0

    def fill(self, folder: Path) -> Workspace:
        """Create and fill a workspace through the regular publisher."""
        kb = Workspace(folder, SETTINGS)
        publisher = Publisher(kb.store(make=True), kb.embedder, SETTINGS.chunking)
        asyncio.run(ingest_exports(self.documents(), publisher, IndexReport()))
        counts = kb.status().counts
        assert (counts.entities, counts.facts) == (self.entities, self.facts), counts
        return kb

    def documents(self) -> Iterator[DocumentExport]:
        facts = self._facts()
        for number in range(-(-self.facts // FACTS_A_DOCUMENT)):
            yield self._export(number, list(itertools.islice(facts, FACTS_A_DOCUMENT)))

    def name(self, entity: int) -> str:
        return f"{_word(entity)} {_word(7919 * self.topic(entity) + 13)}".title()

    def topic(self, entity: int) -> int:
        return entity // TOPIC

    def question(self, number: int) -> str:
        """Return a distinct question that names two entities of one topic."""
        first = (number * 977) % self.entities // TOPIC * TOPIC
        return f"What connects {self.name(first)} with {self.name(min(first + 7, self.entities - 1))}?"

    def _facts(self) -> Iterator[list[int]]:
        """Yield the participants of each fact; every entity comes first in at least one."""
        random = np.random.default_rng(self.seed)
        arities = random.choice(list(_ARITIES), self.facts, p=np.array([*_ARITIES.values()]) / sum(_ARITIES.values()))
        for number, arity in enumerate(arities.tolist()):
            first = number % self.entities
            others = [self._other(first, *random.random(3)) for _ in range(arity - 1)]
            if set(others) <= {first}:
                others = [(first + 1) % self.entities]
            yield list(dict.fromkeys([first, *others]))

    def _other(self, entity: int, where: float, which: float, topic: float) -> int:
        """Choose another participant: from the same topic, from the same field, or a global entity."""
        if where >= _SAME_TOPIC + _SAME_FIELD:
            return int(self._everywhere[np.searchsorted(_zipf(EVERYWHERE), which)])
        chosen = self.topic(entity)
        if where >= _SAME_TOPIC:
            chosen += int(topic * TOPICS_A_FIELD) - chosen % TOPICS_A_FIELD
        return min(chosen * TOPIC + int(np.searchsorted(_zipf(TOPIC), which)), self.entities - 1)

    @cached_property
    def _everywhere(self) -> np.ndarray:
        return np.random.default_rng(self.seed + 1).choice(self.entities, EVERYWHERE)

    def _export(self, number: int, facts: list[list[int]]) -> DocumentExport:
        sentences = [self._sentence(n, fact) for n, fact in enumerate(facts, number * FACTS_A_DOCUMENT)]
        text = " ".join(sentences)
        document = Document(f"memory:hierarchy/{number}", f"Notes {_word(number)} {number}", text)
        chunk = Chunk(document.id, Span(0, len(text)), text, len(text) // 5, 0)
        starts = itertools.accumulate((len(sentence) + 1 for sentence in sentences), initial=0)
        evidence = tuple(
            Evidence(
                sentence, 8.0, tuple(map(self._participation, fact)), (Span(start, start + len(sentence)),), "generated"
            )
            for sentence, fact, start in zip(sentences, facts, starts, strict=False)
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
    """Return the cumulative Zipf distribution over n ranks, without the last value, which is 1."""
    chances = np.arange(1, n + 1) ** -_ZIPF
    return np.cumsum(chances / chances.sum())[:-1]


def _word(number: int) -> str:
    """Return a distinct word for each number.

    >>> len({_word(number) for number in range(100_000)})
    100000
    """
    syllables = []
    number += len(_SYLLABLES) ** 2
    while number:
        number, place = divmod(number, len(_SYLLABLES))
        syllables.append(_SYLLABLES[place])
    return "".join(syllables)
