"""Records that are written to a store and read from it, as frozen dataclasses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from polyadic.model.aggregation import Tallies
from polyadic.model.resolution import ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Span, Usage

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]
NodeType = Literal["entity", "fact", "chunk"]
ScoredNodeType = Literal["entity", "fact"]
NODE_TYPES: tuple[NodeType, ...] = ("entity", "fact", "chunk")
LinkWay = Literal["fact_entities", "fact_chunks", "chunk_facts", "chunk_topic", "topic_chunks"]
"""From the rows of one node type to their neighbours of another."""
DegreeWay = Literal["entity_facts", "entity_chunks", "fact_entities", "chunk_facts"]
IncidenceWay = Literal["fact_entities", "entity_facts", "fact_chunks", "chunk_facts"]
WAYS: Mapping[IncidenceWay, tuple[NodeType, NodeType]] = {
    "fact_entities": ("fact", "entity"),
    "entity_facts": ("entity", "fact"),
    "fact_chunks": ("fact", "chunk"),
    "chunk_facts": ("chunk", "fact"),
}
"""Node types of the rows and of their neighbours."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Search hits: rows and similarities, best first; ties are ordered by public identifier."""

    rows: Rows
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Links:
    """Pairs of rows: ``sources[i]`` (a row of the query) is incident to ``targets[i]``."""

    sources: Rows
    targets: Rows


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a fact (a row) in a chunk, and its character span in the document."""

    chunk_id: str
    span: Span
    fact: int


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of a store's contents.

    ``evidence_with_fact`` is the number of ``evidence`` items that state a fact; the others name fewer than two
    entities. ``vectors`` is 0 with a document filter.
    ``dimension`` is the length of a vector, 0 if there is none yet.
    """

    documents: int
    chunks: int
    evidence: int
    evidence_with_fact: int
    facts: int
    entities: int
    participations: int
    vectors: int
    dimension: int


@dataclass(frozen=True, slots=True)
class OriginalRecord:
    """The file that a document was read from: the digest of its bytes, and whether the store keeps a copy."""

    digest: str
    is_kept: bool


@dataclass(frozen=True, slots=True)
class FailedChunk:
    """A chunk of a published document whose extraction failed, and the reason."""

    source: str
    chunk_id: str
    span: Span
    reason: str

    def __str__(self) -> str:
        return f"{self.source}, characters {self.span.start}–{self.span.end}: {self.reason}"


@dataclass(frozen=True, slots=True)
class LedgerCall:
    """A paid model call; ``purpose`` is that of the request, ``seconds`` the time until the reply.

    ``document`` is the identifier of the document it was about; empty if it was about none or several.
    """

    purpose: str
    model: str
    usage: Usage
    seconds: float
    document: str = ""


CachedReply = tuple[str, str, bool]
"""A reply to cache: request key, text, and whether it was complete."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A call in the ledger, and the time of its entry (ISO 8601, UTC)."""

    at: str
    call: LedgerCall


UsageTotals = Mapping[tuple[str, str], tuple[Usage, float]]
"""Usage and total seconds of calls, by purpose and model."""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A published document without its text; ``extractor`` is the extractor's name, ``failed`` counts failed chunks."""

    id: str
    source: str
    title: str
    characters: int
    chunks: int
    facts: int
    metadata: Mapping[str, str]
    extractor: str
    failed: int


@dataclass(frozen=True, slots=True)
class DocumentListing:
    """A page of published documents by source; ``total`` counts all matches, ``more`` is true if others follow."""

    documents: Sequence[DocumentRecord]
    total: int
    more: bool

    @classmethod
    def of(
        cls, records: Sequence[DocumentRecord], after: str | None, limit: int, words: str, name_of: Callable[[str], str]
    ) -> "DocumentListing":
        """Return the page of records, sorted by source, that ``RecordReader.listed`` describes."""
        matching = [one for one in records if contains(name_of(one.source), one.title, words.casefold())]
        page = [one for one in matching if after is None or one.source > after]
        return cls(page[:limit], len(matching), len(page) > limit)


def contains(name: str, title: str, needle: str) -> bool:
    """Return whether a text, in lower case, occurs in a name or a title."""
    return needle in name.casefold() or needle in title.casefold()


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The inputs of a document's revision. A complete revision with an equal fingerprint needs no indexing.

    ``content`` is that of the document, ``pipeline_config`` describes chunking and extraction, ``extractor`` is the
    name of the extractor.
    """

    content: str
    pipeline_config: str
    extractor: str
    complete: bool = True


Cut = tuple[Document, Fingerprint, Sequence[Chunk]]
"""A chunked document: the document, the fingerprint of its revision, and its chunks."""


@dataclass(frozen=True, slots=True)
class StoreChange:
    """A change of the store from one state to the next, applied atomically.

    ``published`` are documents whose staged revision becomes current, ``deleted`` are deleted documents. ``tallies``
    is the exact difference to facts and entities, ``fact_tokens`` the token count of each fact in it. ``windows`` are
    the texts to embed for each published chunk, ``evidence`` is the evidence in it. ``decided`` are entity resolution
    decisions that take effect, ``undone`` those that are revoked.
    """

    published: Sequence[str]
    deleted: Sequence[str]
    tallies: Tallies
    fact_tokens: Mapping[str, int]
    windows: Mapping[str, Sequence[str]]
    evidence: Mapping[str, Sequence[Evidence]]
    decided: Sequence[ResolutionDecision] = ()
    undone: Sequence[ResolutionDecision] = ()
