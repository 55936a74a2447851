"""Workspace: one body of documents with its settings, facts and indexes; everything is used through it.

What waits for a model or works for long has an asynchronous twin (``aindex``, ``aadd``, ``adelete``, ``aretrieve``,
``aquery``); the plain method waits for it, also where a loop is running. Looking things up is plain and quick.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from polyadic import lookup
from polyadic.blocking import wait_for
from polyadic.construction.extractor import Extractor
from polyadic.construction.indexing import Indexer, IndexReport, Progress, withdraw
from polyadic.construction.read import Skipped, read_documents
from polyadic.construction.sentence_facts import SentenceExtractor
from polyadic.errors import NotFound
from polyadic.generation.extractive import quote_answer
from polyadic.knowledge import Answer, Document, Entity, Fact, Knowledge
from polyadic.models.embedder import Embedder, embedding_space, load_embedder
from polyadic.retrieval.registry import method_named
from polyadic.settings import DEFAULT_FOLDER, FILE_NAME, Settings, expanded, load_settings
from polyadic.store.protocol import Counts, DocumentRecord, Store
from polyadic.store.sqlite import SqliteStore


@dataclass(frozen=True, slots=True)
class Status:
    """What a workspace holds. ``arities`` counts facts by how many entities they connect; ``bytes`` is on disk."""

    folder: Path
    counts: Counts
    arities: dict[int, int]
    bytes: int
    embedder: str
    dimension: int
    extractor: str


class Workspace:
    """One body of documents.

    Parameters
    ----------
    folder
        Where the workspace lives; made when something is indexed. Its ``polyadic.toml`` is read where there is one.
    settings
        Instead of those of the folder.

    Raises
    ------
    SettingsError
        The settings of the folder or the environment cannot be used.

    Examples
    --------
    >>> import tempfile
    >>> from polyadic.knowledge import Document
    >>> from polyadic.settings import EmbeddingSettings
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kb = Workspace(folder, Settings(embedding=EmbeddingSettings(model="hashing")))
    ...     report = kb.add([Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London.")])
    ...     print([fact.text for fact in kb.facts_of("Ada Lovelace")])
    ...     kb.close()
    ['Ada Lovelace met Charles Babbage in London.']
    """

    def __init__(self, folder: Path | str = DEFAULT_FOLDER, settings: Settings | None = None) -> None:
        self.folder = expanded(folder)
        self.settings = settings if settings is not None else load_settings(self.folder / FILE_NAME)

    # documents in, documents out

    async def aindex(
        self, paths: Sequence[Path | str], report_progress: Callable[[Progress], None] = lambda progress: None
    ) -> IndexReport:
        """Read files and folders into the workspace. What is unchanged costs nothing.

        A workspace is made only where there is something to put into it.

        Raises
        ------
        StoreBusy
            Another process is writing to this workspace.
        WeightsMissing
            The embedding model is not on this machine yet.
        """
        sources = read_documents(paths, self.settings.reading, exclude=[self.folder])
        skipped, document = _first_document(sources)
        if document is None and not SqliteStore.exists(self.folder):
            return IndexReport(skipped=skipped)
        first = [] if document is None else [document]
        return await self.aadd(chain(skipped, first, sources), report_progress)

    async def aadd(
        self,
        documents: Iterable[Document | Skipped],
        report_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> IndexReport:
        """Read documents that you already hold; ``source`` is their identity."""
        return await self._indexer(report_progress).index(documents)

    async def adelete(self, reference: str) -> list[DocumentRecord]:
        """Withdraw a document with all that only it supports, or every row of a file of rows; returns what went.

        Parameters
        ----------
        reference
            Path or other source, title, or 8 digits or more of the identifier. The path of a .jsonl or .csv file
            means all of its rows, ``PATH#ROW`` one.

        Raises
        ------
        NotFound
            No document answers to the reference, or more than one does.
        """
        with self._existing_store.read() as reader:
            records = lookup.documents(reader, reference)
        await withdraw(self._existing_store, [record.id for record in records], lambda: self.embedder)
        return records

    # questions

    async def aretrieve(self, question: str, method: str | None = None, context_tokens: int | None = None) -> Knowledge:
        """The knowledge that bears on a question, without an answer.

        Parameters
        ----------
        question
            In any language that the documents use.
        method
            ``none``, ``chunks``, ``hypergraph``, ``walk`` or ``auto``; the settings' choice if left out.
        context_tokens
            How many tokens the knowledge may have; the settings' choice if left out.
        """
        chosen = method_named(method or self.settings.retrieval.method, self.settings)
        budget = self.settings.retrieval.context_tokens if context_tokens is None else context_tokens
        asked = question.encode("utf-8", "replace").decode("utf-8")  # an undecodable argument holds half surrogates
        with self._existing_store.read() as reader:
            return await chosen.retrieve(asked, reader, self.embedder, budget)

    async def aquery(self, question: str, method: str | None = None, context_tokens: int | None = None) -> Answer:
        """An answer with citations; parameters as for :meth:`aretrieve`."""
        knowledge = await self.aretrieve(question, method, context_tokens)
        return await quote_answer(knowledge, self.embedder)

    # the hypergraph itself (Proposition 2 of arXiv 2503.21322: the bipartite form answers all of these)

    def facts_of(self, entity: str, limit: int = 1000) -> list[Fact]:
        """The facts in which an entity takes part, the most complete first, at most ``limit``."""
        return self.facts_containing([entity], limit)

    def entities_of(self, fact: str) -> list[Entity]:
        """Entities that a fact connects; the fact by its identifier."""
        with self._existing_store.read() as reader:
            return reader.entities(reader.entities_of(np.array([lookup.row(reader, "fact", fact)])).targets)

    def facts_containing(self, entities: Sequence[str], limit: int = 1000) -> list[Fact]:
        """The facts that contain every one of these entities, the most complete first, at most ``limit``."""
        with self._existing_store.read() as reader:
            rows = [lookup.entity_row(reader, entity) for entity in entities]
            return reader.facts(lookup.facts_of_all(reader, rows, limit))

    def co_occur(self, first: str, second: str) -> bool:
        """Whether some fact connects two entities."""
        return bool(self.facts_containing([first, second], limit=1))

    # looking things up

    def status(self) -> Status:
        with self._existing_store.read() as reader:
            counts, arities = reader.counts(), reader.arities()
        name, dimension = embedding_space(self.settings.embedding)
        return Status(
            folder=self.folder.absolute(),
            counts=counts,
            arities=arities,
            bytes=self._existing_store.size(),
            embedder=name,
            dimension=dimension,
            extractor=self._extractor.name,
        )

    def documents(self) -> list[DocumentRecord]:
        """Every document, by source."""
        with self._existing_store.read() as reader:
            return reader.documents()

    def show_document(self, reference: str) -> lookup.DocumentView:
        """A document by source (or the end of it), title or identifier; ``:START-END`` after it names a place."""
        with self._existing_store.read() as reader:
            return lookup.document_view(reader, reference)

    def show_chunk(self, reference: str) -> lookup.ChunkView:
        with self._existing_store.read() as reader:
            return lookup.chunk_view(reader, reference)

    def show_fact(self, reference: str) -> lookup.FactView:
        with self._existing_store.read() as reader:
            return lookup.fact_view(reader, reference)

    def show_entity(self, reference: str) -> lookup.EntityView:
        with self._existing_store.read() as reader:
            return lookup.entity_view(reader, reference)

    # plain twins

    def index(
        self, paths: Sequence[Path | str], report_progress: Callable[[Progress], None] = lambda progress: None
    ) -> IndexReport:
        """See :meth:`aindex`."""
        return wait_for(self.aindex(paths, report_progress))

    def add(self, documents: Iterable[Document | Skipped]) -> IndexReport:
        """See :meth:`aadd`."""
        return wait_for(self.aadd(documents))

    def delete(self, reference: str) -> list[DocumentRecord]:
        """See :meth:`adelete`."""
        return wait_for(self.adelete(reference))

    def retrieve(self, question: str, method: str | None = None, context_tokens: int | None = None) -> Knowledge:
        """See :meth:`aretrieve`."""
        return wait_for(self.aretrieve(question, method, context_tokens))

    def query(self, question: str, method: str | None = None, context_tokens: int | None = None) -> Answer:
        """See :meth:`aquery`."""
        return wait_for(self.aquery(question, method, context_tokens))

    # what it stands on

    def close(self) -> None:
        """Let go of files; the workspace opens them again if it is used again."""
        store = self.__dict__.pop("_store", None)
        if store is not None:
            store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @cached_property
    def embedder(self) -> Embedder:
        return load_embedder(self.settings.embedding)

    @cached_property
    def _extractor(self) -> Extractor:
        return SentenceExtractor(self.settings.chunking.language)

    @cached_property
    def _store(self) -> Store:
        name, dimension = embedding_space(self.settings.embedding)
        return SqliteStore(self.folder, name, dimension)

    @property
    def _existing_store(self) -> Store:
        if "_store" not in self.__dict__ and not SqliteStore.exists(self.folder):
            if self.folder.is_file():
                raise NotFound(f"there is no workspace in {self.folder}", "it is a file, a workspace is a folder")
            raise NotFound(f"there is no workspace in {self.folder} yet", "polyadic index PATH makes one")
        return self._store

    def _indexer(self, report_progress: Callable[[Progress], None]) -> Indexer:
        # Of a new workspace the embedder comes first, so that none is made where the weights are missing.
        embedder = None if SqliteStore.exists(self.folder) else self.embedder
        store = self._store
        return Indexer(store, self._extractor, embedder or self.embedder, self.settings.chunking, report_progress)


def _first_document(sources: Iterator[Document | Skipped]) -> tuple[list[Skipped], Document | None]:
    """The first document there is, and what could not be read before it; the rest stays in the iterator."""
    skipped: list[Skipped] = []
    for source in sources:
        if isinstance(source, Document):
            return skipped, source
        skipped.append(source)
    return skipped, None
