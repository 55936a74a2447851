"""The LangChain retriever, as the installed framework calls it."""

import asyncio
from typing import Any

import pytest
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda
from pydantic import ValidationError

from polyadic.errors import NotFound
from polyadic.integrations.langchain import PolyadicRetriever
from polyadic.model.types import Filter
from polyadic.workspace import Workspace
from tests.integrations.conftest import TEXTS

pytestmark = pytest.mark.slow

QUESTION = "Who heard Charles Babbage in Turin?"


def test_documents_have_provenance_and_explanation(workspace: Workspace) -> None:
    found = PolyadicRetriever(workspace=workspace).invoke(QUESTION)
    expected = workspace.retrieve(QUESTION).items
    assert [(one.id, one.page_content) for one in found] == [(item.id, item.text) for item in expected]
    assert {one.metadata["kind"] for one in found} == {"fact", "chunk"}
    for one, item in zip(found, expected, strict=True):
        metadata = one.metadata
        assert (metadata["score"], metadata["why"]) == (item.score, item.why)
        assert TEXTS[metadata["source"]][metadata["start"] : metadata["end"]] == item.places[0].quote
    heard = next(one for one in found if one.page_content.endswith("Luigi Menabrea heard Charles Babbage in Turin."))
    assert (heard.metadata["source"], heard.metadata["page"], heard.metadata["title"]) == (
        "/notes/turin.pdf",
        2,
        "A journey",
    )
    assert all("page" not in one.metadata for one in found if one.metadata["source"] == "/notes/ada.md")


def test_async_results_equal_sync_results(workspace: Workspace) -> None:
    retriever = PolyadicRetriever(workspace=workspace)
    assert asyncio.run(retriever.ainvoke(QUESTION)) == retriever.invoke(QUESTION)


def test_retriever_works_within_a_running_loop(workspace: Workspace) -> None:
    retriever = PolyadicRetriever(workspace=workspace)

    async def work() -> list[Document]:
        return retriever.invoke(QUESTION)

    assert asyncio.run(work()) == retriever.invoke(QUESTION)


def test_method_tokens_and_documents_are_parameters(workspace: Workspace) -> None:
    few = PolyadicRetriever(workspace=workspace, method="chunks", context_tokens=25).invoke(QUESTION)
    assert [one.metadata["kind"] for one in few] == ["chunk"]
    for only in (Filter(sources=("/notes/turin.pdf",)), Filter(where={"kind": "journey"})):
        heard = PolyadicRetriever(workspace=workspace, only=only).invoke("Who met Charles Babbage?")
        assert {one.metadata["source"] for one in heard} == {"/notes/turin.pdf"}
    with pytest.raises(NotFound):
        PolyadicRetriever(workspace=workspace, only=Filter(sources=("/nowhere",))).invoke(QUESTION)


@pytest.mark.parametrize("wrong", [{"method": "magic"}, {"context_tokens": 0}, {"only": "/notes"}, {"workspace": None}])
def test_invalid_parameters_are_refused_on_construction(workspace: Workspace, wrong: dict[str, Any]) -> None:
    if wrong == {"workspace": None}:
        with pytest.raises(ValidationError):
            PolyadicRetriever()  # type: ignore[call-arg]
        return
    with pytest.raises(ValidationError):
        PolyadicRetriever(workspace=workspace, **wrong)


def test_retriever_works_in_a_chain_and_triggers_callbacks(workspace: Workspace) -> None:
    heard: list[str] = []

    class Listening(BaseCallbackHandler):
        def on_retriever_end(self, documents: Any, **_: Any) -> None:
            heard.extend(one.page_content for one in documents)

    def first(documents: list[Document]) -> str:
        return documents[0].page_content

    chain = PolyadicRetriever(workspace=workspace) | RunnableLambda(first)
    answer = chain.invoke(QUESTION, {"callbacks": [Listening()]})
    assert answer == heard[0]
    assert "Menabrea" in answer
