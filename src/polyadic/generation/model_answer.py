"""An answer by a language model, from knowledge and nothing else, with every citation checked (DESIGN: answers)."""

from collections.abc import AsyncIterator
from time import perf_counter

from polyadic.generation.context import Context, lay_out
from polyadic.generation.marked import Marked, marked
from polyadic.generation.narrowing import narrowed
from polyadic.generation.phrases import no_answer
from polyadic.knowledge import Answer, Citation, Knowledge, Step, Usage
from polyadic.models.embedder import Embedder
from polyadic.models.language_model import LanguageModel, Reply, Request
from polyadic.prompts.library import Prompts
from polyadic.settings import AnswerSettings
from polyadic.text.language import detect_language
from polyadic.text.sentences import sentences

NOTHING_FOUND = "nothing was found that bears on the question, so no language model was asked"


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
        How much knowledge the model is shown.
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
        context = lay_out(knowledge, self._context_tokens)
        if self._has_nothing(knowledge, context):
            return _unanswered(knowledge)
        reply = await self._model.ask(self._request(knowledge, context))
        return await self._finished(knowledge, context, reply)

    async def stream(self, knowledge: Knowledge) -> AsyncIterator[str | Answer]:
        """The text of the answer in pieces as they come, then the answer; raises as :meth:`answer` does."""
        context = lay_out(knowledge, self._context_tokens)
        if self._has_nothing(knowledge, context):
            unanswered = _unanswered(knowledge)
            yield unanswered.text
            yield unanswered
            return
        written = shown = ""
        async for piece in self._model.stream(self._request(knowledge, context)):
            whole = isinstance(piece, Reply)
            written = piece.text if isinstance(piece, Reply) else written + piece
            text = self._read(written, context, whole).text
            if len(text) > len(shown):
                yield text[len(shown) :]
                shown = text
            if isinstance(piece, Reply):
                yield await self._finished(knowledge, context, piece)

    def _has_nothing(self, knowledge: Knowledge, context: Context) -> bool:
        return knowledge.method != "none" and not context.pieces

    def _request(self, knowledge: Knowledge, context: Context) -> Request:
        style = f"What is wanted: {self._settings.style}." if self._settings.style else ""
        if not context.pieces:
            prompt = self._prompts.get("answer_alone")
            return Request("answer", prompt.messages(question=knowledge.question, style=style))
        prompt = self._prompts.get("answer_think" if self._thinks else "answer")
        filled = prompt.messages(question=knowledge.question, style=style, knowledge=context.text)
        return Request("answer", filled)

    @property
    def _thinks(self) -> bool:
        return self._settings.format == "think"

    def _read(self, reply: str, context: Context, whole: bool) -> Marked:
        return marked(reply, len(context.pieces), self._thinks and bool(context.pieces), whole)

    async def _finished(self, knowledge: Knowledge, context: Context, reply: Reply) -> Answer:
        read = self._read(reply.text, context, whole=True)
        detail = (
            f"{len(context.pieces)} pieces of {context.tokens} tokens; {reply.usage.completion_tokens} tokens came back"
        )
        steps = [Step(f"ask {self._model.name}", detail, reply.seconds)]
        started = perf_counter()
        cited = [context.pieces[number - 1].place for number in read.numbers]
        found = await narrowed(list(zip(cited, _claims(read.text, len(cited)), strict=True)), self._embedder)
        citations = tuple(Citation(n, place, score) for n, (place, score) in enumerate(found, 1))
        removed = f"; {read.removed} pointed nowhere and were removed" if read.removed else ""
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
            parts.append(f"{read.removed} citations that pointed nowhere were removed")
        if not reply.complete:
            parts.append("cut off at output_tokens")
        return "; ".join(parts)


def _unanswered(knowledge: Knowledge) -> Answer:
    text = no_answer(detect_language(knowledge.question))
    return Answer(knowledge.question, text, False, (), knowledge, Usage(), NOTHING_FOUND, knowledge.trace)


def _claims(text: str, markers: int) -> list[str]:
    """What the answer says where it puts each marker: the sentences that carry it, without markers."""
    claims: list[list[str]] = [[] for _ in range(markers)]
    for span in sentences(text, detect_language(text)):
        sentence = text[span.start : span.end]
        bare = sentence
        carried = [n for n in range(1, markers + 1) if f"[{n}]" in sentence]
        for n in carried:
            bare = bare.replace(f"[{n}]", "")
        for n in carried:
            claims[n - 1].append(" ".join(bare.split()))
    return [" ".join(parts) or text for parts in claims]
