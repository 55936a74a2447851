"""What goes into a store and comes out of it, as frozen values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from polyadic.model.aggregation import Tallies
from polyadic.model.resolution import ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Span, Usage

Rows = NDArray[np.int64]
Vectors = NDArray[np.float32]
Side = Literal["entity", "fact", "chunk"]


@dataclass(frozen=True, slots=True)
class Hits:
    """Rows with their similarities, best first; ties in the order of public identifiers."""

    rows: Rows
    scores: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Links:
    """Pairs of rows, one incidence each: ``sources[i]`` (a row that was asked about) to ``targets[i]``."""

    sources: Rows
    targets: Rows


@dataclass(frozen=True, slots=True)
class Statement:
    """That a chunk states a fact, and the characters of its document that do; ``fact`` is a row."""

    chunk_id: str
    span: Span
    fact: int


@dataclass(frozen=True, slots=True)
class Counts:
    """How much there is; of ``evidence``, ``stated`` makes a fact, the rest names fewer than two entities.

    ``dimension`` is how many numbers a vector has, 0 where there is none yet.
    """

    documents: int
    chunks: int
    evidence: int
    stated: int
    facts: int
    entities: int
    participations: int
    vectors: int
    dimension: int


@dataclass(frozen=True, slots=True)
class FailedChunk:
    """A stretch of a published document that could not be read for facts, and why."""

    source: str
    chunk_id: str
    span: Span
    reason: str


@dataclass(frozen=True, slots=True)
class LedgerCall:
    """A call of a model that was paid for; ``purpose`` as in the request, ``seconds`` until its reply.

    ``document`` is the identifier of the document that it was about; empty where it was about none, or about many.
    """

    purpose: str
    model: str
    usage: Usage
    seconds: float
    document: str = ""


ToRemember = tuple[str, str, bool]
"""The reply to a call: the key of its request, its text, and whether it was complete."""


@dataclass(frozen=True, slots=True)
class LedgerEntry:
    """A call in the ledger, and when it was entered (ISO 8601, UTC)."""

    at: str
    call: LedgerCall


Spent = Mapping[tuple[str, str], tuple[Usage, float]]
"""By purpose and model: what was paid, and the seconds until all replies."""


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """A published document without its text; ``extractor`` read its facts, ``failed`` of its chunks could not be."""

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
    """Some published documents by source; ``total`` counts all there are, ``more`` if others follow these."""

    documents: Sequence[DocumentRecord]
    total: int
    more: bool


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a document's revision was made from: where nothing differs and it is complete, there is nothing to do.

    ``content`` is the document's, ``recipe`` says how it was cut and read, ``extractor`` names what read it.
    """

    content: str
    recipe: str
    extractor: str
    complete: bool = True


Cut = tuple[Document, Fingerprint, Sequence[Chunk]]
"""A document, what its revision is made from, and the chunks that it was cut into."""


@dataclass(frozen=True, slots=True)
class StoreChange:
    """One step of the store from a state to the next, applied whole or not at all.

    ``published`` are documents whose staged revision becomes current, ``withdrawn`` those that go. ``tallies`` is
    the exact difference that this makes to facts and entities; ``fact_tokens`` gives the tokens of each fact in
    it, ``windows`` the texts to embed for each published chunk, and ``evidence`` what is said in it. ``decided`` are
    decisions on who is who that hold from now on, ``undone`` those that no longer do.
    """

    published: Sequence[str]
    withdrawn: Sequence[str]
    tallies: Tallies
    fact_tokens: Mapping[str, int]
    windows: Mapping[str, Sequence[str]]
    evidence: Mapping[str, Sequence[Evidence]]
    decided: Sequence[ResolutionDecision] = ()
    undone: Sequence[ResolutionDecision] = ()
