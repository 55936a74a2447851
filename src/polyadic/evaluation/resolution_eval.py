"""Who is who, against documents in which people marked which mentions mean one thing (Re-DocRED).

Every marked mention takes part in the statement of its sentence, so only identity is measured, not extraction.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

from polyadic.concurrency.sync import wait_sync
from polyadic.config import ChunkingSettings
from polyadic.evaluation.extraction_eval import detokenised
from polyadic.extraction.extractor import Extraction
from polyadic.indexing.indexer import Indexer
from polyadic.model.identity import entity_key
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.workspace import Workspace

_WHOLE = ChunkingSettings(tokens=100_000, overlap=0, language="en")


@dataclass(frozen=True, slots=True)
class AnnotatedDocument:
    """A document and its marked mentions: sentence, name, type and number of the entity."""

    document: Document
    sentences: tuple[str, ...]
    mentions: tuple[tuple[int, str, str, int], ...]

    @classmethod
    def of(cls, item: Mapping[str, Any]) -> "AnnotatedDocument":
        sentences = tuple(detokenised(sentence) for sentence in item["sentences"])
        mentions = tuple(
            (mention["sentence"], detokenised(mention["name"]), entity["type"], number)
            for number, entity in enumerate(item["entities"])
            for mention in entity["mentions"]
        )
        return cls(Document(f"redocred:{item['_id']}", "", "\n".join(sentences)), sentences, mentions)

    def evidence(self, typed: bool) -> tuple[Evidence, ...]:
        """Each sentence as a statement of whatever is marked in it."""
        said, start = [], 0
        for number, sentence in enumerate(self.sentences):
            named = {name: kind for at, name, kind, _ in self.mentions if at == number}
            taking_part = tuple(Participation(name, kind if typed else "") for name, kind in sorted(named.items()))
            said.append(Evidence(sentence, 8.0, taking_part, (Span(start, start + len(sentence)),), "annotated"))
            start += len(sentence) + 1
        return tuple(said)


@dataclass(slots=True)
class GoldExtractor:
    """Implements Extractor with what people marked."""

    annotated: Mapping[str, AnnotatedDocument]
    typed: bool = True
    name: str = "annotated"
    paid: bool = False

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        return Extraction(self.annotated[document.source].evidence(self.typed))


@dataclass(frozen=True, slots=True)
class PairAgreement:
    """Pairs of mentions of one document: put together here, by people, and by both."""

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
    """The documents of Re-DocRED in a folder (``documents.jsonl``)."""
    lines = (folder / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    return [AnnotatedDocument.of(json.loads(line)) for line in lines]


def fill(kb: Workspace, documents: Sequence[AnnotatedDocument], typed: bool = True) -> None:
    """Index documents as people marked them, each as one chunk; ``typed``: with the types of the entities."""
    gold = GoldExtractor({one.document.source: one for one in documents}, typed)
    wait_sync(Indexer(kb.store(make=True), gold, kb.embedder, _WHOLE).index([one.document for one in documents]))


def agreement(documents: Iterable[AnnotatedDocument], overlay: EntityResolution) -> PairAgreement:
    """How far mentions that mean one entity under an overlay are those that people put together."""
    return sum((_of_one(one, overlay) for one in documents), PairAgreement())


def _of_one(one: AnnotatedDocument, overlay: EntityResolution) -> PairAgreement:
    meant = [(overlay.key(entity_key(name), one.document.id), number) for _, name, _, number in one.mentions]
    ours = theirs = both = 0
    for (key, number), (other_key, other_number) in combinations(meant, 2):
        ours += key == other_key
        theirs += number == other_number
        both += key == other_key and number == other_number
    return PairAgreement(ours, theirs, both)
