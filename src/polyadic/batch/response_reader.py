"""Reads the lines that a provider wrote in response, one at a time, whatever they hold."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from polyadic.model.identity import digest

LONGEST_LINE = 64 * 1024 * 1024
"""Bytes; a reply has far fewer, so what is longer is none."""

_KEY = re.compile(r"[0-9a-f]{32}")
_LONGEST_REASON, _LONGEST_REFUSAL = 200, 1000


@dataclass(frozen=True, slots=True)
class BatchResponse:
    """One line, at its place. ``key`` is the request's, ``digest`` tells this response from all others, however it is
    written down.

    ``body`` is what the endpoint sent; None where ``error`` says why there is nothing of use. ``refusal`` is what the
    endpoint said of a request that it would not take as it was.
    """

    file: str
    number: int
    key: str
    digest: str
    body: Mapping[str, Any] | None
    error: str = ""
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class UnreadableLine:
    """A line that is no response, by its number from 1, and why."""

    file: str
    number: int
    reason: str


def responses(file: Path, longest: int = LONGEST_LINE) -> Iterator[BatchResponse | UnreadableLine]:
    """The responses in a file, in its order; no more than one line is held at a time.

    Parameters
    ----------
    file
        Response lines, or error lines, of a provider; also both, in any order.
    longest
        The longest line that is read, in bytes.
    """
    with file.open("rb") as lines:
        for number, line in enumerate(_lines(lines, longest), 1):
            if line is None:
                yield UnreadableLine(str(file), number, f"it is longer than {longest:,} bytes")
            elif line.strip():
                yield _response(line, str(file), number)


def _lines(file: BinaryIO, longest: int) -> Iterator[bytes | None]:
    """The lines; None for one that is too long."""
    while line := file.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(longest)
        yield None


def _response(line: bytes, file: str, number: int) -> BatchResponse | UnreadableLine:
    try:
        said = json.loads(line.decode("utf-8-sig"))
        key = said.get("custom_id") if isinstance(said, dict) else None
        if not isinstance(key, str):
            return UnreadableLine(file, number, "it has no custom_id")
        body, error = _content(said)
        told = digest("response", key, json.dumps([said.get("id"), body], sort_keys=True))
        own = key if _KEY.fullmatch(key) else ""
        return BatchResponse(file, number, own, told, body, error, _refusal(said))
    except (ValueError, RecursionError):
        return UnreadableLine(file, number, "it is no JSON")


def _content(said: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
    """What the endpoint sent, or why there is nothing of use."""
    response = said.get("response")
    status = response.get("status_code") if isinstance(response, dict) else None
    # Some leave the envelope out.
    body = response.get("body", response) if isinstance(response, dict) else None
    if said.get("error"):
        return None, _reason(said["error"])
    if status not in (None, 200):
        error = body.get("error", body) if isinstance(body, dict) else body
        return None, f"the provider answers {status} ({_reason(error)})"
    if not isinstance(body, dict) or not isinstance(body.get("choices"), list):
        return None, "the line holds no model's reply"
    return body, ""


def _refusal(said: Mapping[str, Any]) -> str:
    """Which parameter the endpoint names, and what it says of it."""
    match said.get("response"):
        case {"status_code": 400 | 422, "body": {"error": {"message": str(message)} as error}}:
            return _decoded(f"{error.get('param') or ''} {message}".strip()[:_LONGEST_REFUSAL])
    return ""


def _reason(error: object) -> str:
    """What an error says, on one line and shortened.

    >>> _reason({"code": "batch_expired", "message": "not executed in time"}), _reason("busy"), _reason(None)
    ('batch_expired: not executed in time', 'busy', 'without a reason')
    """
    if isinstance(error, dict):
        error = ": ".join(str(error[name]) for name in ("code", "message") if error.get(name))
    line = _decoded(" ".join(str(error or "without a reason").split()))
    return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"


def _decoded(text: str) -> str:
    """Half surrogate pairs, which cannot be stored, become ``?``."""
    return text.encode("utf-8", "replace").decode("utf-8")
