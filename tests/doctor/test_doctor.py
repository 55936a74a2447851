"""Every ailment that the doctor knows, made on purpose, and what is said of it."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from time import perf_counter

import pytest

from polyadic.config import EmbeddingSettings, ModelSettings, OcrSettings, Settings
from polyadic.doctor.check_result import CheckResult, Severity
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.model_server import Asked, Late, ModelServer, Status, needle

HASHING = EmbeddingSettings(model="hashing")
ADA = Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London.")


def small_talk(asked: Asked) -> str | None:
    """What the doctor asks besides the pass phrase."""
    if "colour" in asked.text:
        return '{"colour": "blue"}'
    return " ".join(map(str, range(1, 101))) if "numbers from 1 to 100" in asked.text else None


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([needle(), small_talk]) as running:
        yield running


def examine(folder: Path, settings: Settings, timeout: float = 60) -> dict[str, CheckResult]:
    with Workspace(folder, settings) as kb:
        return {finding.what: finding for finding in kb.examine(timeout=timeout)}


def with_model(server: ModelServer, **values: object) -> Settings:
    given = {"name": "recorded", "base_url": server.url, "key_variable": "", "retries": 0, **values}
    return Settings(embedding=HASHING, model=ModelSettings.model_validate(given))


def test_healthy_workspace_and_model_pass(tmp_path: Path, server: ModelServer) -> None:
    with Workspace(tmp_path, Settings(embedding=HASHING)) as kb:
        kb.add([ADA])
    found = examine(tmp_path, with_model(server))
    assert list(found) == ["disk", "store", "embedding", "key", "endpoint", "JSON", "speed", "context"]
    assert all(finding.state is Severity.GOOD and not finding.next_step for finding in found.values())
    assert "1 document, 1 fact, all" in found["store"].detail
    assert "384 dimensions" in found["embedding"].detail


def test_engine_that_cannot_be_used_is_found(tmp_path: Path) -> None:
    refused = [
        (OcrSettings(engine="docling"), "base_url is empty"),
        (OcrSettings(engine="model"), "needs a language model"),
        (OcrSettings(captions=5), "needs a language model"),
    ]
    for unusable, problem in refused:
        found = examine(tmp_path, Settings(embedding=HASHING, ocr=unusable))
        assert problem in found["ocr"].detail
        assert found["ocr"].state is Severity.BAD
    ocr = OcrSettings(engine="docling", base_url="http://localhost:1")
    assert examine(tmp_path, Settings(embedding=HASHING, ocr=ocr))["ocr"].state is Severity.GOOD


def test_doctor_creates_no_workspace(tmp_path: Path) -> None:
    folder = tmp_path / "kb"
    found = examine(folder, Settings(embedding=HASHING))
    assert "create it with polyadic index PATH" in found["store"].detail
    assert "none is needed" in found["model"].detail
    assert not folder.exists()


def test_missing_key_is_reported(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("A_KEY", raising=False)
    found = examine(tmp_path, with_model(server, key_variable="A_KEY"))
    assert (found["model"].state, "A_KEY is not set" in found["model"].detail) == (Severity.BAD, True)
    assert not server.calls


def test_wrong_key_is_reported_but_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "sk-very-secret")
    with ModelServer([needle(), small_talk], key="sk-right") as server:
        found = examine(tmp_path, with_model(server, key_variable="A_KEY"))
    assert "refuses the key in A_KEY" in found["model"].detail
    assert "secret" not in str(found)


def test_unreachable_endpoint_is_reported(tmp_path: Path, server: ModelServer) -> None:
    settings = with_model(server, base_url="http://127.0.0.1:9/v1")
    found = examine(tmp_path, settings)["model"]
    assert (found.state, "cannot be reached" in found.detail) == (Severity.BAD, True)
    assert "base_url" in found.next_step


def test_unknown_model_is_reported(tmp_path: Path, server: ModelServer) -> None:
    found = examine(tmp_path, with_model(server, name="recroded"))
    assert (found["endpoint"].state, "recorded" in found["endpoint"].next_step) == (Severity.DOUBTFUL, True)
    assert (found["model"].state, "has no model recroded" in found["model"].detail) == (Severity.BAD, True)


@pytest.mark.parametrize(
    ("modes", "mode", "state"),
    [
        ({"json_schema", "json_object"}, "schema", Severity.GOOD),
        ({"json_object"}, "object", Severity.DOUBTFUL),
        (set(), "text", Severity.DOUBTFUL),
    ],
)
def test_supported_json_modes_are_detected(
    tmp_path: Path, server: ModelServer, modes: set[str], mode: str, state: Severity
) -> None:
    server.json_modes = modes
    found = examine(tmp_path, with_model(server))["JSON"]
    assert found.state is state
    assert state is Severity.GOOD or f'json_mode = "{mode}"' in found.next_step


def test_context_window_smaller_than_configured_is_measured(tmp_path: Path, server: ModelServer) -> None:
    server.context_tokens, server.truncates_silently = 4096, True
    found = examine(tmp_path, with_model(server, context_tokens=16_000))["context"]
    assert found.state is Severity.BAD
    claimed = int(found.next_step.rpartition("context_tokens = ")[2].split()[0])
    assert 2048 <= claimed <= 4096 / 0.8
    assert "OLLAMA_CONTEXT_LENGTH" in found.next_step
    assert examine(tmp_path, with_model(server, context_tokens=claimed))["context"].state is Severity.GOOD


def test_context_window_is_measured_from_refusals(tmp_path: Path, server: ModelServer) -> None:
    server.context_tokens = 4096
    assert (
        "is truncated at the beginning"
        in examine(tmp_path, with_model(server, context_tokens=16_000))["context"].detail
    )


def test_slow_model_is_reported(tmp_path: Path, server: ModelServer) -> None:
    server.tokens_per_second = 400
    server.delay = 0.0
    found = examine(tmp_path, with_model(server, context_tokens=1000))["speed"]
    assert "tokens per second" in found.detail


def test_vectors_of_another_dimension_are_reported(tmp_path: Path, server: ModelServer) -> None:
    def endpoint(dimension: int) -> Settings:
        server.dimension = dimension
        values = {"model": "endpoint", "name": "hashing", "base_url": server.url, "key_variable": ""}
        return Settings(embedding=EmbeddingSettings.model_validate(values))

    with Workspace(tmp_path, endpoint(256)) as kb:
        kb.add([ADA])
    assert examine(tmp_path, endpoint(256))["embedding"].state is Severity.GOOD
    found = examine(tmp_path, endpoint(128))["embedding"]
    assert (found.state, "128 dimensions, the store has vectors with 256" in found.detail) == (Severity.BAD, True)


def test_facts_with_wrong_evidence_counts_are_reported(tmp_path: Path) -> None:
    with Workspace(tmp_path, Settings(embedding=HASHING)) as kb:
        kb.add([ADA])
    with sqlite3.connect(tmp_path / "store.sqlite") as tampered:
        tampered.execute("UPDATE fact SET evidence = evidence + 1")
    tampered.close()
    found = examine(tmp_path, Settings(embedding=HASHING))["store"]
    assert (found.state, "1 facts differ from what their evidence says" in found.detail) == (Severity.BAD, True)


def test_store_of_another_embedder_is_reported(tmp_path: Path) -> None:
    with Workspace(tmp_path, Settings(embedding=HASHING)) as kb:
        kb.add([ADA])
    assert "was filled with" in examine(tmp_path, Settings())["store"].detail


@pytest.mark.parametrize(
    ("text", "said"), [("It rained.", "fewer than two things"), ("# Heading", "found no evidence")]
)
def test_reasons_for_missing_facts_are_reported(tmp_path: Path, text: str, said: str) -> None:
    with Workspace(tmp_path, Settings(embedding=HASHING)) as kb:
        kb.add([Document("memory:x", "", text)])
    found = examine(tmp_path, Settings(embedding=HASHING))["facts"]
    assert (found.state, said in found.detail) == (Severity.DOUBTFUL, True)


def test_failed_chunks_are_reported(tmp_path: Path, server: ModelServer) -> None:
    settings = with_model(server)
    with Workspace(tmp_path, settings) as kb:
        report = kb.add([ADA])  # no responder knows what to say of facts, so the server fails
    assert len(report.failed) == 1
    assert "because 1 chunks failed" in examine(tmp_path, settings)["facts"].detail


def test_context_window_is_unknown_if_the_model_repeats_nothing(tmp_path: Path) -> None:
    def forgetful(asked: Asked) -> str | None:
        return "I do not know." if "pass phrase" in asked.text else small_talk(asked)

    with ModelServer([forgetful]) as server:
        found = examine(tmp_path, with_model(server, context_tokens=4000))["context"]
    assert (found.state, "not even of 800 tokens" in found.detail) == (Severity.DOUBTFUL, True)


@pytest.mark.slow
def test_timeout_leaves_the_context_window_unknown(tmp_path: Path, server: ModelServer) -> None:
    server.misbehave(Late(3), when=lambda asked: "pass phrase" in asked.text)
    found = examine(tmp_path, with_model(server, timeout=1))
    assert "context" not in found
    assert "no reply within 1 s" in found["model"].detail


def test_reranker_is_tested(tmp_path: Path, server: ModelServer) -> None:
    given = {"model": "endpoint", "name": "ranker", "base_url": server.url, "retries": 0}
    settings = Settings.model_validate({"embedding": HASHING, "reranker": given})
    found = examine(tmp_path, settings)["reranker"]
    assert found.state is Severity.GOOD and "ranker ranks two passages" in found.detail
    server.misbehave(Status(401), route="rerank")
    assert examine(tmp_path, settings)["reranker"].state is Severity.BAD
    half = Settings.model_validate({"embedding": HASHING, "reranker": {"model": "onnx"}})
    assert "folder is empty" in examine(tmp_path, half)["reranker"].detail


def test_every_model_of_a_role_is_checked_once(tmp_path: Path, server: ModelServer) -> None:
    roles = {"extraction": {"name": "small"}, "summaries": {"name": "small"}, "judging": {"name": ""}}
    server.models = ["recorded", "small"]
    found = examine(tmp_path, with_model(server, **roles, prompt_price=2))
    names = ["key", "endpoint", "JSON", "speed", "context"]
    assert list(found)[3:] == [f"extraction {name}" for name in names] + names + ["prices"]
    assert "small is counted at the prices of recorded" in found["prices"].detail
    assert "[model.extraction]" in found["prices"].next_step or "[model.summaries]" in found["prices"].next_step
    assert {asked.model for asked in server.asked} == {"recorded", "small"}
    server.json_modes = {"json_object"}
    assert "under [model.extraction]" in examine(tmp_path, with_model(server, **roles))["extraction JSON"].next_step


def test_time_limit_names_what_was_not_checked(tmp_path: Path, server: ModelServer) -> None:
    server.misbehave(Late(30), when=lambda asked: "numbers from 1 to 100" in asked.text)
    started = perf_counter()
    found = examine(tmp_path, with_model(server), timeout=3)
    assert perf_counter() - started < 20
    assert list(found)[2:] == ["embedding", "key", "endpoint", "JSON", "not checked"]
    cut = found["not checked"]
    assert cut.state is Severity.DOUBTFUL and cut.detail.startswith("speed, context, because the time limit of 3 s")
    assert "--timeout" in cut.next_step


@pytest.mark.slow
def test_speed_of_a_slow_model_is_measured_on_part_of_its_reply(tmp_path: Path, server: ModelServer) -> None:
    server.tokens_per_second = 5
    found = examine(tmp_path, with_model(server, context_tokens=1000), timeout=20)["speed"]
    assert found.state is Severity.DOUBTFUL and found.detail.startswith(("4 tokens", "5 tokens", "6 tokens"))
