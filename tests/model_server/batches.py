"""The server as a provider of batches: a file of requests is answered line by line, each as a call would be."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import openai

from tests.model_server.server import ModelServer

_LONGEST_ID = 64


def answer_batch(server: ModelServer, *files: Path) -> list[str]:
    """A response line for each request line of these files, in their order.

    Every body goes to the server over HTTP, so it is checked, recorded and misbehaved with as any other call; an error
    of the server is a line with its status. AssertionError where a file is none that a provider would take.
    """
    answers = []
    with openai.DefaultHttpxClient(base_url=server.azure_url, timeout=30.0, verify=False, trust_env=False) as client:
        for number, request in enumerate(_requests(files), 1):
            response = client.post(request["url"], json=request["body"])
            answers.append(_line(number, request["custom_id"], response.status_code, response.json()))
    return answers


def expired(response: str) -> str:
    """The line that a provider writes instead of a response that did not come in time."""
    error = {"code": "batch_expired", "message": "This request could not be executed before the window expired."}
    return json.dumps(json.loads(response) | {"response": None, "error": error})


def failed(response: str, status: int = 500, message: str = "The server had an error.") -> str:
    """The line for a request that the endpoint answered with an error."""
    body = {"error": {"message": message, "type": "server_error", "param": None, "code": None}}
    return json.dumps(json.loads(response) | {"response": {"status_code": status, "request_id": "r", "body": body}})


def _requests(files: Iterable[Path]) -> list[dict[str, Any]]:
    requests = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    ids = [request["custom_id"] for request in requests]
    assert len(set(ids)) == len(ids) and all(0 < len(given) <= _LONGEST_ID for given in ids)
    for request in requests:
        assert set(request) == {"custom_id", "method", "url", "body"} and request["method"] == "POST"
        assert "stream" not in request["body"]
    return requests


def _line(number: int, custom_id: str, status: int, body: Mapping[str, Any]) -> str:
    response = {"status_code": status, "request_id": f"request-{number}", "body": body}
    return json.dumps({"id": f"batch-{number}", "custom_id": custom_id, "response": response, "error": None})
