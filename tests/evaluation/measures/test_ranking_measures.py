"""recall@k, all-gold@k and nDCG@k of passages."""

import math
import subprocess
import sys

import pytest

from polyadic.evaluation.measures.measure import scores_of
from polyadic.evaluation.measures.ranking_measures import NDCG, AllGold, PassageRecall
from tests.evaluation.measures.outcomes import outcome


def at(rank: int) -> float:
    return 1 / math.log2(rank + 1)


@pytest.mark.parametrize(
    ("passages", "k", "recall", "all_gold", "ndcg"),
    [
        ("axb", 1, 0.5, 0, 1.0),
        ("axb", 2, 0.5, 0, at(1) / (at(1) + at(2))),
        ("axb", 3, 1.0, 1, (at(1) + at(3)) / (at(1) + at(2))),
        ("axb", 9, 1.0, 1, (at(1) + at(3)) / (at(1) + at(2))),
        ("ba", 2, 1.0, 1, 1.0),
        ("xyz", 3, 0.0, 0, 0.0),
        ("", 3, 0.0, 0, 0.0),
        # The second "a" finds nothing new, yet "b" is the third.
        ("aab", 2, 0.5, 0, at(1) / (at(1) + at(2))),
        ("aab", 3, 1.0, 1, (at(1) + at(3)) / (at(1) + at(2))),
    ],
)
def test_recall_at_k_counts_gold_passages_among_the_first(
    passages: str, k: int, recall: float, all_gold: float, ndcg: float
) -> None:
    found = outcome(passages=passages, gold="ab")
    assert PassageRecall(k).score(found) == pytest.approx(recall)
    assert AllGold(k).score(found) == all_gold
    assert NDCG(k).score(found) == pytest.approx(ndcg)


def test_questions_without_gold_passages_are_left_out() -> None:
    outcomes = [outcome(passages="a"), outcome(passages="a", gold="a")]
    for measure in (PassageRecall(1), AllGold(1), NDCG(1)):
        assert measure.score(outcomes[0]) is None
        assert scores_of(measure, outcomes) == [1.0]


def test_missing_library_is_reported_in_one_line() -> None:
    code = (
        "import sys; sys.modules['ir_measures'] = None\n"
        "from polyadic.errors import SettingsError\n"
        "from polyadic.evaluation.measures.ranking_measures import named\n"
        "try:\n    named('R@5')\nexcept SettingsError as error:\n    print(error)"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert (
        said
        == "R@5 needs ir_measures, which is not installed: pip install 'polyadic[eval]', or '.[eval]' in a checkout\n"
    )
