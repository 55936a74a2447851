"""Lay out knowledge for a language model: numbered pieces, best first, without repetition, within a token budget.

Only our own text begins at the start of a line, and only our markers are numbers in square brackets: lines of a
document are indented, and its own ``[3]`` is written ``(3)``. So no text of a document can be mistaken for a piece, a
marker or a part of the prompt. Items retrieved for different parts of an answer are grouped under headings.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

from polyadic.generation.citation_parser import without_markers
from polyadic.generation.evidence_marks import LEGEND, evidence_starts, with_marks, without_document_marks
from polyadic.llm.language_model import LanguageModel, ModelRequest
from polyadic.model.identity import normal_text
from polyadic.model.types import Item, ItemKind, Knowledge, RetrievalSection, SourceSpan, Span
from polyadic.text.headings import heading_line, path_after
from polyadic.text.markup import plain
from polyadic.text.tokens import count_tokens

_INDENT = "  "
# The innermost headings above a passage that are shown: "Requirements" alone does not say of what.
_SHOWN_HEADINGS = 2
# Tokens of a marker with three digits, the blank after it, and the end of the line.
_AROUND_A_PIECE = 5
_HEADINGS = {
    RetrievalSection.NONE: "",
    RetrievalSection.LIST: (
        "The question asks for all items of a kind. These statements are about candidates, the most relevant first; the"
        " list may be incomplete, so name all that fit and say so:"
    ),
    RetrievalSection.WHOLE_LIST: (
        "The question asks for all items of a kind. These statements are about every item of that kind in the"
        " documents, the most relevant first; name all that fit the question:"
    ),
    RetrievalSection.LOCAL: "What is known of the things that the question is about:",
    RetrievalSection.BRIDGE: "How these and others are connected, one thing leading to the next:",
    RetrievalSection.GLOBAL: "The larger subjects that they belong to:",
}
# Tokens of a heading besides its text.
_AROUND_A_HEADING = 3

# Tokens that a chat endpoint adds to the messages.
_AROUND_A_REQUEST = 50
# Tokens are counted with OpenAI's tokenizer; another one may need a few more.
_MARGIN = 1.1
# Tokens reserved for a reply, far fewer than the longest one; at most this share of the model's context.
_REPLY_TOKENS, _REPLY_SHARE = 1000, 0.25


@dataclass(frozen=True, slots=True)
class ContextPiece:
    """A numbered piece: its item, the spans that a citation of it may point into, and its text."""

    item: Item
    places: tuple[SourceSpan, ...]
    text: str


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The context of a prompt: ``pieces[n - 1]`` is marked ``[n]``; ``tokens`` counts all of ``text``.

    ``marks`` is the number of marked sentences. Pieces are ordered by section, and best first within a section.
    """

    pieces: tuple[ContextPiece, ...]
    text: str
    tokens: int
    marks: int = 0


def lay_out(knowledge: Knowledge, context_tokens: int, marked_facts: int = 0) -> PromptContext:
    """Select the pieces that fit into the budget, best first.

    A fact that is part of a displayed passage is left out, and so is text shared by two passages. A passage that does
    not fit must not suppress anything else, so the layout is repeated without it.

    Parameters
    ----------
    knowledge
        The retrieved items.
    context_tokens
        Token budget of the whole text.
    marked_facts
        Maximum number of facts left out whose sentences are marked in their passages, the best first. Marks only take
        tokens that the pieces leave.
    """
    items = list({(item.kind, item.id): item for item in knowledge.items if item.places}.values())
    tokens = cache(lambda text: count_tokens([text])[0])
    while True:
        pieces = list(_pieces(items, without_document_marks if marked_facts else str))
        context = _fitted(pieces, context_tokens, tokens)
        shown = {id(piece) for piece in context.pieces}
        unfit = {piece.item.id for piece in pieces if _is_passage(piece.item) and id(piece) not in shown}
        if unfit:
            items = [item for item in items if item.id not in unfit]
        elif _lacks_items(pieces, context):
            items = [_of_a_part(item) for item in items]
        else:
            return _marked(context, items, context_tokens, marked_facts) if marked_facts else context


def _lacks_items(pieces: Sequence[ContextPiece], context: PromptContext) -> bool:
    """Return whether a context has only a part of a whole list."""
    whole = (
        sum(piece.item.section is RetrievalSection.WHOLE_LIST for piece in given) for given in (pieces, context.pieces)
    )
    return len(set(whole)) > 1


def _of_a_part(item: Item) -> Item:
    """Return an item of a list that is not whole."""
    is_whole = item.section is RetrievalSection.WHOLE_LIST
    return replace(item, section=RetrievalSection.LIST) if is_whole else item


