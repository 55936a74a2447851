"""The documents that facts from elsewhere are about: those that are given, or ones made of what was said."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polyadic.config import ChunkingSettings
from polyadic.interchange.chunk_alignment import align_to_chunks
from polyadic.interchange.document_record import DocumentExport
from polyadic.interchange.facts_reader import FactLines, FactsLine
from polyadic.loaders.loader import SkippedInput
from polyadic.loaders.metadata import title_of
from polyadic.model.types import Document, Evidence, Span

SPANS_OF_NOTHING = "statement with characters of a text that is not here, which were not kept"


@dataclass(frozen=True, slots=True)
class FactAlignment:
    """Brings the lines of a file together with the documents they name.

    Parameters
    ----------
    lines
        The file, checked.
    path
        Its absolute path: a document made of facts is ``PATH#NAME``.
    problems, skipped
        What could not be held is entered here.
    """

    lines: FactLines
    path: str
    chunking: ChunkingSettings
    problems: Counter[str]
    skipped: list[SkippedInput]

    def in_documents(self, documents: Iterable[Document | SkippedInput]) -> Iterator[DocumentExport]:
        """Documents that facts are about, with these; statements that name no document make their own."""
        found: set[str] = set()
        for document in documents:
            if isinstance(document, SkippedInput):
                self.skipped.append(document)
                continue
            names = [name for name in names_of(document) if name in self.lines.offsets and name not in found]
            if not names:
                self.problems["document without facts in the file, left out (polyadic index reads it)"] += 1
                continue
            found.update(names)
            said = [fact.evidence() for line in self.lines.of(*names) for fact in line.facts]
            yield from self._placed(document, said)
        for name in self.lines.offsets:
            if name not in found:
                yield from self._without_document(name)

    def on_their_own(self) -> Iterator[DocumentExport]:
        """A document for each name, its text made of the statements, one a line."""
        for name in self.lines.offsets:
            yield from self._made(name, list(self.lines.of(name)))

    def _without_document(self, name: str) -> Iterator[DocumentExport]:
        lines = list(self.lines.of(name))
        if any(line.is_named for line in lines):
            self._skip(name, "its facts were left out: none of the documents that were given has this name")
        else:
            yield from self._made(name, lines)

    def _made(self, name: str, lines: Sequence[FactsLine]) -> Iterator[DocumentExport]:
        facts = [fact for line in lines for fact in line.facts]
        self.problems[SPANS_OF_NOTHING] += sum(bool(fact.spans) for fact in facts)
        # Said twice, a statement stands there once.
        starts: dict[str, int] = {}
        length = 0
        for fact in facts:
            if fact.text not in starts:
                starts[fact.text] = length
                length += len(fact.text) + 1
        title = next((line.title for line in lines if line.title), "")
        document = Document(f"{self.path}#{name}", title_of(title), "\n".join(starts))
        said = [
            replace(fact.evidence(), spans=(Span(starts[fact.text], starts[fact.text] + len(fact.text)),))
            for fact in facts
        ]
        if said:
            yield from self._placed(document, said)
        else:
            self._skip(name, "it has no facts, and its text is not here", "give it with --documents")

    def _placed(self, document: Document, said: Sequence[Evidence]) -> Iterator[DocumentExport]:
        end = max((span.end for evidence in said for span in evidence.spans), default=0)
        if end > len(document.text):
            self._skip(document.source, f"its facts name character {end:,}, its text has {len(document.text):,}")
        elif said and not document.text.strip():
            self._skip(document.source, "it has no text that its facts could rest on")
        else:
            yield align_to_chunks(document, said, self.chunking)

    def _skip(self, source: str, reason: str, next_step: str = "") -> None:
        self.skipped.append(SkippedInput(source, reason, next_step))


def names_of(document: Document) -> list[str]:
    """What a file of facts may call a document: its source, a row's own name or a file's, its title.

    >>> names_of(Document("/data/corpus.jsonl#w0001", "", "...")), names_of(Document("/data/a.txt", "Ada", "..."))
    (['/data/corpus.jsonl#w0001', 'w0001'], ['/data/a.txt', 'a.txt', 'Ada'])
    """
    path, _, row = document.source.partition("#")
    return [name for name in (document.source, row or Path(path).name, document.title) if name]
