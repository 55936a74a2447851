"""Questions that are asked by file, and their answers."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polyadic.batch.request_writer import check_folder
from polyadic.errors import PolyadicError
from polyadic.model.identity import digest
from polyadic.model.types import Answer, Usage
from polyadic.query.engine import LONGEST_QUESTION


@dataclass(frozen=True, slots=True)
class BatchQuestion:
    """A question and how it is to be answered; what is None is as the settings say.

    ``id`` is what its file calls it, empty where it has no name there; ``number`` is its line.
    """

    id: str
    question: str
    number: int
    method: str | None = None
    context_tokens: int | None = None

    @property
    def key(self) -> str:
        """The same question, to be answered in the same way, has the same key."""
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
    """The characters that a marker of an answer points at."""

    marker: int
    source: str
    title: str
    page: int | None
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """An answer to a question of a file; ``key`` is the question's, ``usage`` what its replies have cost."""

    key: str
    id: str
    question: str
    text: str
    answered: bool
    citations: tuple[BatchCitation, ...]
    method: str
    usage: Usage
    note: str

    @classmethod
    def of(cls, question: BatchQuestion, answer: Answer) -> "BatchAnswer":
        cited = ((citation.marker, citation.place) for citation in answer.citations)
        return cls(
            question.key,
            question.id,
            question.question,
            answer.text,
            answer.answered,
            tuple(BatchCitation(n, p.source, p.title, p.page, p.span.start, p.span.end, p.quote) for n, p in cited),
            answer.method,
            answer.usage,
            answer.note,
        )


def read_questions(file: Path, method: str | None, context_tokens: int | None) -> list[BatchQuestion]:
    """The questions in a file of JSON lines: ``id`` (or ``_id``) and ``question`` (or ``text``) on each.

    Raises
    ------
    PolyadicError
        A line holds no question; nothing is asked then.
    """
    found: list[BatchQuestion] = []
    for number, row in _rows(file):
        text = row.get("question", row.get("text"))
        name = row.get("id", row.get("_id", ""))
        if not isinstance(text, str) or not text.strip():
            raise _no_question(file, number, "it has no text under question")
        if len(text) > LONGEST_QUESTION:
            raise _no_question(file, number, f"it has {len(text):,} characters, the most are {LONGEST_QUESTION:,}")
        found.append(BatchQuestion(_decoded(str(name)), _decoded(text), number, method, context_tokens))
    return found


def add_answers(file: Path, answers: Sequence[BatchAnswer]) -> None:
    """Add answers to a file of them, one a line, written aside; one that is there for the same question is replaced.

    Raises
    ------
    PolyadicError
        The file holds something else.
    """
    lines = {answer.key: asdict(answer) for answer in _kept(file)} | {answer.key: asdict(answer) for answer in answers}
    aside = file.with_name(f".{file.name}.partial")
    try:
        with aside.open("w", encoding="utf-8") as output:
            output.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines.values())
            output.flush()
            os.fsync(output.fileno())
        aside.replace(file)
    except BaseException:
        aside.unlink(missing_ok=True)
        raise


def check_answers(file: Path) -> None:
    """Raises PolyadicError where a file is there that holds something other than answers, or its folder is not."""
    check_folder(file)
    for _ in _kept(file):
        pass


def _kept(file: Path) -> Iterator[BatchAnswer]:
    """The answers that a file holds already."""
    if not file.exists():
        return
    for number, row in _rows(file):
        try:
            cited = tuple(BatchCitation(**citation) for citation in row["citations"])
            yield BatchAnswer(**{**row, "citations": cited, "usage": Usage(**row["usage"])})
        except (KeyError, TypeError) as error:
            what = f"line {number} of {file} is no answer, so answers are not put there"
            raise PolyadicError(what, "name another file") from error


def _rows(file: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects in a file of JSON lines, with the numbers of their lines."""
    with file.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8-sig"))
            except (ValueError, RecursionError) as error:
                raise _no_question(file, number, "it is no JSON") from error
            if not isinstance(row, dict):
                raise _no_question(file, number, "it is no object")
            yield number, row


def _no_question(file: Path, number: int, why: str) -> PolyadicError:
    next_step = 'write a line {"id": "...", "question": "..."} a question'
    return PolyadicError(f"line {number} of {file} cannot be read ({why})", next_step)


def _decoded(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
