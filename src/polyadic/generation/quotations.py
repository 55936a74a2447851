"""Write out quoted spans so that they can be read: prose without markup, code with its lines, table rows in words."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyadic.generation.citation_parser import without_markers
from polyadic.generation.sentence_candidates import SentenceCandidate
from polyadic.model.types import SourceSpan, Span
from polyadic.text.code_fences import code_blocks, without_fences
from polyadic.text.markup import readable
from polyadic.text.table_rows import is_pipe_row


@dataclass(frozen=True, slots=True)
class Quotation:
    """A quoted span, its wording in the answer, and its odds relative to those of the best quotation."""

    place: SourceSpan
    text: str
    score: float


def quote_sentences(parts: Sequence[SentenceCandidate], score: float) -> Quotation:
    """Quote consecutive sentences of a passage; a row of a Markdown table is written out with its column names."""
    passage, first = parts[0].passage, parts[0].place
    start, end = first.span.start - passage.span.start, parts[-1].place.span.end - passage.span.start
    place = replace(passage.part(Span(start, end)), headings=first.headings)
    rows = [is_pipe_row(part.place.quote) for part in parts]
    if not any(rows):
        return Quotation(place, quotation(place), score)
    worded = (
        without_markers(part.sentence.fact_text) if is_row else quotation(part.place)
        for part, is_row in zip(parts, rows, strict=True)
    )
    return Quotation(place, " ".join(worded), score)


def quotation(place: SourceSpan) -> str:
    """Format a span for quotation: prose on one line without its markup, code with its lines.

    A document's own ``[2]`` becomes ``(2)``, because it is not a citation of the answer.
    """
    parts: list[str] = []
    end = 0
    for code in code_blocks(place.quote):
        parts += [readable(place.quote[end : code.start]), _shown_code(place.quote[code.start : code.end])]
        end = code.end
    parts.append(readable(place.quote[end:]))
    return without_markers(" ".join(filter(None, parts)))


def _shown_code(block: str) -> str:
    """Format a code block: a single line inline, several lines on their own."""
    lines = without_fences(block)
    return lines.strip() if "\n" not in lines else f"\n{lines}\n"
