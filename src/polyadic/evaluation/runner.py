"""Ask every question with every method, concurrently, and write each record to the journal as it completes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.config import AnswerSettings
from polyadic.errors import ModelUnavailable, PolyadicError
from polyadic.evaluation.datasets import DatasetQuestion
from polyadic.evaluation.journal import RecordJournal
from polyadic.evaluation.plan import EvalPlan, MethodVariant
from polyadic.evaluation.record import QuestionRecord
from polyadic.llm.batch_model import PendingRequest, ReplyPending
from polyadic.query.api import QueryMixin


@dataclass(frozen=True, slots=True)
class QuestionFailure:
    """A question (by id) for which retrieval or answering failed."""

    question: str
    method: str
    reason: str


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """Outcome of asking; ``stopped`` is the reason if it ended early.

    ``pending`` are the requests whose batch replies are missing; their questions have no record yet.
    """

    asked: int
    failures: tuple[QuestionFailure, ...] = ()
    stopped: str = ""
    pending: tuple[PendingRequest, ...] = ()


async def ask_all(
    kb: QueryMixin,
    how: AnswerSettings,
    questions: Sequence[DatasetQuestion],
    plan: EvalPlan,
    journal: RecordJournal,
    report_progress: Callable[[int, int], None] = lambda done, total: None,
) -> EvaluationRun:
    """Ask the questions that have no record in the journal.

    Failed questions are retried by the next run. If a model is unavailable, no further question is started, and those
    in progress are completed.

    Parameters
    ----------
    kb
        Workspace, or a query API with batch replies.
    how
        Answer settings; ``by`` is taken from the plan.
    report_progress
        Called after each question with the numbers done and in total, over all methods.
    """
    missing = [(q, v) for q in questions for v in plan.variants if journal.get(q.id, v.label) is None]
    total = len(questions) * len(plan.variants)
    runner, failures, pending, asked = BoundedRunner(plan.at_once), list[QuestionFailure](), list[PendingRequest](), 0
    answer = how.model_copy(update={"by": plan.answers}) if plan.answers != "none" else None
    if missing:
        await _warm_up(kb, missing[0][0])

    async def ask(pair: tuple[DatasetQuestion, MethodVariant]) -> None:
        nonlocal asked
        question, variant = pair
        try:
            journal.add(await _ask(kb, question, variant, answer))
        except ReplyPending as problem:
            pending.extend(problem.requests)
        except ModelUnavailable:
            raise
        except PolyadicError as problem:
            failures.append(QuestionFailure(question.id, variant.label, str(problem)))
        asked += 1
        report_progress(total - len(missing) + asked, total)

    await runner.map(ask, missing)
    return EvaluationRun(asked, tuple(failures), runner.stopped, tuple(pending))


async def _ask(
    kb: QueryMixin, question: DatasetQuestion, variant: MethodVariant, how: AnswerSettings | None
) -> QuestionRecord:
    if how is None:
        knowledge = await kb.aretrieve(question.text, variant.method, variant.context_tokens)
        return QuestionRecord.retrieved(question, variant.label, knowledge)
    answer = await kb.aquery(question.text, variant.method, variant.context_tokens, answer=how)
    return QuestionRecord.answered(question, variant.label, answer, "model" if how.by == "model" else "quotes")


async def _warm_up(kb: QueryMixin, question: DatasetQuestion) -> None:
    """Load the data that all methods share, so that it does not count towards the first question's time."""
    await kb.aretrieve(question.text, "chunks", 1)
