"""Sentences of other documents that a search finds for a question, from which the cross-encoder learns to refuse."""

import pytest

from benchmarks.answer_selection.distractors import Pooled, found_elsewhere
from benchmarks.answer_selection.examples import Example, with_distractors
from polyadic.config import EmbeddingSettings
from polyadic.embeddings.loading import load_embedder

pytestmark = pytest.mark.weights

POOL = [
    Pooled(("Otters", "Sea otters eat urchins."), "otters", 0),
    Pooled(("Otters", "River otters eat fish."), "otters", 500),
    Pooled(("Trains", "The last train leaves at ten."), "trains", 0),
    Pooled(("Bread", "The oven of the bakery is old."), "bread", 0),
]


def test_best_sentences_come_first_and_none_from_near_the_question() -> None:
    asked = [("What do sea otters eat?", "otters", 10), ("When does the last train leave?", "", 0)]
    otters, trains = found_elsewhere(asked, POOL, load_embedder(EmbeddingSettings()), 2, near=100)
    assert otters[0] == POOL[1].pair
    assert POOL[0].pair not in otters
    assert trains[0] == POOL[2].pair


def test_questions_without_a_name_search_public_documents_only() -> None:
    public = [
        Example(
            f"When was mill {number} built?", [("", f"Mill {number} was built in 18{number:02}.")], [], f"mill {number}"
        )
        for number in range(13)
    ]
    own = [
        Example("Can I bring a dog?", [("Camp site", "Dogs are welcome.")], [], "Camp site"),
        Example("May guests of Hotel Sand bring a dog?", [("Hotel", "Dogs pay five euros.")], [], "Hotel"),
    ]
    _, (nameless, named) = with_distractors(public, own)
    assert not {title for title, _ in nameless.elsewhere} & {"Camp site", "Hotel"}
    assert ("Camp site", "Dogs are welcome.") in named.elsewhere
    assert ("Hotel", "Dogs pay five euros.") not in named.elsewhere
