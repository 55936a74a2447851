"""Attribute evidence to the chunk that states it."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

from polyadic.model.types import Chunk, Evidence


def evidence_by_chunk(evidence: Iterable[Evidence], chunks: Sequence[Chunk]) -> dict[str, tuple[Evidence, ...]]:
    """Group evidence by the identifiers of consecutive chunks, of which there is at least one.

    Evidence belongs to the chunk that contains the start of its longest span (a model also names the heading that a
    sentence stands under); without spans, to the chunk that names most of its participants. Chunks without evidence
    have an empty group.

    >>> from polyadic.model.types import Participation, Span
    >>> chunks = [Chunk("a", Span(0, 10), "It rained.", 3, 0), Chunk("a", Span(11, 27), "Ada met Babbage.", 5, 11)]
    >>> names = (Participation("Ada"), Participation("Babbage"))
    >>> for spans in (), (Span(11, 27),), (Span(0, 10),), (Span(0, 2), Span(11, 27)):
    ...     found = evidence_by_chunk([Evidence("Ada met Babbage.", 8.0, names, spans, "import")], chunks)
    ...     print([len(found[chunk.id]) for chunk in chunks])
    [0, 1]
    [0, 1]
    [1, 0]
    [0, 1]
    """
    by_chunk: dict[str, list[Evidence]] = {chunk.id: [] for chunk in chunks}
    starts = [chunk.new_from for chunk in chunks]
    texts = [chunk.text.casefold() for chunk in chunks]
    for one in evidence:
        longest = max(one.spans, key=lambda span: span.length, default=None)
        place = _place_of_span(longest.start, starts) if longest else _place_of_names(one, texts)
        by_chunk[chunks[place].id].append(one)
    return {chunk: tuple(stated) for chunk, stated in by_chunk.items()}


def _place_of_span(start: int, starts: Sequence[int]) -> int:
    return max(0, bisect_right(starts, start) - 1)


def _place_of_names(evidence: Evidence, texts: Sequence[str]) -> int:
    names = [participant.name.casefold() for participant in evidence.participants]
    return max(range(len(texts)), key=lambda place: sum(name in texts[place] for name in names))
