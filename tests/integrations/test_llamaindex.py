"""The LlamaIndex retriever, as the installed framework calls it."""

import asyncio

import pytest
from llama_index.core.callbacks import CallbackManager
from llama_index.core.indices.postprocessor import SimilarityPostprocessor
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer
from llama_index.core.schema import MetadataMode, NodeWithScore, QueryBundle, TextNode

from polyadic.errors import NotFound
from polyadic.integrations.llamaindex import PolyadicRetriever
from polyadic.model.types import Filter
from polyadic.workspace import Workspace
from tests.integrations.conftest import TEXTS

pytestmark = pytest.mark.slow

QUESTION = "Who heard Charles Babbage in Turin?"


def shown(nodes: list[NodeWithScore]) -> list[tuple[str, str, float | None]]:
    return [(one.node_id, one.text, one.score) for one in nodes]


def test_nodes_have_provenance_and_explanation(workspace: Workspace) -> None:
    found = PolyadicRetriever(workspace).retrieve(QUESTION)
    expected = workspace.retrieve(QUESTION).items
    assert shown(found) == [(item.id, item.text, item.score) for item in expected]
    for one, item in zip(found, expected, strict=True):
        at = one.metadata
        assert (at["kind"], at["why"], at["score"]) == (item.kind, item.why, item.score)
        assert TEXTS[at["source"]][at["start"] : at["end"]] == item.places[0].quote
        assert one.node.ref_doc_id == item.places[0].document_id
    heard = next(one for one in found if one.text.endswith("Luigi Menabrea heard Charles Babbage in Turin."))
    assert (heard.metadata["page"], heard.metadata["title"]) == (2, "A journey")


def test_passage_offsets_are_document_offsets(workspace: Workspace) -> None:
    found = PolyadicRetriever(workspace, method="chunks").retrieve(QUESTION)
    assert len(found) == 2
    for one in found:
        assert isinstance(one.node, TextNode)
        assert TEXTS[one.metadata["source"]][one.node.start_char_idx : one.node.end_char_idx] == one.text


def test_prompt_metadata_has_the_source_but_no_numbers(workspace: Workspace) -> None:
    (first, *_) = PolyadicRetriever(workspace, only=Filter(sources=("/notes/turin.pdf",))).retrieve(QUESTION)
    seen = first.node.get_content(MetadataMode.LLM)
    assert "source: /notes/turin.pdf" in seen
    assert "page: 2" in seen
    assert "why" not in seen
    assert "score" not in seen


def test_async_results_equal_sync_results(workspace: Workspace) -> None:
    retriever = PolyadicRetriever(workspace)
    bundle = QueryBundle(QUESTION)
    assert shown(asyncio.run(retriever.aretrieve(bundle))) == shown(retriever.retrieve(bundle))


def test_method_tokens_and_documents_are_parameters(workspace: Workspace) -> None:
    few = PolyadicRetriever(workspace, method="chunks", context_tokens=25).retrieve(QUESTION)
    assert [one.metadata["kind"] for one in few] == ["chunk"]
    for only in (Filter(sources=("/notes/turin.pdf",)), Filter(where={"kind": "journey"})):
        heard = PolyadicRetriever(workspace, only=only).retrieve("Who met Charles Babbage?")
        assert {one.metadata["source"] for one in heard} == {"/notes/turin.pdf"}
    with pytest.raises(NotFound):
        PolyadicRetriever(workspace, only=Filter(sources=("/nowhere",))).retrieve(QUESTION)


def test_retriever_works_in_a_query_engine(workspace: Workspace) -> None:
    """The framework's stand-in for a model says its prompt, so this is what a model would be told."""
    retriever = PolyadicRetriever(workspace, callback_manager=CallbackManager())
    engine = RetrieverQueryEngine(
        retriever,
        get_response_synthesizer(llm=MockLLM(), response_mode=ResponseMode.COMPACT),
        node_postprocessors=[SimilarityPostprocessor(similarity_cutoff=-1.0)],
    )
    response = engine.query(QUESTION)
    assert shown(response.source_nodes) == shown(retriever.retrieve(QUESTION))
    assert "source: /notes/turin.pdf" in str(response)
    assert "Luigi Menabrea heard Charles Babbage" in str(response)
