"""Answer a question with a language model from retrieved knowledge, and validate every citation."""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from time import perf_counter

from polyadic.config import AnswerSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.errors import ModelUnavailable, NoReply, without_addresses
from polyadic.generation.citation_attribution import Attribution, TextEmbedder, attribute
from polyadic.generation.citation_parser import CitedText, marked
from polyadic.generation.claim_checker import check_claims, plan_check
from polyadic.generation.claim_support import SupportJudge
from polyadic.generation.context import ContextPiece, PromptContext, lay_out, prompt_room
from polyadic.generation.evidence_marks import without_copied_marks
from polyadic.generation.refusals import no_answer
from polyadic.generation.streamed_citations import RememberingEmbedder, RememberingJudge, StreamedCitations
from polyadic.llm.language_model import LanguageModel, ModelReply, ModelRequest
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Answer, Citation, Knowledge, TraceStep, Usage
from polyadic.retrieval.list_items import GROWTH
from polyadic.text.counts import count
from polyadic.text.language import detect_language
from polyadic.tracing.spans import step_done

NOTHING_FOUND = "nothing relevant was found, so no language model was asked"
NO_KNOWLEDGE = "(no knowledge is given)"
# Parsing a streamed reply takes time proportional to its length, so it is not parsed for every piece, but when it has
# grown by this share, or after this many seconds.
_GROWTH, _PAUSE = 0.02, 0.05


