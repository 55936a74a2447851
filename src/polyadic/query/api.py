"""Asking a workspace: what bears on a question, and answers to it."""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence

from polyadic.concurrency.sync import run_sync, sync_iter
from polyadic.config import AnswerSettings
from polyadic.model.types import Answer, Filter, Knowledge, Turn
from polyadic.query.engine import QueryEngine, QueryRequest


class QueryMixin(ABC):
    """What can be asked; each asynchronous method has a plain twin, which waits for it."""

    @property
    @abstractmethod
    def _asker(self) -> QueryEngine:
        """What questions are answered with."""

    async def aretrieve(
        self,
        question: str,
        method: str | None = None,
        context_tokens: int | None = None,
        only: Filter | None = None,
    ) -> Knowledge:
        """The knowledge that bears on a question, without an answer.

        Parameters
        ----------
        question
            In any language that the documents use.
        method
            One of ``settings.METHODS``, such as ``walk`` or ``hypergraph``; the settings' choice if left out.
        context_tokens
            How many tokens the knowledge may have; the settings' choice if left out.
        only
            The documents that may be heard: everything is then as if there were no others. All if left out.

        Raises
        ------
        NotFound
            The filter names what is no document's, or leaves none.
        """
        return await self._asker.retrieve(QueryRequest(question, method, context_tokens, only=only))

    async def aquery(
        self,
        question: str,
        method: str | None = None,
        context_tokens: int | None = None,
        history: Sequence[Turn] = (),
        answer: AnswerSettings | None = None,
        only: Filter | None = None,
    ) -> Answer:
        """An answer with citations.

        Parameters
        ----------
        question, method, context_tokens, only
            As for :meth:`aretrieve`.
        history
            The conversation so far; a question that follows up on it is made self-contained first.
        answer
            How to answer; the settings' choice if left out.

        Raises
        ------
        ModelUnavailable, NoReply
            The language model is not to be had, or gave no usable reply.
        NotFound
            The filter names what is no document's, or leaves none.
        """
        return await self._asker.answer(QueryRequest(question, method, context_tokens, history, answer, only))

    def astream(
        self,
        question: str,
        method: str | None = None,
        context_tokens: int | None = None,
        history: Sequence[Turn] = (),
        answer: AnswerSettings | None = None,
        only: Filter | None = None,
        found: Callable[[Knowledge], None] = lambda knowledge: None,
    ) -> AsyncGenerator[str | Answer, None]:
        """The text of the answer in pieces as they come, then the answer; parameters as for :meth:`aquery`.

        ``found`` is told what was retrieved before an answer is made of it.

        It may be left with a plain ``break``: what is under way then ends as soon as the loop comes to it. To have it
        ended before going on, say ``async with contextlib.aclosing(kb.astream(...)) as pieces``.
        """
        return self._asker.stream(QueryRequest(question, method, context_tokens, history, answer, only, found))

    retrieve = run_sync(aretrieve)
    query = run_sync(aquery)
    stream = sync_iter(astream)
