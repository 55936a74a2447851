"""Looking things up in a workspace by what a person types: entities, facts, documents. Plain and quick."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import partial

import numpy as np

from polyadic.model.types import Entity, Fact, Filter
from polyadic.query import lookup
from polyadic.query.document_filter import filter_documents
from polyadic.query.passage_search import FoundPassage, search_passages
from polyadic.storage.protocol import DocumentRecord, Store


class BrowseMixin(ABC):
    """What can be looked up in the store of a workspace."""

    @abstractmethod
    def store(self, make: bool = False) -> Store:
        """The store itself, for what goes through all of it; ``make`` one where there is none yet.

        Raises
        ------
        NotFound
            There is no workspace yet, and none is to be made.
        """

    # the hypergraph itself (Proposition 2 of arXiv 2503.21322: the bipartite form answers all of these)

    def facts_of(self, entity: str, limit: int = 1000) -> list[Fact]:
        """The facts in which an entity takes part, the most complete first, at most ``limit``."""
        return self.facts_containing([entity], limit)

    def entities_of(self, fact: str) -> list[Entity]:
        """Entities that a fact connects; the fact by its identifier."""
        with self.store().read() as reader:
            return reader.entities(reader.entities_of(np.array([lookup.row(reader, "fact", fact)])).targets)

    def facts_containing(self, entities: Sequence[str], limit: int = 1000) -> list[Fact]:
        """The facts that contain every one of these entities, the most complete first, at most ``limit``."""
        with self.store().read() as reader:
            rows = [lookup.entity_row(reader, entity) for entity in entities]
            return reader.facts(lookup.facts_of_all(reader, rows, limit))

    def co_occur(self, first: str, second: str) -> bool:
        """Whether some fact connects two entities."""
        return bool(self.facts_containing([first, second], limit=1))

    # by what a person types

    def documents(self) -> list[DocumentRecord]:
        """Every document, by source."""
        with self.store().read() as reader:
            return reader.documents()

    def search(self, words: str, limit: int = 10, only: Filter | None = None) -> list[FoundPassage]:
        """Passages that hold any of these words, the best first (BM25); no embedder and no model is asked.

        Parameters
        ----------
        words
            Any text is a legal query; only its words count.
        limit
            The most passages to return.
        only
            The documents that are searched; all if left out.

        Raises
        ------
        NotFound
            The filter names what is no document's, or leaves none.
        """
        with self.store().read(None if only is None else partial(filter_documents, only=only)) as reader:
            return search_passages(reader, words, limit)

    def find_documents(self, references: Sequence[str]) -> list[DocumentRecord]:
        """The documents that :meth:`Workspace.delete` would delete by these names, by source; nothing is changed.

        Raises
        ------
        NotFound
            No document matches one of the names, or a title or identifier fits more than one.
        """
        with self.store().read() as reader:
            found = {record.id: record for name in references for record in lookup.documents(reader, name)}
        return sorted(found.values(), key=lambda record: record.source)

    def show_document(self, reference: str) -> lookup.DocumentView:
        """A document by source (or the end of it), title or identifier; ``:START-END`` after it names a place."""
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
