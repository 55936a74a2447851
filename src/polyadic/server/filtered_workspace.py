"""A workspace as an API key with a document filter sees it: read-only, and as if it held no other documents."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property

from polyadic.embeddings.embedder import Embedder
from polyadic.llm.loading import RoleModels
from polyadic.model.types import Usage
from polyadic.query.workspace_status import CostLedger, WorkspaceStatus
from polyadic.rerankers.pair_scoring.scorer import PairScorer
from polyadic.rerankers.reranker import Reranker
from polyadic.server.problem_details import filtered_key
from polyadic.storage.leases import DocumentLeases
from polyadic.storage.protocol import (
    CachedReply,
    CopySource,
    CopyTarget,
    LedgerCall,
    Reader,
    ReembeddingWriter,
    StagingWriter,
    Store,
    Writer,
)
from polyadic.workspace import Workspace


class FilteredStore:
    """Implements :class:`polyadic.storage.protocol.Store` over a store; readers see only documents with this metadata.

    Everything else that reads or writes the whole store is refused (``ProblemError``, 403). Calls can be recorded in
    the ledger, because questions cost the same with a filter.

    Parameters
    ----------
    store
        The whole store.
    where
        Metadata that a visible document has; all of it.
    """

    def __init__(self, store: Store, where: Mapping[str, str]) -> None:
        self._store = store
        self._where = where

    def filled_with(self) -> str | None:
        return self._store.filled_with()

    @contextmanager
    def read(self, only: Callable[[Reader], frozenset[str]] | None = None) -> Iterator[Reader]:
        if only is None:
            with self._store.read(self._visible) as reader:
                yield reader
            return
        # ``only`` gets the filtered reader: what it finds and its error messages must not depend on hidden documents.
        with self._store.read(self._visible) as reader:
            chosen = only(reader)
        with self._store.read(lambda reader: self._visible(reader) & chosen) as reader:
            yield reader

    def record_calls(self, calls: Sequence[tuple[LedgerCall | None, CachedReply | None]]) -> None:
        self._store.record_calls(calls)

    def replies(self, keys: Sequence[str]) -> dict[str, tuple[str, bool]]:
        return self._store.replies(keys)

    def size(self) -> int:
        """Return 0: the size of the store depends on the hidden documents."""
        return 0

    def problems(self) -> list[str]:
        raise filtered_key()

    def exclusive_session(self) -> AbstractContextManager[None]:
        raise filtered_key()

    def indexing_session(self) -> AbstractContextManager[DocumentLeases]:
        raise filtered_key()

    def prepare(self) -> AbstractContextManager[StagingWriter]:
        raise filtered_key()

    def write(self) -> AbstractContextManager[Writer]:
        raise filtered_key()

    def reembedding_session(self, model: str) -> AbstractContextManager[ReembeddingWriter]:
        raise filtered_key()

    def copy_source(self) -> AbstractContextManager[CopySource]:
        raise filtered_key()

    def copy_target(self) -> AbstractContextManager[CopyTarget]:
        raise filtered_key()

    def close(self) -> None:
        """Do nothing: the whole store belongs to the whole workspace."""

    def _visible(self, reader: Reader) -> frozenset[str]:
        return reader.records.select((), self._where)


class FilteredWorkspace(Workspace):
    """A view of an open workspace, with its models and a :class:`FilteredStore`.

    Parameters
    ----------
    whole
        The workspace, which must stay open as long as the view is used.
    where
        As for :class:`FilteredStore`.
    """

    def __init__(self, whole: Workspace, where: Mapping[str, str]) -> None:
        super().__init__(whole.folder, whole.settings)
        self.home = whole.home
        self._whole = whole
        self._where = where

    @cached_property
    def _store(self) -> Store:
        return FilteredStore(self._whole.store(make=True), self._where)

    @cached_property
    def embedder(self) -> Embedder:
        return self._whole.embedder

    @cached_property
    def _models(self) -> RoleModels:
        return self._whole._models

    @cached_property
    def reranker(self) -> Reranker | None:
        return self._whole.reranker

    @cached_property
    def answer_selector(self) -> PairScorer | None:
        return self._whole.answer_selector

    @cached_property
    def claim_judge(self) -> PairScorer | None:
        return self._whole.claim_judge

    def status(self) -> WorkspaceStatus:
        """Return the counts of the visible documents, without what was spent on all of them."""
        return replace(super().status(), spent=Usage(), spent_for={})

    def ledger(self, reference: str | None = None) -> CostLedger:
        raise filtered_key()

    async def aclose(self) -> None:
        """Do nothing: models and store belong to the whole workspace."""