def _fitted(pieces: Sequence[ContextPiece], context_tokens: int, tokens: Callable[[str], int]) -> PromptContext:
    """Select the pieces that fit; a piece that is too long for the remaining room is skipped for shorter ones."""
    shown: list[ContextPiece] = []
    headings = [heading for section in {piece.item.section for piece in pieces} if (heading := _HEADINGS[section])]
    room = context_tokens - sum(tokens(heading) + _AROUND_A_HEADING for heading in headings)
    for piece in _interleaved(pieces):
        needed = tokens(piece.text) + _AROUND_A_PIECE
        if needed <= room:
            shown.append(piece)
            room -= needed
    # The joined text hardly ever has more tokens than its parts, but it may.
    while shown and tokens(_text(shown)) > context_tokens:
        shown.pop()
    text = _text(shown)
    return PromptContext(tuple(_by_section(shown)), text, tokens(text))


def _marked(context: PromptContext, items: Sequence[Item], context_tokens: int, marked_facts: int) -> PromptContext:
    """Mark the sentences of the best facts that passages of a context state, as far as there is room."""
    passages = [(index, piece.places[0]) for index, piece in enumerate(context.pieces) if _is_passage(piece.item)]
    shown = [(place, normal_text(place.quote)) for _, place in passages]
    facts = [item for item in items if item.kind is ItemKind.FACT and _is_stated(item, shown)][:marked_facts]
    found = (
        (index, start)
        for fact in facts
        for index, place in passages
        for start in evidence_starts(fact, place)
        if start >= _repeated_title(place)
    )
    marks = list(dict.fromkeys(found))[: max(0, context_tokens - context.tokens)]
    while marks:
        pieces = _with_marks(context.pieces, marks)
        text = f"{LEGEND}\n\n{_text(pieces)}"
        if (tokens := sum(count_tokens([text]))) <= context_tokens:
            return PromptContext(pieces, text, tokens, len(marks))
        marks.pop()
    return context


def _with_marks(pieces: Sequence[ContextPiece], marks: Sequence[tuple[int, int]]) -> tuple[ContextPiece, ...]:
    """Insert marks, each given by the index of its piece and its position in the quote of the passage."""
    starts: dict[int, list[int]] = {}
    for index, start in marks:
        starts.setdefault(index, []).append(start)
    return tuple(
        replace(piece, text=_marked_passage(piece.places[0], starts[index])) if index in starts else piece
        for index, piece in enumerate(pieces)
    )


def _interleaved(pieces: Sequence[ContextPiece]) -> list[ContextPiece]:
    """Order pieces so that any prefix contains about the same share of each section, but a whole list comes first."""
    totals = Counter[RetrievalSection]()
    for piece in pieces:
        totals[piece.item.section] += piece.item.tokens
    before, ranked = Counter[RetrievalSection](), list[tuple[float, ContextPiece]]()
    for piece in pieces:
        section = piece.item.section
        is_first = section is RetrievalSection.WHOLE_LIST
        ranked.append((-1.0 if is_first else before[section] / max(1, totals[section]), piece))
        before[section] += piece.item.tokens
    return [piece for _, piece in sorted(ranked, key=lambda entry: entry[0])]


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


def _pieces(items: Sequence[Item], clean: Callable[[str], str]) -> Iterator[ContextPiece]:
    """Yield all pieces to display if there is room, with their texts cleaned."""
    covered: dict[str, list[Span]] = {}
    passages = {item.id: _uncovered(item.places[0], covered) for item in items if _is_passage(item)}
    shown = [(place, normal_text(place.quote)) for places in passages.values() for place in places]
    seen: set[str] = set()
    for item in items:
        if _is_passage(item):
            pieces = [ContextPiece(item, (place,), clean(_passage(place))) for place in passages[item.id]]
        elif _is_stated(item, shown):
            continue
        else:
            pieces = [ContextPiece(item, item.places, clean(_indented(_fact(item))))]
        yield from (piece for piece in pieces if piece.text not in seen)
        seen.update(piece.text for piece in pieces)


def _uncovered(place: SourceSpan, covered: dict[str, list[Span]]) -> list[SourceSpan]:
    """Return the parts of a passage that no earlier passage covers, and mark the passage as covered."""
    before = covered.setdefault(place.document_id, [])
    start = place.span.start
    stretches = [place.span]
    for other in before:
        stretches = [rest for stretch in stretches for rest in _without(stretch, other)]
    before.append(place.span)
    places = [_part(place, Span(stretch.start - start, stretch.end - start)) for stretch in stretches]
    return [cut for cut in places if any(character.isalnum() for character in cut.quote)]


