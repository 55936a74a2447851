"""The features of passages and questions, by numbers worked out by hand."""

from dataclasses import replace

import numpy as np
import pytest

from polyadic.retrieval.fusion import (
    PASSAGE_FEATURES,
    QUESTION_FEATURES,
    FusionSignals,
    fuse,
    passage_features,
    question_features,
)
from polyadic.retrieval.relevance.linear_model import learned
from polyadic.storage.protocol import Vectors


def floats(*values: float) -> Vectors:
    return np.array(values, dtype=np.float32)


SIGNALS = FusionSignals(
    question="Did Ada Lovelace and the young Byron live in London?",
    bm25=floats(0.25, 0.5, 0),
    cosines=floats(0.5, 0.25, 0.75),
    walk=floats(0.075, 0.05, 0.3),
    facts=floats(0.25, 0.5, 0.5),
    mass=floats(0.25, 0.5, 1),
    names=2,
    name_frequencies=np.array([9, 4, 16]),
)


def of_passages(signals: FusionSignals = SIGNALS) -> dict[str, list[float]]:
    return dict(zip(PASSAGE_FEATURES, passage_features(signals).T.tolist(), strict=True))


def of_question(**changes: object) -> dict[str, float]:
    return dict(zip(QUESTION_FEATURES, question_features(replace(SIGNALS, **changes)).tolist(), strict=True))  # type: ignore[arg-type]


def test_each_passage_has_its_values_ranks_and_gaps() -> None:
    expected = {
        "bm25": [0.5, 1, 0],
        "bm25_rank": [1 / 2, 1, 0],
        "bm25_slow_rank": [10 / 11, 1, 0],
        "cosine_gap": [-0.25, -0.5, 0],
        "cosine_rank": [1 / 2, 1 / 3, 1],
        "cosine_slow_rank": [10 / 11, 10 / 12, 1],
        "walk": [0.25, 1 / 6, 1],
        "walk_rank": [1 / 2, 1 / 3, 1],
        "walk_slow_rank": [10 / 11, 10 / 12, 1],
        "fact_gap": [-0.25, 0, 0],
        # Equal values have the same rank, and the next one counts both.
        "fact_rank": [1 / 3, 1, 1],
        "mass": [0.25, 0.5, 1],
    }
    assert of_passages() == {name: pytest.approx(values) for name, values in expected.items()}


def test_what_matches_no_word_has_no_rank_by_words() -> None:
    features = of_passages(replace(SIGNALS, bm25=floats(0, 0, 0), walk=floats(0, 0, 0)))
    assert features["bm25"] == features["bm25_rank"] == features["bm25_slow_rank"] == features["walk"] == [0, 0, 0]


def test_a_question_has_the_agreement_of_the_rankings() -> None:
    expected = {
        "bias": 1,
        "names": 2 / 3,
        "nameless": 0,
        "rarest_name": 1 / 2,
        "bm25_and_walk_agree": 3 / 5,
        "walk_and_cosine_agree": 3 / 5,
        "bm25_and_walk_same_first": 0,
        "bm25_and_cosine_same_first": 0,
        "bm25_margin": 1 / 2,
        "length": 10 / 25,
        # The first word has a capital in any question.
        "capitals": 4 / 10,
        "best_cosine": 0.75,
        "not_english": 0,
    }
    assert of_question() == pytest.approx(expected)


def test_only_the_first_five_of_each_ranking_are_compared() -> None:
    many = {"bm25": floats(*range(7)), "cosines": floats(5, 5, 0, 0, 1, 1, 1), "walk": floats(*range(7, 0, -1))}
    features = of_question(**many)
    # By words 6, 5, 4, 3, 2; by walk 0 to 4; by cosine 0, 1, 4, 5, 6.
    assert (features["bm25_and_walk_agree"], features["walk_and_cosine_agree"]) == (3 / 5, 3 / 5)
    assert features["bm25_margin"] == pytest.approx(1 / 6)


def test_the_same_passage_may_be_first_in_two_rankings() -> None:
    features = of_question(walk=SIGNALS.bm25)
    assert (features["bm25_and_walk_same_first"], features["bm25_and_cosine_same_first"]) == (1, 0)
    features = of_question(cosines=SIGNALS.bm25)
    assert (features["bm25_and_walk_same_first"], features["bm25_and_cosine_same_first"]) == (0, 1)


def test_of_equal_passages_the_first_is_first() -> None:
    tied, one = floats(*[1, 2] * 250), floats(0, 2, *[1] * 498)
    assert of_question(walk=tied, bm25=one, cosines=one)["bm25_and_walk_same_first"] == 1
    assert of_question(walk=one, bm25=tied, cosines=one)["bm25_and_cosine_same_first"] == 1


def test_names_and_words_count_up_to_a_bound() -> None:
    features = of_question(names=4, question=" ".join(["word"] * 30), name_frequencies=np.array([0, 7]))
    assert (features["names"], features["length"], features["rarest_name"], features["capitals"]) == (1, 1, 1, 0)


def test_a_question_without_names_in_another_language() -> None:
    features = of_question(
        names=0, name_frequencies=np.zeros(0, np.int64), question="Wo hat die Dichterin damals gewohnt?"
    )
    assert [features[name] for name in ("names", "nameless", "rarest_name", "not_english")] == [0, 1, 0, 1]


def test_the_margin_of_two_passages() -> None:
    assert of_question(**dict.fromkeys(("bm25", "cosines", "walk"), floats(3, 4)))["bm25_margin"] == 0.25


def test_of_one_passage_or_none_there_is_no_margin() -> None:
    nothing = floats()
    one = of_question(**{name: floats(2) for name in ("bm25", "cosines", "walk")})
    assert (one["bm25_margin"], one["bm25_and_walk_same_first"]) == (0, 1)
    none = of_question(question="", **dict.fromkeys(("bm25", "cosines", "walk"), nothing))
    assert (none["bm25_margin"], none["best_cosine"], none["length"], none["capitals"]) == (0, 0, 0, 0)
    empty = replace(SIGNALS, bm25=nothing, cosines=nothing, walk=nothing, facts=nothing, mass=nothing)
    assert passage_features(empty).shape == (0, len(PASSAGE_FEATURES))


def test_the_score_is_the_sum_of_products_of_both_kinds_of_features() -> None:
    weights, question = learned("passages"), of_question()
    expected = [
        sum(
            weights[row].get(column, 0.0) * values[place] * question[column]
            for row, values in of_passages().items()
            for column in QUESTION_FEATURES
        )
        for place in range(3)
    ]
    assert fuse(SIGNALS).tolist() == pytest.approx(expected, rel=1e-5)
