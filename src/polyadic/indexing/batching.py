"""Documents in the groups in which they are read and published."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from polyadic.extraction.extractor import ConcurrentExtractor, Extractor
from polyadic.indexing.report import IndexReport
from polyadic.loaders.loader import SkippedInput
from polyadic.model.types import Document

BATCH_DOCUMENTS = 64
BATCH_CHARACTERS = 1_000_000
"""The most of a batch, and of all batches in hand: from when they begin to be read until they are published."""
# About as much as two chunks of the usual size have.
_CHARACTERS_A_CALL = 10_000
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class BatchSize:
    """When a batch is full: at so many documents, or with the document that brings it to so many characters."""

    documents: int = BATCH_DOCUMENTS
    characters: int = BATCH_CHARACTERS

    @classmethod
    def of(cls, extractor: Extractor) -> "BatchSize":
        """Where an extractor spends its time waiting, about as much as it reads in two rounds of calls.

        So while some batches wait for replies, what is whole is published, and the last is soon done.
        """
        if not isinstance(extractor, ConcurrentExtractor):
            return cls()
        calls = extractor.at_once
        return cls(max(BATCH_DOCUMENTS, calls), min(BATCH_CHARACTERS, calls * _CHARACTERS_A_CALL))


def readable(sources: Iterable[Document | SkippedInput], report: IndexReport) -> Iterator[Document]:
    """The documents among what was read; what is none is entered into the report."""
    for source in sources:
        if isinstance(source, SkippedInput):
            report.skip(source)
        elif _NO_TEXT.search("\n".join((source.source, source.title, source.text, *chain(*source.metadata.items())))):
            reason = "it holds a NUL or half of a surrogate pair, which no text does"
            report.skipped.append(SkippedInput(source.source, reason, "remove these characters"))
        else:
            if source.note:
                report.notes.append(source.note)
            if source.encoding:
                report.encodings[source.encoding] += 1
            yield source


def batches(documents: Iterable[Document], size: BatchSize) -> Iterator[list[Document]]:
    """The documents in batches of that size; in none there are two of one source."""
    batch: dict[str, Document] = {}
    characters = 0
    for document in documents:
        if len(batch) == size.documents or characters >= size.characters or document.source in batch:
            yield [*batch.values()]
            batch, characters = {}, 0
        batch[document.source] = document
        characters += len(document.text)
    if batch:
        yield [*batch.values()]
