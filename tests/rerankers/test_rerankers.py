"""Reranking models: behind an endpoint over real HTTP, and from a folder with an ONNX graph."""

import asyncio
import json
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from polyadic.config import RerankerSettings
from polyadic.errors import ModelUnavailable, SettingsError, WeightsMissing
from polyadic.model.types import Usage
from polyadic.rerankers.cross_encoder import GRAPH, TOKENIZER
from polyadic.rerankers.loading import load_reranker
from polyadic.rerankers.reranker import Reranker
from tests.model_server import ModelServer, Status

QUESTION = "When does the ferry leave?"
PASSAGES = ["Bread is made of flour.", "The ferry leaves at nine.", "does the ferry leave"]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def behind(server: ModelServer, **changes: object) -> Reranker:
    settings = {"model": "endpoint", "name": "ranker", "base_url": server.url, "retries": 0, **changes}
    reranker = load_reranker(RerankerSettings.model_validate(settings))
    assert reranker is not None
    return reranker


def test_an_endpoint_scores_each_passage(server: ModelServer) -> None:
    reranker = behind(server, prompt_price=2.0)
    bread, nine, ferry = asyncio.run(reranker.scores(QUESTION, PASSAGES))
    assert ferry > nine > bread
    (call,) = server.rankings.calls
    assert {**call.asked.body} == {"model": "ranker", "query": QUESTION, "documents": PASSAGES, "top_n": 3}
    usage, seconds = reranker.take_usage()
    assert usage == Usage(1, call.prompt_tokens, 0, call.prompt_tokens * 2.0 / 1_000_000) and seconds > 0
    assert reranker.take_usage() == (Usage(), 0.0)
    assert asyncio.run(reranker.scores(QUESTION, [])) == []


def test_the_key_comes_from_the_environment(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    server.key = "sk-rank"
    monkeypatch.setenv("RANK_KEY", "sk-rank")
    assert len(asyncio.run(behind(server, key_variable="RANK_KEY").scores(QUESTION, PASSAGES))) == 3
    monkeypatch.delenv("RANK_KEY")
    with pytest.raises(ModelUnavailable, match="RANK_KEY is not set"):
        asyncio.run(behind(server, key_variable="RANK_KEY").scores(QUESTION, PASSAGES))


def test_without_a_key_no_authorization_is_sent(server: ModelServer) -> None:
    asyncio.run(behind(server).scores(QUESTION, PASSAGES))
    (call,) = server.rankings.calls
    assert "authorization" not in {name.lower() for name in call.asked.headers}


def test_ranking_timeout_is_not_retried() -> None:
    assert (RerankerSettings().timeout, RerankerSettings().retries) == (10.0, 0)


def test_failing_endpoint_is_unavailable(server: ModelServer) -> None:
    server.misbehave(Status(500), route="rerank")
    with pytest.raises(ModelUnavailable):
        asyncio.run(behind(server).scores(QUESTION, PASSAGES))
    with pytest.raises(ModelUnavailable):
        asyncio.run(behind(server, name="another").scores(QUESTION, PASSAGES))
    with pytest.raises(ModelUnavailable):
        asyncio.run(behind(server, base_url="http://127.0.0.1:9/v1").scores(QUESTION, PASSAGES))


@pytest.mark.parametrize(
    "reply",
    [
        {},
        [],
        "no",
        None,
        {"results": []},
        {"results": [{"index": 0}]},
        {"results": [{"index": 3, "relevance_score": 1.0}]},
        {"results": [{"index": -1, "relevance_score": 1.0}]},
        {"results": [{"index": 0, "relevance_score": float("nan")}]},
        {"results": [{"index": 0, "relevance_score": "high"}]},
        {"results": [7]},
    ],
)
def test_invalid_ranking_is_refused(reply: object) -> None:
    from polyadic.rerankers.endpoint_reranker import _scores

    with pytest.raises(ValueError, match=r"results|result without"):
        _scores(reply, 3)


def test_unscored_passages_come_last() -> None:
    from polyadic.rerankers.endpoint_reranker import _scores

    assert _scores({"results": [{"index": 2, "relevance_score": 0.5}]}, 3) == [-math.inf, -math.inf, 0.5]


def cross_encoder(folder: Path, inputs: tuple[str, ...] = ("input_ids", "attention_mask")) -> Path:
    """A model that scores a pair by how many tokens of it are "ferry" or "leaves"."""
    vocabulary = {"[UNK]": 0, "[PAD]": 1, "ferry": 2, "leaves": 3}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="[UNK]"))  # noqa: S106
    tokenizer.pre_tokenizer = Whitespace()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / TOKENIZER))
    worth = numpy_helper.from_array(np.array([0, 0, 1, 1], np.float32), "worth")
    axes = numpy_helper.from_array(np.array([1]), "axes")
    nodes = [
        helper.make_node("Gather", ["worth", "input_ids"], ["each"]),
        helper.make_node("ReduceSum", ["each", "axes"], ["logits"], keepdims=1),
    ]
    given = [helper.make_tensor_value_info(name, TensorProto.INT64, ["n", "length"]) for name in inputs]
    shown = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", 1])]
    graph = helper.make_graph(nodes, "tiny", given, shown, [worth, axes])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    (folder / GRAPH).write_bytes(model.SerializeToString())
    return folder


def from_folder(folder: Path, **changes: object) -> Reranker:
    reranker = load_reranker(RerankerSettings.model_validate({"model": "onnx", "folder": folder, **changes}))
    assert reranker is not None
    return reranker


@pytest.mark.parametrize("inputs", [("input_ids",), ("input_ids", "attention_mask", "token_type_ids")])
def test_cross_encoder_is_loaded_from_a_folder(tmp_path: Path, inputs: tuple[str, ...]) -> None:
    reranker = from_folder(cross_encoder(tmp_path / "tiny", inputs))
    passages = ["bread", "the ferry leaves", "a ferry", *["bread"] * 20]
    scores = asyncio.run(reranker.scores("when", passages))
    assert scores == [0.0, 2.0, 1.0, *[0.0] * 20]
    assert (reranker.name, reranker.take_usage()) == ("tiny", (Usage(), 0.0))


def test_long_passage_is_truncated_to_the_window(tmp_path: Path) -> None:
    reranker = from_folder(cross_encoder(tmp_path), window=32)
    assert asyncio.run(reranker.scores("when", ["ferry " * 100])) == [31.0]
    assert asyncio.run(reranker.scores("when " * 100, ["ferry"])) == [1.0]


def test_folder_without_model_files_is_reported(tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing, match=GRAPH):
        from_folder(tmp_path)
    cross_encoder(tmp_path)
    (tmp_path / GRAPH).write_bytes(b"no graph")
    with pytest.raises(ModelUnavailable, match="no usable cross-encoder"):
        asyncio.run(from_folder(tmp_path).scores("when", PASSAGES))
    cross_encoder(tmp_path)
    (tmp_path / TOKENIZER).write_text(json.dumps({}), encoding="utf-8")
    with pytest.raises(ModelUnavailable, match="no usable cross-encoder"):
        asyncio.run(from_folder(tmp_path).scores("when", PASSAGES))


@pytest.mark.parametrize("settings", [{"model": "endpoint"}, {"model": "endpoint", "name": "x"}, {"model": "onnx"}])
def test_incomplete_reranker_settings_are_reported(settings: dict[str, str]) -> None:
    with pytest.raises(SettingsError, match="reranker"):
        load_reranker(RerankerSettings.model_validate(settings))
