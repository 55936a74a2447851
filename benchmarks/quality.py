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
from polyadic.evaluation.measures.measure import Measure, scores_of
from polyadic.evaluation.measures.ranking_measures import AllGold, PassageRecall
from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.evaluation.question_runner import run_method
from polyadic.workspace import Workspace

METHODS = ("chunks", "hypergraph", "walk", "auto")
CONTEXT_TOKENS = 4000

HEAD = """# Quality

This page measures retrieval, answers, extraction and entity resolution.

In short: `walk` and `auto` find nearly all gold passages among the first five, `chunks` and `hypergraph` two thirds to
four fifths of them. Without a language model, the quoted sentences contain the answer to two thirds to three quarters
of the questions, and most questions that the documents cannot answer are refused.

Four more pages report further measurements:

| page | measures |
|---|---|
| [Ablation of `walk`](quality-walk.md) | `walk` without each of its components, and with changed parameters |
| [Hierarchy](quality-hierarchy.md) | the methods that use the hierarchy, and what was built |
| [Scores of facts](quality-scores.md) | whether a fact's score predicts that it is right |
| [Ordinary documents](quality-ordinary.md) | manuals, tables, laws, mail and more in six languages |

`python -m benchmarks.quality [FOLDER]` generates the tables of all pages but that on scores from the data in
`POLYADIC_DATA`; FOLDER stores the indexed workspaces for reuse. A section that names a command can be generated alone.
`python -m benchmarks.representations [FOLDER]` prints the section that compares facts with pairs.

There are two question sets: hotpotqa-100 has 100 questions of HotpotQA and 994 passages, 2wiki-101 has 101 questions of
2WikiMultihopQA and 780 passages. Unless stated otherwise, facts are extracted without a language model, vectors are
those of all-MiniLM-L6-v2, and retrieval uses no language model. All parameters were chosen on the even-numbered
questions. `hypergraph` has its default settings, with [additions](paper-presets.md) to the paper's equations. Results
are given for all questions and for the odd, held-out half; the [hold-out log](../benchmarks/looks.md) records every use
of that half. In brackets: 95% bootstrap intervals over the questions.
"""

WITH_A_MODEL = """
### {name}, {questions} questions, facts by a language model

The n-ary facts that a large language model extracted from each passage, recorded and processed like the facts of any
model.
"""

EXTRACTION = """
## Extraction without a model

Compared with the human annotations of HyperRED (dev, 1,000 sentences) and Re-DocRED (dev, 200 documents). Texts are
detokenized; names must agree in all letters and digits. The extractor does not output pronouns, which are counted
separately. Each sentence is processed alone, so titles play no part.

| measure | all | odd half |
|---|---|---|"""

PROSE = """
Ordinary documents, by kind: prose sentences (at least four words, and punctuation at the end), the share of them that
yield no fact because they contain fewer than two names or terms, and the mean number of participants of a fact.

| documents | prose sentences | without a fact | participants per fact |
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
    yield f"Answering a question requires all of its gold passages. Token budget: {CONTEXT_TOKENS:,}."
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
    yield "*Correct*: a gold answer occurs in the quotations (yes-or-no questions are excluded). *Refused*: share of"
    yield "the other set's questions, which this corpus cannot answer, that get no quotation; *wrongly refused*: share"
    yield "of the corpus's own questions that get none.\n"
    yield "| corpus | correct | odd half | refused | wrongly refused |\n|---|---|---|---|---|"
    for dataset, workspace, others in zip(datasets, workspaces, reversed(datasets), strict=True):
        answerable = [question for question in dataset.questions if can_be_quoted(question)]
        correct = _correct(workspace, answerable)
        odd = [
            value for question, value in zip(answerable, correct, strict=True) if question in dataset.questions[1::2]
        ]
        refused = _refused(workspace, others.questions)
        wrongly = _refused(workspace, dataset.questions)
        cells = [str(interval(values)) for values in (correct, odd, refused, wrongly)]
        yield f"| {dataset.name} | {' | '.join(cells)} |"


def _correct(workspace: Workspace, questions: Sequence[DatasetQuestion]) -> list[float]:
    return [float(quotes_the_answer(workspace.query(q.text), q.answers)) for q in questions]


def _refused(workspace: Workspace, questions: Sequence[DatasetQuestion]) -> list[float]:
    return [float(not workspace.query(question.text).answered) for question in questions]


if __name__ == "__main__":
    main()
