"""Put every question to every method, several at once, and write down what comes as soon as it is there."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

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
    """A question (by id) that a method, or what answers, could not deal with."""

    question: str
    method: str
    reason: str


@dataclass(frozen=True, slots=True)
class EvaluationRun:
    """How asking went: ``stopped`` says why it ended early, if it did.

    ``awaited`` are requests whose replies are to come from batch files; their questions have no result yet.
    """

    asked: int
    failures: tuple[QuestionFailure, ...] = ()
    stopped: str = ""
    awaited: tuple[PendingRequest, ...] = ()


async def ask_all(
    kb: QueryMixin,
    how: AnswerSettings,
    questions: Sequence[DatasetQuestion],
    plan: EvalPlan,
    journal: RecordJournal,
    report_progress: Callable[[int, int], None] = lambda done, all_of_them: None,
) -> EvaluationRun:
    """Ask what the journal does not hold yet.

    A question that fails is tried again by the next run. Where a model is not to be had, nothing new begins and what
    is under way is brought to its end.

    Parameters
    ----------
    kb
        What is asked: a workspace, or one whose model is asked by batch files.
    how
        How to answer, but for who does, which the plan says.
    report_progress
        Called after each question with how many are done and how many there are, all methods together.
    """
    missing = [(q, v) for q in questions for v in plan.variants if journal.get(q.id, v.label) is None]
    everything = len(questions) * len(plan.variants)
    left, failures, stopped, awaited, asked = (
        iter(missing),
        list[QuestionFailure](),
        list[str](),
        list[PendingRequest](),
        0,
    )
    answer = how.model_copy(update={"by": plan.answers}) if plan.answers != "none" else None
    if missing:
        await _warm_up(kb, missing[0][0])

    async def work() -> None:
        nonlocal asked
        for question, variant in _until(left, stopped):
            try:
                journal.add(await _asked(kb, question, variant, answer))
            except ReplyPending as problem:
                awaited.extend(problem.requests)
            except ModelUnavailable as problem:
                stopped.append(str(problem))
                return
            except PolyadicError as problem:
                failures.append(QuestionFailure(question.id, variant.label, str(problem)))
            asked += 1
            report_progress(everything - len(missing) + asked, everything)

    await asyncio.gather(*(work() for _ in range(min(plan.at_once, len(missing)))))
    return EvaluationRun(asked, tuple(failures), next(iter(stopped), ""), tuple(awaited))


async def _asked(
    kb: QueryMixin, question: DatasetQuestion, variant: MethodVariant, how: AnswerSettings | None
) -> QuestionRecord:
    if how is None:
        knowledge = await kb.aretrieve(question.text, variant.method, variant.context_tokens)
        return QuestionRecord.retrieved(question, variant.label, knowledge)
    answer = await kb.aquery(question.text, variant.method, variant.context_tokens, answer=how)
    return QuestionRecord.answered(question, variant.label, answer, "model" if how.by == "model" else "quotes")


async def _warm_up(kb: QueryMixin, question: DatasetQuestion) -> None:
    """Load what all methods share, so that the first question is not timed with it."""
    await kb.aretrieve(question.text, "chunks", 1)


def _until(
    left: Iterator[tuple[DatasetQuestion, MethodVariant]], stopped: Sequence[str]
) -> Iterator[tuple[DatasetQuestion, MethodVariant]]:
    """What is left, until something was stopped."""
    for question, variant in left:
        if stopped:
            return
        yield question, variant
