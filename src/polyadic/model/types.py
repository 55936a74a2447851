"""The terms of Polyadic as frozen, typed values; every other module speaks in them.

A *fact* is a hyperedge: one self-contained sentence with every entity it connects. *Evidence* is what one
extraction said of one chunk; facts and entities are derived from the evidence present, and from nothing else.
"""

from bisect import bisect_right
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property

from polyadic.model import identity


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters ``start`` (inclusive) to ``end`` (exclusive) of a document's text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: {self.start}–{self.end}")


@dataclass(frozen=True, slots=True)
class Document:
    """A source and its text.

    ``source`` is an absolute path, a path with a row (``/data/corpus.jsonl#h0001``) or a URI; it is the
    document's identity. ``title`` is empty where nothing names the document. ``pages`` are the characters at which
    its pages (slides, sheets) begin, in order; empty where it has none. ``note`` tells the report of indexing how the
    file was read, where that was a choice. ``encoding`` names the encoding in which its file was read, on the first
    document of a file that is not UTF-8. Both are for reports, and are part neither of the content nor of what is
    stored.
    """

    source: str
    title: str
    text: str
    metadata: Mapping[str, str] = field(default_factory=dict)
    pages: tuple[int, ...] = ()
    note: str = field(default="", compare=False)
    encoding: str = field(default="", compare=False)

    @property
    def id(self) -> str:
        return identity.document_id(self.source)

    @property
    def content(self) -> str:
        """A digest of all that indexing depends on; equal means that nothing needs to be done again."""
        pairs = [part for item in sorted(self.metadata.items()) for part in item]
        return identity.digest("content", self.title, self.text, *pairs, *map(str, self.pages))


def page_of(pages: Sequence[int], character: int) -> int | None:
    """The number of the page that holds a character, from 1, by where pages begin; None where there are none.

    >>> page_of((0, 4), 5), page_of((), 5)
    (2, None)
    """
    return max(1, bisect_right(pages, character)) if pages else None


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: characters ``start`` to ``end`` of the text, its level (from 1), and its words without marks."""

    start: int
    end: int
    level: int
    words: str


@dataclass(frozen=True, slots=True)
class Filter:
    """Which documents may be heard: as if there were no others.

    ``sources`` are documents (path or other source, title, 8 digits or more of the identifier), files of rows and
    folders, of which any may hold; ``where`` are metadata that a document must have, all of them. ``documents`` are
    further documents beside those of ``sources``, by their whole identifiers: for them alone nothing is looked up, on
    the disk least of all, so this is what to use for those who may not know what lies there.
    """

    sources: tuple[str, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    documents: tuple[str, ...] = ()


@dataclass(frozen=True)
class Chunk:
    """A token-bounded piece of a document: ``document.text[span.start:span.end] == text``.

    ``fresh`` is the character of the document at which the chunk stops repeating the one before it.
    """

    document_id: str
    span: Span
    text: str
    tokens: int
    fresh: int

    @cached_property
    def id(self) -> str:
        return identity.chunk_id(self.document_id, self.span.start, self.text)


@dataclass(frozen=True, slots=True)
class Participation:
    """That an entity takes part in a fact, as one extraction said it. ``score`` in (0, 100]."""

    name: str
    type: str = ""
    description: str = ""
    score: float = 50.0

    @property
    def key(self) -> str:
        return identity.entity_key(self.name)


@dataclass(frozen=True)
class Evidence:
    """What one extraction of one chunk said: a statement, its participants, where it rests.

    ``score`` in (0, 10] says how complete the statement is on its own. ``spans`` are characters of the
    document. Fewer than two distinct participants make no fact; such evidence is kept and counted.
    """

    text: str
    score: float
    participants: tuple[Participation, ...]
    spans: tuple[Span, ...]
    extractor: str

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The distinct entity keys, sorted."""
        return tuple(sorted({p.key for p in self.participants} - {""}))

    @cached_property
    def fact_id(self) -> str | None:
        return fact_of(self.text, self.keys)


def fact_of(text: str, keys: Collection[str]) -> str | None:
    """The identifier of the fact that a statement makes of distinct entities, by key; None of fewer than two.

    >>> fact_of("Ada wrote.", ["ada"]) is None, fact_of("Ada met Babbage.", ["ada", "babbage"]) is None
    (True, False)
    """
    return identity.fact_id(text, keys) if len(keys) >= 2 else None


@dataclass(frozen=True, slots=True)
class Fact:
    """A hyperedge, derived from all evidence that states it. ``score`` in (0, 10]; ``support`` counts the evidence."""

    id: str
    text: str
    score: float
    entities: tuple[str, ...]
    support: int
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class Entity:
    """A named thing, derived from all evidence that names it. ``score`` in (0, 100]; ``facts`` counts its facts."""

    id: str
    key: str
    name: str
    type: str
    description: str
    score: float
    facts: int


