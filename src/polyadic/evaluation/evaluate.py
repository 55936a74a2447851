"""Run an evaluation: index the corpus once, ask every question with every method, and score the results."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from filelock import FileLock, Timeout

from polyadic.errors import NO_MODEL, ModelUnavailable, StoreBusy, UnreadableDataset
from polyadic.evaluation import journal as journals
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.evaluation.breakdown import breakdowns
from polyadic.evaluation.budget_sweep import BudgetSweep, swept
from polyadic.evaluation.dataset_formats import documents
from polyadic.evaluation.datasets import Dataset, DatasetQuestion
from polyadic.evaluation.hierarchies import Hierarchies, HierarchyPreparation
from polyadic.evaluation.indexing_cost import IndexingCost, add_seconds, construction_of, seconds_so_far
from polyadic.evaluation.journal import RecordJournal
from polyadic.evaluation.plan import EvalPlan, drawn, made_with
from polyadic.evaluation.question_record import QuestionRecord
from polyadic.evaluation.question_runner import EvaluationRun, ask_all
from polyadic.evaluation.result_notes import notes
from polyadic.evaluation.results import EvaluationResults, HeadToHead, RunTimes, cost_of
from polyadic.evaluation.retrieval_curves import curves
from polyadic.evaluation.score_table import Outcomes, ScoreTable, differences
from polyadic.evaluation.scorer import Scorer
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.batch_model import ReplyPending
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.optional_dependencies import need_hierarchy
from polyadic.workspace import Workspace

ProgressCallback = Callable[[str], None]
"""Callback that receives progress messages."""


@dataclass(frozen=True, slots=True)
class _Indexing:
    """Outcome of indexing the corpus, and its duration in this run in seconds."""

    report: IndexReport
    seconds: float


@dataclass(frozen=True, slots=True)
class _Gathered:
    """Records by method and question, and the duration of asking in this run in seconds."""

    asked: EvaluationRun
    records: tuple[tuple[QuestionRecord | None, ...], ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class _Measured:
    """Scores and comparisons; ``stopped`` is the reason if some are missing."""

    scores: ScoreTable
    comparisons: tuple[HeadToHead, ...]
    seconds: float
    stopped: str = ""


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What an evaluation has measured."""

    questions: tuple[DatasetQuestion, ...]
    indexing: IndexReport
    construction: IndexingCost
    gathered: _Gathered
    sweep: BudgetSweep | None
    measured: _Measured
    clock: RunTimes

    def results(self, kb: Workspace, dataset: Dataset, plan: EvalPlan) -> EvaluationResults:
        """Derive differences, breakdowns, curves and costs."""
        questions, gathered, measured = self.questions, self.gathered, self.measured
        costs = tuple(cost_of(row) for row in gathered.records)
        return EvaluationResults(
            dataset=dataset.name,
            plan=plan,
            questions=questions,
            records=gathered.records,
            scores=measured.scores,
            differences=tuple(differences(plan.systems, measured.scores)),
            comparisons=measured.comparisons,
            breakdowns=tuple(breakdowns(questions, measured.scores)),
            sweep=self.sweep,
            curves=curves(questions, gathered.records, plan.context_tokens),
            construction=self.construction,
            costs=costs,
            failures=gathered.asked.failures,
            stopped=gathered.asked.stopped or measured.stopped or self.indexing.stopped,
            model=kb.settings.model.of_role("answers").name if plan.answers == "model" else "",
            notes=tuple(notes(plan, self.indexing, self.construction, costs)),
            clock=self.clock,
        )


async def evaluate(
    kb: Workspace,
    dataset: Dataset,
    plan: EvalPlan,
    folder: Path,
    say_progress: ProgressCallback = lambda line: None,
    by_file: EvaluationBatch | None = None,
) -> EvaluationResults:
    """Evaluate methods on a data set.

    An evaluation into the same folder resumes: only changed documents are indexed, only questions without a record are
    asked, and judgements are cached in the workspace.

    Parameters
    ----------
    kb
        Workspace to index the data set's passages into, unless it holds them already.
    dataset
        Corpus and questions.
    plan
        Methods, measures and budgets.
    folder
        Folder for records; created if necessary.
    say_progress
        Called with progress messages.
    by_file
        Sends model requests by batch files instead of online calls.

    Returns
    -------
    EvaluationResults
        Records, scores and costs.

    Raises
    ------
    SettingsError
        A measure is unknown, or a measure or method needs a language model and none is configured.
    StoreError
        The folder holds results of another data set or of other settings.
    ModelUnavailable
        A model is unavailable, and there are no results yet.
    ReplyPending
        Replies from batch files are missing; results that do not need them are kept.
    """
    needs_model = plan.answers == "model" or any(system.needs_model for system in plan.systems)
    if needs_model and not kb.settings.model.of_role("answers").name:
        raise NO_MODEL
    if any(system.needs_hierarchy for system in plan.systems):
        need_hierarchy(kb.settings.hierarchy_build.reduction)
    outcome = await _run(kb, dataset, plan, folder, say_progress, by_file)
    return outcome.results(kb, dataset, plan)


