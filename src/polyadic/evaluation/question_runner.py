"""Ask every question of a data set with every method, or only retrieve for it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from polyadic.concurrency.bounded_runner import BoundedRunner
from polyadic.config import AnswerSettings, Settings
from polyadic.errors import ModelUnavailable, PolyadicError
from polyadic.evaluation.datasets import DatasetQuestion, corpus_id
from polyadic.evaluation.hierarchies import Hierarchies
from polyadic.evaluation.journal import RecordJournal
from polyadic.evaluation.plan import EvalPlan, SystemRun
from polyadic.evaluation.question_record import QuestionOutcome, QuestionRecord
from polyadic.llm.batch_model import PendingRequest, ReplyPending
from polyadic.query.api import QueryMixin
from polyadic.retrieval.overview import NAME as OVERVIEW
from polyadic.workspace import Workspace

EMBEDDING_STEP = "embed"


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
    query_api: QueryMixin,
    settings: Settings,
    hierarchies: Hierarchies,
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
    query_api
        Workspace, or a query API with batch replies.
    settings
        Settings of the workspace, which the systems vary; for answers, ``by`` is taken from the plan.
    hierarchies
        Hierarchies that the systems search.
    report_progress
        Called after each question with the numbers done and in total, over all methods.
    """
    missing = [(q, run) for q in questions for run in plan.runs if journal.get(q.id, run.label) is None]
    total = len(questions) * len(plan.runs)
    runner, failures, pending, asked = BoundedRunner(plan.at_once), list[QuestionFailure](), list[PendingRequest](), 0
    # Only the text of answers is measured.
    unchecked = settings.answer.overridden(by=plan.answers, check_claims=False)
    answer = unchecked if plan.answers != "none" else None
    apis = {
        system.name: query_api.with_settings(system.settings(settings), hierarchies.stores.get(system.name))
        for system in plan.systems
    }
    if missing:
        await _warm_up(query_api, missing[0][0])

    async def ask(pair: tuple[DatasetQuestion, SystemRun]) -> None:
        nonlocal asked
        question, run = pair
        try:
            fingerprint = hierarchies.fingerprint(run.system)
            journal.add(await _ask(apis[run.system.name], question, run, answer, fingerprint))
        except ReplyPending as problem:
            pending.extend(problem.requests)
        except ModelUnavailable:
            raise
        except PolyadicError as problem:
            failures.append(QuestionFailure(question.id, run.label, str(problem)))
        asked += 1
        report_progress(total - len(missing) + asked, total)

    await runner.map(ask, missing)
    return EvaluationRun(asked, tuple(failures), runner.stopped, tuple(pending))


async def _ask(
    query_api: QueryMixin, question: DatasetQuestion, run: SystemRun, how: AnswerSettings | None, fingerprint: str
) -> QuestionRecord:
    method = run.system.method
    if how is None:
        knowledge = await query_api.aretrieve(question.text, method, run.context_tokens)
        record = QuestionRecord.retrieved(question, run.label, knowledge)
    else:
        answer = await query_api.aquery(question.text, method, run.context_tokens, answer=how)
        knowledge = answer.knowledge
        record = QuestionRecord.answered(question, run.label, answer, "model" if how.by == "model" else "quotes")
    searched = run.system.needs_hierarchy or knowledge.method == OVERVIEW
    return replace(record, hierarchy=fingerprint) if searched else record


async def _warm_up(query_api: QueryMixin, question: DatasetQuestion) -> None:
    """Load the data that all methods share, so that it does not count towards the first question's time."""
    await query_api.aretrieve(question.text, "chunks", 1)


@dataclass(frozen=True, slots=True)
class RetrievalRun:
    """Outcome of one retrieval; ``seconds`` excludes ``embedding_seconds``."""

    outcome: QuestionOutcome
    seconds: float
    embedding_seconds: float


def run_method(
    workspace: Workspace, questions: Sequence[DatasetQuestion], method: str, context_tokens: int
) -> list[RetrievalRun]:
    """Retrieve for each question, in order."""
    runs = []
    for question in questions:
        knowledge = workspace.retrieve(question.text, method, context_tokens)
        embedding = sum(step.seconds for step in knowledge.trace if step.name.startswith(EMBEDDING_STEP))
        total = sum(step.seconds for step in knowledge.trace)
        passages = tuple(corpus_id(source) for source in knowledge.documents)
        texts = tuple(item.text for item in knowledge.items)
        outcome = QuestionOutcome(question, passages, texts, knowledge.tokens)
        runs.append(RetrievalRun(outcome, total - embedding, embedding))
    return runs
