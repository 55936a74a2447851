"""Responses are compressed, and event streams are not: their events arrive as they are sent."""

import time
from pathlib import Path

import pytest

from tests.model_server import ModelServer, ready
from tests.server.running_server import ADA, QUESTION, make, running

pytestmark = pytest.mark.slow
_GZIP = {"Accept-Encoding": "gzip"}
_SECONDS = 1.0


def test_event_streams_are_not_held_back_by_compression(tmp_path: Path) -> None:
    with ModelServer(ready(), delay=_SECONDS) as model:
        (tmp_path / "polyadic.toml").write_text(
            '[embedding]\nmodel = "hashing"\n[extraction]\nextractor = "sentences"\n'
            f'[model]\nname = "recorded"\nbase_url = "{model.url}"\nkey_variable = ""\n'
        )
        with running(tmp_path) as server, server.client() as client:
            make(client, "letters", ADA)
            path = "/v1/workspaces/letters/query/stream"
            with client.stream("POST", path, json={"question": QUESTION}, headers=_GZIP) as reply:
                times = [time.perf_counter() for piece in reply.iter_raw() if piece]
                assert reply.status_code == 200 and "content-encoding" not in reply.headers
            assert times[-1] - times[0] > _SECONDS / 2, "steps come before the model answers"


def test_answers_are_compressed(tmp_path: Path) -> None:
    (tmp_path / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    with running(tmp_path) as server, server.client() as client:
        make(client, "letters", ADA)
        reply = client.post("/v1/workspaces/letters/query", json={"question": QUESTION}, headers=_GZIP)
        assert reply.headers["content-encoding"] == "gzip"
        assert reply.json()["answered"]
