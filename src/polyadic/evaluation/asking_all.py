"""Put every question to every method, several at once, and write down what comes as soon as it is there."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from polyadic.errors import ModelUnavailable, PolyadicError
from polyadic.evaluation.datasets import Question
from polyadic.evaluation.journal import Journal
from polyadic.evaluation.plan import Plan, Variant
from polyadic.evaluation.record import Record
from polyadic.models.by_file import Noted, ReplyAwaited
from polyadic.questions import Questions
from polyadic.settings import AnswerSettings


@dataclass(frozen=True, slots=True)
class Failure:
    """A question (by id) that a method, or what answers, could not deal with."""

    question: str
    method: str
    reason: str


@dataclass(frozen=True, slots=True)
class Asked:
    """How asking went: ``stopped`` says why it ended early, if it did.

    ``awaited`` are requests whose replies are to come from batch files; their questions have no result yet.
    """

    asked: int
    failures: tuple[Failure, ...] = ()
    stopped: str = ""
    awaited: tuple[Noted, ...] = ()


async def ask_all(
    kb: Questions,
    how: AnswerSettings,
    questions: Sequence[Question],
    plan: Plan,
    journal: Journal,
    report_progress: Callable[[int, int], None] = lambda done, all_of_them: None,
) -> Asked:
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
    left, failures, stopped, awaited, asked = iter(missing), list[Failure](), list[str](), list[Noted](), 0
    answer = how.model_copy(update={"by": plan.answers}) if plan.answers != "none" else None
    if missing:
        await _warm_up(kb, missing[0][0])

    async def work() -> None:
        nonlocal asked
        for question, variant in _until(left, stopped):
            try:
                journal.add(await _asked(kb, question, variant, answer))
            except ReplyAwaited as problem:
                awaited.extend(problem.requests)
            except ModelUnavailable as problem:
                stopped.append(str(problem))
                return
            except PolyadicError as problem:
                failures.append(Failure(question.id, variant.label, str(problem)))
            asked += 1
            report_progress(everything - len(missing) + asked, everything)

    await asyncio.gather(*(work() for _ in range(min(plan.at_once, len(missing)))))
    return Asked(asked, tuple(failures), next(iter(stopped), ""), tuple(awaited))


async def _asked(kb: Questions, question: Question, variant: Variant, how: AnswerSettings | None) -> Record:
    if how is None:
        knowledge = await kb.aretrieve(question.text, variant.method, variant.context_tokens)
        return Record.retrieved(question, variant.label, knowledge)
    answer = await kb.aquery(question.text, variant.method, variant.context_tokens, answer=how)
    return Record.answered(question, variant.label, answer, "model" if how.by == "model" else "quotes")


async def _warm_up(kb: Questions, question: Question) -> None:
    """Load what all methods share, so that the first question is not timed with it."""
    await kb.aretrieve(question.text, "chunks", 1)


def _until(left: Iterator[tuple[Question, Variant]], stopped: Sequence[str]) -> Iterator[tuple[Question, Variant]]:
    """What is left, until something was stopped."""
    for question, variant in left:
        if stopped:
            return
        yield question, variant
