"""Look up entities, facts and documents of a workspace by name, identifier or words."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial

import numpy as np

from polyadic.model.types import Entity, Fact, Filter
from polyadic.query import lookup
from polyadic.query.document_filter import filter_documents
from polyadic.query.passage_search import FoundPassage, UnmatchedWords, search_passages, unmatched_words
from polyadic.storage.protocol import DocumentRecord, Store


class BrowseMixin(ABC):
    """Lookups in the store of a workspace."""

    @abstractmethod
    def store(self, make: bool = False) -> Store:
        """Return the store itself.

        Parameters
        ----------
        make
            Create the store if it does not exist.

        Raises
        ------
        NotFound
            The workspace does not exist, and ``make`` is false.
        """

    # Queries on the hypergraph (Proposition 2 of arXiv 2503.21322: the bipartite form answers all of them)

    def facts_of(self, entity: str, limit: int = 1000) -> list[Fact]:
        """Return at most ``limit`` facts that contain an entity, in descending order of score."""
        return self.facts_containing([entity], limit)

    def entities_of(self, fact: str) -> list[Entity]:
        """Return the entities that a fact connects; ``fact`` is an identifier."""
        with self.store().read() as reader:
            return reader.entities(reader.links("fact_entities", np.array([lookup.row(reader, "fact", fact)])).targets)

    def facts_containing(self, entities: Sequence[str], limit: int = 1000) -> list[Fact]:
        """Return at most ``limit`` facts that contain all of these entities, in descending order of score."""
        with self.store().read() as reader:
            rows = [lookup.entity_row(reader, entity) for entity in entities]
            return reader.facts(lookup.facts_of_all(reader, rows, limit))

    def co_occur(self, first: str, second: str) -> bool:
        """Return whether a fact connects two entities."""
        return bool(self.facts_containing([first, second], limit=1))

    # Lookups by name, identifier or words

    def documents(self) -> list[DocumentRecord]:
        """Return all documents, sorted by source."""
        with self.store().read() as reader:
            return reader.records.documents()

    def search(self, words: str, limit: int = 10, only: Filter | None = None) -> list[FoundPassage]:
        """Search passages that contain any of these words, ranked by BM25; needs neither embedder nor language model.

        Parameters
        ----------
        words
            The query; any text is valid, and only its words count.
        limit
            Maximum number of passages.
        only
            Restrict the search to these documents; by default all documents.

        Returns
        -------
        list of FoundPassage
            Passages in descending order of score.

        Raises
        ------
        NotFound
            The filter names an unknown document, or matches no document.
        """
        with self.store().read(None if only is None else partial(filter_documents, only=only)) as reader:
            return search_passages(reader, words, limit)

    def unmatched_words(self, words: str, only: Filter | None = None) -> UnmatchedWords:
        """Return the words of a query that :meth:`search` finds nowhere, and their likely spelling.

        Parameters and errors are those of :meth:`search`.
        """
        with self.store().read(None if only is None else partial(filter_documents, only=only)) as reader:
            return unmatched_words(reader, words)

    def find_documents(self, references: Sequence[str]) -> list[DocumentRecord]:
        """Return the documents that :meth:`Workspace.delete` would delete for these references, sorted by source.

        Raises
        ------
        NotFound
            A reference matches no document, or a title or identifier matches several.
        """
        with self.store().read() as reader:
            found = {record.id: record for name in references for record in lookup.documents(reader, name)}
        return sorted(found.values(), key=lambda record: record.source)

    def show_document(self, reference: str) -> lookup.DocumentView:
        """Return a document by source (or the end of it), title or identifier; append ``:START-END`` for a span."""
        with self.store().read() as reader:
            return lookup.document_view(reader, reference)

    def show_chunk(self, reference: str) -> lookup.ChunkView:
        with self.store().read() as reader:
            return lookup.chunk_view(reader, reference)

    def show_fact(self, reference: str) -> lookup.FactView:
        with self.store().read() as reader:
            return lookup.fact_view(reader, reference)

    def show_entity(self, reference: str) -> lookup.EntityView:
        with self.store().read() as reader:
            return lookup.entity_view(reader, reference)
