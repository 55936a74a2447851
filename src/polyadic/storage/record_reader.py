"""Protocol for reading the records of one committed state of a store: everything that is not needed for retrieval."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from polyadic.model.hierarchy import Hierarchy
from polyadic.model.resolution import EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Heading
from polyadic.storage.records import (
    Counts,
    DocumentListing,
    DocumentRecord,
    FailedChunk,
    Fingerprint,
    LedgerEntry,
    OriginalRecord,
    UsageTotals,
)


class RecordReader(Protocol):
    """Reads documents, evidence, decisions, the hierarchy, cached replies and the ledger.

    With a document filter, only the selected documents are there, and no decisions. The ledger and the cached replies
    are always those of the whole store.
    """

    @property
    def version(self) -> str:
        """Name of what is read: another one after each change of documents or facts, and with each filter."""

    # Documents and evidence
    def counts(self) -> Counts: ...
    def arities(self) -> dict[int, int]:
        """Count facts by arity."""

    def roots(self) -> list[str]:
        """Return the folders from which files were indexed, as absolute paths, sorted."""

    def documents(self) -> list[DocumentRecord]:
        """Return all published documents, ordered by source."""

    def listed(
        self, after: str | None, limit: int, words: str = "", name_of: Callable[[str], str] = str
    ) -> DocumentListing:
        """List at most ``limit`` published documents by source; the cost does not grow with the documents skipped.

        Parameters
        ----------
        after
            Pagination cursor: the source to start after, which need not exist any more; None for the first page.
        words
            Only documents whose name or title contains this, ignoring case; all if it is empty. This scans the
            sources and titles of all documents.
        name_of
            Returns the name of a source; the source itself by default.
        """

    def select(self, sources: Sequence[str], where: Mapping[str, str]) -> frozenset[str]:
        """Return identifiers of documents by source and metadata.

        Parameters
        ----------
        sources
            Each selects the document with this source, the rows of the file with this path, and everything below this
            folder. All documents if empty.
        where
            Conditions on metadata, all of which a document must meet (see :mod:`polyadic.model.metadata_conditions`).
        """

    def extractors(self) -> dict[str, int]:
        """Count documents by the name of their extractor."""

    def failures(self) -> list[FailedChunk]:
        """Return chunks of published documents whose extraction failed, in document order."""

    def stamp(self, document_id: str) -> Fingerprint | None:
        """Return the fingerprint of a document's current revision; None if there is none."""

    def record(self, document_id: str) -> DocumentRecord | None:
        """Return a published document without its text; None if there is none."""

    def document(self, document_id: str) -> Document: ...
    def original(self, document_id: str) -> OriginalRecord | None:
        """Return the file that a document was read from; None if there is none, or it is not known."""

    def original_content(self, document_id: str) -> bytes | None:
        """Return the content of the file that a document was read from; None if the store keeps no copy."""

    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        """Return the chunks of a document with their evidence, in document order; empty if there is none."""

    def detailed_evidence(self, chunk_ids: Sequence[str]) -> Mapping[str, tuple[Evidence, ...]]:
        """Return the evidence in chunks (by identifier).

        Evidence without roles, values, dates and qualifiers may be left out.
        """

    def headings(self, chunk_ids: Sequence[str]) -> Mapping[str, tuple[Heading, ...]]:
        """Return the headings of the sections that contain each chunk (by identifier), in document order."""

    # Decisions and the hierarchy
    def resolution(self) -> EntityResolution:
        """Return the entity resolution that the current decisions give."""

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        """Return each decision in force with the time it was made (ISO 8601, UTC), oldest first."""

    def hierarchy(self) -> Hierarchy:
        """Return all clusters and communities, including stale ones.

        With a document filter, those that depend on any other document are left out.
        """

    # Response cache and ledger
    def reply(self, key: str) -> tuple[str, bool] | None:
        """Return the cached reply to a ``ModelRequest.key`` and whether it was complete; None if not cached."""

    def spent(self) -> UsageTotals:
        """Return the totals of the ledger."""

    def spent_on(self, document_id: str) -> UsageTotals:
        """Return the totals of the calls about one document, even if it has been deleted."""

    def ledger(self) -> list[LedgerEntry]:
        """Return every paid call, oldest first."""
