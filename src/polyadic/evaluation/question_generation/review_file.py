"""Read and write ``review.jsonl``, in which a person accepts or rejects questions, one per line."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polyadic.errors import NotFound, PolyadicError, UnreadableDataset
from polyadic.evaluation.json_files import json_rows, text_of, texts_of, whole_number

FILE_NAME = "review.jsonl"

CONTEXTS_NAME = "contexts.json"
QUESTIONS_NAME = "questions.json"


@dataclass(frozen=True, slots=True)
class FactOrigin:
    """Source span of a fact that a question was made from, and its text."""

    source: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class GeneratedQuestion:
    """A question to be reviewed; ``accept`` is None while undecided.

    Attributes
    ----------
    context
        Facts that the question needs.
    nary
        Largest number of entities of one of these facts.
    nhop
        Number of facts.
    joints
        Entities that join the facts.
    """

    id: str
    accept: bool | None
    question: str
    golden_answers: tuple[str, ...]
    context: tuple[str, ...]
    nary: int
    nhop: int
    sampling: str = ""
    joints: tuple[str, ...] = ()
    origins: tuple[FactOrigin, ...] = ()


@dataclass(frozen=True, slots=True)
class ReviewCounts:
    """Questions of a review file, by decision."""

    made: tuple[GeneratedQuestion, ...]

    @property
    def accepted(self) -> tuple[GeneratedQuestion, ...]:
        return tuple(question for question in self.made if question.accept)

    @property
    def rejected(self) -> int:
        return sum(question.accept is False for question in self.made)

    @property
    def undecided(self) -> int:
        return sum(question.accept is None for question in self.made)


def read_review(file: Path) -> ReviewCounts:
    """Read a review file; a person may have changed any of its texts.

    Raises
    ------
    NotFound
        There is no such file.
    UnreadableDataset
        A line is not a question, or ``accept`` is neither true nor false nor null.
    """
    if not file.is_file():
        raise NotFound(f"there is no file {file}", "create it with polyadic eval make-questions")
    return ReviewCounts(tuple(_question(row, f"{file}, line {number}") for number, row in json_rows(file)))


def add_to_review(made: Sequence[GeneratedQuestion], file: Path) -> int:
    """Add questions to a review file, created if necessary; returns how many it already had.

    Existing lines are kept unchanged, since a person may have edited them.
    """
    existing = read_review(file).made if file.exists() else ()
    known = {question.id for question in existing}
    new = [question for question in made if question.id not in known]
    if new or not file.exists():
        # Existing text is copied verbatim rather than serialized again.
        before = file.read_text(encoding="utf-8-sig") if existing else ""
        lines = "".join(f"{json.dumps(asdict(question), ensure_ascii=False)}\n" for question in new)
        write_whole(file, before + ("\n" if before and not before.endswith("\n") else "") + lines)
    return len(made) - len(new)


def _write_questions(accepted: Iterable[GeneratedQuestion], file: Path) -> None:
    """Write questions as a JSON list in HyperGraphRAG's layout.

    Two columns are added: ``evidence``, quotes of the documents, and ``type``, how the facts were sampled.
    """
    columns = ("id", "question", "golden_answers", "context", "nary", "nhop")
    rows = [
        {name: value for name, value in asdict(question).items() if name in columns}
        | {"type": question.sampling, "evidence": [origin.quote for origin in question.origins]}
        for question in accepted
    ]
    write_whole(file, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


def write_whole(file: Path, text: str) -> None:
    """Write a file atomically."""
    partial_file = file.with_name(f".{file.name}.partial")
    with partial_file.open("w", encoding="utf-8", errors="replace") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    partial_file.replace(file)


def _question(row: dict[str, Any], where: str) -> GeneratedQuestion:
    question, answers, accept = text_of(row, "question"), texts_of(row, "golden_answers"), row.get("accept")
    if not question or not answers:
        raise UnreadableDataset(f"{where} is not a question", 'it needs "question" and "golden_answers"')
    if accept is not None and not isinstance(accept, bool):
        raise UnreadableDataset(f'{where}: "accept" must be true, false or null', "null means undecided")
    return GeneratedQuestion(
        text_of(row, "id"),
        accept,
        question,
        answers,
        texts_of(row, "context"),
        whole_number(row, "nary"),
        whole_number(row, "nhop"),
        text_of(row, "sampling"),
        texts_of(row, "joints"),
        tuple(_origins(row.get("origins"))),
    )


def _origins(given: object) -> Iterator[FactOrigin]:
    """Parse the origins that have a quote."""
    for origin in given if isinstance(given, list) else ():
        if isinstance(origin, dict) and (quote := text_of(origin, "quote")):
            start, end = (int(text) if (text := text_of(origin, name)).isdecimal() else 0 for name in ("start", "end"))
            yield FactOrigin(text_of(origin, "source"), start, end, quote)


@dataclass(frozen=True, slots=True)
class AcceptedQuestions:
    """Numbers of accepted, rejected and undecided questions, and the path of the question set."""

    accepted: int
    rejected: int
    undecided: int
    questions: Path


def accept(review: Path, folder: Path | None = None) -> AcceptedQuestions:
    """Write the accepted questions in HyperGraphRAG's layout; undecided questions are skipped.

    Parameters
    ----------
    review
        Review file of ``make_questions``, edited by a person.
    folder
        Folder of the document texts and of the output; by default, that of the review file.

    Raises
    ------
    NotFound
        The review file or the texts are missing.
    PolyadicError
        No question is accepted.
    """
    target = folder or review.parent
    reviewed = read_review(review)
    if not (target / CONTEXTS_NAME).is_file():
        raise NotFound(f"there is no file {target / CONTEXTS_NAME}", "create it with polyadic eval make-questions")
    if not reviewed.accepted:
        raise PolyadicError(f"no question in {review} is accepted", 'set "accept" to true for good questions')
    _write_questions(reviewed.accepted, target / QUESTIONS_NAME)
    return AcceptedQuestions(len(reviewed.accepted), reviewed.rejected, reviewed.undecided, target / QUESTIONS_NAME)
