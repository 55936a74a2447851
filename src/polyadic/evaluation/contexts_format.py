"""Load question sets with a file of contexts (one JSON list of texts) and a file of questions.

HyperGraphRAG's repository has ``contexts/NAME_contexts.json`` and ``datasets/NAME/questions.json`` (a JSON list with
``question``, ``golden_answers``, ``context``, ``nary``, ``nhop``). Repositories that follow LightRAG have
``NAME_unique_contexts.json`` and ``NAME_query.jsonl``, or a text file with lines ``- Question 1: ...``.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from pathlib import Path
from typing import Any

import numpy as np

from polyadic.errors import UnreadableDataset
from polyadic.evaluation.dataset_files import json_list, json_rows, text_of, texts_of, whole_number
from polyadic.evaluation.datasets import CorpusLayout, Dataset, DatasetQuestion
from polyadic.model.types import Document

QUESTION_COLUMNS = ("question", "input", "query", "text")
ANSWER_COLUMNS = ("golden_answers", "answers", "answer")

_CONTEXTS = "*contexts*.json"
_QUESTIONS = ("questions.json", "*questions*.json*", "*quer*.json*", "*questions*.txt", "*quer*.txt")
_NUMBERED = re.compile(r"^[\s*-]*Question\s+\d+[\s*]*:[\s*]*(?P<text>.+)$", re.IGNORECASE)


def contexts_of(folder: Path) -> Path | None:
    """Find the contexts file of a folder, in the folder or at its location in HyperGraphRAG's repository."""
    repository_file = folder.parent.parent / "contexts" / f"{folder.name}_contexts.json"
    return next(iter(sorted(folder.glob(_CONTEXTS))), repository_file if repository_file.is_file() else None)


def questions_of(folder: Path) -> Path | None:
    """Find the questions file in a folder."""
    candidates = (file for pattern in _QUESTIONS for file in sorted(folder.glob(pattern)))
    return next((file for file in candidates if file.is_file() and "contexts" not in file.name), None)


def load_contexts(folder: Path, contexts: Path, questions: Path) -> Dataset:
    """Load a data set; each context is a passage, numbered from 1.

    A question's gold passages are those that contain its ``evidence`` or, without it, its gold facts (``context``)
    verbatim. If one of these texts occurs in no passage, the question has no gold passages, because recall could not be
    measured reliably.

    Raises
    ------
    UnreadableDataset
        A file is not in the expected format.
    """
    rows = list(_rows(questions))
    parsed = [_question(number, row, questions) for number, row in rows]
    quoted = [texts_of(row, "evidence") or question.knowledge for question, (_, row) in zip(parsed, rows, strict=True)]
    questions_with_gold = tuple(_with_gold(_with_unique_ids(parsed), quoted, dict(numbered_texts(contexts))))
    return Dataset(folder.name, contexts, questions_with_gold, CorpusLayout.CONTEXTS)


def numbered_texts(contexts: Path) -> Iterator[tuple[int, str]]:
    """Iterate over the non-empty contexts with their numbers; empty ones are counted but skipped."""
    for number, text in enumerate(json_list(contexts), 1):
        if not isinstance(text, str):
            raise UnreadableDataset(f"{contexts}, context {number} is not a string", "write one list of texts")
        if text.strip():
            yield number, text


def documents(contexts: Path) -> Iterator[Document]:
    """Iterate over the contexts as documents without titles."""
    source = contexts.resolve()
    for number, text in numbered_texts(contexts):
        yield Document(f"{source}#{number}", "", text.replace("\r\n", "\n").replace("\r", "\n"))


def _rows(questions: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if questions.suffix == ".txt":
        lines = questions.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        texts = [match["text"] for line in lines if (match := _NUMBERED.match(line))]
        yield from ((number, {"question": text}) for number, text in enumerate(texts, 1))
    elif questions.suffix == ".json":
        for number, row in enumerate(json_list(questions), 1):
            if not isinstance(row, dict):
                raise UnreadableDataset(
                    f"{questions}, question {number} is not a JSON object", "write one object per question"
                )
            yield number, row
    else:
        yield from json_rows(questions)


def _question(number: int, row: dict[str, Any], file: Path) -> DatasetQuestion:
    text = text_of(row, *QUESTION_COLUMNS)
    if not text:
        raise UnreadableDataset(f"{file}, question {number} has no text", f"name it {' or '.join(QUESTION_COLUMNS)}")
    return DatasetQuestion(
        text_of(row, "id", "_id") or str(number),
        text,
        texts_of(row, *ANSWER_COLUMNS),
        frozenset(),
        # In UltraDomain's files, the context is the whole document as a string rather than gold knowledge.
        texts_of(row, "context") if isinstance(row.get("context"), list) else (),
        whole_number(row, "nary"),
        whole_number(row, "nhop"),
        text_of(row, "type"),
    )


def _with_unique_ids(questions: Sequence[DatasetQuestion]) -> list[DatasetQuestion]:
    """Return the questions, numbered if their ids are not unique."""
    if len({question.id for question in questions}) == len(questions):
        return list(questions)
    return [replace(question, id=str(number)) for number, question in enumerate(questions, 1)]


def _with_gold(
    questions: Sequence[DatasetQuestion], quoted: Sequence[Sequence[str]], texts: Mapping[int, str]
) -> Iterator[DatasetQuestion]:
    folded, numbers = [_folded(text) for text in texts.values()], np.array([*texts], dtype=np.int64)
    joined = "\0".join(folded)
    starts = np.array([0, *accumulate(len(text) + 1 for text in folded)])
    for question, quotations in zip(questions, quoted, strict=True):
        places = [joined.find(_folded(quotation)) for quotation in quotations]
        all_found = bool(places) and min(places) >= 0
        passage_numbers = numbers[np.searchsorted(starts, places, side="right") - 1].tolist() if all_found else []
        yield replace(question, gold=frozenset(str(number) for number in passage_numbers))


def _folded(text: str) -> str:
    return " ".join(text.split())