def _part(place: SourceSpan, span: Span) -> SourceSpan:
    return replace(place.part(span), headings=path_after(place.headings, place.quote[: span.start]))


def _without(span: Span, other: Span) -> list[Span]:
    """Return the parts of a span before and after another one.

    >>> _without(Span(0, 9), Span(3, 5)), _without(Span(3, 5), Span(0, 9)), _without(Span(0, 3), Span(3, 5))
    ([Span(start=0, end=3), Span(start=5, end=9)], [], [Span(start=0, end=3)])
    """
    before, after = (span.start, min(span.end, other.start)), (max(span.start, other.end), span.end)
    return [Span(start, end) for start, end in (before, after) if start < end]


def _is_passage(item: Item) -> bool:
    return item.kind is ItemKind.CHUNK


def _is_stated(item: Item, passages: Sequence[tuple[SourceSpan, str]]) -> bool:
    """Return whether an item needs no piece of its own, because one of these passages, with its text, states it."""
    return not item.details and any(_is_in_passage(item, place, text) for place, text in passages)


def _is_in_passage(fact: Item, passage: SourceSpan, text: str) -> bool:
    """Return whether a passage contains a fact literally, or the sentence that the fact restates after its subject.

    A fact that takes no tokens needs no line of its own if the passage has its longest sentence, in whatever words: the
    others may be no more than the headings above it.
    """
    if normal_text(fact.text) in text:
        return True
    subject, _, predicate = fact.text.partition(": ")
    wordings = (fact.text, predicate) if subject in fact.entities else (fact.text,)
    longest = {place.chunk_id: place for place in sorted(fact.places, key=lambda place: place.span.length)}
    return any(
        place.document_id == passage.document_id
        and passage.span.start <= place.span.start
        and place.span.end <= passage.span.end
        and (plain(place.quote) in wordings or (not fact.tokens and longest[place.chunk_id] is place))
        for place in fact.places
    )


def _fact(item: Item) -> str:
    """Format a fact, followed by the entities that its text does not name, and by its details."""
    text = item.text.casefold()
    unnamed = [name for name in item.entities if name.casefold() not in text]
    about = [f"about: {'; '.join(unnamed)}"] if unnamed else []
    return " ".join((item.text, *(f"({normal_text(note)})" for note in (*about, *map(str, item.details)))))


def _passage(place: SourceSpan) -> str:
    """Format a passage after its source, date, page and section; a heading that only repeats the title is left out."""
    date = f" ({normal_text(place.date)})" if place.date else ""
    page = f", page {place.page}" if place.page else ""
    headings = heading_line([normal_text(heading) for heading in place.headings[-_SHOWN_HEADINGS:]])
    section = f", section “{headings}”" if headings else ""
    title = f"From “{normal_text(place.title)}”{date}{page}{section}: " if place.title else ""
    return _indented(f"{title}{place.quote[_repeated_title(place) :].strip()}")


def _repeated_title(place: SourceSpan) -> int:
    """Return where a heading ends that begins a passage and only repeats its title; 0 if there is none."""
    heading, _, rest = place.quote.lstrip().partition("\n")
    repeats = bool(rest.strip()) and normal_text(heading.lstrip("# \t")) == normal_text(place.title)
    return place.quote.index(heading) + len(heading) if repeats else 0


def _marked_passage(place: SourceSpan, starts: Sequence[int]) -> str:
    """Format a passage with marks before the sentences at these positions of its quote."""
    # Markers of the document are replaced first, because a mark may split one.
    quote = with_marks(without_markers(without_document_marks(place.quote)), starts)
    return _passage(replace(place, title=without_document_marks(place.title), quote=quote))


def _indented(text: str) -> str:
    """Format text of a document: indent its lines and replace its markers."""
    return f"\n{_INDENT}".join(line.rstrip() for line in without_markers(text).splitlines() if line.strip())


def prompt_room(request: ModelRequest, model: LanguageModel, context_tokens: int) -> int:
    """Return the token budget for knowledge, limited to what the model's context holds besides a reply.

    Parameters
    ----------
    request
        The request without knowledge.
    model
        The model that is to be asked.
    context_tokens
        The budget in the settings.
    """
    held = model.context_tokens
    reply = min(model.output_tokens, _REPLY_TOKENS, int(held * _REPLY_SHARE))
    prompt = sum(count_tokens([message.text for message in request.messages]))
    left = int((held - reply) / _MARGIN) - prompt - _AROUND_A_REQUEST
    return max(0, min(context_tokens, left))
