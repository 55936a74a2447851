"""An evaluation from beginning to end: index the corpus once, put every question to every method, measure."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from filelock import FileLock, Timeout

from polyadic.errors import ModelUnavailable, StoreBusy, UnreadableDataset
from polyadic.evaluation import journal as journals
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.evaluation.breakdown import breakdowns
from polyadic.evaluation.budget_sweep import swept
from polyadic.evaluation.curves import curves
from polyadic.evaluation.dataset_formats import documents
from polyadic.evaluation.datasets import Dataset, DatasetQuestion
from polyadic.evaluation.indexing_cost import IndexingCost, construction_of, seconds_so_far
from polyadic.evaluation.journal import RecordJournal
from polyadic.evaluation.plan import EvalPlan, drawn, made_with
from polyadic.evaluation.record import QuestionRecord
from polyadic.evaluation.results import EvaluationResults, HeadToHead, RunTimes, cost_of
from polyadic.evaluation.runner import EvaluationRun, ask_all
from polyadic.evaluation.scorer import Scorer
from polyadic.evaluation.scores import Outcomes, ScoreTable
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.batch_model import ReplyPending
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.query.engine import NO_MODEL
from polyadic.workspace import Workspace

Said = Callable[[str], None]
"""Told how far the work has come, in words."""


@dataclass(frozen=True, slots=True)
class _Corpus:
    """The corpus as it was read, and how long that took in this run."""

    report: IndexReport
    construction: IndexingCost
    seconds: float


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What was retrieved and answered, by method and question, and how long asking took in this run."""

    asked: EvaluationRun
    records: tuple[tuple[QuestionRecord | None, ...], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Measured:
    """Scores and comparisons; ``stopped`` says why there are fewer than there should be."""

    scores: ScoreTable
    comparisons: tuple[HeadToHead, ...]
    seconds: float
    stopped: str = ""


async def evaluate(
    kb: Workspace,
    dataset: Dataset,
    plan: EvalPlan,
    folder: Path,
    say_progress: Said = lambda line: None,
    by_file: EvaluationBatch | None = None,
) -> EvaluationResults:
    """Evaluate methods on a data set.

    What was done before into the same folder is not done again: the corpus is indexed where it has to be, questions
    are asked that have no result yet, and judgements are remembered by the workspace.

    Parameters
    ----------
    kb
        Filled with the data set's passages, unless it holds them already.
    folder
        Where records are kept; made if it is not there.
    by_file
        Has the models asked by batch files instead of calls.

    Raises
    ------
    SettingsError
        A measure is not known, or needs a language model, and none is named.
    StoreError
        The folder holds results of another data set or of other settings.
    ModelUnavailable
        A model is not to be had, and nothing was done.
    ReplyPending
        Replies are to come from batch files; what could be done without them is kept.
    """
    if plan.answers == "model" and not kb.settings.model.name:
        raise NO_MODEL
    measures = Scorer(plan, kb, by_file)
    questions = drawn(dataset.questions, plan.limit, plan.seed)
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        corpus = await _index(kb, dataset, folder, say_progress, by_file)
        made = made_with(
            plan, dataset, kb.settings, PromptLibrary(kb.folder), kb.embedder.name, corpus.construction.counts
        )
        with RecordJournal(folder / journals.FILE_NAME, made) as journal:
            gathered = await _ask(kb, questions, plan, journal, say_progress, by_file)
            sweep = await swept(questions, plan, journal, measures.unjudged)
        say_progress("scoring")
        measured = await _measure(measures, questions, plan, gathered)
        if by_file:
            by_file.note(gathered.asked.awaited)
            if by_file.awaited:
                raise ReplyPending(*by_file.awaited)
    return EvaluationResults(
        dataset=dataset.name,
        plan=plan,
        questions=questions,
        records=gathered.records,
        scores=measured.scores,
        comparisons=measured.comparisons,
        breakdowns=tuple(breakdowns(questions, measured.scores)),
        sweep=sweep,
        curves=curves(questions, gathered.records, plan.context_tokens),
        construction=corpus.construction,
        costs=tuple(cost_of(row) for row in gathered.records),
        failures=gathered.asked.failures,
        stopped=gathered.asked.stopped or measured.stopped or corpus.report.stopped,
        model=kb.settings.model.name if plan.answers == "model" else "",
        notes=tuple(_notes(corpus, plan)),
        clock=RunTimes(corpus.seconds, gathered.seconds, measured.seconds),
    )


async def _index(
    kb: Workspace, dataset: Dataset, folder: Path, say_progress: Said, by_file: EvaluationBatch | None
) -> _Corpus:
    """Read the corpus, as far as that has not been done."""

    def report_progress(progress: IndexProgress) -> None:
        say_progress(f"indexing: {progress.documents:,} documents, {progress.texts_embedded:,} texts embedded")

    begun = perf_counter()
    read = by_file.index if by_file else kb.aadd
    report = await read(documents(dataset, kb.settings.reading), report_progress)
    if not report.documents:
        reason = f" ({report.skipped[0]})" if report.skipped else ""
        raise UnreadableDataset(f"{dataset.corpus} has no passage that can be read{reason}", "mend it")
    construction = construction_of(kb, seconds_so_far(folder, report))
    return _Corpus(report, construction, perf_counter() - begun)


async def _ask(
    kb: Workspace,
    questions: Sequence[DatasetQuestion],
    plan: EvalPlan,
    journal: RecordJournal,
    say_progress: Said,
    by_file: EvaluationBatch | None,
) -> _Gathered:
    """Ask what has no record yet; raises ModelUnavailable where there is nothing to show for it."""
    begun = perf_counter()
    asking = by_file.asking if by_file else kb
    asked = await ask_all(asking, kb.settings.answer, questions, plan, journal, _progress(say_progress))
    seconds = perf_counter() - begun
    records = tuple(tuple(journal.get(question.id, method) for question in questions) for method in plan.methods)
    if asked.stopped and not any(record for row in records for record in row):
        raise ModelUnavailable(asked.stopped)
    return _Gathered(asked, records, seconds)


async def _measure(
    measures: Scorer, questions: Sequence[DatasetQuestion], plan: EvalPlan, gathered: _Gathered
) -> _Measured:
    """Measure what can be: where the judge is not to be had, all but what it would judge."""
    begun = perf_counter()
    outcomes = _outcomes(questions, gathered.records)
    try:
        scores, comparisons = await measures.measured(outcomes, plan)
    except ModelUnavailable as problem:
        return _Measured(await measures.unjudged(outcomes), (), perf_counter() - begun, str(problem))
    return _Measured(scores, comparisons, perf_counter() - begun)


def _outcomes(questions: Sequence[DatasetQuestion], records: Sequence[Sequence[QuestionRecord | None]]) -> Outcomes:
    return [
        [record.outcome(question) if record else None for question, record in zip(questions, row, strict=True)]
        for row in records
    ]


def _notes(corpus: _Corpus, plan: EvalPlan) -> Iterator[str]:
    report, held = corpus.report, corpus.construction.counts.documents
    if report.skipped:
        yield f"passages that could not be read: {len(report.skipped):,}, among them {report.skipped[0]}"
    if report.failed:
        yield f"chunks without facts: {len(report.failed):,}, one of them because {report.failed[0].reason}"
    if held > report.documents:
        yield f"documents in the workspace that are none of the data set's: {held - report.documents:,}"
    if plan.answers == "quotes":
        yield "answers are sentences quoted from what was retrieved, by no language model"


def _progress(say_progress: Said) -> Callable[[int, int], None]:
    return lambda done, everything: say_progress(f"asking: {done:,} of {everything:,} questions, all methods together")


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keeps out another evaluation into the same folder."""
    try:
        with FileLock(folder / ".lock", timeout=0):
            yield
    except Timeout as error:
        raise StoreBusy(
            f"another evaluation is writing into {folder}", "wait for it, or choose another --out"
        ) from error