class LLMAnswerer:
    """Answerer that uses a language model.

    Parameters
    ----------
    model
        Writes the answer.
    prompts
        Provides ``answer`` and ``answer_alone``, or ``answer_think``, which all methods share, so that a judge finds
        reasoning in the answers of each.
    settings
        Format and style of answers.
    embedder
        Finds the sentence of a cited passage that supports a claim.
    context_tokens
        Token budget for the knowledge; reduced if the model's context is too small.
    judge
        Judges whether sentences support a claim, if there is a cross-encoder.
    checker
        The language model that checks the claims of the answer; None if they are not to be checked.
    """

    def __init__(
        self,
        model: LanguageModel,
        prompts: PromptLibrary,
        settings: AnswerSettings,
        embedder: Embedder,
        context_tokens: int,
        judge: SupportJudge | None = None,
        checker: LanguageModel | None = None,
    ) -> None:
        self._model = model
        self._prompts = prompts
        self._settings = settings
        self._embedder = embedder
        self._context_tokens = context_tokens
        self._judge = judge
        self._checker = checker

    async def answer(self, knowledge: Knowledge) -> Answer:
        """Return the complete answer.

        Raises
        ------
        ModelUnavailable, NoReply
            As LanguageModel.complete; NoReply also if no retrieved item fits into the context.
        """
        context = self._laid_out(knowledge)
        if self._has_nothing(knowledge, context):
            return self._unanswered(knowledge)
        reply = await self._model.complete(self._request(knowledge, context.text))
        return await self._finished(knowledge, context, reply, self._embedder, self._judge)

    async def stream(
        self, knowledge: Knowledge, with_citations: bool = False
    ) -> AsyncGenerator[str | Citation | Answer, None]:
        """Stream the text of the answer, then yield the answer; raises as :meth:`answer`.

        With citations, each is yielded once its sentence is complete; those of the last sentence are in the answer
        only.
        """
        context = self._laid_out(knowledge)
        if self._has_nothing(knowledge, context):
            unanswered = self._unanswered(knowledge)
            yield unanswered.text
            yield unanswered
            return
        written = shown = ""
        interval, embedder = _ParseInterval(), RememberingEmbedder(self._embedder)
        judge = RememberingJudge(self._judge) if self._judge else None
        citations = StreamedCitations(embedder, judge)
        async with _closing(self._model.stream(self._request(knowledge, context.text))) as pieces:
            async for piece in pieces:
                whole = isinstance(piece, ModelReply)
                written = piece.text if isinstance(piece, ModelReply) else written + piece
                if not (whole or interval.is_due(len(written))):
                    continue
                parsed = self._parse(written, context, whole)
                if len(parsed.text) > len(shown):
                    yield parsed.text[len(shown) :]
                    shown = parsed.text
                if with_citations and not whole:
                    for citation in await citations.further(shown, _cited(parsed, context)):
                        yield citation
                if isinstance(piece, ModelReply):
                    answer = await self._finished(knowledge, context, piece, embedder, judge)
                    if not shown:
                        yield answer.text
                    yield answer

    def _room(self, knowledge: Knowledge) -> int:
        """Return the token budget for knowledge, limited to what the model's context holds besides an answer.

        It grows with a long list (retrieval/list_items.py).
        """
        has_list = any(item.section.is_list for item in knowledge.items)
        is_long = has_list and knowledge.tokens > self._context_tokens
        budget = GROWTH * self._context_tokens if is_long else self._context_tokens
        return prompt_room(self._request(knowledge, " "), self._model, budget)

    def _laid_out(self, knowledge: Knowledge) -> PromptContext:
        """Lay out the context; empty if nothing was retrieved.

        Raises
        ------
        NoReply
            Items were retrieved, but none fits.
        """
        room = self._room(knowledge)
        context = lay_out(knowledge, room, self._settings.marked_facts)
        found = bool(knowledge.items) or knowledge.omitted > 0
        if found and self._has_nothing(knowledge, context):
            raise self._no_room_error(room)
        return context

    def _no_room_error(self, room: int) -> NoReply:
        what = f"nothing that was found fits into {room} tokens, so {self._model.name} was not asked"
        if room == self._context_tokens:
            return NoReply(what, "raise context_tokens under [retrieval], or lower tokens under [chunking]")
        holds = f"{what}, which holds {self._model.context_tokens}, question and answer included"
        return NoReply(
            holds, "set context_tokens of the model to what it holds, ask in fewer words, or name a larger model"
        )

    def _has_nothing(self, knowledge: Knowledge, context: PromptContext) -> bool:
        return knowledge.retrieves and not context.pieces

    def _unanswered(self, knowledge: Knowledge) -> Answer:
        text = no_answer(detect_language(knowledge.question))
        note = "; ".join(filter(None, (NOTHING_FOUND, knowledge.note)))
        return Answer(knowledge.question, text, False, (), knowledge, Usage(), note, knowledge.trace)

    def _request(self, knowledge: Knowledge, shown: str) -> ModelRequest:
        style = f"What is wanted: {self._settings.style}." if self._settings.style else ""
        if self._thinks:
            prompt = self._prompts.get("answer_think")
            filled = prompt.messages(question=knowledge.question, style=style, knowledge=shown or NO_KNOWLEDGE)
        elif shown:
            filled = self._prompts.get("answer").messages(question=knowledge.question, style=style, knowledge=shown)
        else:
            filled = self._prompts.get("answer_alone").messages(question=knowledge.question, style=style)
        return ModelRequest("answer", filled)

    @property
    def _thinks(self) -> bool:
        return self._settings.format == "think"

    def _parse(self, reply: str, context: PromptContext, whole: bool) -> CitedText:
        text = without_copied_marks(reply) if context.marks else reply
        return marked(text, len(context.pieces), self._thinks, whole)

    async def _finished(
        self,
        knowledge: Knowledge,
        context: PromptContext,
        reply: ModelReply,
        embedder: TextEmbedder,
        judge: SupportJudge | None,
    ) -> Answer:
        parsed = self._parse(reply.text, context, whole=True)
        if not parsed.text and not parsed.says_none:
            raise self._no_text_error(parsed, reply)
        shown = f"{len(context.pieces)} pieces of {context.tokens} tokens, with room for {self._room(knowledge)}"
        shown += f", {count(context.marks, 'sentence')} marked" if context.marks else ""
        detail = f"{shown}; {reply.usage.completion_tokens} tokens came back"
        steps = [TraceStep(f"ask {self._model.name}", detail, reply.seconds)]
        step_done(steps[0].name)
        started = perf_counter()
        attribution = await attribute(parsed.text, _cited(parsed, context), embedder, judge)
        detail = _checked(attribution, parsed.removed)
        steps.append(TraceStep("check the citations", detail, perf_counter() - started))
        step_done(steps[1].name)
        answer = Answer(
            question=knowledge.question,
            text=parsed.text or no_answer(detect_language(knowledge.question)),
            answered=bool(parsed.text) and not parsed.says_none,
            citations=attribution.citations,
            knowledge=knowledge,
            usage=reply.usage,
            note=self._note(knowledge, context, parsed, reply),
            trace=(*knowledge.trace, *steps),
            reasoning=parsed.reasoning,
            removed=parsed.removed,
            claims=attribution.claims,
        )
        if self._checker is None or not answer.claims:
            return answer
        return await self._with_checked_claims(answer, _cited(parsed, context), self._checker)

    async def _with_checked_claims(
        self, answer: Answer, cited: Sequence[ContextPiece], checker: LanguageModel
    ) -> Answer:
        """Check the claims of an answer; if that fails, they stay as they are, and the note says why."""
        started = perf_counter()
        attribution, usage = Attribution(answer.claims, answer.citations), Usage()
        check = plan_check(self._prompts, answer.question, answer.text, cited)
        try:
            attribution, reply = await check_claims(checker, check, attribution)
            usage, note = reply.usage, f"claims checked by {checker.name}"
            detail = _checked(attribution, removed=0)
        except (ModelUnavailable, NoReply) as problem:
            usage = (problem.usage if isinstance(problem, NoReply) else None) or usage
            detail = note = f"its claims could not be checked: {without_addresses(problem.what)}"
        step = TraceStep(f"check the claims with {checker.name}", detail, perf_counter() - started)
        step_done(step.name)
        return replace(
            answer,
            citations=attribution.citations,
            claims=attribution.claims,
            usage=answer.usage + usage,
            note=f"{answer.note}; {note}",
            trace=(*answer.trace, step),
        )

    def _note(self, knowledge: Knowledge, context: PromptContext, parsed: CitedText, reply: ModelReply) -> str:
        parts = [f"answered by {self._model.name}"]
        if not context.pieces:
            parts.append("from what the model knows, not from the documents")
        elif knowledge.extractors:
            parts.append(f"facts read by {', '.join(knowledge.extractors)}")
        if knowledge.note:
            parts.append(knowledge.note)
        if context.pieces and not parsed.numbers and not parsed.says_none:
            parts.append("it cites nothing: check it before you rely on it")
        if parsed.removed:
            one = parsed.removed == 1
            invalid = "1 invalid citation was" if one else f"{parsed.removed} invalid citations were"
            parts.append(f"{invalid} removed")
        if "</think>" in parsed.text:
            parts.append('the answer contains reasoning: set format = "think" under [answer] to separate it')
        if not reply.complete:
            parts.append("cut off at output_tokens")
        return "; ".join(parts)

    def _no_text_error(self, parsed: CitedText, reply: ModelReply) -> NoReply:
        what = f"{self._model.name} gave no answer" + (", only reasoning" if parsed.reasoning else "")
        enough = "raise output_tokens of the model, or ask again"
        return NoReply(what, "ask again" if reply.complete else enough)


