"""Measures of the ranking of retrieved passages: recall@k, nDCG@k and all-gold@k, computed with ``ir_measures``."""

from functools import cache
from typing import TYPE_CHECKING

from polyadic.errors import SettingsError, install_command
from polyadic.evaluation.question_record import QuestionOutcome

if TYPE_CHECKING:
    from ir_measures import Measure


@cache
def named(notation: str) -> "Measure":
    """Return a measure of ``ir_measures`` by its notation, such as ``R@5``.

    Raises
    ------
    SettingsError
        ``ir_measures`` is not installed.
    """
    # Imported here: it imports SciPy, and most commands need no measure.
    try:
        from ir_measures import parse_measure
    except ImportError as error:
        raise SettingsError(f"{notation} needs ir_measures, which is not installed", install_command("eval")) from error
    return parse_measure(notation)


def of_passages(notation: str, outcome: QuestionOutcome) -> float | None:
    """Compute a measure of the retrieved passages, 0 to 1; None if the question has no gold passages.

    A repeated passage keeps its rank but counts as not relevant.
    """
    measure = named(notation)
    if not outcome.question.gold:
        return None
    gold = dict.fromkeys(outcome.question.gold, 1)
    ranked: dict[str, float] = {}
    for place, passage in enumerate(outcome.passages):
        ranked[passage if passage not in ranked else f"\0{place}"] = float(-place)
    (result,) = measure.iter_calc({"": gold}, {"": ranked})
    return float(result.value)


class PassageRecall:
    """Share of the gold passages among the first k, 0 to 1.

    Source: R@k of trec_eval, computed by ``ir_measures``; HippoRAG reports recall@2 and recall@5.
    """

    best = 1.0

    def __init__(self, k: int) -> None:
        self.k = k
        self.name = f"recall@{k}"

    def score(self, outcome: QuestionOutcome) -> float | None:
        return of_passages(f"R@{self.k}", outcome)


class NDCG:
    """Normalized discounted cumulative gain of the first k passages, 0 to 1; a gold passage has gain 1.

    Source: Järvelin and Kekäläinen, ACM TOIS 20(4), 2002, computed by ``ir_measures``; BEIR reports nDCG@10.
    """

    best = 1.0

    def __init__(self, k: int) -> None:
        self.k = k
        self.name = f"ndcg@{k}"

    def score(self, outcome: QuestionOutcome) -> float | None:
        return of_passages(f"nDCG@{self.k}", outcome)


class AllGold:
    """1 if all gold passages are among the first k, else 0.

    Source: "perfect@k" of fast-graphrag's benchmark. A multi-hop question cannot be answered from fewer passages.
    """

    best = 1.0

    def __init__(self, k: int) -> None:
        self.k = k
        self.name = f"all-gold@{k}"

    def score(self, outcome: QuestionOutcome) -> float | None:
        gold = outcome.question.gold
        return float(gold <= set(outcome.passages[: self.k])) if gold else None
