"""Load UltraDomain's layout: JSON lines of questions (``input``) with ``answers`` and the whole ``context``."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polyadic.errors import UnreadableDataset
from polyadic.evaluation.contexts_format import ANSWER_COLUMNS, QUESTION_COLUMNS
from polyadic.evaluation.dataset_files import json_rows, text_of, texts_of
from polyadic.evaluation.datasets import CorpusLayout, Dataset, DatasetQuestion
from polyadic.model.types import Document


def has_rows(file: Path) -> bool:
    """Whether the first line of a file is a question with a context."""
    row = next((row for _, row in json_rows(file)), {})
    return isinstance(row.get("context"), str) and bool(text_of(row, *QUESTION_COLUMNS))


def load_rows(file: Path) -> Dataset:
    """Load a data set; each context is a passage, and the gold passage of all questions about it.

    Raises
    ------
    UnreadableDataset
        A line lacks a question or a context.
    """
    questions: list[DatasetQuestion] = []
    passages: dict[str, int] = {}
    for number, row in json_rows(file):
        text, context = text_of(row, *QUESTION_COLUMNS), row.get("context")
        if not text or not isinstance(context, str) or not context.strip():
            raise UnreadableDataset(f"{file}, line {number} is not a question", 'it needs "input" and "context"')
        passage = passages.setdefault(context, number)
        gold = frozenset({str(passage)})
        questions.append(
            DatasetQuestion(str(number), text, texts_of(row, *ANSWER_COLUMNS), gold, kind=text_of(row, "label"))
        )
    return Dataset(file.stem, file, tuple(questions), CorpusLayout.ROWS)


def documents(file: Path) -> Iterator[Document]:
    """Iterate over the distinct contexts as documents, with the title and line number of the first row."""
    source, seen = file.resolve(), set[str]()
    for number, row in json_rows(file):
        context = str(row.get("context", ""))
        if context not in seen:
            seen.add(context)
            text = context.replace("\r\n", "\n").replace("\r", "\n")
            yield Document(f"{source}#{number}", _title(row), text)


def _title(row: dict[str, Any]) -> str:
    metadata = row.get("meta")
    return text_of(metadata, "title") if isinstance(metadata, dict) else ""
