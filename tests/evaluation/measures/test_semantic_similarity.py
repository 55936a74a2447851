"""R-S: the cosine of all that was retrieved and all gold knowledge."""

import asyncio

import pytest

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.embeddings.loading import load_embedder
from polyadic.errors import WeightsMissing
from polyadic.evaluation.measures.semantic_similarity import SemanticSimilarity
from polyadic.evaluation.question_record import QuestionOutcome
from tests.evaluation.measures.outcomes import outcome

GOLD = ("Ada Lovelace described the engine.", "Charles Babbage designed it.")


def scores(*outcomes: QuestionOutcome) -> list[float | None]:
    return asyncio.run(SemanticSimilarity(HashingEmbedder()).scores(outcomes))


def test_similarity_does_not_depend_on_chunk_boundaries() -> None:
    whole = "\n".join(GOLD)
    same, cut, half, other, nothing, none = scores(
        outcome(knowledge=GOLD, gold_knowledge=GOLD),
        outcome(knowledge=[whole], gold_knowledge=GOLD),
        outcome(knowledge=GOLD[:1], gold_knowledge=GOLD),
        outcome(knowledge=["Bread needs flour."], gold_knowledge=GOLD),
        outcome(gold_knowledge=GOLD),
        outcome(knowledge=GOLD),
    )
    assert same == cut == pytest.approx(100, abs=1e-3)
    assert half is not None and other is not None
    assert 100 > half > other
    assert (nothing, none) == (0.0, None)


def test_similarity_is_the_cosine_of_both_texts() -> None:
    embedder = HashingEmbedder()
    one, two = asyncio.run(embedder.embed(["Ada met Babbage.\nIn London.", "Ada met Byron."]))
    (found,) = scores(outcome(knowledge=["Ada met Babbage.", "In London."], gold_knowledge=["Ada met Byron."]))
    assert found == pytest.approx(100 * float(one @ two), abs=1e-3)


def test_empty_input_has_no_score() -> None:
    assert scores() == []
    assert scores(outcome()) == [None]


@pytest.mark.weights
def test_text_beyond_the_window_does_not_change_the_score() -> None:
    try:
        embedder = load_embedder(EmbeddingSettings())
    except WeightsMissing as missing:
        pytest.skip(str(missing))
    head = "Ada Lovelace described the engine of Charles Babbage. " * 60
    assert embedder.token_counts([head])[0] > embedder.window

    async def both() -> list[float | None]:
        short = outcome(knowledge=[head], gold_knowledge=["Ada Lovelace wrote on the engine."])
        long = outcome(knowledge=[head, "Bread is made of flour. " * 50], gold_knowledge=short.question.knowledge)
        return await SemanticSimilarity(embedder).scores([short, long])

    one, two = asyncio.run(both())
    assert one == pytest.approx(two, abs=1e-2)
