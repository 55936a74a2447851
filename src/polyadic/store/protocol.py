"""What every store can do. Small and bounded, so that several engines can stand behind it.

Rows are addressed by the store's own integers (``Rows``, shape (n,), int64), which mean nothing outside it and
may change when the store is written; values that leave the store carry public identifiers instead.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from polyadic.derivation import Tallies
from polyadic.knowledge import Chunk, Document, Entity, Evidence, Fact, Place, Span, Usage
from polyadic.overlay import Decision, Overlay
from polyadic.store.waiting import Waiting

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
class Call:
    """A call of a model that was paid for; ``purpose`` as in the request, ``seconds`` until its reply.

    ``document`` is the identifier of the document that it was about; empty where it was about none, or about many.
    """

    purpose: str
    model: str
    usage: Usage
    seconds: float
    document: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """A call in the ledger, and when it was entered (ISO 8601, UTC)."""

    at: str
    call: Call


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


class Reader(Protocol):
    """Reads one committed state of a store."""

    # nearest by vector, and by words
    def nearest(self, side: Side, vector: Vectors, k: int) -> Hits:
        """The k rows most similar to a vector of shape (d,); a row with several vectors counts by its best."""

    def nearest_scored(self, side: Literal["entity", "fact"], vector: Vectors, k: int) -> Hits:
        """The k rows with the highest similarity x score (HyperGraphRAG, Eq. 14 and 15); hits carry these products."""

    def similarity(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        """Cosine of each of m vectors, shape (m, d), with each of n rows (the best of its vectors): shape (m, n)."""

    def directions(self, entities: Rows) -> Vectors:
        """Where the vectors of each entity point on the whole, shape (n, d), each row of length 1."""

    def search(self, words: str, k: int) -> Hits:
        """The k chunks that hold these words, by BM25 (higher is better); any text is a legal query."""

    def holding(self, word: str, limit: int) -> Rows:
        """Chunks that hold this word, in no telling order: any ``limit`` of them, if there are more."""

    def named(self, loose_names: Sequence[str]) -> dict[str, list[int]]:
        """Entity rows by the loose form of any of their names (see identity.loose_name); absent where none."""

    # neighbours over incidence
    def facts_of(self, entities: Rows, limit: int, toward: Vectors) -> Links:
        """Facts in which each entity takes part; of one with more than ``limit``, those most similar to ``toward``."""

    def entities_of(self, facts: Rows) -> Links:
        """Entities of each fact."""

    def chunks_of(self, facts: Rows, limit: int) -> Links:
        """Chunks whose evidence states each fact, at most ``limit`` a fact."""

    def facts_in(self, chunks: Rows, limit: int) -> Links:
        """Facts that the evidence of each chunk states, at most ``limit`` a chunk."""

    def titles_of(self, chunks: Rows) -> Links:
        """The entity that each chunk is about; absent where there is none.

        It is the one that the document's title names, else the one that most of the chunk's facts share.
        """

    def titled(self, entities: Rows, limit: int) -> Links:
        """At most ``limit`` chunks, in document order, that are about each entity (see titles_of)."""

    # statistics of rows
    def size(self, side: Side) -> int:
        """How many rows there are on one side; costs nothing."""

    def degrees(self, side: Side, rows: Rows) -> Rows:
        """Facts of each entity, entities of each fact, or facts of each chunk: how many, shape (n,)."""

    def scores(self, side: Literal["entity", "fact"], rows: Rows) -> Vectors:
        """The score of each row, shape (n,): of entities in (0, 100], of facts in (0, 10]."""

    def spread(self, entities: Rows) -> Rows:
        """In how many chunks each entity occurs, shape (n,)."""

    # fetch, in the order asked
    def entities(self, rows: Rows) -> list[Entity]: ...
    def facts(self, rows: Rows) -> list[Fact]: ...
    def chunks(self, rows: Rows) -> list[Chunk]: ...
    def fact_places(self, facts: Rows) -> list[tuple[Place, ...]]:
        """Where each fact is stated: one place a span of evidence, in document order."""

    def chunk_places(self, chunks: Rows) -> list[Place]: ...

    # the catalogue: what there is, and rows by public identifier
    def counts(self) -> Counts: ...
    def arities(self) -> dict[int, int]:
        """How many facts connect how many entities: arity to count."""

    def documents(self) -> list[DocumentRecord]:
        """Every published document, by source."""

    def select(self, sources: Sequence[str], where: Mapping[str, str]) -> frozenset[str]:
        """Identifiers of documents by source and metadata.

        Parameters
        ----------
        sources
            Of each: the document with this source, the rows of the file with this path, all below this folder. All
            documents where none is given.
        where
            Metadata that a document must have, all of them.
        """

    def extractors(self) -> dict[str, int]:
        """How many documents each extractor read, by its name."""

    def failures(self) -> list[FailedChunk]:
        """Chunks of published documents whose extraction failed, in document order."""

    def stamp(self, document_id: str) -> "Stamp | None":
        """What the current revision of a document was made from; None where there is none."""

    def overlay(self) -> Overlay:
        """The decisions on who is who that hold."""

    def decisions(self) -> list[tuple[Decision, str]]:
        """Each decision that holds with the time at which it was made (ISO 8601, UTC), in that order."""

    # what language models said
    def reply(self, key: str) -> tuple[str, bool] | None:
        """A reply that is remembered for a request (Request.key), and whether it was complete; None where none is."""

    def spent(self) -> Spent:
        """What the ledger sums to."""

    def spent_on(self, document_id: str) -> Spent:
        """What the calls about one document sum to, also where it is no longer there."""

    def ledger(self) -> list[Entry]:
        """Every call that was paid for, the first one first."""

    def record(self, document_id: str) -> DocumentRecord | None:
        """A published document without its text; None where there is none."""

    def document(self, document_id: str) -> Document: ...
    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        """Chunks of a document with their evidence, in its order; empty where there is none."""

    def chunks_in(self, document_id: str) -> Rows:
        """The chunks of a document, in its order."""

    def identified(self, side: Side, prefix: str, limit: int) -> Rows:
        """Rows whose public identifier begins with ``prefix`` (hexadecimal), at most ``limit``."""

    def keyed(self, keys: Sequence[str]) -> dict[str, int]:
        """Entity rows by entity key; absent where there is none."""

    def containing(self, entities: Rows, limit: int) -> Rows:
        """Facts that contain every one of these entities (Proposition 2), at most ``limit``."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a document's revision was made from: where nothing differs and it is complete, there is nothing to do.

    ``content`` is the document's, ``recipe`` says how it was cut and read, ``extractor`` names what read it.
    """

    content: str
    recipe: str
    extractor: str
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Change:
    """One step of the store from a state to the next, applied whole or not at all.

    ``published`` are documents whose staged revision becomes current, ``withdrawn`` those that go. ``tallies`` is
    the exact difference that this makes to facts and entities; ``fact_tokens`` gives the tokens of each fact in
    it, ``windows`` the texts to embed for each published chunk. ``decided`` are decisions on who is who that hold from
    now on, ``undone`` those that no longer do.
    """

    published: Sequence[str]
    withdrawn: Sequence[str]
    tallies: Tallies
    fact_tokens: Mapping[str, int]
    windows: Mapping[str, Sequence[str]]
    decided: Sequence[Decision] = ()
    undone: Sequence[Decision] = ()


class Writer(Protocol):
    """Writes inside one transaction, which is committed when its context is left without an exception."""

    @property
    def waiting(self) -> Waiting:
        """What is awaited from batch files."""

    def stamp(self, document_id: str) -> Stamp | None:
        """What the current revision of a document was made from; None where there is none."""

    def stage(self, document: Document, stamp: Stamp, chunks: Sequence[Chunk]) -> frozenset[str]:
        """Make an invisible revision, or take up the one that an interrupted run left for the same stamp.

        Returns the ids of the chunks whose evidence is already there.
        """

    def drop_staged(self) -> None:
        """Forget revisions that were staged and never published, unless they wait for a batch file: leftovers of runs
        that were given up."""

    def put_evidence(self, document_id: str, evidence: Mapping[str, Sequence[Evidence]]) -> None:
        """Record evidence for chunks (by id) of the staged revision of a document."""

    def put_failure(self, document_id: str, chunk_id: str, reason: str) -> None:
        """Record why a chunk of the staged revision has no evidence."""

    def staged(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        """Chunks of the staged revision with their evidence, in the order of the document."""

    def current(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        """Chunks of the current revision with their evidence; empty where there is none."""

    def overlay(self) -> Overlay:
        """The decisions on who is who that hold."""

    def naming(self, keys: Collection[str]) -> list[tuple[str, tuple[Evidence, ...]]]:
        """Chunks that state facts about these entities: for each its document's identifier and its evidence."""

    def lacking(self, texts: Sequence[str]) -> list[str]:
        """Those of the texts, each once, that have no vector yet."""

    def put_vectors(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vector of each text, shape (len(texts), d); kept for good only if a change comes to use it."""

    def note_call(self, call: Call, reply: tuple[str, str, bool] | None) -> None:
        """Enter a paid call in the ledger, and remember its reply (key, text, whether complete) where one is given."""

    def forget_replies(self) -> None:
        """Forget every reply that is remembered: they hold what documents said, also those withdrawn since."""

    def apply(self, change: Change) -> None: ...
    def attach(self) -> list[str]:
        """Give vectors to all that the applied changes made; returns the texts for which there is none yet."""


class Gathering(Protocol):
    """Vectors of another embedding model, gathered beside those in use until the store is switched to them.

    Each step is committed by itself and keeps no writer out: documents come and go meanwhile, and readers are served.
    """

    def count(self) -> int:
        """How many texts have a new vector."""

    def texts(self) -> Iterator[str]:
        """What is embedded beside passages: facts and the best supported forms of entities, as they stand by then."""

    def digest(self, text: str) -> bytes:
        """What stands for a text in :meth:`switch`, so that not all passages need be held at once."""

    def lacking(self, texts: Sequence[str]) -> list[str]:
        """Those of the texts, each once, that have no new vector yet."""

    def put(self, texts: Sequence[str], vectors: Vectors, paid: Call) -> bool:
        """Commit the new vector of each text, shape (len(texts), d), and what they cost, where a call was made.

        Where d is another than before, all that was gathered before is dropped; returns whether it was.
        """

    def switch(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        """In one transaction let the new vectors take the place of the old ones; to be called within ``exclusive``.

        Parameters
        ----------
        windows
            For each chunk of a current revision the digests of the texts that now stand for it.

        Raises
        ------
        LookupError
            A text has no new vector; then nothing has changed.
        """


class Store(Protocol):
    """The hypergraph at rest."""

    def filled_with(self) -> str | None:
        """The embedding model whose vectors the store holds; None as long as it has never been written."""

    def read(self, only: Callable[[Reader], frozenset[str]] | None = None) -> AbstractContextManager[Reader]:
        """The last committed state, unchanging as long as the context lasts.

        Parameters
        ----------
        only
            Chooses documents, by identifier, in the same state: it is then read as if there were no others. Facts,
            names, descriptions, scores and vectors rest on the evidence of these alone. Of an entity with more than
            eight descriptions those count for similarity that are among the eight best supported of all; where none of
            these is said here, the nearest of its facts does.

        Raises
        ------
        EmbedderMismatch
            The store has been switched to another embedding model since it was opened.
        """

    def exclusive(self) -> AbstractContextManager[None]:
        """Keep other writers out over several transactions.

        Raises
        ------
        StoreBusy
            Another process is writing.
        """

    def write(self) -> AbstractContextManager[Writer]:
        """One transaction; keeps other writers out by itself.

        Raises
        ------
        StoreBusy
            Another process is writing.
        EmbedderMismatch
            The store has been switched to another embedding model since it was opened.
        """

    def gathering(self, model: str) -> AbstractContextManager[Gathering]:
        """Gather vectors of another embedding model, going on from where an earlier run for the same model stopped.

        What was gathered for yet another model is dropped.

        Raises
        ------
        StoreBusy
            Someone else is gathering vectors for this store.
        """

    def note_call(self, call: Call, reply: tuple[str, str, bool] | None = None) -> None:
        """Enter a paid call in the ledger as Writer.note_call does, committed at once.

        Whoever asks may do so, also while someone else writes: it waits for no more than the transaction under way.
        """

    def size(self) -> int:
        """Bytes that the store takes."""

    def problems(self) -> list[str]:
        """What is damaged, each in a few words: in the files, or where facts differ from what their evidence says."""

    def close(self) -> None: ...
