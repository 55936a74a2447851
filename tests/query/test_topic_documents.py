"""A question about a broad topic is answered from the documents about it."""

from collections.abc import Iterator

import pytest

from polyadic.config import AnswerSettings, EmbeddingSettings, Settings
from polyadic.model.types import Answer, Document, Filter
from polyadic.query.topic_documents import topic_documents
from polyadic.workspace import Workspace

QUOTES = AnswerSettings(by="quotes")


def about(name: str, *others: str) -> str:
    facts = [f"{name} was launched by a Saturn rocket.", f"Crew members of {name} trained in Houston."]
    return " ".join([*facts, f"The flight of {name} took eight days.", *others])


DOCUMENTS = {
    "Eagle": about("Apollo 11"),
    "Aquarius": about("Apollo 13"),
    "Endurance": about("Gemini 5"),
    "Houston": "Houston controlled Apollo 11. "
    + " ".join(f"Room {i} of Houston had {i} telephones." for i in range(20)),
    "Postcard": "Lovell wrote about Apollo 13 to Marilyn.",
}


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    settings = Settings(embedding=EmbeddingSettings(model="hashing"))
    with Workspace(tmp_path_factory.mktemp("topics"), settings) as workspace:
        workspace.add([Document(f"memory:{title}", title, text) for title, text in DOCUMENTS.items()])
        yield workspace


def sources(answer: Answer) -> set[str]:
    return {citation.place.title for citation in answer.citations}


def test_documents_about_a_topic_name_it_in_a_quarter_of_their_facts_and_in_three(kb: Workspace) -> None:
    with kb.store().read() as reader:
        titles = {
            topic: {reader.records.document(one).title for one in topic_documents(topic, reader)}
            for topic in ("Apollo programme", "Gemini", "telephones of Houston", "Marilyn", "the")
        }
    assert titles == {
        "Apollo programme": {"Eagle", "Aquarius"},
        "Gemini": {"Endurance"},
        "telephones of Houston": {"Houston"},
        "Marilyn": set(),
        "the": set(),
    }


@pytest.mark.parametrize(
    "question", ["What do the documents say about the Apollo programme overall?", "Summarise the history of Apollo."]
)
def test_question_about_a_topic_quotes_the_documents_about_it(kb: Workspace, question: str) -> None:
    answer = kb.query(question, answer=QUOTES)
    assert answer.method == "overview" and sources(answer) == {"Eagle", "Aquarius"}
    only = kb.query(question, answer=QUOTES, only=Filter(("memory:Eagle", "memory:Endurance")))
    assert sources(only) == {"Eagle"}


def test_model_gets_passages_about_a_topic_without_reports(kb: Workspace) -> None:
    question = "Summarise the history of Apollo."
    assert kb.retrieve(question).method == "auto"
    assert kb.retrieve("Summarise these documents.").method == "overview"


def test_question_about_a_topic_of_no_document_is_answered_as_any_other(kb: Workspace) -> None:
    assert kb.query("What do the documents say about Marilyn?", answer=QUOTES).method == "auto"