class ItemKind(StrEnum):
    """What an item of knowledge is."""

    FACT = "fact"
    CHUNK = "chunk"
    ENTITY = "entity"  # of any layer: a summary as well
    REPORT = "report"  # of a community


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """Where in which document something stands, with the words that stand there.

    ``page`` is that of its first character, from 1, where the document has pages; ``extractor`` read the facts there.
    ``headings`` are those of the sections that its first character stands in, the outermost first.
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
        """The place of a part of the quote; ``span`` counts from the beginning of the quote, not of the document.

        It keeps the page and the headings of the whole.

        >>> place = SourceSpan("d", "memory:d", "", "c", Span(100, 112), "Ada Lovelace")
        >>> place.part(Span(4, 12)).span, place.part(Span(4, 12)).quote
        (Span(start=104, end=112), 'Lovelace')
        """
        at = Span(self.span.start + span.start, self.span.start + span.end)
        return replace(self, span=at, quote=self.quote[span.start : span.end])


class RetrievalSection(StrEnum):
    """For what part of an answer an item was retrieved (HiRAG): most methods make no difference."""

    NONE = ""
    LOCAL = "local"
    BRIDGE = "bridge"
    GLOBAL = "global"


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was retrieved: what, how strongly, why, and where it stands.

    ``score`` compares items of one kind within one retrieval only. ``why`` is a sentence for people.
    ``entities`` are the names that a fact connects; empty for a chunk. The places of an entity or a report are those of
    facts that it rests on.
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
    def told(self) -> tuple[SourceSpan, ...]:
        """The places that it tells what stands there: all of a fact or a chunk, the first of what sums up others."""
        return self.places[:1] if self.kind in {ItemKind.ENTITY, ItemKind.REPORT} else self.places


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of a retrieval or an answer: what was done, and how long it took in seconds."""

    name: str
    detail: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Usage:
    """What language models were asked for: calls, tokens in and out, and their price.

    ``money`` is kept to the 12th decimal (prices are by the million tokens), so that a sum does not depend on the order
    in which calls came back.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    money: float = 0.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "money", round(self.money, 12))

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens

    def __add__(self, other: "Usage") -> "Usage":
        """
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
        """
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
    """What retrieval returns for a question: items best first, fitted to a budget of tokens.

    ``tokens`` is what the items cost together; ``omitted`` counts those that did not fit; ``usage`` is what a language
    model was paid for finding them. ``sought`` is False where the method looks for nothing, so that a model is to
    answer from what it knows: to find nothing is another thing. ``note`` is a line for people on what the method
    lacked, mostly empty.
    """

    question: str
    method: str
    items: tuple[Item, ...]
    tokens: int
    omitted: int
    trace: tuple[TraceStep, ...]
    usage: Usage = field(default_factory=Usage)
    sought: bool = True
    note: str = ""

    def of(self, kind: ItemKind) -> tuple[Item, ...]:
        return tuple(item for item in self.items if item.kind is kind)

    @property
    def facts(self) -> tuple[Item, ...]:
        return self.of(ItemKind.FACT)

    @property
    def chunks(self) -> tuple[Item, ...]:
        return self.of(ItemKind.CHUNK)

    @property
    def documents(self) -> tuple[str, ...]:
        """Sources of the documents that the items rest on, in the order in which items first tell of them.

        What sums up others tells of the first of its places only; the documents of the others come last.
        """
        told = [place.source for item in self.items for place in item.told]
        return tuple(dict.fromkeys((*told, *(place.source for item in self.items for place in item.places))))

    @property
    def extractors(self) -> tuple[str, ...]:
        """What read the facts among the items, sorted by name."""
        return tuple(sorted({place.extractor for fact in self.facts for place in fact.places if place.extractor}))


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in an answer and the exact characters that it points at."""

    marker: int
    place: SourceSpan
    score: float


@dataclass(frozen=True, slots=True)
class Turn:
    """A question of a conversation and its answer."""

    question: str
    answer: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with what it rests on; ``str(answer)`` is its text.

    ``question`` is what was asked, made self-contained where it followed up on another. ``answered`` is false where
    the documents do not support any answer. ``note`` says how the answer was made (quoted sentences, which language
    model). ``reasoning`` is what the model thought first, where it was asked to; ``removed`` counts citation markers
    that pointed at nothing. ``confidence`` is how probable it is that the first quotation answers, in (0, 1); None
    where a model wrote the answer.
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

    def __str__(self) -> str:
        return self.text

    @property
    def method(self) -> str:
        return self.knowledge.method

    @property
    def seconds(self) -> float:
        return sum(step.seconds for step in self.trace)
