"""Replies of a large language model to today's requests about ``examples/spaceflight``, found by what was asked."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from polyadic.config import HierarchyBuildSettings, ModelSettings, Settings
from polyadic.model.types import Usage
from polyadic.text.tokens import count_tokens
from polyadic.workspace import Workspace
from tests.model_server import Asked

REPLIES = Path(__file__).with_name("spaceflight_replies.jsonl")
"""One reply per line: ``purpose``, ``request`` (see request_digest) and ``reply``; answers have ``statements`` too."""
_DIGITS = 16
_HIERARCHY_PURPOSES = ("summarize", "report")


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """A reply, and for an answer its statements, each with patterns of the sentences that support it."""

    purpose: str
    text: str
    statements: Sequence[Mapping[str, Any]] = ()


def request_digest(text: str) -> str:
    """Return the digest of the last user message of a request, which identifies its reply."""
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


@cache
def recorded_replies() -> Mapping[str, RecordedReply]:
    """Return the recorded replies by the digest of their requests."""
    rows = map(json.loads, REPLIES.read_text(encoding="utf-8").splitlines())
    return {row["request"]: RecordedReply(row["purpose"], row["reply"], row.get("statements", ())) for row in rows}


def reply_to(asked: Asked) -> RecordedReply | None:
    """Return the recorded reply to a request; None if there is none."""
    return recorded_replies().get(request_digest(asked.last_user_text))


def settings_of(url: str) -> Settings:
    """Return the settings of a workspace that asks a server of recorded replies."""
    model = ModelSettings(name="recorded", base_url=url, key_variable="", context_tokens=128_000)
    return Settings(model=model, hierarchy_build=HierarchyBuildSettings(by="model"))


def build_hierarchy(folder: Path) -> Usage:
    """Build the hierarchy of a workspace by batch files from recorded replies, and return what they cost.

    Raises
    ------
    LookupError
        No reply was recorded to some requests, because the hierarchy is another one.
    """
    with Workspace(folder, settings_of("http://127.0.0.1:9")) as workspace, TemporaryDirectory() as files:
        requests, responses = Path(files) / "requests.jsonl", Path(files) / "responses.jsonl"
        while workspace.batch.write(requests, hierarchy=True, overwrite=True).requests:
            lines = map(json.loads, requests.read_text(encoding="utf-8").splitlines())
            responses.write_text("".join(map(_response, lines)), encoding="utf-8")
            workspace.batch.read([responses])
        spent = [total.usage for total in workspace.ledger().purposes if total.purpose in _HIERARCHY_PURPOSES]
        return sum(spent, Usage())


def _response(request: Mapping[str, Any]) -> str:
    """Return the line of a response file that replies to a request."""
    reply = recorded_replies().get(request_digest(request["body"]["messages"][-1]["content"]))
    if reply is None:
        raise LookupError("the hierarchy is another one than the recorded one: a request has no reply")
    choice = {"index": 0, "message": {"role": "assistant", "content": reply.text}, "finish_reason": "stop"}
    sent = sum(count_tokens([message["content"] for message in request["body"]["messages"]]))
    usage = {"prompt_tokens": sent, "completion_tokens": sum(count_tokens([reply.text]))}
    response = {"status_code": 200, "body": {"choices": [choice], "usage": usage}}
    return json.dumps({"custom_id": request["custom_id"], "response": response}) + "\n"
