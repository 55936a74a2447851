"""A real model behind llama.cpp's server: the protocol works from end to end. Its answers are poor, and not judged."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import AnswerSettings, EmbeddingSettings, ExtractionSettings, ModelSettings, Settings
from polyadic.doctor.check_result import Severity
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.language_model import ChatMessage, ModelReply, ModelRequest, ReplySchema
from polyadic.model.types import Answer, Document
from polyadic.workspace import Workspace
from tests.real_model.server import serving
from tests.real_model.weights import weights

pytestmark = pytest.mark.slow
CONTEXT = 4096
ADA = Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London.")
COLOUR = ReplySchema(
    "colour",
    {
        "type": "object",
        "properties": {"colour": {"type": "string", "enum": ["green", "blue"]}, "sure": {"type": "boolean"}},
        "required": ["colour", "sure"],
        "additionalProperties": False,
    },
)


@pytest.fixture(scope="module")
def file() -> Path:
    if not weights().exists() and not os.environ.get("CI"):
        pytest.skip("python -m tests.real_model.weights fetches the model")
    return weights()


@pytest.fixture(scope="module")
def url(file: Path) -> Iterator[str]:
    with serving(file, "chat", CONTEXT) as base_url:
        yield base_url


def model_settings(url: str, **values: object) -> ModelSettings:
    given = {"name": "smollm2", "base_url": url, "key_variable": "", "context_tokens": CONTEXT, "output_tokens": 100}
    return ModelSettings.model_validate({**given, "retries": 0, "at_once": 1, **values})


def settings(url: str, **values: object) -> Settings:
    return Settings(
        model=model_settings(url, **values),
        embedding=EmbeddingSettings(model="hashing"),
        extraction=ExtractionSettings(extractor="sentences"),
        answer=AnswerSettings(by="model"),
    )


def test_doctor_checks_the_model(tmp_path: Path, url: str) -> None:
    with Workspace(tmp_path, settings(url, context_tokens=1000)) as kb:
        found = {finding.what: finding for finding in kb.examine(timeout=300)}
    assert list(found)[3:] == ["key", "endpoint", "JSON", "speed", "context"]
    assert found["endpoint"].detail.endswith("answers and lists smollm2")
    assert (found["JSON"].state, found["JSON"].detail) == (Severity.GOOD, "smollm2 supports JSON schemas")
    assert "tokens per second" in found["speed"].detail


def test_doctor_stops_at_its_time_limit(tmp_path: Path, url: str) -> None:
    with Workspace(tmp_path, settings(url, context_tokens=CONTEXT)) as kb:
        *_, last = kb.examine(timeout=0.2)
    assert last.what == "not checked" and last.detail.startswith(("JSON, speed, context", "speed, context", "endpoint"))


def test_reply_follows_a_json_schema(url: str) -> None:
    async def reply() -> ModelReply:
        model = EndpointModel(model_settings(url))
        try:
            prompt = "What colour is a clear sky at noon? Reply with JSON."
            return await model.complete(ModelRequest("test", (ChatMessage("user", prompt),), COLOUR))
        finally:
            await model.close()

    said = asyncio.run(reply())
    content = json.loads(said.text)
    assert content.keys() == {"colour", "sure"} and content["colour"] in {"green", "blue"}
    assert said.complete and said.usage.prompt_tokens > 0 and said.usage.completion_tokens > 0


def test_extraction_publishes_the_document(tmp_path: Path, url: str) -> None:
    with Workspace(tmp_path, settings(url)) as kb:
        report = kb.add([ADA], extractor="model")
        assert (report.documents, report.stopped) == (1, "")
        assert all("smollm2" in failed.reason or "facts" in failed.reason for failed in report.failed)
        (entry,) = kb.ledger().calls
        assert (entry.call.purpose, entry.call.model) == ("extract", "smollm2")
        assert 0 < entry.call.usage.completion_tokens <= 101
        assert kb.status().counts.chunks == 1


def test_answer_is_written_and_streamed(tmp_path: Path, url: str) -> None:
    with Workspace(tmp_path, settings(url)) as kb:
        kb.add([ADA])
        answer = kb.query("Who met Charles Babbage?")
        assert answer.text and answer.usage.calls == 1 and "smollm2" in answer.note
        *pieces, last = kb.stream("Who met Charles Babbage?")
        assert isinstance(last, Answer) and last.usage.calls == 1
        assert len(pieces) > 1 or len(last.text) < 20
        assert "".join(str(piece) for piece in pieces).strip() == last.text.strip()


def test_embeddings_of_an_endpoint_are_indexed_and_found(tmp_path: Path, file: Path) -> None:
    with serving(file, "embeddings", 512) as url:
        given = {"model": "endpoint", "name": "smollm2", "base_url": url, "key_variable": "", "retries": 0}
        chosen = Settings(embedding=EmbeddingSettings.model_validate({**given, "window": 512}))
        with Workspace(tmp_path, chosen) as kb:
            kb.add([ADA, Document("memory:ferry", "", "The ferry to Lund leaves at nine every morning.")])
            assert kb.status().counts.dimension == 576
            found = kb.retrieve("When does the ferry leave?", "chunks", 100)
            assert found.items
            assert kb.status().spent.calls > 1
            assert {finding.what: finding.state for finding in kb.examine()}["embedding"] is Severity.GOOD
