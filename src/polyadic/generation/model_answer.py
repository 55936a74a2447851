"""An answer by a language model, from knowledge and nothing else, with every citation checked (DESIGN: answers)."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from time import perf_counter

from polyadic.errors import NoReply
from polyadic.generation.context import Context, lay_out
from polyadic.generation.marked import Marked, marked
from polyadic.generation.narrowing import narrowed
from polyadic.generation.phrases import no_answer
from polyadic.knowledge import Answer, Citation, Knowledge, Step, Usage
from polyadic.models.embedder import Embedder
from polyadic.models.language_model import LanguageModel, Reply, Request
from polyadic.models.tokens import count_tokens
from polyadic.prompts.library import Prompts
from polyadic.settings import AnswerSettings
from polyadic.text.language import detect_language

NOTHING_FOUND = "nothing was found that bears on the question, so no language model was asked"
# What a chat endpoint wraps around the messages, and that counting for another model is an estimate.
_AROUND_A_REQUEST = 50


class Answerer:
    """Answers from knowledge with a language model.

    Parameters
    ----------
    model
        Writes the answer.
    prompts
        Of which ``answer``, ``answer_think`` and ``answer_alone`` are used.
    settings
        Format and style.
    embedder
        Finds the sentence of a cited passage that bears a claim out.
    context_tokens
        How much knowledge the model is shown; less, where it cannot hold that.
    """

    def __init__(
        self, model: LanguageModel, prompts: Prompts, settings: AnswerSettings, embedder: Embedder, context_tokens: int
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._settings = settings
        self._embedder = embedder
        self._context_tokens = context_tokens

    async def answer(self, knowledge: Knowledge) -> Answer:
        """The answer, once it is whole.

        Raises
        ------
        ModelUnavailable, NoReply
            As LanguageModel.ask.
        """
        context = lay_out(knowledge, self._room(knowledge))
        if self._has_nothing(knowledge, context):
            return self._unanswered(knowledge)
        reply = await self._model.ask(self._request(knowledge, context.text))
        return await self._finished(knowledge, context, reply)

    async def stream(self, knowledge: Knowledge) -> AsyncGenerator[str | Answer, None]:
        """The text of the answer in pieces as they come, then the answer; raises as :meth:`answer` does."""
        context = lay_out(knowledge, self._room(knowledge))
        if self._has_nothing(knowledge, context):
            unanswered = self._unanswered(knowledge)
            yield unanswered.text
            yield unanswered
            return
        written = shown = ""
        async with _closing(self._model.stream(self._request(knowledge, context.text))) as pieces:
            async for piece in pieces:
                whole = isinstance(piece, Reply)
                written = piece.text if isinstance(piece, Reply) else written + piece
                text = self._read(written, context, whole).text
                if len(text) > len(shown):
                    yield text[len(shown) :]
                    shown = text
                if isinstance(piece, Reply):
                    answer = await self._finished(knowledge, context, piece)
                    if not shown:
                        yield answer.text
                    yield answer

    def _room(self, knowledge: Knowledge) -> int:
        """Tokens of knowledge to show: as many as are wanted, and no more than the model can hold beside its reply."""
        asked = (message.text for message in self._request(knowledge, " ").messages)
        held = self._model.context_tokens - self._model.output_tokens - sum(count_tokens([*asked])) - _AROUND_A_REQUEST
        return max(0, min(self._context_tokens, held))

    def _has_nothing(self, knowledge: Knowledge, context: Context) -> bool:
        return knowledge.method != "none" and not context.pieces

    def _unanswered(self, knowledge: Knowledge) -> Answer:
        text = no_answer(detect_language(knowledge.question))
        found = bool(knowledge.items) or knowledge.omitted > 0
        note = f"nothing that was found fits into {self._room(knowledge)} tokens, so no language model was asked"
        return Answer(
            knowledge.question, text, False, (), knowledge, Usage(), note if found else NOTHING_FOUND, knowledge.trace
        )

    def _request(self, knowledge: Knowledge, shown: str) -> Request:
        style = f"What is wanted: {self._settings.style}." if self._settings.style else ""
        if not shown:
            prompt = self._prompts.get("answer_alone")
            return Request("answer", prompt.messages(question=knowledge.question, style=style))
        prompt = self._prompts.get("answer_think" if self._thinks else "answer")
        filled = prompt.messages(question=knowledge.question, style=style, knowledge=shown)
        return Request("answer", filled)

    @property
    def _thinks(self) -> bool:
        return self._settings.format == "think"

    def _read(self, reply: str, context: Context, whole: bool) -> Marked:
        return marked(reply, len(context.pieces), self._thinks and bool(context.pieces), whole)

    async def _finished(self, knowledge: Knowledge, context: Context, reply: Reply) -> Answer:
        read = self._read(reply.text, context, whole=True)
        if not read.text and not read.says_none:
            raise self._wordless(read, reply)
        shown = f"{len(context.pieces)} pieces of {context.tokens} tokens, with room for {self._room(knowledge)}"
        detail = f"{shown}; {reply.usage.completion_tokens} tokens came back"
        steps = [Step(f"ask {self._model.name}", detail, reply.seconds)]
        started = perf_counter()
        found = await narrowed(read.text, [context.pieces[n - 1].places for n in read.numbers], self._embedder)
        citations = tuple(Citation(n, place, score) for n, (place, score) in enumerate(found, 1))
        removed = f"; {read.removed} removed, which pointed nowhere" if read.removed else ""
        steps.append(Step("check the citations", f"{len(citations)} hold{removed}", perf_counter() - started))
        return Answer(
            question=knowledge.question,
            text=read.text or no_answer(detect_language(knowledge.question)),
            answered=bool(read.text) and not read.says_none,
            citations=citations,
            knowledge=knowledge,
            usage=reply.usage,
            note=self._note(knowledge, context, read, reply),
            trace=(*knowledge.trace, *steps),
            reasoning=read.reasoning,
            removed=read.removed,
        )

    def _note(self, knowledge: Knowledge, context: Context, read: Marked, reply: Reply) -> str:
        parts = [f"answered by {self._model.name}"]
        if not context.pieces:
            parts.append("from what the model knows, not from the documents")
        elif knowledge.extractors:
            parts.append(f"facts read by {', '.join(knowledge.extractors)}")
        if context.pieces and not read.numbers and not read.says_none:
            parts.append("it cites nothing: check it before you rely on it")
        if read.removed:
            one = read.removed == 1
            said = (
                "1 citation that pointed nowhere was" if one else f"{read.removed} citations that pointed nowhere were"
            )
            parts.append(f"{said} removed")
        if "</think>" in read.text:
            parts.append('it thought aloud: with format = "think" under [answer] its thoughts are kept apart')
        if not reply.complete:
            parts.append("cut off at output_tokens")
        return "; ".join(parts)

    def _wordless(self, read: Marked, reply: Reply) -> NoReply:
        what = f"{self._model.name} gave no answer" + (", only its thoughts" if read.reasoning else "")
        enough = "raise output_tokens under [model], or ask again"
        return NoReply(what, "ask again" if reply.complete else enough)


@asynccontextmanager
async def _closing(pieces: AsyncIterator[str | Reply]) -> AsyncIterator[AsyncIterator[str | Reply]]:
    """Closes what a model says when nobody listens any more, so that the connection is let go at once."""
    try:
        yield pieces
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()
