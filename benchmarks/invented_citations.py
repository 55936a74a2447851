"""Measure citations on invented documents: ``python -m benchmarks.invented_citations``.

``invented_citations.jsonl`` has twelve documents of different kinds and answers about them, written by a large language
model as a careful and as a careless one would write them. For each marker it lists the sentences that support its
claim: ``[[2], [4, 5]]`` for the second sentence of the document alone, or the fourth and fifth together; empty if none
does. Headings are not counted. The command prints the figures of the tuning documents and every quotation that is
wrong, missing or without a flag.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.loading import load_embedder
from polyadic.generation.citation_attribution import Attribution, TextEmbedder, attribute
from polyadic.generation.cited_claims import marker_spans
from polyadic.generation.context import ContextPiece
from polyadic.model.identity import normal_text
from polyadic.model.types import Item, ItemKind, SourceSpan, Span
from polyadic.rerankers.loading import load_pair_scorer
from polyadic.rerankers.pair_scoring.models import CLAIM_SUPPORT

DATA = Path(__file__).with_suffix(".jsonl")
_HEADING = "## "
Attributing = Callable[[str, str, Sequence[ContextPiece]], Awaitable[Attribution]]
"""Attribute an answer: a question, the answer, and for each marker the piece that it cites."""


@dataclass(frozen=True, slots=True)
class MarkedClaim:
    """What was measured of one marker of a claim.

    Parameters
    ----------
    text
        The claim.
    quoted
        The numbers of the sentences that are quoted for the marker, and the quotations.
    right
        For each quotation, whether its sentence supports the claim, alone or with others.
    is_supported
        Whether sentences of the marker's item support the claim, alone or with others.
    is_claim_supported
        Whether sentences of any item that the claim cites do.
    is_complete
        Whether all sentences quoted for the claim include enough of them.
    is_flagged
        Whether the claim is flagged as unsupported.
    """

    document: str
    is_held_out: bool
    text: str
    quoted: Mapping[int, str]
    right: tuple[bool, ...]
    is_supported: bool
    is_claim_supported: bool
    is_complete: bool
    is_flagged: bool


@dataclass(frozen=True, slots=True)
class _Document:
    """A document in items, and the number of the sentence of each span of them."""

    id: str
    is_held_out: bool
    pieces: Mapping[str, ContextPiece]
    numbers: Mapping[Span, int]

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> "_Document":
        pieces, numbers, start, number = {}, {}, 0, 0
        for name, parts in row["items"].items():
            begin = start
            for part in parts:
                if not part.startswith(_HEADING):
                    number += 1
                    numbers[Span(start, start + len(part.rstrip()))] = number
                start += len(part)
            text = "".join(parts)
            place = SourceSpan(row["document"], row["document"], row["title"], name, Span(begin, start), text)
            pieces[name] = ContextPiece(Item(ItemKind.CHUNK, name, text, 1.0, "", 0, (place,)), (place,), text)
        return cls(row["document"], row["held_out"], pieces, numbers)

    def sentences_of(self, span: Span) -> set[int]:
        return {n for own, n in self.numbers.items() if own.start < span.end and span.start < own.end}


def main() -> None:
    attributing = attributing_by(load_embedder(EmbeddingSettings()))
    claims = [claim for claim in asyncio.run(measure(attributing)) if not claim.is_held_out]
    for claim in claims:
        for problem in _problems(claim):
            print(f"{claim.document}: {problem}: {claim.text}")
            for number, quote in claim.quoted.items():
                print(f"    {number} {quote}")
    print("\n".join(table({"tuning": claims})))


def _problems(claim: MarkedClaim) -> Iterator[str]:
    flag = "flagged" if claim.is_flagged else "not flagged"
    if claim.is_supported and not all(claim.right):
        yield f"wrong quotation, {flag}"
    if claim.is_supported and not any(claim.right):
        yield f"missed, {flag}"
    if not claim.is_supported and claim.quoted:
        yield f"quoted without support, {flag}"


def attributing_by(embedder: TextEmbedder) -> Attributing:
    """Return the attribution of answers with an embedder and the cross-encoder of the package."""
    judge = load_pair_scorer(CLAIM_SUPPORT, EmbeddingSettings())
    return lambda question, text, cited: attribute(text, cited, embedder, judge)


async def measure(attributing: Attributing) -> list[MarkedClaim]:
    """Attribute all answers, and compare each quotation with the labels of its marker."""
    documents: dict[str, _Document] = {}
    claims: list[MarkedClaim] = []
    for row in map(json.loads, DATA.read_text(encoding="utf-8").splitlines()):
        if "items" in row:
            documents[row["document"]] = _Document.of(row)
        else:
            claims += await _measured(row, documents[row["document"]], attributing)
    return claims


async def _measured(row: Mapping[str, Any], document: _Document, attributing: Attributing) -> list[MarkedClaim]:
    cited = [document.pieces[name] for name in row["cited"]]
    found = await attributing(row["question"], row["answer"], cited)
    markers = list(marker_spans(row["answer"], len(cited)))
    groups = {
        marker.span: [set(group) for group in label["supported_by"]]
        for marker, label in zip(markers, row["markers"], strict=True)
    }
    measured = []
    for claim in found.claims:
        citations = [found.citations[n] for n in claim.citations]
        quotes = [citation for citation in citations if not citation.whole_item]
        known = set[int]().union(*(document.sentences_of(one.place.span) for one in quotes))
        wanted = [group for at in dict.fromkeys(citation.at for citation in citations) for group in groups[at]]
        for at in dict.fromkeys(citation.at for citation in citations):
            own = set[int]().union(*groups[at])
            places = [one.place for one in quotes if one.at == at]
            measured.append(
                MarkedClaim(
                    document.id,
                    document.is_held_out,
                    normal_text(row["answer"][claim.span.start : claim.span.end]),
                    {min(document.sentences_of(place.span)): normal_text(place.quote) for place in places},
                    tuple(bool(document.sentences_of(place.span) & own) for place in places),
                    bool(own),
                    bool(wanted),
                    any(group <= known for group in wanted),
                    not claim.supported,
                )
            )
    return measured


def table(parts: Mapping[str, Sequence[MarkedClaim]]) -> Iterator[str]:
    yield f"| | {' | '.join(parts)} |"
    yield f"|---|{'---|' * len(parts)}"
    for name, values in _MEASURES.items():
        cells = ([value for claim in claims for value in values(claim)] for claims in parts.values())
        yield f"| {name} | {' | '.join(_share(cell) for cell in cells)} |"


def _share(values: Sequence[bool]) -> str:
    return f"{sum(values) / len(values):.3f} ({sum(values)} of {len(values)})" if values else "–"


_MEASURES: dict[str, Callable[[MarkedClaim], Sequence[bool]]] = {
    "precision, claims that a sentence of the item supports": lambda c: c.right if c.is_supported else (),
    "precision, all claims": lambda c: c.right,
    "recall": lambda c: (any(c.right),) if c.is_supported else (),
    "quoted completely": lambda c: (c.is_complete,) if c.is_supported else (),
    "flagged, though supported": lambda c: (c.is_flagged,) if c.is_claim_supported else (),
    "flagged, without support": lambda c: () if c.is_claim_supported else (c.is_flagged,),
    "quoted, without support": lambda c: () if c.is_supported else (bool(c.quoted),),
}


if __name__ == "__main__":
    main()
