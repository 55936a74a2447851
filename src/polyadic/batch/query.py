"""Answers the questions that are kept until their replies have come from batch files."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from polyadic.batch.question_files import BatchAnswer, BatchQuestion
from polyadic.batch.report import FailedQuestion
from polyadic.errors import NoReply
from polyadic.llm.batch_model import PendingRequest, ReplyPending
from polyadic.query.engine import QueryEngine, QueryRequest
from polyadic.storage.protocol import Store


@dataclass(slots=True)
class BatchQueryOutcome:
    """What came of it: answers, questions that could not be answered, and how many are asked in other words again."""

    answers: list[BatchAnswer] = field(default_factory=list)
    failed: list[FailedQuestion] = field(default_factory=list)
    asked_again: int = 0


@dataclass(frozen=True, slots=True)
class BatchQueryRunner:
    """What the questions are answered with; ``asker`` has a model that is asked by file, ``errors`` says by request
    why a response was of no use, and ``note`` is told of each request whose reply is missing."""

    store: Store
    asker: QueryEngine
    errors: Mapping[str, str]
    note: Callable[[PendingRequest], None]

    async def answer_all(self) -> BatchQueryOutcome:
        """Answer what can be answered, in the order of the questions' files. None of them is forgotten yet."""
        outcomes = BatchQueryOutcome()
        with self.store.write() as writer:
            questions = [BatchQuestion.load(content) for _, content in writer.waiting.asked()]
        for question in sorted(questions, key=lambda question: (question.number, question.key)):
            await self._answer(question, outcomes)
            await asyncio.sleep(0)  # a place to be cancelled at
        return outcomes

    async def _answer(self, question: BatchQuestion, outcomes: BatchQueryOutcome) -> None:
        settings = self.asker.settings.answer.model_copy(update={"by": "model"})
        try:
            answer = await self.asker.answer(
                QueryRequest(question.question, question.method, question.context_tokens, answer=settings)
            )
        except ReplyPending as awaited:
            outcomes.asked_again += self._wait(question, awaited)
            for request in awaited.requests:
                if request.key in self.errors:
                    outcomes.failed.append(FailedQuestion(question.id, question.question, self.errors[request.key]))
                self.note(request)
        except NoReply as problem:
            outcomes.failed.append(FailedQuestion(question.id, question.question, str(problem)))
        else:
            outcomes.answers.append(BatchAnswer.of(question, answer))

    def _wait(self, question: BatchQuestion, awaited: ReplyPending) -> bool:
        """Keep what the question waits for; whether that asks the same in other words than before."""
        wanted = {request.key: request.purpose for request in awaited.requests}
        with self.store.write() as writer:
            before = writer.waiting.keys(question.key)
            writer.waiting.put(question.key, wanted)
        return any(purpose in before.values() and key not in before for key, purpose in wanted.items())
