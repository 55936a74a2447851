"""What every store can do. Small and bounded, so that several engines can stand behind it.

Rows are addressed by the store's own integers (``Rows``, shape (n,), int64), which mean nothing outside it and
may change when the store is written; values that leave the store carry public identifiers instead.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from polyadic.model.hierarchy import Rearrangement
from polyadic.model.resolution import EntityResolution
from polyadic.model.types import Chunk, Evidence
from polyadic.storage.leases import DocumentLeases
from polyadic.storage.pending_requests import PendingRequests
from polyadic.storage.prefetch import ChunkFactsPrefetch, NearestPrefetch, NeighbourPrefetch, QuotePrefetch
from polyadic.storage.reader import Reader
from polyadic.storage.records import (
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
    Rows,
    Side,
    Spent,
    Statement,
    StoreChange,
    ToRemember,
    Vectors,
)
from polyadic.storage.transfer import CopySource, CopyTarget

__all__ = [
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
    "QuotePrefetch",
    "Reader",
    "ReembeddingWriter",
    "Rows",
    "Side",
    "Spent",
    "StagingWriter",
    "Statement",
    "Store",
    "StoreChange",
    "ToRemember",
    "Vectors",
    "Writer",
]


class StagingWriter(Protocol):
    """Prepares documents that were taken inside one transaction, which is committed when its context is left without
    an exception: nothing of it is seen by readers, or touches what other documents share."""

    @property
    def waiting(self) -> PendingRequests:
        """What is awaited from batch files."""

    def stamps(self, document_ids: Sequence[str]) -> Mapping[str, Fingerprint]:
        """What the current revision of each document was made from; without those that have none."""

    def stage(self, documents: Sequence[Cut]) -> Mapping[str, frozenset[str]]:
        """Make an invisible revision of each, or take up the one that an interrupted run left for the same stamp.

        Returns by document (each once) the ids of the chunks whose evidence is already there.
        """

    def put_evidence(self, evidence: Mapping[str, Mapping[str, Sequence[Evidence]]]) -> None:
        """Record evidence for chunks (by id) of the staged revisions of documents (by id)."""

    def put_failure(self, document_id: str, chunk_id: str, reason: str) -> None:
        """Record why a chunk of the staged revision has no evidence."""

    def staged(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        """Chunks of the staged revision with their evidence, in the order of the document."""

    def current(self, document_ids: Sequence[str]) -> Iterator[tuple[str, list[tuple[Chunk, tuple[Evidence, ...]]]]]:
        """Chunks of the current revision of each document with their evidence, one document after the other; without
        those that have none."""

    def overlay(self) -> EntityResolution:
        """The decisions on who is who that hold."""

    def lacking(self, texts: Sequence[str]) -> list[str]:
        """Those of the texts, each once, that have no vector yet."""


class Writer(StagingWriter, Protocol):
    """Writes inside one transaction, which is committed when its context is left without an exception."""

    def drop_staged(self, claims: DocumentLeases) -> None:
        """Forget revisions that were staged and never published, unless they wait for a batch file or others work on
        them: leftovers of runs that were given up."""

    def naming(self, keys: Collection[str]) -> list[tuple[str, tuple[Evidence, ...]]]:
        """Chunks that state facts about these entities: for each its document's identifier and its evidence."""

    def put_vectors(self, texts: Sequence[str], vectors: Vectors) -> None:
        """Keep the vector of each text, shape (len(texts), d); kept for good only if a change comes to use it."""

    def note_call(self, call: LedgerCall, reply: ToRemember | None) -> None:
        """Enter a paid call in the ledger, and remember its reply where one is given."""

    def forget_replies(self) -> None:
        """Forget every reply that is remembered: they hold what documents said, also those withdrawn since."""

    def apply(self, change: StoreChange) -> None:
        """Take the store to its next state; what rests on anything that this changes in the hierarchy is stale then."""

    def rearrange(self, change: Rearrangement) -> None:
        """Take the hierarchy to its next state.

        What rests on a summary that goes or gets other words by this, and is not made anew here, is stale then; so is
        what is given but rests on something that is not there. The names of a cluster's summaries have different keys.
        """

    def attach(self) -> list[str]:
        """Give vectors to all that was applied and rearranged; returns the texts for which there is none yet."""


class ReembeddingWriter(Protocol):
    """Vectors of another embedding model, gathered beside those in use until the store is switched to them.

    Each step is committed by itself and keeps no writer out: documents come and go meanwhile, and readers are served.
    """

    def count(self) -> int:
        """How many texts have a new vector."""

    def texts(self) -> Iterator[str]:
        """What is embedded beside passages: facts, the best supported forms of entities, summaries; as they stand."""

    def digest(self, text: str) -> bytes:
        """What stands for a text in :meth:`switch`, so that not all passages need be held at once."""

    def lacking(self, texts: Sequence[str]) -> list[str]:
        """Those of the texts, each once, that have no new vector yet."""

    def put(self, texts: Sequence[str], vectors: Vectors, paid: LedgerCall) -> bool:
        """Commit the new vector of each text, shape (len(texts), d), and what they cost, where a call was made.

        Where d is another than before, all that was gathered before is dropped; returns whether it was.
        """

    def switch(self, windows: Mapping[str, Sequence[bytes]]) -> None:
        """In one transaction let the new vectors take the place of the old ones; to be called within ``exclusive``.

        The hierarchy stays, but its clusters were those of the old vectors: no entities count as settled from then on.

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

    def joined(self) -> AbstractContextManager[DocumentLeases]:
        """Write over several transactions beside others who do the same, where the engine lets several in.

        Each works on documents that it has taken; what they write comes one after the other, and what they prepare
        need not wait. Who is ``exclusive`` keeps them out, and they keep out who would be. Where the engine lets one in
        alone, it is that.

        Raises
        ------
        StoreBusy
            Another process keeps others out.
        """

    def prepare(self) -> AbstractContextManager[StagingWriter]:
        """One transaction on documents that were taken by who has joined; raises as :meth:`write` does.

        Where the engine lets several in, it waits for no other run.
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

    def gathering(self, model: str) -> AbstractContextManager[ReembeddingWriter]:
        """Gather vectors of another embedding model, going on from where an earlier run for the same model stopped.

        What was gathered for yet another model is dropped.

        Raises
        ------
        StoreBusy
            Someone else is gathering vectors for this store.
        """

    def original(self) -> AbstractContextManager[CopySource]:
        """The last committed state, to be copied row by row; whichever model filled the store."""

    def duplicate(self) -> AbstractContextManager[CopyTarget]:
        """Fill the store, which is to be empty, with the rows of another; keeps other writers out.

        Raises
        ------
        StoreBusy
            Another process is writing.
        """

    def note_calls(self, calls: Sequence[tuple[LedgerCall, ToRemember | None]]) -> None:
        """Enter paid calls in the ledger as Writer.note_call does, committed at once and together.

        Whoever asks may do so, also while someone else writes: it waits for no more than the transaction under way.
        """

    def replies(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        """By key the replies to those of these requests that are remembered, and whether each was complete."""

    def size(self) -> int:
        """Bytes that the store takes."""

    def problems(self) -> list[str]:
        """What is damaged, each in a few words: in the files, or where facts differ from what their evidence says."""

    def close(self) -> None: ...
