"""G-E: how a judge marks a generation in seven dimensions, weighed with F1."""

from collections.abc import Sequence
from statistics import fmean

from polyadic.evaluation.measures.f1 import F1
from polyadic.evaluation.measures.judge_prompts import DIMENSIONS, indented, path
from polyadic.evaluation.measures.judge_replies import read_mark
from polyadic.evaluation.measures.measure import PURPOSE, JudgedScore, ScorePart
from polyadic.evaluation.outcome import QuestionOutcome
from polyadic.llm.language_model import ModelRequest
from polyadic.llm.prompts.library import PromptLibrary

_MARK = 10.0


class GenerationEvaluation:
    """The mean of F1 and of the mean of seven marks, in percent; one call of the judge a mark, 0 to 10, times 10.

    Source: HyperGraphRAG v3 (arXiv 2503.21322v3); rubrics in our own words. Its parts are the
    seven dimensions, each averaged with F1 as the paper reports them. An outcome of which one mark cannot be read has
    no score: six marks are another measure than seven.
    """

    name = "g-e"
    best = 100.0

    def __init__(self, prompts: PromptLibrary) -> None:
        self._frame = prompts.get(path("generation"))
        self._rubrics = [prompts.get(path(dimension)) for dimension in DIMENSIONS]

    def requests(self, outcome: QuestionOutcome) -> tuple[ModelRequest, ...]:
        """One a dimension; none where there is no generation, or no golden answer."""
        if F1().score(outcome) is None or outcome.generation is None:
            return ()
        shown = {
            "question": indented(outcome.question.text),
            "golden": indented("\n".join(outcome.question.answers)),
            "generation": indented(outcome.generation.text),
        }
        respects = ("\n\n".join(message.text for message in rubric.messages()) for rubric in self._rubrics)
        return tuple(ModelRequest(PURPOSE, self._frame.messages(respect=respect, **shown)) for respect in respects)

    def is_readable(self, reply: str) -> bool:
        return read_mark(reply) is not None

    def read(self, outcome: QuestionOutcome, replies: Sequence[str | None]) -> JudgedScore:
        """The judgement, from one reply a dimension, in their order; None for one that never came."""
        f1 = F1().score(outcome)
        if f1 is None:
            return JudgedScore(None)
        marks = [None if reply is None else read_mark(reply) for reply in replies]
        parts = tuple(
            ScorePart(dimension, None if mark is None else weighed([mark * _MARK], f1))
            for dimension, mark in zip(DIMENSIONS, marks, strict=True)
        )
        whole = [mark * _MARK for mark in marks if mark is not None]
        unreadable = len(marks) - len(whole)
        return JudgedScore(None if unreadable else weighed(whole, f1), unreadable, parts)


def weighed(marks: Sequence[float], f1: float) -> float:
    """The mean of the mean mark and F1, all in percent.

    >>> weighed([70, 80, 90, 100, 50, 80, 90], 16)
    48.0
    """
    return (fmean(marks) + f1) / 2
