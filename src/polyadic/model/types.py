"""Core data types: documents, chunks, evidence, facts, entities, retrieved knowledge and answers.

A *fact* is a hyperedge: one self-contained sentence with every entity it connects. *Evidence* is one statement that
an extractor found in one chunk. Facts and entities are derived from the stored evidence only.
"""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from polyadic.model import identity
from polyadic.model.original_file import OriginalFile


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of characters of a document's text, ``start`` inclusive and ``end`` exclusive.

    Raises
    ------
    ValueError
        ``start`` is negative or greater than ``end``.
    """

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start}–{self.end}")

    @property
    def length(self) -> int:
        """Number of characters."""
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Document:
    """A source and its text.

    Parameters
    ----------
    source
        Absolute path, path with a row (``/data/corpus.jsonl#h0001``) or URI. It identifies the document.
    title
        Title; empty if the document has none.
    text
        The full text.
    metadata
        Names and values that document filters match.
    pages
        Character offsets at which pages (slides, sheets) begin, in order; empty if the document has no pages.
    note
        How the file was read, if there was a choice. For the indexing report only: it is neither stored nor part of
        the content digest.
    encoding
        Encoding of the file if it is not UTF-8, set on the first document of that file. For the indexing report only,
        as ``note``.
    original
        The file that the document was read from, if pages of it can be shown. For indexing only: readers of a store
        leave it out, and it is not part of the content digest.
    """

    source: str
    title: str
    text: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    pages: tuple[int, ...] = ()
    note: str = field(default="", compare=False)
    encoding: str = field(default="", compare=False)
    original: OriginalFile | None = field(default=None, compare=False)

    @property
    def id(self) -> str:
        """Identifier derived from ``source``."""
        return identity.document_id(self.source)

    @property
    def content(self) -> str:
        """Digest of title, text, metadata and pages; if it is unchanged, the document need not be reindexed."""
        pairs = [part for item in sorted(self.metadata.items()) for part in item]
        return identity.digest("content", self.title, self.text, *pairs, *map(str, self.pages))


def page_of(pages: Sequence[int], character: int) -> int | None:
    """Return the 1-based number of the page that contains a character.

    Parameters
    ----------
    pages
        Character offsets at which pages begin, in order.
    character
        Character offset in the document's text.

    Returns
    -------
    int or None
        None if the document has no pages.

    Examples
    --------

    >>> page_of((0, 4), 5), page_of((), 5)
    (2, None)
    """
    return max(1, bisect_right(pages, character)) if pages else None


@dataclass(frozen=True, slots=True)
class Heading:
    """A section heading of a document.

    Parameters
    ----------
    start, end
        Character range in the document's text.
    level
        Nesting level, from 1.
    words
        Text of the heading without markup.
    """

    start: int
    end: int
    level: int
    words: str


@dataclass(frozen=True, slots=True)
class Filter:
    """Document filter: restrict retrieval to the documents that match.

    Parameters
    ----------
    sources
        Documents (by path or other source, title, or at least 8 digits of the identifier), files of rows, or folders.
        A document matches if it matches any of them.
    where
        Metadata that a document must have; all entries must match.
    documents
        Full identifiers of further documents, in addition to those of ``sources``. These are not resolved against the
        file system, so use them for callers who must not learn which files exist.
    """

    sources: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chunk:
    """A token-bounded piece of a document: ``document.text[span.start:span.end] == text``.

    Parameters
    ----------
    document_id
        Identifier of the document.
    span
        Character range in the document's text.
    text
        Text of the chunk.
    tokens
        Number of tokens of ``text``.
    new_from
        Character offset in the document at which the overlap with the previous chunk ends.
    """

    document_id: str
    span: Span
    text: str
    tokens: int
    new_from: int

    @cached_property
    def id(self) -> str:
        return identity.chunk_id(self.document_id, self.span.start, self.text)


@dataclass(frozen=True, slots=True)
class Participation:
    """One entity of a statement, as extracted from one chunk.

    Parameters
    ----------
    name
        Name of the entity as extracted.
    type
        Entity type; empty if unknown.
    description
        Description of the entity; empty if there is none.
    score
        Importance score in (0, 100].
    """

    name: str
    type: str = ""
    description: str = ""
    score: float = 50.0

    @property
    def key(self) -> str:
        """Normalised name that identifies the entity."""
        return identity.entity_key(self.name)


@dataclass(frozen=True)
class Evidence:
    """A statement extracted from one chunk, with its participants and its provenance.

    Evidence with fewer than two distinct participants makes no fact; it is stored and counted.

    Parameters
    ----------
    text
        The statement.
    score
        How complete the statement is on its own, in (0, 10].
    participants
        Entities of the statement.
    spans
        Character ranges in the document that the statement was extracted from.
    extractor
        Name of the extractor.
    unsupported
        Why the passage does not support the statement, which then makes no fact either; empty if it does.
    """

    text: str
    score: float
    participants: tuple[Participation, ...]
    spans: tuple[Span, ...]
    extractor: str
    unsupported: str = ""

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Distinct entity keys, sorted."""
        return tuple(sorted({p.key for p in self.participants} - {""}))

    @cached_property
    def fact_id(self) -> str | None:
        """Identifier of the fact; None if unsupported, or with fewer than two distinct participants."""
        return None if self.unsupported else fact_of(self.text, self.keys)


def fact_of(text: str, keys: Collection[str]) -> str | None:
    """Return the identifier of the fact that connects these distinct entity keys; None if there are fewer than two.

    >>> fact_of("Ada wrote.", ["ada"]) is None, fact_of("Ada met Babbage.", ["ada", "babbage"]) is None
    (True, False)
    """
    return identity.fact_id(text, keys) if len(keys) >= 2 else None


@dataclass(frozen=True, slots=True)
class Fact:
    """A hyperedge, derived from all evidence that states it.

    Parameters
    ----------
    id
        Identifier.
    text
        The statement.
    score
        Mean score of the evidence, in (0, 10].
    entities
        The entities that the fact connects.
    support
        Number of pieces of evidence.
    tokens
        Number of tokens of ``text``.
    """

    id: str
    text: str
    score: float
    entities: tuple[str, ...]
    support: int
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Entity:
    """A node of the hypergraph, derived from all evidence that names it.

    Parameters
    ----------
    id
        Identifier.
    key
        Normalised name.
    name, type, description
        The best supported versions in the evidence.
    score
        Mean score of its participations, in (0, 100].
    facts
        Number of facts that connect it.
    """

    id: str
    key: str
    name: str
    type: str
    description: str
    score: float
    facts: int


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
    """Section of the prompt that an item was retrieved for: a list of items, or the parts of HiRAG; mostly ``NONE``."""

    NONE = ""
    LIST = "list"
    LOCAL = "local"
    BRIDGE = "bridge"
    GLOBAL = "global"


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
class Usage:
    """Usage of language models or embedding endpoints; instances can be added and subtracted.

    Parameters
    ----------
    calls
        Number of calls.
    prompt_tokens
        Tokens sent.
    completion_tokens
        Tokens received.
    money
        Price, rounded to 12 decimals (prices are per million tokens), so that a sum does not depend on the order in
        which calls return.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "money", round(self.money, 12))

    @property
    def tokens(self) -> int:
        """Tokens sent and received."""
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        """Add two usages.

        >>> Usage(1, 10, 2) + Usage(1, 5, 1, 0.5)
        Usage(calls=2, prompt_tokens=15, completion_tokens=3, money=0.5)
        """
        return Usage(
            self.calls + other.calls,
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
            self.money + other.money,
        )

    def __sub__(self, other: "Usage") -> "Usage":
        """Subtract an earlier usage.

        >>> Usage(3, 15, 3) - Usage(1, 5, 1)
        Usage(calls=2, prompt_tokens=10, completion_tokens=2, money=0.0)
        """
        return Usage(
            self.calls - other.calls,
            self.prompt_tokens - other.prompt_tokens,
            self.completion_tokens - other.completion_tokens,
            self.money - other.money,
        )


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


@dataclass(frozen=True, slots=True)
class Citation:
    """A sentence that a marker of an answer cites; a marker may cite several.

    Parameters
    ----------
    marker
        Number of the marker.
    place
        The cited source span; its quote is the sentence.
    score
        How well the span supports the answer.
    at
        Characters of the marker in the text of the answer; where a marker occurs again, it cites other sentences.
    """

    marker: int
    place: SourceSpan
    score: float
    at: Span


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of an answer that cites sources: a sentence, or the clause that a marker closes.

    Parameters
    ----------
    span
        Characters of the claim in the text of the answer.
    supported
        False if no sentence of the cited items supports the claim.
    citations
        Positions in ``Answer.citations`` of what the claim cites.
    """

    span: Span
    supported: bool
    citations: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a conversation: a question and its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with its citations and the knowledge behind it; ``str(answer)`` is its text.

    Parameters
    ----------
    question
        The question; a follow-up question is rewritten as a standalone question.
    text
        Text of the answer.
    answered
        False if the documents do not support an answer.
    citations
        Citations of the text, in its order.
    knowledge
        What retrieval returned.
    usage
        Usage of language models for retrieval and answer.
    note
        How the answer was made: quoted sentences, or the name of the language model.
    trace
        Steps of retrieval and answering.
    reasoning
        The model's reasoning before the answer, if it was requested.
    removed
        Number of citation markers that were removed because they referred to nothing.
    confidence
        Probability in (0, 1) that the first quotation answers the question; None without quotations, and if a language
        model wrote the answer.
    claims
        The parts of the text that cite sources, in its order, and whether these support them.
    """

    question: str
    text: str
    answered: bool
    citations: tuple[Citation, ...]
    knowledge: Knowledge
    usage: Usage
    note: str
    trace: tuple[TraceStep, ...]
    reasoning: str = ""
    removed: int = 0
    confidence: float | None = None
    claims: tuple[Claim, ...] = ()

    def __str__(self) -> str:
        return self.text

    @property
    def method(self) -> str:
        """Name of the retrieval method."""
        return self.knowledge.method

    @property
    def unsupported(self) -> tuple[str, ...]:
        """The claims that no sentence of their cited items supports."""
        return tuple(self.text[claim.span.start : claim.span.end] for claim in self.claims if not claim.supported)

    @property
    def seconds(self) -> float:
        """Total duration of all steps, in seconds."""
        return sum(step.seconds for step in self.trace)
