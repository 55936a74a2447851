"""From a question to knowledge and to an answer, with a language model or without one, as the settings say."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

from polyadic.errors import SettingsError
from polyadic.generation.extractive import quote_answer
from polyadic.generation.follow_up import self_contained, with_last_question
from polyadic.generation.model_answer import Answerer
from polyadic.knowledge import Answer, Knowledge, Step, Turn, Usage
from polyadic.models.embedder import Embedder
from polyadic.models.language_model import LanguageModel
from polyadic.prompts.library import Prompts
from polyadic.retrieval.question_entities import KnownNames, ModelNames, QuestionEntities
from polyadic.retrieval.registry import method_named
from polyadic.settings import AnswerSettings, Settings
from polyadic.store.protocol import Store

NO_MODEL = SettingsError(
    "this needs a language model, and none is named",
    "polyadic init --preset openai (or ollama, ...) names one, or set name under [model]",
)


@dataclass(frozen=True, slots=True)
class Ask:
    """A question and how it is to be answered; what is left out is as the settings say.

    ``history`` is the conversation so far: a question that follows up on it is made self-contained first.
    """

    question: str
    method: str | None = None
    context_tokens: int | None = None
    history: Sequence[Turn] = ()
    answer: AnswerSettings | None = None


@dataclass(frozen=True, slots=True)
class Asker:
    """What questions are answered with; ``model`` is None where the settings name none."""

    settings: Settings
    store: Store
    embedder: Embedder
    model: LanguageModel | None
    prompts: Prompts

    async def retrieve(self, ask: Ask) -> Knowledge:
        """The knowledge that bears on a question as it stands."""
        retrieval = self.settings.retrieval
        method = method_named(ask.method or retrieval.method, self.settings, self._question_entities())
        budget = retrieval.context_tokens if ask.context_tokens is None else ask.context_tokens
        asked = ask.question.encode("utf-8", "replace").decode("utf-8")  # an undecodable argument holds half surrogates
        with self.store.read() as reader:
            return await method.retrieve(asked, reader, self.embedder, budget)

    async def answer(self, ask: Ask) -> Answer:
        """The answer, once it is whole."""
        knowledge, step, usage = await self._prepared(ask)
        answerer = self._answerer(ask)
        made = await (answerer.answer(knowledge) if answerer else quote_answer(knowledge, self.embedder))
        return _summed(made, step, usage)

    async def stream(self, ask: Ask) -> AsyncGenerator[str | Answer, None]:
        """The text of the answer in pieces as they come, then the answer."""
        knowledge, step, usage = await self._prepared(ask)
        answerer = self._answerer(ask)
        if answerer is None:
            quoted = _summed(await quote_answer(knowledge, self.embedder), step, usage)
            yield quoted.text
            yield quoted
            return
        async for piece in answerer.stream(knowledge):
            yield _summed(piece, step, usage) if isinstance(piece, Answer) else piece

    async def _prepared(self, ask: Ask) -> tuple[Knowledge, tuple[Step, ...], Usage]:
        """Knowledge for the question, made self-contained where it follows up on another, and what that took."""
        if not ask.history:
            return await self.retrieve(ask), (), Usage()
        if self._answerer(ask) is None or self.model is None:
            return (
                await self.retrieve(replace(ask, question=with_last_question(ask.question, ask.history))),
                (),
                Usage(),
            )
        question, usage, step = await self_contained(ask.question, ask.history, self.model, self.prompts)
        return await self.retrieve(replace(ask, question=question)), (step,), usage

    def _answerer(self, ask: Ask) -> Answerer | None:
        """Who answers; None where the answer is quoted.

        Raises
        ------
        SettingsError
            A model is to answer, and none is named.
        """
        settings = ask.answer or self.settings.answer
        if settings.by == "quotes" or (settings.by == "auto" and self.model is None):
            return None
        if self.model is None:
            raise NO_MODEL
        budget = self.settings.retrieval.context_tokens if ask.context_tokens is None else ask.context_tokens
        return Answerer(self.model, self.prompts, settings, self.embedder, budget)

    def _question_entities(self) -> QuestionEntities:
        if self.settings.hypergraph.question_entities == "names":
            return KnownNames()
        if self.model is None:
            raise NO_MODEL
        return ModelNames(self.model, self.prompts)


def _summed(answer: Answer, step: tuple[Step, ...], usage: Usage) -> Answer:
    """The answer with all that was done and paid for it."""
    total = usage + answer.knowledge.usage + answer.usage
    return replace(answer, usage=total, trace=(*step, *answer.trace))
