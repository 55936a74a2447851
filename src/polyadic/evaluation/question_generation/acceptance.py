"""Convert a reviewed file to a question set in a standard layout."""

from dataclasses import dataclass
from pathlib import Path

from polyadic.errors import NotFound, PolyadicError
from polyadic.evaluation.question_generation.generator import CONTEXTS_NAME
from polyadic.evaluation.question_generation.review_file import read_review, write_questions

QUESTIONS_NAME = "questions.json"


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
    write_questions(reviewed.accepted, target / QUESTIONS_NAME)
    return AcceptedQuestions(len(reviewed.accepted), reviewed.rejected, reviewed.undecided, target / QUESTIONS_NAME)
