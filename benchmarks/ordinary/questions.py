"""Questions on ordinary documents, with a regular expression for the sentence that answers each."""

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path

OWN = Path(__file__).parent / "questions.tsv"
_UNANSWERABLE = "-"
_NO_DOCTYPE = "-"
_NEAR = "unanswerable-near"


class Split(StrEnum):
    """Weights and thresholds are learned on ``DEVELOPMENT`` only; no kind of document is in both."""

    DEVELOPMENT = "development"
    TEST = "test"


@dataclass(frozen=True)
class OrdinaryQuestion:
    """One row of a questions.tsv.

    Attributes:
        id: Unique within its file.
        form: Kind of question: ``numeric``, ``table``, ``misspelled``, ...
        doctype: The kind of document that answers it, or that seems to; ``-`` where there is none.
        split: Of its kind of document.
        text: The question as a user would type it.
        gold: A regular expression for what answers it; empty where the documents do not.
    """

    id: str
    form: str
    doctype: str
    split: Split
    text: str
    gold: str

    @property
    def is_answerable(self) -> bool:
        return bool(self.gold)

    @property
    def is_near(self) -> bool:
        """Whether the documents speak of the subject, but do not say what is asked."""
        return self.form == _NEAR

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        return re.compile(self.gold, re.IGNORECASE)

    def is_answered_by(self, text: str) -> bool:
        """Whether the text holds the answer.

        >>> ask = OrdinaryQuestion("q", "numeric", "manual", Split.TEST, "How long?", "30 (minutes|min)")
        >>> ask.is_answered_by("It takes 30\\n minutes."), ask.is_answered_by("It takes 3 minutes.")
        (True, False)
        """
        return self.is_answerable and self.pattern.search(folded(text)) is not None


def folded(text: str) -> str:
    """Fold white space to single spaces, as gold expressions expect it."""
    return " ".join(text.split())


def load_questions(file: Path) -> tuple[OrdinaryQuestion, ...]:
    """Read a tab-separated file with the columns id, kind, doctype, question, gold, and split.

    Questions of a file without the column ``split`` are for development.
    """
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.DictReader(opened, delimiter="\t", quoting=csv.QUOTE_NONE))
    return tuple(
        OrdinaryQuestion(
            row["id"],
            row["kind"],
            row["doctype"],
            Split(row.get("split", Split.DEVELOPMENT)),
            row["question"],
            "" if row["gold"] == _UNANSWERABLE else row["gold"],
        )
        for row in rows
    )


def kinds_in_both(questions: Iterable[OrdinaryQuestion]) -> set[str]:
    """Return the kinds of document that are not held out although they are tested on."""
    of: dict[Split, set[str]] = {split: set() for split in Split}
    for question in questions:
        if question.doctype != _NO_DOCTYPE:
            of[question.split].add(question.doctype)
    return of[Split.DEVELOPMENT] & of[Split.TEST]
