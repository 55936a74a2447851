"""The window that a model reads: its new sentences with their numbers and headings, and the context before them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from polyadic.extraction.fact_support import WindowText
from polyadic.model.identity import normal_text
from polyadic.model.types import Chunk, Document, Span
from polyadic.text.headings import heading_line, headings, headings_above, is_heading
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences

# When a window is split, this many sentences from the end of the first half are context for the second.
_CONTEXT_SENTENCES = 3
_LONGEST_TITLE = 300

# The windows of a document are read one after another, and each needs its headings.
_headings = lru_cache(maxsize=4)(headings)


@dataclass(frozen=True)
class NumberedWindow:
    """The new sentences of a chunk, numbered from 1 by their position in ``spans``, and the context before them.

    ``section`` is the path of the headings above the first of them.
    """

    document: Document
    chunk: Chunk
    language: str
    title: str
    section: str
    before: str
    spans: tuple[Span, ...]
    texts: tuple[str, ...]
    headings: tuple[str, ...]

    @classmethod
    def of(cls, document: Document, chunk: Chunk, language: str) -> "NumberedWindow":
        """Number the sentences of a chunk; ``language`` is ISO 639-1, or ``auto`` to detect it."""
        start = max(chunk.new_from, chunk.span.start)
        text = document.text[start : chunk.span.end]
        language = detect_language(document.text) if language == "auto" else language
        spans, texts, above = [], [], []
        pending_headings = ""
        for span in sentences(text, language):
            sentence = normal_text(text[span.start : span.end])
            if is_heading(text, span.start, span.end):
                pending_headings += f"{sentence}\n"
                continue
            spans.append(Span(start + span.start, start + span.end))
            texts.append(sentence)
            above.append(pending_headings)
            pending_headings = ""
        before = normal_text(document.text[chunk.span.start : start])
        title = normal_text(document.title)[:_LONGEST_TITLE]
        section = normal_text(heading_line(headings_above(_headings(document.text), start, document.title)))
        return cls(document, chunk, language, title, section, before, tuple(spans), tuple(texts), tuple(above))

    @property
    def numbered(self) -> str:
        """The sentences, each prefixed with its number, under their headings."""
        lines = zip(self.headings, self.texts, strict=True)
        return "\n".join(f"{heading}[{n}] {text}" for n, (heading, text) in enumerate(lines, 1))

    @property
    def running_text(self) -> str:
        """The sentences under their headings, without numbers."""
        return "\n".join(f"{heading}{text}" for heading, text in zip(self.headings, self.texts, strict=True))

    def halves(self) -> tuple["NumberedWindow", "NumberedWindow"]:
        """Split the window into two of about equal size; the end of the first is context for the second."""
        middle = len(self.spans) // 2
        ending = self.texts[max(0, middle - _CONTEXT_SENTENCES) : middle]
        before = " ".join((self.before, *ending)).strip()
        return self._part(slice(0, middle), self.before), self._part(slice(middle, None), before)

    def _part(self, part: slice, before: str) -> "NumberedWindow":
        return replace(
            self, before=before, spans=self.spans[part], texts=self.texts[part], headings=self.headings[part]
        )

    @cached_property
    def text(self) -> WindowText:
        """All that the model was given of the document."""
        return WindowText(
            f"{self.title} {self.section} {self.before} {self.chunk.text}", self.language, self.document.text
        )

    def spans_of(self, numbers: Sequence[int], problems: Counter[str]) -> tuple[Span, ...]:
        """Return the character spans of some sentences; adjacent sentences are merged into one span."""
        valid = sorted({number for number in numbers if 1 <= number <= len(self.spans)})
        problems["sentence number that does not exist"] += len(set(numbers) - set(valid))
        starts = [number for number in valid if number - 1 not in valid]
        ends = [number for number in valid if number + 1 not in valid]
        return tuple(
            Span(self.spans[first - 1].start, self.spans[last - 1].end)
            for first, last in zip(starts, ends, strict=True)
        )
