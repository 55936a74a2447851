"""G-E: a judge's marks for a generation in seven dimensions, averaged with F1."""

from collections.abc import Sequence
from statistics import fmean

from polyadic.evaluation.measures.exact_match_and_f1 import F1
from polyadic.evaluation.measures.judge import DIMENSIONS, indented, prompt_name, read_mark
from polyadic.evaluation.measures.measure import PURPOSE, JudgedScore, ScorePart
from polyadic.evaluation.question_record import QuestionOutcome
from polyadic.llm.language_model import ModelRequest
from polyadic.llm.prompts.library import PromptLibrary

_PERCENT_PER_MARK = 10.0


class GenerationEvaluation:
    """Mean of F1 and the mean of seven marks, in percent; the judge gives each mark, 0 to 10, in one call.

    Source: HyperGraphRAG v3 (arXiv 2503.21322v3), with our own rubrics. The parts are the seven dimensions, each
    averaged with F1 as in the paper. An outcome with an unreadable mark has no score, since a mean of six marks is not
    comparable to one of seven.
    """

    name = "g-e"
    best = 100.0

    def __init__(self, prompts: PromptLibrary) -> None:
        self._frame = prompts.get(prompt_name("generation"))
        self._rubrics = [prompts.get(prompt_name(dimension)) for dimension in DIMENSIONS]

    def requests(self, outcome: QuestionOutcome) -> tuple[ModelRequest, ...]:
        """Return one request per dimension; none without a generation or a gold answer."""
        if F1().score(outcome) is None or outcome.generation is None:
            return ()
        shown = {
            "question": indented(outcome.question.text),
            "golden": indented("\n".join(outcome.question.answers)),
            "generation": indented(outcome.generation.text),
        }
        rubric_texts = ("\n\n".join(message.text for message in rubric.messages()) for rubric in self._rubrics)
        return tuple(ModelRequest(PURPOSE, self._frame.messages(respect=respect, **shown)) for respect in rubric_texts)

    def is_readable(self, reply: str) -> bool:
        return read_mark(reply) is not None

    def read(self, outcome: QuestionOutcome, replies: Sequence[str | None]) -> JudgedScore:
        """Compute the judgement from one reply per dimension, in order; None for a missing reply."""
        f1 = F1().score(outcome)
        if f1 is None:
            return JudgedScore(None)
        marks = [None if reply is None else read_mark(reply) for reply in replies]
        parts = tuple(
            ScorePart(dimension, None if mark is None else weighed([mark * _PERCENT_PER_MARK], f1))
            for dimension, mark in zip(DIMENSIONS, marks, strict=True)
        )
        readable = [mark * _PERCENT_PER_MARK for mark in marks if mark is not None]
        unreadable = len(marks) - len(readable)
        return JudgedScore(None if unreadable else weighed(readable, f1), unreadable, parts)


def weighed(marks: Sequence[float], f1: float) -> float:
    """Average the mean mark with F1, all in percent.

    >>> weighed([70, 80, 90, 100, 50, 80, 90], 16)
    48.0
    """
    return (fmean(marks) + f1) / 2
