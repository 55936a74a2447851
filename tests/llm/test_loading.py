"""A model per role: each does its part, at its own prices, and what a section leaves out is as under [model]."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import HierarchyBuildSettings, ModelSettings, Settings
from polyadic.errors import SettingsError
from polyadic.llm.budget import SpendingBudget
from polyadic.llm.loading import RoleModels
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.model_server import ModelServer, ready
from tests.model_server.batches import answer_batch
from tests.support.batches import put_lines
from tests.support.with_a_model import HASHING, SMALL, story

NAMES = ("reader", "writer", "judge", "summarizer")
ROLES = {
    "extraction": {"name": "reader", "prompt_price": 1.0},
    "judging": {"name": "judge", "prompt_price": 3.0},
    "summaries": {"name": "summarizer", "prompt_price": 4.0},
}
QUESTION = "Where did Mira Falk send letter 5 from?"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready(), models=NAMES) as running:
        yield running


def settings(server: ModelServer, roles: Mapping[str, Any] = ROLES, **model: Any) -> Settings:
    given = {"name": "writer", "base_url": server.url, "key_variable": "", "retries": 0, "prompt_price": 2.0}
    return Settings(
        model=ModelSettings.model_validate({**given, **model, **roles}),
        chunking=SMALL,
        embedding=HASHING,
        hierarchy_build=HierarchyBuildSettings(cluster_members=6),
    )


def asked_models(server: ModelServer) -> set[str]:
    models = {asked.model for asked in server.asked}
    server.reset()
    return models


@pytest.mark.slow
def test_each_role_calls_its_own_model_and_is_counted_at_its_prices(tmp_path: Path, server: ModelServer) -> None:
    file = tmp_path / "letters.txt"
    file.write_text(story(0, 24))
    with Workspace(tmp_path / "kb", settings(server)) as kb:
        estimate = kb.estimate([file])
        assert estimate.extractor.startswith("reader")
        assert estimate.usage.money == pytest.approx(estimate.usage.prompt_tokens / 1e6)
        kb.index([file])
        assert asked_models(server) == {"reader"}
        answer = kb.query(QUESTION)
        assert asked_models(server) == {"writer"} and "writer" in answer.note
        build = kb.hierarchy.estimate()
        assert build.by == "summarizer"
        assert build.usage.money == pytest.approx(4 * build.usage.prompt_tokens / 1e6)
        kb.hierarchy.build()
        assert asked_models(server) == {"summarizer"}
        kb.add([Document("memory:clara", "", "Clara M. Weiss sang in Turin.")])
        server.reset()
        kb.entities.review(by_model=True)
        assert asked_models(server) == {"judge"}
        prices = {"reader": 1.0, "writer": 2.0, "judge": 3.0, "summarizer": 4.0}
        for call in (entry.call for entry in kb.ledger().calls):
            assert call.usage.money == pytest.approx(prices[call.model] * call.usage.prompt_tokens / 1e6)
        assert {entry.call.model for entry in kb.ledger().calls} >= {"reader", "writer", "summarizer"}


def test_role_without_a_name_uses_no_model(tmp_path: Path, server: ModelServer) -> None:
    reading_only = settings(server, {"extraction": {"name": "reader"}}, name="")
    with Workspace(tmp_path / "read", reading_only) as kb:
        kb.add([Document("memory:ada", "", story(0, 4))])
        assert kb.query(QUESTION).citations and asked_models(server) == {"reader"}
        assert kb.hierarchy.estimate().by == "extractive"
    answering_only = settings(server, {"extraction": {"name": ""}})
    with Workspace(tmp_path / "answered", answering_only) as kb:
        kb.add([Document("memory:ada", "", story(0, 4))])
        assert not server.asked
        kb.query(QUESTION)
        assert asked_models(server) == {"writer"}
        with pytest.raises(SettingsError, match="needs a language model"):
            kb.add([Document("memory:ada", "", "Other text.")], extractor="model")


def test_budget_in_money_needs_the_prices_of_the_role(tmp_path: Path, server: ModelServer) -> None:
    free = settings(server, {"extraction": {"name": "reader", "prompt_price": 0}})
    with Workspace(tmp_path, free) as kb, pytest.raises(SettingsError, match=r"under \[model\.extraction\]"):
        kb.add([Document("memory:ada", "", story(0, 4))], budget=SpendingBudget(money=1))


def test_roles_with_equal_settings_share_one_model() -> None:
    models = RoleModels(ModelSettings.model_validate({"name": "large", "extraction": {"name": "small"}}))
    assert models.of("answers") is models.of("judging") is not models.of("extraction")
    same = RoleModels(ModelSettings.model_validate({"name": "large", "extraction": {"name": "large"}}))
    assert same.of("answers") is same.of("extraction")


def test_batch_files_have_requests_of_one_model_each_at_its_discount(tmp_path: Path, server: ModelServer) -> None:
    roles = {"extraction": {**ROLES["extraction"], "batch_discount": 0.5}}
    first, second = tmp_path / "first.txt", tmp_path / "second.txt"
    first.write_text(story(0, 8))
    second.write_text(story(1, 8))
    questions = put_lines(tmp_path / "questions.jsonl", [json.dumps({"id": "q", "question": QUESTION})])
    with Workspace(tmp_path / "kb", settings(server, roles)) as kb:
        kb.index([first])
        paid = kb.status().spent.money
        written = kb.batch.write(tmp_path / "ask.jsonl", [second], questions)
        models = [
            {json.loads(line)["body"]["model"] for line in file.read_text().splitlines()} for file in written.files
        ]
        assert models == [{"reader"}, {"writer"}]
        answers = put_lines(tmp_path / "answers.jsonl", answer_batch(server, *written.files))
        report = kb.batch.read([answers])
        assert report.index.documents == 1
        calls = {entry.call.purpose: entry.call for entry in kb.ledger().calls if not entry.call.seconds}
        assert calls["extract"].usage.money == pytest.approx(0.5 * calls["extract"].usage.prompt_tokens / 1e6)
        assert calls["answer"].usage.money == pytest.approx(2 * calls["answer"].usage.prompt_tokens / 1e6)
        assert kb.status().spent.money > paid
