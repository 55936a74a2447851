"""Evaluate entity resolution on documents with annotated coreferent mentions (Re-DocRED).

Every annotated mention participates in the fact of its sentence, so only resolution is measured, not extraction.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.config import ChunkingSettings
from polyadic.evaluation.extraction_eval import detokenized
from polyadic.extraction.extractor import Extraction
from polyadic.indexing.indexer import Indexer
from polyadic.model.identity import entity_key
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.workspace import Workspace

_ONE_CHUNK = ChunkingSettings(tokens=100_000, overlap=0, language="en")


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A document and its annotated mentions: sentence number, name, type and entity number."""

    document: Document
    sentences: tuple[str, ...]
    mentions: tuple[tuple[int, str, str, int], ...]

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> "AnnotatedDocument":
        sentences = tuple(detokenized(sentence) for sentence in item["sentences"])
        mentions = tuple(
            (mention["sentence"], detokenized(mention["name"]), entity["type"], number)
            for number, entity in enumerate(item["entities"])
            for mention in entity["mentions"]
        )
        return cls(Document(f"redocred:{item['_id']}", "", "\n".join(sentences)), sentences, mentions)

    def evidence(self, typed: bool) -> tuple[Evidence, ...]:
        """Return each sentence as evidence about the entities annotated in it."""
        evidence, start = [], 0
        for number, sentence in enumerate(self.sentences):
            kinds = {name: kind for at, name, kind, _ in self.mentions if at == number}
            participants = tuple(Participation(name, kind if typed else "") for name, kind in sorted(kinds.items()))
            evidence.append(Evidence(sentence, 8.0, participants, (Span(start, start + len(sentence)),), "annotated"))
            start += len(sentence) + 1
        return tuple(evidence)


@dataclass(slots=True)
class GoldExtractor:
    """Extractor that returns the annotations."""

    annotated: Mapping[str, AnnotatedDocument]
    typed: bool = True
    name: str = "annotated"
    paid: bool = False

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        return Extraction(self.annotated[document.source].evidence(self.typed))


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Counts of coreferent mention pairs: predicted (``ours``), annotated (``theirs``), and both."""

    ours: int = 0
    theirs: int = 0
    both: int = 0

    def __add__(self, other: "PairAgreement") -> "PairAgreement":
        return PairAgreement(self.ours + other.ours, self.theirs + other.theirs, self.both + other.both)

    @property
    def precision(self) -> float:
        return self.both / self.ours if self.ours else 1.0

    @property
    def recall(self) -> float:
        return self.both / self.theirs if self.theirs else 1.0


def read(folder: Path) -> list[AnnotatedDocument]:
    """Read the documents of Re-DocRED from ``documents.jsonl`` in a folder."""
    lines = (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    return [AnnotatedDocument.of(json.loads(line)) for line in lines]


def fill(kb: Workspace, documents: Sequence[AnnotatedDocument], typed: bool = True) -> None:
    """Index annotated documents, each as one chunk; ``typed`` includes the entity types."""
    gold = GoldExtractor({one.document.source: one for one in documents}, typed)
    indexer = Indexer(kb.store(make=True), gold, kb.embedder, _ONE_CHUNK)
    run_coroutine(indexer.index([one.document for one in documents]))


def agreement(documents: Iterable[AnnotatedDocument], resolution: EntityResolution) -> PairAgreement:
    """Compare the coreferent mention pairs under a resolution with the annotated ones."""
    return sum((_agreement_of(one, resolution) for one in documents), PairAgreement())


def _agreement_of(document: AnnotatedDocument, resolution: EntityResolution) -> PairAgreement:
    keys = [
        (resolution.key(entity_key(name), document.document.id), number) for _, name, _, number in document.mentions
    ]
    ours = theirs = both = 0
    for (key, number), (other_key, other_number) in combinations(keys, 2):
        ours += key == other_key
        theirs += number == other_number
        both += key == other_key and number == other_number
    return PairAgreement(ours, theirs, both)
