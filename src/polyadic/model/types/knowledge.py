"""What retrieval returns: knowledge, its items with their source spans, and the trace."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from polyadic.model.types.documents import Span
from polyadic.model.types.facts import FactDetails
from polyadic.model.types.usage import Usage


class ItemKind(StrEnum):
    """Kind of a retrieved item."""

    FACT = "fact"
    CHUNK = "chunk"
    ENTITY = "entity"  # of any layer, so also a summary entity
    REPORT = "report"  # community report


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """A quoted character range of a document.

    Parameters
    ----------
    document_id, source, title
        The document.
    chunk_id
        The chunk that contains the range.
    span
        Character range in the document's text.
    quote
        The text of the range.
    page
        1-based page of the first character; None if the document has no pages.
    extractor
        Name of the extractor that found the facts in this range.
    headings
        Headings of the sections that contain the first character, outermost first.
    date
        Date of the document according to its metadata, in ISO 8601; empty if unknown.
    """

    document_id: str
    source: str
    title: str
    chunk_id: str
    span: Span
    quote: str
    page: int | None = None
    extractor: str = ""
    headings: tuple[str, ...] = ()
    date: str = ""

    def contains(self, other: "SourceSpan") -> bool:
        """Return whether another span lies within this one, in the same document."""
        same = self.document_id == other.document_id
        return same and self.span.start <= other.span.start and other.span.end <= self.span.end

    def part(self, span: Span) -> "SourceSpan":
        """Return the source span of a part of the quote; page and headings are kept.

        Parameters
        ----------
        span
            Character range relative to the beginning of the quote, not of the document.

        Examples
        --------
        >>> place = SourceSpan("d", "memory:d", "", "c", Span(100, 112), "Ada Lovelace")
        >>> place.part(Span(4, 12)).span, place.part(Span(4, 12)).quote
        (Span(start=104, end=112), 'Lovelace')
        """
        at = Span(self.span.start + span.start, self.span.start + span.end)
        return replace(self, span=at, quote=self.quote[span.start : span.end])


class RetrievalSection(StrEnum):
    """Section of the prompt that an item was retrieved for: a list of items, or the parts of HiRAG; mostly ``NONE``.

    ``WHOLE_LIST`` is a list with every entity of the requested kind.
    """

    NONE = ""
    LIST = "list"
    WHOLE_LIST = "whole list"
    LOCAL = "local"
    BRIDGE = "bridge"
    GLOBAL = "global"

    @property
    def is_list(self) -> bool:
        return self in (RetrievalSection.LIST, RetrievalSection.WHOLE_LIST)


@dataclass(frozen=True, slots=True)
class Item:
    """A retrieved fact, chunk, entity or community report.

    Parameters
    ----------
    kind
        What the item is.
    id
        Identifier of the fact, chunk, entity or community.
    text
        Text of the item.
    score
        Retrieval score; comparable only among items of one kind within one retrieval.
    why
        Human-readable explanation of why the item was retrieved.
    tokens
        Number of tokens that the item takes of the budget; 0 for a fact that a retrieved passage states.
    places
        Provenance. For an entity or a report these are the source spans of the facts that it was made from.
    entities
        Names of the entities that a fact connects; empty for a chunk.
    section
        Section of the prompt that the item was retrieved for.
    listed
        Names and types of the entities for which a fact is in a list, such as "Agena (target vehicle)"; else empty.
    details
        What the evidence of a fact says besides its text; empty if it says nothing more.
    """

    kind: ItemKind
    id: str
    text: str
    score: float
    why: str
    tokens: int
    places: tuple[SourceSpan, ...] = ()
    entities: tuple[str, ...] = ()
    section: RetrievalSection = RetrievalSection.NONE
    listed: tuple[str, ...] = ()
    details: tuple[FactDetails, ...] = ()

    @property
    def shown_places(self) -> tuple[SourceSpan, ...]:
        """Source spans shown with the item: all for a fact or a chunk, only the first for an entity or a report."""
        return self.places[:1] if self.kind in {ItemKind.ENTITY, ItemKind.REPORT} else self.places


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One timed step of a retrieval or an answer.

    Parameters
    ----------
    name
        Name of the step.
    detail
        What the step did.
    seconds
        Duration in seconds.
    """

    name: str
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Knowledge:
    """Result of retrieval for a question: items in descending order of relevance, fitted to a token budget.

    Parameters
    ----------
    question
        The question.
    method
        Name of the retrieval method.
    items
        Retrieved items, best first.
    tokens
        Total number of tokens of the items.
    omitted
        Number of items that did not fit the budget.
    trace
        Steps of the retrieval.
    usage
        Usage of language models during retrieval.
    retrieves
        False if the method does not search at all, so that the model answers from its own knowledge. True with no
        items means that the search found nothing.
    note
        Hint for users about something the method lacked; usually empty.
    """

    question: str
    method: str
    items: tuple[Item, ...]
    tokens: int
    omitted: int
    trace: tuple[TraceStep, ...]
    usage: Usage = field(default_factory=Usage)
    retrieves: bool = True
    note: str = ""

    def of(self, kind: ItemKind) -> tuple[Item, ...]:
        """Return the items of one kind, best first."""
        return tuple(item for item in self.items if item.kind is kind)

    @property
    def facts(self) -> tuple[Item, ...]:
        return self.of(ItemKind.FACT)

    @property
    def chunks(self) -> tuple[Item, ...]:
        return self.of(ItemKind.CHUNK)

    @property
    def documents(self) -> tuple[str, ...]:
        """Sources of the documents that the items come from, in the order in which they are first shown.

        Entities and reports show only their first source span; documents that occur only in the others come last.
        """
        shown = [place.source for item in self.items for place in item.shown_places]
        return tuple(dict.fromkeys((*shown, *(place.source for item in self.items for place in item.places))))

    @property
    def extractors(self) -> tuple[str, ...]:
        """Names of the extractors of the retrieved facts, sorted."""
        return tuple(sorted({place.extractor for fact in self.facts for place in fact.places if place.extractor}))
