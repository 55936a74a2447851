"""Public query methods of a workspace: retrieve knowledge, answer questions, stream answers."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from dataclasses import replace

from polyadic.concurrency.async_to_sync import async_iter_to_sync, async_to_sync
from polyadic.config import AnswerSettings, Settings
from polyadic.model.types import Answer, Citation, Filter, Knowledge, Turn
from polyadic.query.engine import QueryEngine
from polyadic.query.request import QueryRequest
from polyadic.storage.protocol import Store


class QueryMixin(ABC):
    """Retrieval and question answering; each asynchronous method has a synchronous counterpart."""

    @property
    @abstractmethod
    def _query_engine(self) -> QueryEngine:
        """Return the query engine of this workspace."""

    async def aretrieve(
        self,
        question: str,
        method: str | None = None,
        context_tokens: int | None = None,
        only: Filter | None = None,
    ) -> Knowledge:
        """Retrieve the knowledge relevant to a question, without answering it.

        Parameters
        ----------
        question
            The question, in any language of the documents.
        method
            One of ``settings.METHODS``, such as ``walk`` or ``hypergraph``; by default the method in the settings.
        context_tokens
            Token budget for the retrieved knowledge; by default the value in the settings.
        only
            Restrict retrieval to these documents, as if the store held no others; by default all documents.

        Returns
        -------
        Knowledge
            The retrieved items, with their scores, evidence and trace.

        Raises
        ------
        NotFound
            The filter names an unknown document, or matches no document.
        """
        return await self._query_engine.retrieve(QueryRequest(question, method, context_tokens, only=only))

    async def aquery(
        self,
        question: str,
        method: str | None = None,
        context_tokens: int | None = None,
        history: Sequence[Turn] = (),
        answer: AnswerSettings | None = None,
        only: Filter | None = None,
    ) -> Answer:
        """Answer a question, with citations.

        Parameters
        ----------
        question, method, context_tokens, only
            As for :meth:`aretrieve`.
        history
            The conversation so far; a follow-up question is condensed into a standalone question first.
        answer
            Settings for the answer; by default those of the workspace.

        Returns
        -------
        Answer
            The text of the answer with its citations, usage and trace.

        Raises
        ------
        ModelUnavailable, NoReply
            The language model is unavailable, or returned no usable reply.
        NotFound
            The filter names an unknown document, or matches no document.
        """
        return await self._query_engine.answer(QueryRequest(question, method, context_tokens, history, answer, only))

    def astream(
        self,
        question: str,
        method: str | None = None,
        context_tokens: int | None = None,
        history: Sequence[Turn] = (),
        answer: AnswerSettings | None = None,
        only: Filter | None = None,
        found: Callable[[Knowledge], None] = lambda knowledge: None,
        cite: Callable[[Citation], None] | None = None,
    ) -> AsyncGenerator[str | Answer, None]:
        """Stream the text of the answer, then yield the complete :class:`Answer`.

        The loop may be left with a plain ``break``; pending work is then cancelled when the event loop next runs. To
        wait for the cancellation, use ``async with contextlib.aclosing(kb.astream(...)) as pieces``.

        Parameters
        ----------
        question, method, context_tokens, history, answer, only
            As for :meth:`aquery`.
        found
            Called with the retrieved knowledge before the answer is generated.
        cite
            Called with each citation once its sentence is complete; those of the last sentence are in the answer only.

        Yields
        ------
        str or Answer
            Pieces of text, then the answer.
        """
        return self._query_engine.stream(
            QueryRequest(question, method, context_tokens, history, answer, only, found, cite)
        )

    def with_settings(self, settings: Settings, store: Store | None = None) -> "QueryMixin":
        """Return a query API that shares the models, but uses other settings.

        Parameters
        ----------
        settings
            Settings for retrieval and answers. Models and documents stay the same.
        store
            Store to read instead, such as a copy with another hierarchy.
        """
        engine = self._query_engine
        return EngineQueryApi(replace(engine, settings=settings, store=store or engine.store))

    retrieve = async_to_sync(aretrieve)
    query = async_to_sync(aquery)
    stream = async_iter_to_sync(astream)


class EngineQueryApi(QueryMixin):
    """Query API of an engine."""

    def __init__(self, engine: QueryEngine) -> None:
        self._engine = engine

    @property
    def _query_engine(self) -> QueryEngine:
        return self._engine
