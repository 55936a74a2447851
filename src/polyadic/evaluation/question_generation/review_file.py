"""The file in which a person accepts or rejects questions, ``review.jsonl``: one line a question."""

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from polyadic.errors import NotFound, UnreadableDataset
from polyadic.evaluation.dataset_files import json_rows, text_of, texts_of, whole_number

FILE_NAME = "review.jsonl"


@dataclass(frozen=True, slots=True)
class FactOrigin:
    """Where a fact that a question was made from stands: characters of a document, and the words there."""

    source: str
    start: int
    end: int
    quote: str


@dataclass(frozen=True, slots=True)
class GeneratedQuestion:
    """A question to be reviewed. ``accept`` is None until a person has said true or false.

    ``context`` are the facts that it needs, ``nary`` is the largest number of entities that one of them connects,
    ``nhop`` how many facts there are; ``joints`` are the entities that join them.
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
    """A file of reviews, with how many questions were accepted, rejected, and not decided yet."""

    made: tuple[GeneratedQuestion, ...]

    @property
    def accepted(self) -> tuple[GeneratedQuestion, ...]:
        return tuple(one for one in self.made if one.accept)

    @property
    def rejected(self) -> int:
        return sum(one.accept is False for one in self.made)

    @property
    def undecided(self) -> int:
        return sum(one.accept is None for one in self.made)


def read_review(file: Path) -> ReviewCounts:
    """What a person made of a file of questions: any of its texts may have been reworded.

    Raises
    ------
    NotFound
        There is no such file.
    UnreadableDataset
        A line is no question, or says neither true nor false nor null.
    """
    if not file.is_file():
        raise NotFound(f"there is no file {file}", "polyadic eval make-questions writes it")
    return ReviewCounts(tuple(_made(row, f"{file}, line {number}") for number, row in json_rows(file)))


def add_to_review(made: Sequence[GeneratedQuestion], file: Path) -> int:
    """Add questions to a file of reviews, made if there is none; returns how many were there already.

    What stands in the file stays as it is, since a person may have worked on it.
    """
    there = read_review(file).made if file.exists() else ()
    known = {one.id for one in there}
    new = [one for one in made if one.id not in known]
    if new or not file.exists():
        # Added to what was read byte for byte: nothing of a person's own is written anew.
        before = file.read_text(encoding="utf-8-sig") if there else ""
        lines = "".join(f"{json.dumps(asdict(one), ensure_ascii=False)}\n" for one in new)
        write_whole(file, before + ("\n" if before and not before.endswith("\n") else "") + lines)
    return len(made) - len(new)


def write_questions(accepted: Iterable[GeneratedQuestion], file: Path) -> None:
    """Write questions as HyperGraphRAG has them: one JSON list; with the words of the documents as ``evidence``."""
    columns = ("id", "question", "golden_answers", "context", "nary", "nhop")
    rows = [
        {name: value for name, value in asdict(one).items() if name in columns}
        | {"evidence": [origin.quote for origin in one.origins]}
        for one in accepted
    ]
    write_whole(file, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


def write_whole(file: Path, text: str) -> None:
    """Write a file aside and put it in its place, so that a half one is never there."""
    aside = file.with_name(f".{file.name}.partial")
    with aside.open("w", encoding="utf-8", errors="replace") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    aside.replace(file)


def _made(row: dict[str, Any], where: str) -> GeneratedQuestion:
    question, answers, accept = text_of(row, "question"), texts_of(row, "golden_answers"), row.get("accept")
    if not question or not answers:
        raise UnreadableDataset(f"{where} is no question", 'it needs "question" and "golden_answers"')
    if accept is not None and not isinstance(accept, bool):
        raise UnreadableDataset(f'{where} says neither true nor false at "accept"', "null leaves it undecided")
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
    """Those that were left whole."""
    for one in given if isinstance(given, list) else ():
        if isinstance(one, dict) and (quote := text_of(one, "quote")):
            start, end = (int(text) if (text := text_of(one, name)).isdecimal() else 0 for name in ("start", "end"))
            yield FactOrigin(text_of(one, "source"), start, end, quote)
