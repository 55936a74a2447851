"""From a reviewed file to a question set that any method can be put to."""

from dataclasses import dataclass
from pathlib import Path

from polyadic.errors import NotFound, PolyadicError
from polyadic.evaluation.question_generation.generator import CONTEXTS_NAME
from polyadic.evaluation.question_generation.review_file import read_review, write_questions

QUESTIONS_NAME = "questions.json"


@dataclass(frozen=True, slots=True)
class AcceptedQuestions:
    """How many questions were accepted, rejected and not decided, and where the accepted ones lie."""

    accepted: int
    rejected: int
    undecided: int
    questions: Path


def accept(review: Path, folder: Path | None = None) -> AcceptedQuestions:
    """Write the questions that a person accepted, in HyperGraphRAG's layout; those not decided are left out.

    Parameters
    ----------
    review
        As ``make_questions`` wrote it and a person changed it.
    folder
        Where the texts of the documents lie and the questions go; that of the review if left out.

    Raises
    ------
    NotFound
        There is no such file, or the texts are not beside it.
    PolyadicError
        No question is accepted.
    """
    target = folder or review.parent
    reviewed = read_review(review)
    if not (target / CONTEXTS_NAME).is_file():
        raise NotFound(f"there is no file {target / CONTEXTS_NAME}", "polyadic eval make-questions writes it")
    if not reviewed.accepted:
        raise PolyadicError(f"no question in {review} is accepted", 'set "accept" to true where one is good')
    write_questions(reviewed.accepted, target / QUESTIONS_NAME)
    return AcceptedQuestions(len(reviewed.accepted), reviewed.rejected, reviewed.undecided, target / QUESTIONS_NAME)
