"""UltraDomain's layout: JSON lines, each a question (``input``) with its ``answers`` and the whole ``context``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polyadic.errors import UnreadableDataset
from polyadic.evaluation.contexts_format import ANSWER_COLUMNS, QUESTION_COLUMNS
from polyadic.evaluation.dataset_files import json_rows, text_of, texts_of
from polyadic.evaluation.datasets import CorpusLayout, Dataset, DatasetQuestion
from polyadic.model.types import Document


def has_rows(file: Path) -> bool:
    """Whether the first line of a file is a question with its context."""
    row = next((row for _, row in json_rows(file)), {})
    return isinstance(row.get("context"), str) and bool(text_of(row, *QUESTION_COLUMNS))


def load_rows(file: Path) -> Dataset:
    """Read a data set; questions about the same context share one passage, which is the gold passage of each.

    Raises
    ------
    UnreadableDataset
        A line holds no question, or no context.
    """
    questions: list[DatasetQuestion] = []
    passages: dict[str, int] = {}
    for number, row in json_rows(file):
        text, context = text_of(row, *QUESTION_COLUMNS), row.get("context")
        if not text or not isinstance(context, str) or not context.strip():
            raise UnreadableDataset(f"{file}, line {number} is no question", 'it needs "input" and "context"')
        passage = passages.setdefault(context, number)
        gold = frozenset({str(passage)})
        questions.append(
            DatasetQuestion(str(number), text, texts_of(row, *ANSWER_COLUMNS), gold, kind=text_of(row, "label"))
        )
    return Dataset(file.stem, file, tuple(questions), CorpusLayout.ROWS)


def documents(file: Path) -> Iterator[Document]:
    """A document for each context, titled as its first row says, and numbered by the line of that row."""
    source, seen = file.resolve(), set[str]()
    for number, row in json_rows(file):
        context = str(row.get("context", ""))
        if context not in seen:
            seen.add(context)
            text = context.replace("\r\n", "\n").replace("\r", "\n")
            yield Document(f"{source}#{number}", _title(row), text)


def _title(row: dict[str, Any]) -> str:
    about = row.get("meta")
    return text_of(about, "title") if isinstance(about, dict) else ""
