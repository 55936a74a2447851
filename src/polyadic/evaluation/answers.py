"""Are quoted answers right, and are questions without an answer refused?"""

from collections.abc import Sequence

from polyadic.evaluation.datasets import Question
from polyadic.identity import loose_name
from polyadic.knowledge import Answer

_NOT_IN_ANY_SENTENCE = {"yes", "no"}


def can_be_quoted(question: Question) -> bool:
    """Whether some golden answer can stand in a sentence: "yes" and "no" have to be concluded."""
    return any(answer.lower() not in _NOT_IN_ANY_SENTENCE for answer in question.answers)


def quotes_the_answer(answer: Answer, golden: Sequence[str]) -> bool:
    """Whether a golden answer stands in the quotations, as whole words, without regard to case, accents, punctuation.

    >>> from polyadic.knowledge import Knowledge
    >>> nothing = Knowledge("?", "none", (), 0, 0, ())
    >>> from polyadic.knowledge import Usage
    >>> said = Answer("?", '"Born in Port-of-Spain." [1]', True, (), nothing, Usage(), "", ())
    >>> quotes_the_answer(said, ["Port of Spain"]), quotes_the_answer(said, ["Port"]), quotes_the_answer(said, ["Spa"])
    (True, True, False)
    """
    text = f" {loose_name(answer.text)} "
    return any(f" {loose_name(gold)} " in text for gold in golden)
