"""A store in memory, in one process: what docs/add-a-store.md builds."""

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import cast

import numpy as np

from polyadic.errors import EmbedderMismatch, NotFound, StoreBusy
from polyadic.model import identity
from polyadic.model.metadata_conditions import meets, parse_key
from polyadic.model.resolution import EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Heading
from polyadic.storage.hierarchy import HierarchyReader
from polyadic.storage.leases import DocumentLeases, NoLeases
from polyadic.storage.protocol import Cut, Fingerprint, OriginalRecord, Reader, StoreChange, Vectors
from polyadic.storage.record_reader import RecordReader
from polyadic.storage.records import Counts, DocumentListing, DocumentRecord
from polyadic.text.headings import headings, headings_of
from tests.support.memory_store.reader import MemoryReader, ReadChunk


@dataclass
class Revision:
    """A chunked document; chunks that are not extracted yet have no ``evidence``."""

    document: Document
    fingerprint: Fingerprint
    chunks: Sequence[Chunk]
    evidence: dict[str, tuple[Evidence, ...]] = field(default_factory=dict)
    original: OriginalRecord | None = None
    content: bytes | None = None

    def extracted(self) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        return [(chunk, self.evidence.get(chunk.id, ())) for chunk in self.chunks]


@dataclass
class State:
    """All that a store contains; revisions by document, vectors by text, tokens by fact, windows by chunk."""

    current: dict[str, Revision] = field(default_factory=dict)
    staged: dict[str, Revision] = field(default_factory=dict)
    decisions: list[ResolutionDecision] = field(default_factory=list)
    vectors: dict[str, Vectors] = field(default_factory=dict)
    tokens: dict[str, int] = field(default_factory=dict)
    windows: dict[str, Sequence[str]] = field(default_factory=dict)
    roots: set[str] = field(default_factory=set)

    @property
    def resolution(self) -> EntityResolution:
        return EntityResolution.of(self.decisions)

    @property
    def dimension(self) -> int:
        return len(next(iter(self.vectors.values()), ()))

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return vectors; zeros for texts that wait for theirs (MemoryWriter.attach)."""
        return np.array([self.vectors.get(text, np.zeros(self.dimension)) for text in texts], np.float32)

    def reader(self, only: Collection[str] | None = None) -> "StateReader":
        seen = {key: one for key, one in self.current.items() if only is None or key in only}
        return StateReader(self, seen)


class StateReader(MemoryReader):
    """Reads a state as if it had only these documents."""

    def __init__(self, state: State, seen: Mapping[str, Revision]) -> None:
        self.state, self.seen = state, seen
        read: list[ReadChunk] = [(one.document, *pair) for one in seen.values() for pair in one.extracted()]
        read.sort(key=lambda one: one[1].id)
        super().__init__(read, state.embed, state.windows, state.resolution, state.tokens)

    @property
    def records(self) -> RecordReader:
        return cast(RecordReader, StateRecords(self))

    def hierarchy_reader(self) -> HierarchyReader:
        raise NotImplementedError("this store has no hierarchy")


class StateRecords:
    """Implements the part of :class:`polyadic.storage.record_reader.RecordReader` that reads documents."""

    def __init__(self, reader: StateReader) -> None:
        self._reader = reader
        self._revisions = sorted(reader.seen.values(), key=lambda one: one.document.source)

    @property
    def version(self) -> str:
        facts = self._reader.facts(self._reader.rows("fact"))
        chunks = [chunk.id for one in self._revisions for chunk in one.chunks]
        return identity.digest("memory", *(fact.id for fact in facts), *chunks)

    def counts(self) -> Counts:
        evidence = [item for one in self._revisions for items in one.evidence.values() for item in items]
        size, facts = self._reader.size, self._reader.rows("fact")
        return Counts(
            documents=len(self._revisions),
            chunks=size("chunk"),
            evidence=len(evidence),
            evidence_with_fact=sum(item.fact_id is not None for item in evidence),
            facts=size("fact"),
            entities=size("entity"),
            participations=int(self._reader.degrees("fact_entities", facts).sum()),
            vectors=len(self._reader.state.vectors),
            dimension=self._reader.state.dimension,
        )

    def arities(self) -> dict[int, int]:
        arities = self._reader.degrees("fact_entities", self._reader.rows("fact")).tolist()
        return dict(sorted(Counter(arities).items()))

    def documents(self) -> list[DocumentRecord]:
        return [record for one in self._revisions if (record := self.record(one.document.id))]

    def roots(self) -> list[str]:
        return sorted(self._reader.state.roots)

    def listed(
        self, after: str | None, limit: int, words: str = "", name_of: Callable[[str], str] = str
    ) -> DocumentListing:
        return DocumentListing.of(self.documents(), after, limit, words, name_of)

    def select(self, sources: Sequence[str], where: Mapping[str, str]) -> frozenset[str]:
        starts = tuple(end for one in sources for end in (f"{one.rstrip('/')}/", f"{one}#"))
        conditions = [(name, (operator, bound)) for key, bound in where.items() for name, operator in [parse_key(key)]]

        def is_selected(document: Document) -> bool:
            metadata, source = document.metadata, document.source
            is_below = not sources or source in sources or source.startswith(starts)
            return is_below and all(key in metadata and meets(metadata[key], *bound) for key, bound in conditions)

        return frozenset(one.document.id for one in self._revisions if is_selected(one.document))

    def record(self, document_id: str) -> DocumentRecord | None:
        if (one := self._reader.seen.get(document_id)) is None:
            return None
        facts = {item.fact_id for items in one.evidence.values() for item in items} - {None}
        document, metadata, extractor = one.document, dict(one.document.metadata), one.fingerprint.extractor
        sizes, failed = (len(document.text), len(one.chunks), len(facts)), len(one.chunks) - len(one.evidence)
        return DocumentRecord(document_id, document.source, document.title, *sizes, metadata, extractor, failed)

    def document(self, document_id: str) -> Document:
        if (one := self._reader.seen.get(document_id)) is None:
            raise NotFound(f"no document has the identifier {document_id}", "see the list of documents")
        return one.document

    def original(self, document_id: str) -> OriginalRecord | None:
        one = self._reader.seen.get(document_id)
        return one.original if one else None

    def original_content(self, document_id: str) -> bytes | None:
        one = self._reader.seen.get(document_id)
        return one.content if one else None

    def evidence(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        one = self._reader.seen.get(document_id)
        return one.extracted() if one else []

    def detailed_evidence(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Evidence, ...]]:
        return {c.id: said for one in self._revisions for c, said in one.extracted() if c.id in chunk_ids}

    def headings(self, chunk_ids: Sequence[str]) -> dict[str, tuple[Heading, ...]]:
        pairs = [(one.document, chunk) for one in self._revisions for chunk in one.chunks if chunk.id in chunk_ids]
        return {chunk.id: headings_of(headings(document.text), chunk.span) for document, chunk in pairs}

    def resolution(self) -> EntityResolution:
        return self._reader.state.resolution

    def decisions(self) -> list[tuple[ResolutionDecision, str]]:
        return [(one, "") for one in self._reader.state.decisions]


class MemoryWriter:
    """Implements the part of :class:`polyadic.storage.protocol.Writer` that stages, publishes and deletes documents."""

    def __init__(self, state: State) -> None:
        self.state = state

    def stamps(self, document_ids: Sequence[str]) -> dict[str, Fingerprint]:
        return {one: self.state.current[one].fingerprint for one in document_ids if one in self.state.current}

    def stage(self, documents: Sequence[Cut]) -> dict[str, frozenset[str]]:
        for document, fingerprint, chunks in documents:
            known = self.state.staged.get(document.id)
            if known is None or (known.fingerprint, list(known.chunks)) != (fingerprint, list(chunks)):
                old = self.state.current.get(document.id)
                new = self.state.staged[document.id] = Revision(document, fingerprint, chunks)
                if old and old.fingerprint.content == fingerprint.content:
                    new.original, new.content = old.original, old.content
        return {document.id: frozenset(self.state.staged[document.id].evidence) for document, *_ in documents}

    def add_roots(self, folders: Collection[str]) -> None:
        self.state.roots |= set(folders)

    def put_evidence(self, evidence: Mapping[str, Mapping[str, Sequence[Evidence]]]) -> None:
        for document, chunks in evidence.items():
            self.state.staged[document].evidence |= {chunk: tuple(items) for chunk, items in chunks.items()}

    def originals(self, document_ids: Collection[str], is_staged: bool) -> dict[str, OriginalRecord]:
        revisions = self.state.staged if is_staged else self.state.current
        return {one: record for one in document_ids if one in revisions and (record := revisions[one].original)}

    def put_original(self, document_id: str, digest: str, content: bytes | None, is_staged: bool) -> None:
        one = (self.state.staged if is_staged else self.state.current)[document_id]
        one.original, one.content = OriginalRecord(digest, content is not None), content

    def staged(self, document_id: str) -> list[tuple[Chunk, tuple[Evidence, ...]]]:
        return self.state.staged[document_id].extracted()

    def current(self, document_ids: Sequence[str]) -> Iterator[tuple[str, list[tuple[Chunk, tuple[Evidence, ...]]]]]:
        for one in (self.state.current[document] for document in document_ids if document in self.state.current):
            yield one.document.id, one.extracted()

    def resolution(self) -> EntityResolution:
        return self.state.resolution

    def texts_without_vectors(self, texts: Sequence[str]) -> list[str]:
        return [text for text in dict.fromkeys(texts) if text not in self.state.vectors]

    def put_vectors(self, texts: Sequence[str], vectors: Vectors) -> None:
        self.state.vectors |= dict(zip(texts, vectors, strict=True))

    def apply(self, change: StoreChange) -> None:
        for document in (*change.published, *change.deleted):
            self.state.current.pop(document, None)
        for document in change.published:
            self.state.current[document] = self.state.staged.pop(document)
        self.state.decisions = [one for one in self.state.decisions if one not in change.undone] + [*change.decided]
        self.state.tokens |= change.fact_tokens
        self.state.windows |= change.windows

    def attach(self) -> list[str]:
        needed = self.state.reader().texts()
        missing = self.texts_without_vectors(needed)
        if not missing:
            self.state.vectors = {text: self.state.vectors[text] for text in needed}
        return missing


class MemoryStore:
    """Implements the part of :class:`polyadic.storage.protocol.Store` that reads and writes.

    ``known`` has the shared contents of all stores by name: opening a name twice opens the same store.
    """

    def __init__(self, name: str, embedder: str | None, known: "dict[str, MemoryStore]") -> None:
        first = known.setdefault(name, self)
        self._shared, self._state, self._embedder = first, State(), embedder
        self._lock = threading.Lock()
        self._owner: MemoryStore | None = None
        if embedder not in (None, first._embedder):
            raise EmbedderMismatch(f"{name} has vectors of {first._embedder}, not of {embedder}", "use that model")

    @contextlib.contextmanager
    def read(self, only: Callable[[Reader], frozenset[str]] | None = None) -> Iterator[Reader]:
        state = self._shared._state
        yield state.reader(None if only is None else only(state.reader()))

    @contextlib.contextmanager
    def exclusive_session(self) -> Iterator[None]:
        shared, outer = self._shared, self._shared._owner
        if outer is not self and not shared._lock.acquire(blocking=False):
            raise StoreBusy("another process is writing", "wait for it to end")
        shared._owner = self
        try:
            yield
        finally:
            if outer is not self:
                shared._owner = None
                shared._lock.release()

    @contextlib.contextmanager
    def indexing_session(self) -> Iterator[DocumentLeases]:
        with self.exclusive_session():
            yield NoLeases()

    @contextlib.contextmanager
    def write(self) -> Iterator[MemoryWriter]:
        with self.exclusive_session():
            writer = MemoryWriter(deepcopy(self._shared._state))
            yield writer
            self._shared._state = writer.state

    def problems(self) -> list[str]:
        return []

    def close(self) -> None: ...
