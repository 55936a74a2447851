"""Knowledge laid out for a language model: each piece numbered once, best first, nothing twice, within a budget.

Only what is ours stands at the beginning of a line, and only our markers are numbers in square brackets: the lines of
a document are indented, and its own ``[3]`` is written ``(3)``. So nothing that a document says can be taken for a
piece, for a marker or for a part of the request. Where items were retrieved for different parts of an answer, each
part has its heading.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from polyadic.generation.citation_parser import without_markers
from polyadic.model.identity import normal_text
from polyadic.model.types import Item, ItemKind, Knowledge, RetrievalSection, SourceSpan, Span
from polyadic.text.plain_text import plain
from polyadic.text.tokens import count_tokens

_INDENT = "  "
# A marker of three digits, the blank after it, and the end of the line.
_AROUND_A_PIECE = 5
_HEADINGS = {
    RetrievalSection.NONE: "",
    RetrievalSection.LOCAL: "What is known of the things that the question is about:",
    RetrievalSection.BRIDGE: "How these and others are connected, one thing leading to the next:",
    RetrievalSection.GLOBAL: "The larger subjects that they belong to:",
}
# What a heading needs beside its own tokens.
_AROUND_A_HEADING = 3


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """One numbered piece: the item that it shows, the places that a citation of it may point into, and its text."""

    item: Item
    places: tuple[SourceSpan, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PromptContext:
    """``pieces[n - 1]`` is what the model sees as ``[n]``; ``tokens`` counts the whole of ``text``.

    Pieces stand section by section, within each best first.
    """

    pieces: tuple[ContextPiece, ...]
    text: str
    tokens: int


def lay_out(knowledge: Knowledge, context_tokens: int) -> PromptContext:
    """The pieces that fit into the budget, best first.

    A fact that stands word for word in a passage that is shown is left out, and so is what two passages share. As a
    passage that does not fit must not keep out anything else, it is laid out again without that.
    """
    items = list({(item.kind, item.id): item for item in knowledge.items if item.places}.values())
    tokens = cache(lambda text: count_tokens([text])[0])
    while True:
        pieces = list(_pieces(items))
        context = _fitted(pieces, context_tokens, tokens)
        shown = {id(piece) for piece in context.pieces}
        unfit = {piece.item.id for piece in pieces if piece.item.kind is ItemKind.CHUNK and id(piece) not in shown}
        if not unfit:
            return context
        items = [item for item in items if item.id not in unfit]


def _fitted(pieces: Sequence[ContextPiece], context_tokens: int, tokens: Callable[[str], int]) -> PromptContext:
    """The pieces that fit; what is too long for the room that is left makes way for what is shorter."""
    shown: list[ContextPiece] = []
    headings = [heading for section in {piece.item.section for piece in pieces} if (heading := _HEADINGS[section])]
    room = context_tokens - sum(tokens(heading) + _AROUND_A_HEADING for heading in headings)
    for piece in _by_turns(pieces):
        needed = tokens(piece.text) + _AROUND_A_PIECE
        if needed <= room:
            shown.append(piece)
            room -= needed
    # A whole has hardly ever more tokens than its parts, but it may.
    while shown and tokens(_text(shown)) > context_tokens:
        shown.pop()
    text = _text(shown)
    return PromptContext(tuple(_by_section(shown)), text, tokens(text))


def _by_turns(pieces: Sequence[ContextPiece]) -> list[ContextPiece]:
    """In an order in which, wherever it is cut off, as large a part of each section is left out as of any other."""
    totals = Counter[RetrievalSection]()
    for piece in pieces:
        totals[piece.item.section] += piece.item.tokens
    before, told = Counter[RetrievalSection](), list[tuple[float, ContextPiece]]()
    for piece in pieces:
        section = piece.item.section
        told.append((before[section] / max(1, totals[section]), piece))
        before[section] += piece.item.tokens
    return [piece for _, piece in sorted(told, key=lambda one: one[0])]


def _text(pieces: Sequence[ContextPiece]) -> str:
    numbered = [(piece, f"[{number}] {piece.text}") for number, piece in enumerate(_by_section(pieces), 1)]
    parts = []
    for section, heading in _HEADINGS.items():
        lines = [line for piece, line in numbered if piece.item.section is section]
        parts += ["\n".join([heading, *lines] if heading else lines)] if lines else []
    return "\n\n".join(parts)


def _by_section(pieces: Sequence[ContextPiece]) -> list[ContextPiece]:
    order = list(_HEADINGS)
    return sorted(pieces, key=lambda piece: order.index(piece.item.section))


def _pieces(items: Sequence[Item]) -> Iterator[ContextPiece]:
    """All that is to be shown if there is room for it."""
    told: dict[str, list[Span]] = {}
    passages = {item.id: _untold(item.places[0], told) for item in items if item.kind is ItemKind.CHUNK}
    shown = [(place, normal_text(place.quote)) for places in passages.values() for place in places]
    said: set[str] = set()
    for item in items:
        if item.kind is ItemKind.CHUNK:
            found = [ContextPiece(item, (place,), _passage(place)) for place in passages[item.id]]
        elif any(_stands_in(item, place, text) for place, text in shown):
            continue
        else:
            found = [ContextPiece(item, item.places, _indented(_fact(item)))]
        yield from (piece for piece in found if piece.text not in said)
        said.update(piece.text for piece in found)


def _untold(place: SourceSpan, told: dict[str, list[Span]]) -> list[SourceSpan]:
    """The stretches of a passage that no passage before it has told."""
    before = told.setdefault(place.document_id, [])
    start = place.span.start
    stretches = [place.span]
    for other in before:
        stretches = [rest for stretch in stretches for rest in _without(stretch, other)]
    before.append(place.span)
    places = [place.part(Span(stretch.start - start, stretch.end - start)) for stretch in stretches]
    return [cut for cut in places if any(character.isalnum() for character in cut.quote)]


def _without(span: Span, other: Span) -> list[Span]:
    """What is left of a span before and after another one.

    >>> _without(Span(0, 9), Span(3, 5)), _without(Span(3, 5), Span(0, 9)), _without(Span(0, 3), Span(3, 5))
    ([Span(start=0, end=3), Span(start=5, end=9)], [], [Span(start=0, end=3)])
    """
    before, after = (span.start, min(span.end, other.start)), (max(span.start, other.end), span.end)
    return [Span(start, end) for start, end in (before, after) if start < end]


def _stands_in(fact: Item, passage: SourceSpan, text: str) -> bool:
    """Whether a passage holds a fact word for word, or the sentence that the fact is, after its subject."""
    if normal_text(fact.text) in text:
        return True
    subject, _, statement = fact.text.partition(": ")
    sayings = (fact.text, statement) if subject in fact.entities else (fact.text,)
    return any(
        place.document_id == passage.document_id
        and passage.span.start <= place.span.start
        and place.span.end <= passage.span.end
        and plain(place.quote) in sayings
        for place in fact.places
    )


def _fact(item: Item) -> str:
    """A fact with its entities, as far as its text does not name them."""
    text = item.text.casefold()
    unnamed = [name for name in item.entities if name.casefold() not in text]
    return f"{item.text} (about: {'; '.join(unnamed)})" if unnamed else item.text


def _passage(place: SourceSpan) -> str:
    """A passage after what it is from; a heading that only repeats the title is left out."""
    heading, _, rest = place.quote.strip().partition("\n")
    repeats = bool(rest.strip()) and normal_text(heading.lstrip("# \t")) == normal_text(place.title)
    page = f", page {place.page}" if place.page else ""
    title = f"From “{normal_text(place.title)}”{page}: " if place.title else ""
    return _indented(f"{title}{(rest if repeats else place.quote).strip()}")


def _indented(text: str) -> str:
    """What a document says, so that none of its lines begins where ours do, and without markers."""
    return f"\n{_INDENT}".join(line.rstrip() for line in without_markers(text).splitlines() if line.strip())
