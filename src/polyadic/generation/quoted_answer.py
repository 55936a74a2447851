"""The text of an answer that quotes: one quotation a line, each with its marker."""

from collections.abc import Iterable
from dataclasses import dataclass

from polyadic.generation.citation_parser import without_markers
from polyadic.model.types import Citation, Claim, SourceSpan, Span


@dataclass(frozen=True, slots=True)
class QuotedText:
    """Lines with markers, the citation of each, and the line as its claim, which the quotation supports."""

    text: str
    citations: tuple[Citation, ...]
    claims: tuple[Claim, ...]

    @classmethod
    def of(cls, lines: Iterable[tuple[str, SourceSpan, float]]) -> "QuotedText":
        """Number lines, each with the span that it quotes and its score.

        A document's own ``[2]`` becomes ``(2)``, because it is not a citation of the answer.

        >>> place = SourceSpan("d", "memory:d", "", "c", Span(0, 3), "Ada")
        >>> quoted = QuotedText.of([('"Ada"', place, 1.0), ('"Bob"', place, 0.5)])
        >>> quoted.text, quoted.citations[1].at, quoted.claims[1].span
        ('"Ada" [1]\\n"Bob" [2]', Span(start=16, end=19), Span(start=10, end=15))
        """
        texts: list[str] = []
        citations: list[Citation] = []
        claims: list[Claim] = []
        start = 0
        for number, (line, place, score) in enumerate(lines, 1):
            marker, end = f"[{number}]", start + len(line)
            texts.append(f"{without_markers(line)} {marker}")
            citations.append(Citation(number, place, score, Span(end + 1, end + 1 + len(marker))))
            claims.append(Claim(Span(start, end), True, (number - 1,)))
            start = end + len(marker) + 2
        return cls("\n".join(texts), tuple(citations), tuple(claims))
