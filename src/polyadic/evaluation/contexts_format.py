"""Question sets with a file of contexts, one JSON list of texts, and a file of questions.

HyperGraphRAG's repository has ``contexts/NAME_contexts.json`` and ``datasets/NAME/questions.json`` (a JSON list with
``question``, ``golden_answers``, ``context``, ``nary``, ``nhop``); those that follow LightRAG's have
``NAME_unique_contexts.json`` beside ``NAME_query.jsonl``, or beside a text with a line ``- DatasetQuestion 1: ...``
each.
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
    """The file of contexts that belongs to a folder: in it, or where HyperGraphRAG's repository has it."""
    beside = folder.parent.parent / "contexts" / f"{folder.name}_contexts.json"
    return next(iter(sorted(folder.glob(_CONTEXTS))), beside if beside.is_file() else None)


def questions_of(folder: Path) -> Path | None:
    """The file of questions in a folder."""
    found = (file for pattern in _QUESTIONS for file in sorted(folder.glob(pattern)))
    return next((file for file in found if file.is_file() and "contexts" not in file.name), None)


def load_contexts(folder: Path, contexts: Path, questions: Path) -> Dataset:
    """Read a data set; a context is a passage, numbered from 1.

    A question's gold passages are those in which its gold facts (``context``) stand word for word, or the ``evidence``
    that its row has for them; it has none where one of these stands nowhere, since then what was found cannot be told
    from what was not.

    Raises
    ------
    UnreadableDataset
        The files are no such files.
    """
    rows = list(_rows(questions))
    read = [_question(number, row, questions) for number, row in rows]
    quoted = [texts_of(row, "evidence") or question.knowledge for question, (_, row) in zip(read, rows, strict=True)]
    known = tuple(_with_gold(_with_own_ids(read), quoted, dict(numbered_texts(contexts))))
    return Dataset(folder.name, contexts, known, CorpusLayout.CONTEXTS)


def numbered_texts(contexts: Path) -> Iterator[tuple[int, str]]:
    """The contexts with their numbers; those that are empty are passed over, and keep theirs."""
    for number, text in enumerate(json_list(contexts), 1):
        if not isinstance(text, str):
            raise UnreadableDataset(f"{contexts}, context {number} is no text", "write one list of texts")
        if text.strip():
            yield number, text


def documents(contexts: Path) -> Iterator[Document]:
    """A document for each context, without a title."""
    source = contexts.resolve()
    for number, text in numbered_texts(contexts):
        yield Document(f"{source}#{number}", "", text.replace("\r\n", "\n").replace("\r", "\n"))


def _rows(questions: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    if questions.suffix == ".txt":
        lines = questions.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        found = [match["text"] for line in lines if (match := _NUMBERED.match(line))]
        yield from ((number, {"question": text}) for number, text in enumerate(found, 1))
    elif questions.suffix == ".json":
        for number, row in enumerate(json_list(questions), 1):
            if not isinstance(row, dict):
                raise UnreadableDataset(f"{questions}, question {number} is no JSON object", "write one a question")
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
        # In UltraDomain's files the context is a text, the whole document: no gold knowledge.
        texts_of(row, "context") if isinstance(row.get("context"), list) else (),
        whole_number(row, "nary"),
        whole_number(row, "nhop"),
        text_of(row, "type"),
    )


def _with_own_ids(questions: Sequence[DatasetQuestion]) -> list[DatasetQuestion]:
    """The questions by number, where their ids do not tell them apart."""
    if len({question.id for question in questions}) == len(questions):
        return list(questions)
    return [replace(question, id=str(number)) for number, question in enumerate(questions, 1)]


def _with_gold(
    questions: Sequence[DatasetQuestion], quoted: Sequence[Sequence[str]], texts: Mapping[int, str]
) -> Iterator[DatasetQuestion]:
    folded, numbers = [_folded(text) for text in texts.values()], np.array([*texts], dtype=np.int64)
    whole = "\0".join(folded)
    starts = np.array([0, *accumulate(len(text) + 1 for text in folded)])
    for question, quotations in zip(questions, quoted, strict=True):
        places = [whole.find(_folded(quotation)) for quotation in quotations]
        known = bool(places) and min(places) >= 0
        within = numbers[np.searchsorted(starts, places, side="right") - 1].tolist() if known else []
        yield replace(question, gold=frozenset(str(number) for number in within))


def _folded(text: str) -> str:
    return " ".join(text.split())
