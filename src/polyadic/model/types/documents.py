"""Documents and their parts: spans, pages, headings, chunks; and the filter that selects documents."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
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
        Metadata that a document must have; all entries must match. A key that ends with ``>=`` or ``<=`` compares, such
        as ``date>=`` (see :mod:`polyadic.model.metadata_conditions`).
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
