"""Read question files and write answer files."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polyadic.batch.request_files import check_folder
from polyadic.errors import PolyadicError
from polyadic.model.identity import digest
from polyadic.model.types import Answer, Usage
from polyadic.query.request import LONGEST_QUESTION
from polyadic.text.encodable import encodable


@dataclass(frozen=True, slots=True)
class BatchQuestion:
    """A question and how to answer it; None means as in the settings.

    ``id`` is its identifier in the file, or empty; ``number`` is its line.
    """

    id: str
    question: str
    number: int
    method: str | None = None
    context_tokens: int | None = None

    @property
    def key(self) -> str:
        """Digest of the question and how to answer it."""
        return digest("question", self.id, self.question, self.method or "", str(self.context_tokens))

    def dump(self) -> str:
        """
        >>> question = BatchQuestion("q1", "Who?", 1, "walk")
        >>> BatchQuestion.load(question.dump()) == question
        True
        """
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def load(cls, text: str) -> "BatchQuestion":
        return cls(**json.loads(text))


@dataclass(frozen=True, slots=True)
class BatchCitation:
    """A sentence that a marker of an answer cites; ``at`` is the first character of the marker in the text.

    ``quote`` is empty if the item is cited as a whole.
    """

    marker: int
    at: int
    source: str
    title: str
    page: int | None
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """An answer to a question of a file; ``key`` is the question's, ``usage`` that of its replies.

    ``unsupported`` are the claims of the text that no sentence of their cited items supports. ``understood_as`` is the
    question after its spelling was corrected; empty if it was left unchanged.
    """

    key: str
    id: str
    question: str
    text: str
    answered: bool
    citations: tuple[BatchCitation, ...]
    method: str
    usage: Usage
    note: str
    unsupported: tuple[str, ...]
    understood_as: str = ""

    @classmethod
    def of(cls, question: BatchQuestion, answer: Answer) -> "BatchAnswer":
        cited = (
            (one.marker, one.at.start, one.place, "" if one.whole_item else one.place.quote) for one in answer.citations
        )
        return cls(
            question.key,
            question.id,
            question.question,
            answer.text,
            answer.answered,
            tuple(
                BatchCitation(n, at, p.source, p.title, p.page, p.span.start, p.span.end, quote)
                for n, at, p, quote in cited
            ),
            answer.method,
            answer.usage,
            answer.note,
            answer.unsupported,
            answer.question if answer.question != question.question else "",
        )


def read_questions(file: Path, method: str | None, context_tokens: int | None) -> list[BatchQuestion]:
    """Read questions from JSON lines with the keys ``id`` (or ``_id``) and ``question`` (or ``text``).

    Raises
    ------
    PolyadicError
        A line holds no question.
    """
    questions: list[BatchQuestion] = []
    for number, row in _rows(file):
        text = row.get("question", row.get("text"))
        name = row.get("id", row.get("_id", ""))
        if not isinstance(text, str) or not text.strip():
            raise _invalid_line(file, number, "question is missing or empty")
        if len(text) > LONGEST_QUESTION:
            raise _invalid_line(file, number, f"{len(text):,} characters; the limit is {LONGEST_QUESTION:,}")
        questions.append(BatchQuestion(encodable(str(name)), encodable(text), number, method, context_tokens))
    return questions


def add_answers(file: Path, answers: Sequence[BatchAnswer]) -> None:
    """Add answers to a file, one per line, atomically; an existing answer to the same question is replaced.

    Raises
    ------
    PolyadicError
        The file holds something other than answers.
    """
    lines = {answer.key: asdict(answer) for answer in _existing_answers(file)} | {
        answer.key: asdict(answer) for answer in answers
    }
    partial_file = file.with_name(f".{file.name}.partial")
    try:
        with partial_file.open("w", encoding="utf-8") as output:
            output.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines.values())
            output.flush()
            os.fsync(output.fileno())
        partial_file.replace(file)
    except BaseException:
        partial_file.unlink(missing_ok=True)
        raise


def check_answers(file: Path) -> None:
    """Raise PolyadicError if the file holds something other than answers, or its folder is missing."""
    check_folder(file)
    for _ in _existing_answers(file):
        pass


def _existing_answers(file: Path) -> Iterator[BatchAnswer]:
    """Iterate over the answers in a file."""
    if not file.exists():
        return
    for number, row in _rows(file):
        try:
            cited = tuple(BatchCitation(**citation) for citation in row["citations"])
            unsupported = tuple(row["unsupported"])
            yield BatchAnswer(**{**row, "citations": cited, "usage": Usage(**row["usage"]), "unsupported": unsupported})
        except (KeyError, TypeError) as error:
            what = f"line {number} of {file} is not an answer, so no answers are added to it"
            raise PolyadicError(what, "choose another file") from error


def _rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Iterate over the objects in a JSON lines file, with their line numbers."""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError) as error:
                raise _invalid_line(file, number, "not valid JSON") from error
            if not isinstance(row, dict):
                raise _invalid_line(file, number, "not a JSON object")
            yield number, row


def _invalid_line(file: Path, number: int, why: str) -> PolyadicError:
    next_step = 'write one line {"id": "...", "question": "..."} per question'
    return PolyadicError(f"line {number} of {file} cannot be read ({why})", next_step)