async def _run(
    kb: Workspace,
    dataset: Dataset,
    plan: EvalPlan,
    folder: Path,
    say_progress: ProgressCallback,
    by_file: EvaluationBatch | None,
) -> _Outcome:
    """Index the corpus, prepare hierarchies, ask the questions and score the answers."""
    measures = Scorer(plan, kb, by_file)
    questions = drawn(dataset.questions, plan.limit, plan.seed)
    folder.mkdir(parents=True, exist_ok=True)
    preparation = HierarchyPreparation(kb, folder, say_progress, by_file)
    with _locked(folder):
        indexing = await _index(kb, dataset, folder, say_progress, by_file)
        with _journal(kb, dataset, plan, folder) as journal:
            # The journal is opened first: it refuses other settings before a hierarchy is paid for.
            async with preparation.prepared(plan.systems) as hierarchies:
                journal.drop_outdated({run.label: hierarchies.fingerprint(run.system) for run in plan.runs})
                gathered = await _ask(kb, hierarchies, questions, plan, journal, say_progress, by_file)
            sweep = await swept(questions, plan, journal, measures.unjudged)
        construction = construction_of(kb, seconds_so_far(folder), hierarchies.own_usage, hierarchies.costs)
        say_progress("scoring")
        measured = await _measure(measures, questions, plan, gathered)
        if by_file:
            by_file.note(gathered.asked.pending)
            if by_file.pending:
                raise ReplyPending(*by_file.pending)
    clock = RunTimes(indexing.seconds + hierarchies.seconds, gathered.seconds, measured.seconds)
    return _Outcome(questions, indexing.report, construction, gathered, sweep, measured, clock)


async def _index(
    kb: Workspace, dataset: Dataset, folder: Path, say_progress: ProgressCallback, by_file: EvaluationBatch | None
) -> _Indexing:
    """Index the corpus, except for unchanged documents."""

    def report_progress(progress: IndexProgress) -> None:
        say_progress(f"indexing: {progress.documents:,} documents, {progress.texts_embedded:,} texts embedded")

    begun = perf_counter()
    index_documents = by_file.index if by_file else kb.aadd
    report = await index_documents(documents(dataset, kb.settings.reading), report_progress)
    if not report.documents:
        reason = f" ({report.skipped[0]})" if report.skipped else ""
        raise UnreadableDataset(f"{dataset.corpus} has no readable passage{reason}", "fix the file")
    if report.chunks:
        add_seconds(folder, report.seconds)
    return _Indexing(report, perf_counter() - begun)


def _journal(kb: Workspace, dataset: Dataset, plan: EvalPlan, folder: Path) -> RecordJournal:
    with kb.store().read() as reader:
        counts = reader.records.counts()
    dependencies = made_with(plan, dataset, kb.settings, PromptLibrary(kb.folder), kb.embedder.name, counts)
    return RecordJournal(folder / journals.FILE_NAME, dependencies)


async def _ask(
    kb: Workspace,
    hierarchies: Hierarchies,
    questions: Sequence[DatasetQuestion],
    plan: EvalPlan,
    journal: RecordJournal,
    say_progress: ProgressCallback,
    by_file: EvaluationBatch | None,
) -> _Gathered:
    """Ask the questions without a record; raises ModelUnavailable if there is no record at all."""
    begun = perf_counter()
    query_api = by_file.asking if by_file else kb
    run = await ask_all(query_api, kb.settings, hierarchies, questions, plan, journal, _progress(say_progress))
    seconds = perf_counter() - begun
    records = tuple(tuple(journal.get(question.id, method) for question in questions) for method in plan.names)
    if run.stopped and not any(record for row in records for record in row):
        raise ModelUnavailable(run.stopped)
    return _Gathered(run, records, seconds)


async def _measure(
    measures: Scorer, questions: Sequence[DatasetQuestion], plan: EvalPlan, gathered: _Gathered
) -> _Measured:
    """Score the outcomes; if the judge is unavailable, with the other measures only."""
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


def _progress(say_progress: ProgressCallback) -> Callable[[int, int], None]:
    return lambda done, total: say_progress(f"asking: {done:,} of {total:,} questions, over all methods")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock the folder against other evaluations."""
    try:
        with FileLock(folder / ".lock", timeout=0):
            yield
    except Timeout as error:
        raise StoreBusy(
            f"another evaluation is writing into {folder}", "wait for it, or choose another --out"
        ) from error
