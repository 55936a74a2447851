"""Knowledge laid out for a language model: each piece numbered once, best first, nothing twice, within a budget."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyadic.identity import normal_text
from polyadic.knowledge import Item, Kind, Knowledge, Place, Span
from polyadic.models.tokens import count_tokens

# Of a passage that another one overlaps, less than this is not worth a number of its own.
_SHORTEST = 40


@dataclass(frozen=True, slots=True)
class Piece:
    """One numbered piece: the item that it shows, the place that a citation of it points into, and its text."""

    item: Item
    place: Place
    text: str


@dataclass(frozen=True, slots=True)
class Context:
    """``pieces[n - 1]`` is what the model sees as ``[n]``; ``tokens`` counts the whole of ``text``."""

    pieces: tuple[Piece, ...]
    text: str
    tokens: int


def lay_out(knowledge: Knowledge, context_tokens: int) -> Context:
    """The pieces that fit into the budget, best first.

    A fact that stands word for word in a passage that is shown is left out, and so is what two passages share.
    """
    passages = [normal_text(item.text) for item in knowledge.chunks]
    shown: list[Piece] = []
    entries: list[str] = []
    room = context_tokens
    for piece in _pieces(knowledge.items, passages):
        entry = f"[{len(shown) + 1}] {piece.text}"
        tokens = count_tokens([entry])[0] + 1
        if tokens <= room:
            shown.append(piece)
            entries.append(entry)
            room -= tokens
    return Context(tuple(shown), "\n".join(entries), context_tokens - room)


def _pieces(items: Sequence[Item], passages: Sequence[str]) -> Iterator[Piece]:
    told: dict[str, list[Span]] = {}
    for item in items:
        if not item.places:
            continue
        place = item.places[0]
        if item.kind is Kind.FACT:
            if not any(_stands_in(item.text, passage) for passage in passages):
                yield Piece(item, place, _fact(item))
            continue
        rest = _untold(place.span, told.setdefault(place.document_id, []))
        told[place.document_id].append(place.span)
        quote = place.quote[rest.start - place.span.start : rest.end - place.span.start]
        if len(quote.strip()) >= min(_SHORTEST, len(place.quote.strip())):
            cut = Place(
                place.document_id, place.source, place.title, place.chunk_id, rest, quote, place.page, place.extractor
            )
            yield Piece(item, cut, f"{_heading(place)}{quote.strip()}")


def _fact(item: Item) -> str:
    """A fact with its entities, as far as its text does not name them."""
    text = item.text.casefold()
    unnamed = [name for name in item.entities if name.casefold() not in text]
    return f"{item.text} (about: {'; '.join(unnamed)})" if unnamed else item.text


def _heading(place: Place) -> str:
    page = f", page {place.page}" if place.page else ""
    return f"From “{place.title}”{page}: " if place.title else ""


def _stands_in(fact: str, passage: str) -> bool:
    """Whether a passage holds a fact word for word, but for the subject that may have been put before it."""
    _, colon, statement = fact.partition(": ")
    return fact in passage or (bool(colon) and statement in passage)


def _untold(span: Span, told: Sequence[Span]) -> Span:
    """What is left of a span where its ends have been told already."""
    start, end = span.start, span.end
    for other in told:
        if other.start <= start < other.end:
            start = min(other.end, end)
        if other.start < end <= other.end:
            end = max(other.start, start)
    return Span(start, end)