def _cited(parsed: CitedText, context: PromptContext) -> list[ContextPiece]:
    """Return the pieces of the context that the markers of an answer cite, in turn."""
    return [context.pieces[number - 1] for number in parsed.numbers]


def _checked(attribution: Attribution, removed: int) -> str:
    """Describe the result of checking the citations."""
    claims = len(attribution.claims)
    unsupported = sum(not claim.supported for claim in attribution.claims)
    parts = [
        f"{claims - unsupported} of {claims} cited claims supported",
        f"{removed} invalid removed" if removed else "",
    ]
    return "; ".join(filter(None, parts))


class _ParseInterval:
    """Decides when a streamed reply is parsed again."""

    def __init__(self) -> None:
        self._length = 0
        self._at = 0.0

    def is_due(self, length: int) -> bool:
        """Return whether the reply of this length is to be parsed; if so, record it as parsed."""
        now = perf_counter()
        if length - self._length < _GROWTH * length and now - self._at < _PAUSE:
            return False
        self._length, self._at = length, now
        return True


@asynccontextmanager
async def _closing(pieces: AsyncIterator[str | ModelReply]) -> AsyncIterator[AsyncIterator[str | ModelReply]]:
    """Close the stream of a model on exit, so that its connection is released at once."""
    try:
        yield pieces
    finally:
        if isinstance(pieces, AsyncGenerator):
            await pieces.aclose()
