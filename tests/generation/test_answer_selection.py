"""A cross-encoder judges the sentences that may be quoted."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import AnswerSettings, EmbeddingSettings, Settings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.generation.extractive_answerer import quote_answer
from polyadic.model.types import Answer, Document
from polyadic.retrieval.relevance.answer_selection import MOST_JUDGED
from polyadic.workspace import Workspace
from tests.support.scripted_selector import ScriptedSelector

HOUSE = Document(
    "memory:house",
    "House rules",
    "The bins stand in the yard. The bins are emptied on Tuesday. Bins of glass are emptied on Friday. "
    "The yard is swept on Monday. Guests may park in the yard. The yard is closed at ten. The gate of the yard is red.",
)


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as workspace:
        workspace.add([HOUSE])
        yield workspace


def answer(kb: Workspace, question: str, selector: ScriptedSelector) -> Answer:
    knowledge = kb.retrieve(question)
    with kb.store().read() as reader:
        return asyncio.run(quote_answer(knowledge, HashingEmbedder(), reader, selector))


@pytest.mark.parametrize("liked", ["The yard is swept on Monday.", "The yard is closed at ten."])
def test_the_sentence_with_the_highest_logit_is_quoted_first(kb: Workspace, liked: str) -> None:
    found = answer(kb, "When is the yard swept or closed?", ScriptedSelector({liked: 30.0}))
    assert found.citations[0].place.quote == liked


def test_a_question_is_refused_if_no_sentence_is_judged_to_answer_it(kb: Workspace) -> None:
    question = "When are the bins emptied?"
    assert answer(kb, question, ScriptedSelector({}, others=12.0)).answered
    assert not answer(kb, question, ScriptedSelector({}, others=-30.0)).answered


def test_few_sentences_are_judged_each_with_its_title(kb: Workspace) -> None:
    selector = ScriptedSelector({})
    answer(kb, "When are the bins in the yard emptied?", selector)
    (judged,) = selector.calls
    assert len(judged) == MOST_JUDGED
    assert {context for context, _ in judged} == {"House rules"}


def test_a_sentence_without_the_value_that_the_question_requires_loses(tmp_path: Path) -> None:
    text = "A guest card costs 3 euros. Guest cards are sold at the gate of the yard. Guest cards are green."
    with Workspace(tmp_path / "kb", Settings(embedding=EmbeddingSettings(model="hashing"))) as workspace:
        workspace.add([Document("memory:cards", "Guest cards", text)])
        found = answer(workspace, "What do guest cards at the gate of the yard cost?", ScriptedSelector({}))
    assert found.citations[0].place.quote.startswith("A guest card costs 3 euros.")


def test_only_questions_in_english_are_judged(kb: Workspace) -> None:
    selector = ScriptedSelector({})
    answer(kb, "Wann werden die Tonnen im Hof geleert?", selector)
    assert not selector.calls


def test_a_setting_turns_it_off(tmp_path: Path) -> None:
    off = Settings(answer=AnswerSettings(cross_encoder=False))
    with Workspace(tmp_path / "kb", off) as workspace:
        assert workspace.answer_selector is None
