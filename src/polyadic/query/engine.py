"""From a question to knowledge and to an answer, with a language model or without one, as the settings say."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from time import perf_counter
from typing import Literal

from polyadic.config import AnswerSettings, Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import NotFound, PolyadicError, SettingsError
from polyadic.generation.extractive_answerer import quote_answer
from polyadic.generation.llm_answerer import LLMAnswerer
from polyadic.generation.llm_question_condenser import condense_question
from polyadic.generation.messages import no_answer
from polyadic.generation.overview_answerer import quote_overview
from polyadic.generation.rule_question_condenser import elliptic, standalone
from polyadic.generation.task_generator import TaskIsolatedStream
from polyadic.llm.cached_model import NullCache, ResponseCache
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Answer, Filter, Knowledge, SourceSpan, TraceStep, Turn, page_of
from polyadic.query.document_filter import filter_documents
from polyadic.query.lookup import titled
from polyadic.query.usage import MeteredModel, UsageMeter
from polyadic.rerankers.reranker import Reranker
from polyadic.retrieval.overview import NAME as OVERVIEW
from polyadic.retrieval.overview import overview
from polyadic.retrieval.query_entities import LLMEntityFinder, QueryEntityFinder, StoreEntityFinder
from polyadic.retrieval.query_spelling import spelled
from polyadic.retrieval.registry import asks_for_names, method_named
from polyadic.retrieval.reranking import RerankedMethod
from polyadic.storage.protocol import Reader, Store
from polyadic.text.language import certain_language, detect_language
from polyadic.text.overview_questions import overview_question
from polyadic.text.words import words
from polyadic.tracing.spans import TraceSpan, stage, step_done

NamesBy = Literal["names", "model"]
NO_MODEL = SettingsError(
    "this needs a language model, and none is named",
    "polyadic init --preset openai (or ollama, ...) names one, or set name under [model]",
)

# About 5,000 tokens: what is longer is a document.
LONGEST_QUESTION = 20_000
_PASSAGES_OF_A_LANGUAGE = 5
_SPAN = "question"
AUTO = "auto"
"""The method that finds what a question about the whole is answered from; any other finds what it always does."""


@dataclass(frozen=True, slots=True)
class QueryRequest:
    """A question and how it is to be answered; what is left out is as the settings say.

    ``history`` is the conversation so far: a question that follows up on it is made self-contained first. ``only``
    are the documents that may be heard; all if left out. ``found`` is told what was retrieved before a streamed answer
    is made of it.
    """

    question: str
    method: str | None = None
    context_tokens: int | None = None
    history: Sequence[Turn] = ()
    answer: AnswerSettings | None = None
    only: Filter | None = None
    found: Callable[[Knowledge], None] = lambda knowledge: None


@dataclass(frozen=True, slots=True)
class QueryEngine:
    """What questions are answered with.

    ``load_model`` gives the language model, None where the settings name none; it is called only for what needs one,
    so that quoting works also where the model's key is missing. ``ledger`` is where each call is entered; ``bill`` is
    that of the question in hand. ``reranker`` puts the passages of any method in order, where there is one.
    """

    settings: Settings
    store: Store
    embedder: Embedder
    load_model: Callable[[], LanguageModel | None]
    prompts: PromptLibrary
    ledger: ResponseCache = field(default_factory=NullCache)
    bill: UsageMeter = field(default_factory=UsageMeter)
    reranker: Reranker | None = None

    async def retrieve(self, ask: QueryRequest) -> Knowledge:
        """The knowledge that bears on a question as it stands."""
        asking = self._billed()
        try:
            with stage(_SPAN) as told:
                knowledge = await asking._retrieved(_readable(ask), self.settings.hypergraph.question_entities)
                _tell_of_knowledge(told, knowledge)
        finally:
            await asking._enter_calls()
        return replace(knowledge, usage=asking.bill.usage)

    async def answer(self, ask: QueryRequest) -> Answer:
        """The answer, once it is whole."""
        asking = self._billed()
        try:
            with stage(_SPAN) as told:
                answer = await asking._answer(_readable(ask))
                _tell_of_answer(told, answer)
                return answer
        finally:
            await asking._enter_calls()

    async def stream(self, ask: QueryRequest) -> AsyncGenerator[str | Answer, None]:
        """The text of the answer in pieces as they come, then the answer; may be left at any piece."""
        asking = self._billed()
        try:
            async with TaskIsolatedStream(asking._told_pieces(_readable(ask))) as pieces:
                async for piece in pieces:
                    yield piece
        finally:
            await asking._enter_calls()

    async def _enter_calls(self) -> None:
        """Enter what endpoints were paid for embedding and reranking."""
        await self.bill.enter_embedding(self.embedder)
        if self.reranker is not None:
            await self.bill.enter_reranking(self.reranker)

    def _billed(self) -> "QueryEngine":
        """What answers one question, with a bill of its own."""
        return replace(self, bill=UsageMeter(self.ledger))

    async def _answer(self, ask: QueryRequest) -> Answer:
        answerer = self._answerer(ask)
        if answerer is None:
            return self._finished(await self._quoted_answer(ask), ())
        knowledge, steps = await self._prepared(ask)
        return self._finished(await answerer.answer(knowledge), steps)

    async def _told_pieces(self, ask: QueryRequest) -> AsyncGenerator[str | Answer, None]:
        with stage(_SPAN) as told:
            async with aclosing(self._pieces(ask)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, Answer):
                        _tell_of_answer(told, piece)
                    yield piece

    async def _pieces(self, ask: QueryRequest) -> AsyncGenerator[str | Answer, None]:
        answerer = self._answerer(ask)
        if answerer is None:
            quoted = self._finished(await self._quoted_answer(ask), ())
            ask.found(quoted.knowledge)
            yield quoted.text
            yield quoted
            return
        knowledge, steps = await self._prepared(ask)
        ask.found(knowledge)
        async with aclosing(answerer.stream(knowledge)) as pieces:
            async for piece in pieces:
                yield self._finished(piece, steps) if isinstance(piece, Answer) else piece

    async def _retrieved(self, ask: QueryRequest, names_by: NamesBy) -> Knowledge:
        retrieval = self.settings.retrieval
        name = ask.method or retrieval.method
        # No other method asks what a question names, so none needs a model for it.
        named = self._question_entities(names_by) if asks_for_names(name) else None
        budget = retrieval.context_tokens if ask.context_tokens is None else ask.context_tokens
        if name == AUTO and (whole := self._overview(ask)):
            return whole
        method = method_named(name, self.settings, named)
        if self.reranker is not None:
            method = RerankedMethod(method, self.reranker, self.settings.reranker.passages)
        with self.store.read(_heard(ask.only)) as reader:
            started = perf_counter()
            asked = spelled(ask.question, reader)
            spelling = TraceStep("check the spelling", asked.note, perf_counter() - started)
            step_done(spelling.name)
            found = await method.retrieve(asked.question, reader, self.embedder, budget)
        note = "; ".join(filter(None, (asked.note, found.note)))
        return replace(found, note=note, trace=(spelling, *found.trace))

    def _overview(self, ask: QueryRequest) -> Knowledge | None:
        """What the documents are about, where the question is about them all or one of them; None for any other."""
        asked = overview_question(ask.question)
        if asked is None:
            return None
        only = ask.only
        if asked.title:
            with self.store.read(_heard(only)) as reader:
                document = titled(reader, asked.title)
            if document is None:
                return None
            only = Filter(documents=(document,))
        budget = self.settings.retrieval.context_tokens if ask.context_tokens is None else ask.context_tokens
        with self.store.read(_heard(only)) as reader:
            found = overview(ask.question, reader, budget)
        return found if found.items else None

    async def _quoted_answer(self, ask: QueryRequest) -> Answer:
        """Quote the answer to a question made self-contained.

        An elliptic question ("And after five years?") is also asked as it is, and the answer to that is taken where it
        quotes more of the question's words from the same document: what was added has outweighed these.
        """
        names_by = self.settings.hypergraph.question_entities
        if self._settings_for(ask).by == "quotes":
            names_by = "names"
        alone = replace(ask, question=standalone(ask.question, ask.history))
        answer = await self._quoted(alone, names_by)
        own = words(elliptic(ask.question, ask.history))
        if not own or alone.question == ask.question:
            return answer
        other = await self._quoted(ask, names_by)
        return other if _quotes_more_of(own, other, answer) else answer

    async def _quoted(self, ask: QueryRequest, names_by: NamesBy) -> Answer:
        knowledge = self._overview(ask) or await self._retrieved(ask, names_by)
        if knowledge.method == OVERVIEW:
            return quote_overview(knowledge)
        with self.store.read(_heard(ask.only)) as reader:
            answer = await quote_answer(knowledge, self.embedder, reader)
        return answer if answer.answered else replace(answer, text=no_answer(_language_of(knowledge)))

    async def _prepared(self, ask: QueryRequest) -> tuple[Knowledge, tuple[TraceStep, ...]]:
        """Knowledge for a model, with the question made self-contained where it follows up, and the step that took."""
        names_by = self.settings.hypergraph.question_entities
        if not ask.history:
            return await self._retrieved(ask, names_by), ()
        question, _, step = await condense_question(ask.question, ask.history, self._model, self.prompts)
        return await self._retrieved(replace(ask, question=question), names_by), (step,)

    def _settings_for(self, ask: QueryRequest) -> AnswerSettings:
        return ask.answer or self.settings.answer

    def _answerer(self, ask: QueryRequest) -> LLMAnswerer | None:
        """Who answers; None where the answer is quoted.

        Raises
        ------
        SettingsError
            A model is to answer, and none is named.
        """
        settings = self._settings_for(ask)
        if settings.by == "quotes" or (settings.by == "auto" and not self.settings.model.name):
            return None
        budget = self.settings.retrieval.context_tokens if ask.context_tokens is None else ask.context_tokens
        return LLMAnswerer(self._model, self.prompts, settings, self.embedder, budget)

    def _question_entities(self, by: NamesBy) -> QueryEntityFinder:
        return StoreEntityFinder() if by == "names" else LLMEntityFinder(self._model, self.prompts)

    @property
    def _model(self) -> LanguageModel:
        model = self.load_model()
        if model is None:
            raise NO_MODEL
        return MeteredModel(model, self.bill)

    def _finished(self, answer: Answer, steps: tuple[TraceStep, ...]) -> Answer:
        """The answer with all that was done and paid for it, and the page of what each citation quotes."""
        return replace(
            answer,
            citations=tuple(replace(citation, place=self._paged(citation.place)) for citation in answer.citations),
            usage=self.bill.usage,
            trace=(*steps, *answer.trace, *self._not_entered()),
        )

    def _not_entered(self) -> list[TraceStep]:
        """That the ledger lacks a call, where it does."""
        problem = self.bill.not_entered
        return [TraceStep("enter in the ledger", f"it could not be: {problem}", 0.0)] if problem else []

    def _paged(self, place: SourceSpan) -> SourceSpan:
        """A place knows the page on which its chunk begins; a sentence of it may stand on a later one."""
        if place.page is None:
            return place
        with self.store.read() as reader, suppress(NotFound):
            document = reader.document(place.document_id)
            if document.text[place.span.start : place.span.end] == place.quote:
                return replace(place, page=page_of(document.pages, place.span.start))
        # It was changed or withdrawn since it was quoted: better no page than one of another version.
        return replace(place, page=None)


def _heard(only: Filter | None) -> Callable[[Reader], frozenset[str]] | None:
    """What a store is to be read through; None for all of it."""
    return None if only is None else partial(filter_documents, only=only)


def _language_of(knowledge: Knowledge) -> str:
    """The language of the question; where nothing in it tells, that of the best passages."""
    told = certain_language(knowledge.question)
    return told or detect_language(" ".join(item.text for item in knowledge.items[:_PASSAGES_OF_A_LANGUAGE]))


def _quotes_more_of(own: frozenset[str], answer: Answer, than: Answer) -> bool:
    """Whether the first quotation has more of some words than that of another answer, from the same document."""
    if not answer.citations or not than.citations:
        return False
    first, second = answer.citations[0].place, than.citations[0].place
    same = first.document_id == second.document_id
    return same and len(own & words(first.quote)) > len(own & words(second.quote))


def _tell_of_knowledge(told: TraceSpan, found: Knowledge) -> None:
    counts = {"polyadic.items": len(found.items), "polyadic.context_tokens": found.tokens}
    told.tell({"polyadic.method": found.method, **counts})


def _tell_of_answer(told: TraceSpan, answer: Answer) -> None:
    _tell_of_knowledge(told, answer.knowledge)
    told.tell({"polyadic.answered": answer.answered, "polyadic.citations": len(answer.citations)})


def _readable(ask: QueryRequest) -> QueryRequest:
    """The question, if it is one, as it can be read.

    An argument that could not be decoded holds half surrogates, which no model and no store can read.
    """
    if len(ask.question) > LONGEST_QUESTION:
        what = f"the question has {len(ask.question):,} characters, and at most {LONGEST_QUESTION:,} can be answered"
        raise PolyadicError(what, "ask in a few sentences, and index what they are about")
    turns = [Turn(_decoded(turn.question), _decoded(turn.answer)) for turn in ask.history]
    return replace(ask, question=_decoded(ask.question), history=turns)


def _decoded(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
