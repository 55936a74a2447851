"""Answer stored questions once their replies have arrived in batch files."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from polyadic.batch.question_files import BatchAnswer, BatchQuestion
from polyadic.batch.report import FailedQuestion
from polyadic.errors import NoReply
from polyadic.llm.batch_model import PendingRequest, ReplyPending
from polyadic.query.engine import QueryEngine
from polyadic.query.request import QueryRequest
from polyadic.storage.protocol import Store

_REPEATED = frozenset({"answer-step", "next-queries"})
"""Purposes of requests that follow one another for one question."""


@dataclass(slots=True)
class BatchQueryOutcome:
    """Answers, failed questions, and the number of questions whose requests have changed."""

    answers: list[BatchAnswer] = field(default_factory=list)
    failed: list[FailedQuestion] = field(default_factory=list)
    changed_questions: int = 0


@dataclass(frozen=True, slots=True)
class BatchQueryRunner:
    """Runner for stored questions.

    Parameters
    ----------
    store
        Store of the questions.
    engine
        Query engine with a batch model.
    errors
        Why the response to a request was unusable, by request key.
    note
        Called with each request whose reply is missing.
    """

    store: Store
    engine: QueryEngine
    errors: Mapping[str, str]
    note: Callable[[PendingRequest], None]

    async def answer_all(self) -> BatchQueryOutcome:
        """Answer the questions whose replies are known, in the order of their files; no question is deleted."""
        outcome = BatchQueryOutcome()
        with self.store.write() as writer:
            questions = [BatchQuestion.load(content) for _, content in writer.waiting.questions()]
        for question in sorted(questions, key=lambda question: (question.number, question.key)):
            await self._answer(question, outcome)
            await asyncio.sleep(0)  # allow cancellation
        return outcome

    async def _answer(self, question: BatchQuestion, outcome: BatchQueryOutcome) -> None:
        settings = self.engine.settings.answer.model_copy(update={"by": "model"})
        try:
            answer = await self.engine.answer(
                QueryRequest(question.question, question.method, question.context_tokens, answer=settings)
            )
        except ReplyPending as pending:
            outcome.changed_questions += self._wait(question, pending)
            for request in pending.requests:
                if request.key in self.errors:
                    outcome.failed.append(FailedQuestion(question.id, question.question, self.errors[request.key]))
                self.note(request)
        except NoReply as problem:
            outcome.failed.append(FailedQuestion(question.id, question.question, str(problem)))
        else:
            outcome.answers.append(BatchAnswer.of(question, answer))

    def _wait(self, question: BatchQuestion, pending: ReplyPending) -> bool:
        """Store the pending requests of a question; return whether they replace earlier ones of the same purpose."""
        purposes = {request.key: request.purpose for request in pending.requests}
        with self.store.write() as writer:
            before = writer.waiting.keys(question.key)
            writer.waiting.put(question.key, purposes)
        return any(
            purpose in before.values() and key not in before and purpose not in _REPEATED
            for key, purpose in purposes.items()
        )
