"""Protocols that every storage engine implements: :class:`Store` and its transactions.

Rows are addressed by the store's own integers (``Rows``, shape (n,), int64). They mean nothing outside the store and
may change with any write; values that leave the store carry public identifiers instead.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from polyadic.model.hierarchy import Rearrangement
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Chunk, Evidence
from polyadic.storage.leases import DocumentLeases
from polyadic.storage.pending_requests import PendingRequests
from polyadic.storage.reader import ChunkFactsPrefetch, NearestPrefetch, NeighbourPrefetch, QuotePrefetch, Reader
from polyadic.storage.records import (
    CachedReply,
    Counts,
    Cut,
    DocumentListing,
    DocumentRecord,
    FailedChunk,
    Fingerprint,
    Hits,
    LedgerCall,
    LedgerEntry,
    Links,
    NodeType,
    OriginalRecord,
    Rows,
    Statement,
    StoreChange,
    UsageTotals,
    Vectors,
)
from polyadic.storage.sql.reembedding import ReembeddingWriter
from polyadic.storage.transfer import CopySource, CopyTarget

__all__ = [
    "CachedReply",
    "ChunkFactsPrefetch",
    "CopySource",
    "CopyTarget",
    "Counts",
    "Cut",
    "DocumentLeases",
    "DocumentListing",
    "DocumentRecord",
    "FailedChunk",
    "Fingerprint",
    "Hits",
    "LedgerCall",
    "LedgerEntry",
    "Links",
    "NearestPrefetch",
    "NeighbourPrefetch",
    "NodeType",
    "OriginalRecord",
    "QuotePrefetch",
    "Reader",
    "ReembeddingWriter",
    "Rows",
    "StagingWriter",
    "Statement",
    "Store",
    "StoreChange",
    "UsageTotals",
    "Vectors",
    "Writer",
]


class StagingWriter(Protocol):
    """A transaction that stages documents which this run has leased.

    It is committed when its context exits without an exception. Staged revisions are invisible to readers and do
    not change data shared between documents.
    """

    @property
    def waiting(self) -> PendingRequests:
        """Pending requests of batch jobs."""

    def stamps(self, document_ids: Sequence[str]) -> Mapping[str, Fingerprint]:
        """Return the fingerprint of each document's current revision; unpublished documents are left out."""

    def stage(self, documents: Sequence[Cut]) -> Mapping[str, frozenset[str]]:
        """Create a staged revision of each document, or resume an interrupted run's revision of the same fingerprint.

        A revision created with the content of the document's current one has the same original file.

        Returns
        -------
        Mapping[str, frozenset[str]]
            By document identifier, the identifiers of the chunks that already have evidence.
        """

    def add_roots(self, folders: Collection[str]) -> None:
        """Record folders as roots of the workspace; those already known stay."""

    def put_evidence(self, evidence: Mapping[str, Mapping[str, Sequence[Evidence]]]) -> None:
        """Save the evidence of chunks (by identifier) of staged revisions (by document identifier)."""

    def put_failure(self, document_id: str, chunk_id: str, reason: str) -> None:
        """Record why extraction failed for a chunk of the staged revision."""

    def originals(self, document_ids: Collection[str], is_staged: bool) -> Mapping[str, OriginalRecord]:
        """Return the original file of each document whose staged or, if not ``is_staged``, current revision has one."""

    def put_original(self, document_id: str, digest: str, content: bytes | None, is_staged: bool) -> None:
        """Record the digest of a document's original file, and keep its content or, if None, delete a kept one.

        It belongs to the staged or, if not ``is_staged``, to the current revision, and is deleted with it.
        """

    def staged(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        """Return the chunks of the staged revision with their evidence, in document order."""

    def current(self, document_ids: Sequence[str]) -> Iterator[tuple[str, list[tuple[Chunk, tuple[Evidence, ...]]]]]:
        """Yield each document's identifier and the chunks of its current revision with their evidence.

        Unpublished documents are left out.
        """

    def resolution(self) -> EntityResolution:
        """Return the entity resolution in force."""

    def texts_without_vectors(self, texts: Sequence[str]) -> list[str]:
        """Return the distinct texts that have no vector yet."""


class Writer(StagingWriter, Protocol):
    """A write transaction, committed when its context exits without an exception."""

    def drop_staged(self, claims: DocumentLeases) -> None:
        """Delete staged revisions that abandoned runs left behind.

        Revisions that wait for a batch job, or whose document another run has leased, are kept.
        """

    def naming(self, keys: Collection[str]) -> list[tuple[str, tuple[Evidence, ...]]]:
        """Return, for each chunk with evidence about these entities, its document identifier and evidence."""

    def put_vectors(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Save the vector of each text, shape (len(texts), d).

        Vectors that nothing refers to at the end of the transaction are discarded.
        """

    def record_call(self, call: LedgerCall, reply: CachedReply | None) -> None:
        """Enter a paid call in the ledger and cache its reply, if one is given."""

    def forget_replies(self) -> None:
        """Clear the response cache; cached replies quote documents, including those deleted since."""

    def apply(self, change: StoreChange) -> None:
        """Apply a change to the store; clusters and communities whose sources it changes become stale."""

    def update_hierarchy(self, change: Rearrangement) -> None:
        """Apply a change to the hierarchy.

        A cluster or community becomes stale if a summary that it is based on is removed or reworded, unless the same
        change replaces the cluster or community, or if it refers to a source that does not exist. The names of a
        cluster's summaries must have different keys.
        """

    def attach(self) -> list[str]:
        """Link stored vectors to all rows written in this transaction, and delete those that no row uses any more.

        Returns the texts that still lack a vector; then nothing is linked or deleted. A transaction that applies a
        change, or updates the hierarchy, ends with a call that returns none.
        """


class Store(Protocol):
    """A persistent knowledge hypergraph."""

    def filled_with(self) -> str | None:
        """Return the embedding model of the store's vectors; None if nothing has been written yet."""

    def read(self, only: Callable[[Reader], frozenset[str]] | None = None) -> AbstractContextManager[Reader]:
        """Open a reader of the last committed state, which does not change while the context is open.

        Parameters
        ----------
        only
            Selects documents, by identifier, in the same state. The reader then behaves as if the store held no others:
            facts, names, descriptions, scores and vectors are computed from the evidence of these documents alone.
            Exception: in vector search, an entity with more than eight descriptions is represented by those of its
            eight best-supported descriptions (in the whole store) that occur in these documents or, if none does, by
            its nearest fact.

        Raises
        ------
        EmbedderMismatch
            The store has been switched to another embedding model since it was opened.
        """

    def exclusive_session(self) -> AbstractContextManager[None]:
        """Lock out other writers for several transactions.

        Raises
        ------
        StoreBusy
            Another process is writing.
        """

    def indexing_session(self) -> AbstractContextManager[DocumentLeases]:
        """Join concurrent writers for several transactions, if the engine supports them.

        Each run works on the documents that it has leased. Write transactions are serialized, staging transactions are
        not. ``indexing_session`` and ``exclusive_session`` exclude each other. An engine with a single writer treats
        ``indexing_session`` as ``exclusive_session``.

        Raises
        ------
        StoreBusy
            Another process holds the store exclusively.
        """

    def prepare(self) -> AbstractContextManager[StagingWriter]:
        """Open a transaction that stages documents leased by this run; raises as :meth:`write` does.

        With an engine that supports concurrent writers, it does not wait for other runs.
        """

    def write(self) -> AbstractContextManager[Writer]:
        """Open a write transaction, which locks out other writers.

        Raises
        ------
        StoreBusy
            Another process is writing.
        EmbedderMismatch
            The store has been switched to another embedding model since it was opened.
        """

    def reembedding_session(self, model: str) -> AbstractContextManager[ReembeddingWriter]:
        """Collect vectors of a new embedding model, resuming an interrupted run for the same model.

        Vectors collected for any other model are dropped.

        Raises
        ------
        StoreBusy
            Another process is collecting vectors for this store.
        """

    def copy_source(self) -> AbstractContextManager[CopySource]:
        """Open the last committed state for copying row by row, whatever its embedding model."""

    def copy_target(self) -> AbstractContextManager[CopyTarget]:
        """Fill this store, which must be empty, with the rows of another; locks out other writers.

        Raises
        ------
        StoreBusy
            Another process is writing.
        """

    def record_calls(self, calls: Sequence[tuple[LedgerCall | None, CachedReply | None]]) -> None:
        """Enter paid calls in the ledger as ``Writer.record_call`` does, in one transaction of its own.

        A reply without a call cost nothing: it is cached only.
        It needs no write lock: while another process writes, it waits for the current transaction only.
        """

    def replies(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        """Return cached replies by request key, each with whether it was complete; uncached keys are absent."""

    def size(self) -> int:
        """Return the size of the store in bytes."""

    def problems(self) -> list[str]:
        """Return one line per defect: damaged files, and facts that disagree with their evidence."""

    def close(self) -> None: ...
