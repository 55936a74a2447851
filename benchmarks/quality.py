"""Generate the tables of docs/quality.md and of the pages quality-*.md: ``python -m benchmarks.quality [FOLDER]``.

This takes about half an hour on two cores, once the workspaces are filled. Everything is measured without a language
model on the data in POLYADIC_DATA, on recorded facts of a model for 2wiki-101 served over HTTP, and on documents from
Debian packages. FOLDER keeps these documents and the filled workspaces for the next run; without it, a temporary folder
is used.
"""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks import ablation, entity_resolution, extraction, hierarchy, representations, robustness
from benchmarks.data import SETS, data_folder, filled, load
from benchmarks.holdout_log import note_look
from benchmarks.ordinary import section as ordinary
from benchmarks.ordinary.documents import fetched
from benchmarks.recorded_workspace import RECORDED, recorded_workspace
from benchmarks.report_sections import QUALITY, given_folder, rewrite
from polyadic.evaluation.answer_checks import can_be_quoted, quotes_the_answer
from polyadic.evaluation.bootstrap import interval
from polyadic.evaluation.datasets import Dataset, DatasetQuestion
from polyadic.evaluation.measures.all_gold import AllGold
from polyadic.evaluation.measures.measure import Measure, scores_of
from polyadic.evaluation.measures.passage_recall import PassageRecall
from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.evaluation.retrieval_run import run_method
from polyadic.workspace import Workspace

METHODS = ("chunks", "hypergraph", "walk", "auto")
CONTEXT_TOKENS = 4000

HEAD = """# Quality

This page measures retrieval, answers, extraction and entity resolution. Three pages go on from here:

| page | measures |
|---|---|
| [Ablation of `walk`](quality-walk.md) | `walk` without each of its parts, and with other parameters |
| [Hierarchy](quality-hierarchy.md) | the methods that use the hierarchy, and what was built |
| [Ordinary documents](quality-ordinary.md) | manuals, tables, laws, mail and more in six languages |

`python -m benchmarks.quality [FOLDER]` generates the tables of all four pages from the data in `POLYADIC_DATA`; FOLDER
keeps the filled workspaces for the next run. A section that names a command can be generated alone. `python -m
benchmarks.representations [FOLDER]` prints the section on facts in pairs.

Facts are read by the extractor without a model except where it says otherwise, vectors are all-MiniLM-L6-v2's, and no
retrieval asks a model. What could be chosen was chosen on the even-numbered questions; all questions and the odd half
stand side by side, and [looks.md](../benchmarks/looks.md) logs every look at that half. In brackets: 95 % bootstrap
interval over the questions.
"""

WITH_A_MODEL = """
### {name}, {questions} questions, facts by a language model

The n-ary facts that a large language model gave for each passage, recorded; they go the way of any model's facts.
"""

EXTRACTION = """
## Extraction without a model

Against what people annotated in HyperRED (dev, 1,000 sentences) and Re-DocRED (dev, 200 documents). Text is put
together from its tokens; names must agree in all letters and digits. Pronouns are not given by this extractor and are
counted apart. Each sentence is read alone, so no title takes part.

| measure | all | odd half |
|---|---|---|"""

PROSE = """
Of ordinary documents, kind by kind: sentences of prose (of at least four words, with a mark at their end), the share of
them with fewer than two names and terms, which make no fact, and how many the facts have.

| documents | sentences of prose | without a fact | participants a fact |
|---|---|---|---|"""


def main() -> None:
    note_look("`benchmarks.quality`: all of it")
    with given_folder() as folder:
        fetched(folder)  # first, so that a machine without these packages stops before anything is measured
        lines = [
            HEAD,
            *_measured(folder),
            f"\n{entity_resolution.HEADING}\n",
            *entity_resolution.section(data_folder()),
            f"\n{robustness.HEADING}",
            *robustness.section(folder),
        ]
        QUALITY.write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"wrote {QUALITY}")
        for page in (ordinary, ablation, hierarchy):
            rewrite(page.PAGE, page.HEADING, page.section(folder))


def _measured(folder: Path) -> Iterator[str]:
    """Yield the sections of this module."""
    datasets = [load(name) for name in SETS]
    with ExitStack() as stack:
        workspaces = [stack.enter_context(filled(dataset, folder)) for dataset in datasets]
        yield from _retrieval(datasets, workspaces)
        yield from _with_a_model(folder)
        yield from _answers(datasets, workspaces)
    yield EXTRACTION
    yield from extraction.table(data_folder())
    yield PROSE
    yield from extraction.prose_table(data_folder())


def _retrieval(datasets: Sequence[Dataset], workspaces: Sequence[Workspace]) -> Iterator[str]:
    yield "## Retrieval: gold passages among the first five\n"
    yield f"A question's gold passages are all needed to answer it. {CONTEXT_TOKENS:,} tokens of knowledge a question."
    for dataset, workspace in zip(datasets, workspaces, strict=True):
        yield f"\n### {dataset.name}, {len(dataset.questions)} questions\n"
        yield from _methods(dataset, workspace)


def _with_a_model(folder: Path) -> Iterator[str]:
    dataset = load(RECORDED)
    yield WITH_A_MODEL.format(name=RECORDED, questions=len(dataset.questions))
    with recorded_workspace(folder) as workspace:
        yield from _methods(dataset, workspace)
        yield from representations.section(workspace, dataset.questions)


def _methods(dataset: Dataset, workspace: Workspace) -> Iterator[str]:
    yield "| method | recall@5 | odd half | all gold@5 | all gold@8 |\n|---|---|---|---|---|"
    for method in METHODS:
        outcomes = [run.outcome for run in run_method(workspace, dataset.questions, method, CONTEXT_TOKENS)]
        measures: list[tuple[Sequence[QuestionOutcome], Measure]] = [
            (outcomes, PassageRecall(5)),
            (outcomes[1::2], PassageRecall(5)),
            (outcomes, AllGold(5)),
            (outcomes, AllGold(8)),
        ]
        cells = [str(interval(scores_of(measure, part))) for part, measure in measures]
        yield f"| `{method}` | {' | '.join(cells)} |"


def _answers(datasets: Sequence[Dataset], workspaces: Sequence[Workspace]) -> Iterator[str]:
    yield "\n## Answers without a model: quoted sentences\n"
    yield "*Right*: a golden answer occurs in the quotations (questions whose answer is yes or no are left out)."
    yield "*Refused*: questions of the other set, which this corpus does not answer, that get no quotation;"
    yield "*wrongly refused*: the corpus' own questions that get none.\n"
    yield "| corpus | right | odd half | refused | wrongly refused |\n|---|---|---|---|---|"
    for dataset, workspace, others in zip(datasets, workspaces, reversed(datasets), strict=True):
        answerable = [question for question in dataset.questions if can_be_quoted(question)]
        right = _right(workspace, answerable)
        odd = [value for question, value in zip(answerable, right, strict=True) if question in dataset.questions[1::2]]
        refused = _refused(workspace, others.questions)
        wrongly = _refused(workspace, dataset.questions)
        cells = [str(interval(values)) for values in (right, odd, refused, wrongly)]
        yield f"| {dataset.name} | {' | '.join(cells)} |"


def _right(workspace: Workspace, questions: Sequence[DatasetQuestion]) -> list[float]:
    return [float(quotes_the_answer(workspace.query(q.text), q.answers)) for q in questions]


def _refused(workspace: Workspace, questions: Sequence[DatasetQuestion]) -> list[float]:
    return [float(not workspace.query(question.text).answered) for question in questions]


if __name__ == "__main__":
    main()
