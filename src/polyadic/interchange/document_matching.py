"""Match imported facts with the given documents, or create documents from their evidence."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polyadic.config import ChunkingSettings
from polyadic.interchange.chunk_alignment import align_to_chunks
from polyadic.interchange.document_export import DocumentExport
from polyadic.interchange.facts_reader import FactLines, FactsLine
from polyadic.loaders.loader import SkippedInput
from polyadic.loaders.normalized_metadata import title_of
from polyadic.model.types import Document, Evidence, Span

SPANS_OF_NOTHING = "evidence whose spans were dropped, because the text of its document was not given"
_NO_FACTS = "document skipped: the file contains no facts about it (use polyadic index to index it)"


@dataclass(frozen=True, slots=True)
class DocumentMatcher:
    """Match the lines of a facts file with documents.

    Parameters
    ----------
    lines
        The checked file.
    path
        Its absolute path; a document created from facts has the source ``PATH#NAME``.
    problems, skipped
        Filled with information that could not be kept, and with documents that were skipped.
    """

    lines: FactLines
    path: str
    chunking: ChunkingSettings
    problems: Counter[str]
    skipped: list[SkippedInput]

    def in_documents(self, documents: Iterable[Document | SkippedInput]) -> Iterator[DocumentExport]:
        """Yield the documents with their facts; evidence that names no document forms documents of their own."""
        matched_names: set[str] = set()
        for document in documents:
            if isinstance(document, SkippedInput):
                self.skipped.append(document)
                continue
            names = [name for name in names_of(document) if name in self.lines.offsets and name not in matched_names]
            if not names:
                self.problems[_NO_FACTS] += 1
                continue
            matched_names.update(names)
            evidence = [fact.evidence() for line in self.lines.of(*names) for fact in line.facts]
            yield from self._aligned(document, evidence)
        for name in self.lines.offsets:
            if name not in matched_names:
                yield from self._without_document(name)

    def on_their_own(self) -> Iterator[DocumentExport]:
        """Yield one document per name; its text is the facts, one per line."""
        for name in self.lines.offsets:
            yield from self._synthetic_document(name, list(self.lines.of(name)))

    def _without_document(self, name: str) -> Iterator[DocumentExport]:
        lines = list(self.lines.of(name))
        if any(line.is_named for line in lines):
            self._skip(name, "its facts were skipped: no given document has this name")
        else:
            yield from self._synthetic_document(name, lines)

    def _synthetic_document(self, name: str, lines: Sequence[FactsLine]) -> Iterator[DocumentExport]:
        facts = [fact for line in lines for fact in line.facts]
        self.problems[SPANS_OF_NOTHING] += sum(bool(fact.spans) for fact in facts)
        # A repeated fact occurs once in the text.
        starts: dict[str, int] = {}
        length = 0
        for fact in facts:
            if fact.text not in starts:
                starts[fact.text] = length
                length += len(fact.text) + 1
        title = next((line.title for line in lines if line.title), "")
        document = Document(f"{self.path}#{name}", title_of(title), "\n".join(starts))
        evidence = [
            replace(fact.evidence(), spans=(Span(starts[fact.text], starts[fact.text] + len(fact.text)),))
            for fact in facts
        ]
        if evidence:
            yield from self._aligned(document, evidence)
        else:
            self._skip(name, "it has neither facts nor text", "give its text with --documents")

    def _aligned(self, document: Document, all_evidence: Sequence[Evidence]) -> Iterator[DocumentExport]:
        end = max((span.end for evidence in all_evidence for span in evidence.spans), default=0)
        if end > len(document.text):
            self._skip(document.source, f"its facts end at character {end:,}, but its text has {len(document.text):,}")
        elif all_evidence and not document.text.strip():
            self._skip(document.source, "it has facts but no text")
        else:
            yield align_to_chunks(document, all_evidence, self.chunking)

    def _skip(self, source: str, reason: str, next_step: str = "") -> None:
        self.skipped.append(SkippedInput(source, reason, next_step))


def names_of(document: Document) -> list[str]:
    """Return the names by which a facts file may refer to a document: source, row or file name, and title.

    >>> names_of(Document("/data/corpus.jsonl#w0001", "", "...")), names_of(Document("/data/a.txt", "Ada", "..."))
    (['/data/corpus.jsonl#w0001', 'w0001'], ['/data/a.txt', 'a.txt', 'Ada'])
    """
    path, _, row = document.source.partition("#")
    return [name for name in (document.source, row or Path(path).name, document.title) if name]
