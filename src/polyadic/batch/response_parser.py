"""Parse the response lines of a provider one at a time, tolerating malformed ones."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from polyadic.model.identity import digest
from polyadic.text.encodable import encodable

LONGEST_LINE = 64 * 1024 * 1024
"""Maximum bytes of a response line; real replies are far shorter."""

_KEY = re.compile(r"[0-9a-f]{32}")
_LONGEST_REASON, _LONGEST_REFUSAL = 200, 1000


@dataclass(frozen=True, slots=True)
class BatchResponse:
    """A response line and its position in a file.

    ``key`` is the request's key. ``digest`` identifies the response independently of its JSON formatting. ``body`` is
    the endpoint's response, None if ``error`` says why it is unusable. ``refusal`` is the endpoint's message if it
    rejected the parameters of the request.
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
    """A line that is not a response: its number, from 1, and the reason."""

    file: str
    number: int
    reason: str


def responses(file: Path, longest: int = LONGEST_LINE) -> Iterator[BatchResponse | UnreadableLine]:
    """Iterate over the responses in a file, holding one line in memory at a time.

    Parameters
    ----------
    file
        Response lines and error lines of a provider, in any order.
    longest
        Maximum length of a line in bytes.
    """
    with file.open("rb") as lines:
        for number, line in enumerate(_lines(lines, longest), 1):
            if line is None:
                yield UnreadableLine(str(file), number, f"longer than {longest:,} bytes")
            elif line.strip():
                yield _response(line, str(file), number)


def _lines(file: BinaryIO, longest: int) -> Iterator[bytes | None]:
    """Iterate over the lines, with None for each that is too long."""
    while line := file.readline(longest + 1):
        if len(line) <= longest:
            yield line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(longest)
        yield None


def _response(line: bytes, file: str, number: int) -> BatchResponse | UnreadableLine:
    try:
        record = json.loads(line.decode("utf-8-sig"))
        key = record.get("custom_id") if isinstance(record, dict) else None
        if not isinstance(key, str):
            return UnreadableLine(file, number, "custom_id is missing")
        body, error = _content(record)
        response_digest = digest("response", key, json.dumps([record.get("id"), body], sort_keys=True))
        request_key = key if _KEY.fullmatch(key) else ""
        return BatchResponse(file, number, request_key, response_digest, body, error, _refusal(record))
    except (ValueError, RecursionError):
        return UnreadableLine(file, number, "not valid JSON")


def _content(record: Mapping[str, Any]) -> tuple[Mapping[str, Any] | None, str]:
    """Return the endpoint's response, or why it is unusable."""
    response = record.get("response")
    status = response.get("status_code") if isinstance(response, dict) else None
    # Some providers omit the envelope.
    body = response.get("body", response) if isinstance(response, dict) else None
    if record.get("error"):
        return None, _reason(record["error"])
    if status not in (None, 200):
        error = body.get("error", body) if isinstance(body, dict) else body
        return None, f"the provider answers {status} ({_reason(error)})"
    if not isinstance(body, dict) or not isinstance(body.get("choices"), list):
        return None, "the line is not a model reply"
    return body, ""


def _refusal(record: Mapping[str, Any]) -> str:
    """Return the parameter that the endpoint rejected and its message, or an empty string."""
    match record.get("response"):
        case {"status_code": 400 | 422, "body": {"error": {"message": str(message)} as error}}:
            return encodable(f"{error.get('param') or ''} {message}".strip()[:_LONGEST_REFUSAL])
    return ""


def _reason(error: object) -> str:
    """Format an error on one line, shortened.

    >>> _reason({"code": "batch_expired", "message": "not executed in time"}), _reason("busy"), _reason(None)
    ('batch_expired: not executed in time', 'busy', 'without a reason')
    """
    if isinstance(error, dict):
        error = ": ".join(str(error[name]) for name in ("code", "message") if error.get(name))
    line = encodable(" ".join(str(error or "without a reason").split()))
    return line if len(line) <= _LONGEST_REASON else line[: _LONGEST_REASON - 1] + "…"
