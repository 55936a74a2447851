"""A table of questions with expected answers, asked of a workspace as it is: which answers are right?"""

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyadic.config import AnswerSettings
from polyadic.errors import ModelUnavailable, NotFound, PolyadicError, SettingsError, UnreadableDataset
from polyadic.evaluation.answer_checks import quotes_the_answer
from polyadic.evaluation.measures.f1 import word_f1
from polyadic.evaluation.outcome import GeneratedText
from polyadic.model.identity import digest
from polyadic.query.api import QueryMixin

SUFFIXES = (".csv", ".tsv")
_QUESTION, _EXPECTED, _ID = ("question",), ("expected", "expected answer", "expected_answer", "answer"), ("id", "_id")
_NEEDED = "its first row names the columns: question, expected (or answer), and perhaps id"
_MOST_ROWS = 100_000


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question and what its answer has to hold; empty where the documents do not answer it."""

    id: str
    question: str
    expected: str


@dataclass(frozen=True, slots=True)
class TableAnswer:
    """What a method answered; ``f1`` (0 to 1) is None where no answer is expected, ``problem`` says why there is none.

    ``right``: the expected answer stands in the answer, or the question was refused and should have been.
    """

    row: QuestionRow
    method: str
    answer: str
    answered: bool
    right: bool
    f1: float | None
    seconds: float
    problem: str = ""


def load_rows(path: Path) -> list[QuestionRow]:
    """The questions in a file of comma- or tab-separated values; columns are found by their names.

    Raises
    ------
    NotFound
        There is no such file.
    UnreadableDataset
        It has no such columns or no question, or is no text.
    """
    if not path.is_file():
        raise NotFound(f"there is no file {path}", "name a .csv with the columns question and expected")
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            table = csv.DictReader(lines, delimiter="\t" if path.suffix.lower() == ".tsv" else ",")
            names = {name.strip().casefold(): name for name in table.fieldnames or ()}
            question, expected, named = (_first(names, known) for known in (_QUESTION, _EXPECTED, _ID))
            if question is None or expected is None:
                raise UnreadableDataset(f"{path} lacks a column of questions or of expected answers", _NEEDED)
            rows = []
            for number, fields in enumerate(table, 1):
                if text := (fields[question] or "").strip():
                    id = ((fields[named] or "") if named else "").strip() or str(number)
                    rows.append(QuestionRow(id, text, (fields[expected] or "").strip()))
                if len(rows) > _MOST_ROWS:
                    raise UnreadableDataset(f"{path} has more than {_MOST_ROWS:,} questions", "split it")
    except (UnicodeDecodeError, csv.Error) as error:
        raise UnreadableDataset(f"{path} cannot be read as a table ({error})", "save it as CSV in UTF-8") from error
    if not rows:
        raise UnreadableDataset(f"{path} has no question", _NEEDED)
    return rows


def drawn(rows: Sequence[QuestionRow], limit: int | None, seed: int) -> list[QuestionRow]:
    """So many of the questions, in their order; the same for the same seed."""
    if limit is None or limit >= len(rows):
        return list(rows)
    lots = sorted(range(len(rows)), key=lambda place: digest("draw", str(seed), str(place), rows[place].question))
    return [rows[place] for place in sorted(lots[:limit])]


async def ask_table(
    kb: QueryMixin,
    rows: Sequence[QuestionRow],
    methods: Sequence[str],
    how: AnswerSettings,
    context_tokens: int | None = None,
    say_progress: Callable[[str], None] = lambda line: None,
) -> list[TableAnswer]:
    """Put every question to every method, one after the other; results by method, then in the order of the rows.

    Raises
    ------
    ModelUnavailable
        The language model is not to be had.
    SettingsError
        No language model is named that could answer.
    """
    found = []
    for method in methods:
        for row in rows:
            found.append(await _asked(kb, row, method, how, context_tokens))
            say_progress(f"asking: {len(found):,} of {len(rows) * len(methods):,} questions, all methods together")
    return found


async def _asked(
    kb: QueryMixin, row: QuestionRow, method: str, how: AnswerSettings, context_tokens: int | None
) -> TableAnswer:
    try:
        answer = await kb.aquery(row.question, method, context_tokens, answer=how)
    except (ModelUnavailable, NotFound, SettingsError):
        raise
    except PolyadicError as problem:
        return TableAnswer(row, method, "", False, False, None, 0.0, str(problem))
    text = GeneratedText.read(answer.text).answer if answer.answered else answer.text
    if not row.expected:
        return TableAnswer(row, method, text, answer.answered, not answer.answered, None, answer.seconds)
    right = answer.answered and quotes_the_answer(answer, [row.expected])
    score = word_f1(text, row.expected) if answer.answered else 0.0
    return TableAnswer(row, method, text, answer.answered, right, score, answer.seconds)


def _first(names: dict[str, str], known: Sequence[str]) -> str | None:
    """The column of the first of these names that there is."""
    return next((names[name] for name in known if name in names), None)
