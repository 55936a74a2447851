"""The section on ordinary documents of docs/quality-ordinary.md."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.data import data_folder
from benchmarks.ordinary.documents import DOCUMENTS, fetched
from benchmarks.ordinary.measured import BUDGETS, Measured, measure
from benchmarks.ordinary.questions import OWN, OrdinaryQuestion, Split, load_questions
from benchmarks.ordinary.tables import answers_table, found_table, gains_table
from benchmarks.report_sections import DOCS
from polyadic.workspace import Workspace

PAGE = DOCS / "quality-ordinary.md"
HEADING = "## Ordinary documents"
_SHARED = "ordinary"
_ABOUT = f"""
Made by `python -m benchmarks.ordinary [FOLDER]`. Manuals, tables, laws, mail, dictionaries, release notes and poems in
six languages, as Debian ships them (`benchmarks/ordinary/`, {{own}} questions) and as `POLYADIC_DATA` has them
({{shared}} questions), each set in a workspace of its own; facts are read without a model. Weights and thresholds are
learned on the kinds for *development* only; of the kinds for *test* nothing is. A cell is the share of questions whose
answer occurs in the first {" / ".join(f"{budget:,}" for budget in BUDGETS)} tokens retrieved.
"""
_GAINS = """
### `auto` less the best other method

Question by question, with 95 % paired bootstrap intervals; beside each, the method that was best.
"""
_ANSWERS = """
### Answers without a model on ordinary documents

*Wrongly refused*: questions that the documents answer, without a quotation. *Plain*: nothing of the kind is there;
*near*: the documents speak of the subject but do not say what is asked. After each share, of how many questions.
"""


def section(folder: Path) -> Iterator[str]:
    """The lines of the section below its heading."""
    documents = fetched(folder)
    shared = data_folder() / _SHARED
    own_questions, shared_questions = load_questions(OWN), load_questions(shared / "questions.tsv")
    yield _ABOUT.format(own=len(own_questions), shared=len(shared_questions))
    own = _measured(folder / "ordinary-debian", documents, own_questions)
    groups = [
        ("shared, development", _measured(folder / "ordinary-shared", shared / DOCUMENTS, shared_questions)),
        *((f"Debian, {split}", [one for one in own if one.question.split is split]) for split in Split),
    ]
    for name, measured in groups:
        yield f"### {name}\n"
        yield from found_table(measured)
        yield ""
    yield _GAINS.lstrip("\n")
    yield from gains_table(groups)
    yield _ANSWERS
    yield from answers_table(groups)


def _measured(folder: Path, documents: Path, questions: Sequence[OrdinaryQuestion]) -> list[Measured]:
    """Ask the questions in the workspace ``folder``; fill it now if it is not yet."""
    with Workspace(folder) as workspace:
        workspace.index([documents])
        return list(measure(workspace, questions))
