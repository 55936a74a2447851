"""Group documents into batches for extraction and publishing."""

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
"""Maximum number of characters of a batch, and of all batches in progress together."""
# About two chunks of the default size.
_CHARACTERS_PER_CALL = 10_000
_NO_TEXT = re.compile("[\0\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class BatchSize:
    """Batch limits: number of documents, and number of characters (the document that reaches it is the last)."""

    documents: int = BATCH_DOCUMENTS
    characters: int = BATCH_CHARACTERS

    @classmethod
    def of(cls, extractor: Extractor) -> "BatchSize":
        """Choose the limits for an extractor; for a concurrent one, about two rounds of calls.

        Completed batches can then be published while others wait for replies, and the last batch ends soon.
        """
        if not isinstance(extractor, ConcurrentExtractor):
            return cls()
        calls = extractor.at_once
        return cls(max(BATCH_DOCUMENTS, calls), min(BATCH_CHARACTERS, calls * _CHARACTERS_PER_CALL))


def readable(sources: Iterable[Document | SkippedInput], report: IndexReport) -> Iterator[Document]:
    """Yield the documents; record skipped inputs, notes and encodings in the report."""
    for source in sources:
        if isinstance(source, SkippedInput):
            report.skip(source)
        elif _NO_TEXT.search("\n".join((source.source, source.title, source.text, *chain(*source.metadata.items())))):
            reason = "it contains a NUL character or an unpaired surrogate, so it is not valid text"
            report.skipped.append(SkippedInput(source.source, reason, "remove these characters"))
        else:
            if source.note:
                report.notes.append(source.note)
            if source.encoding:
                report.encodings[source.encoding] += 1
            yield source


def batches(documents: Iterable[Document], size: BatchSize) -> Iterator[list[Document]]:
    """Group documents into batches; a batch never contains two documents with one source."""
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
