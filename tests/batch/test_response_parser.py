"""Response lines of every kind, and what is no response at all."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.batch.response_parser import BatchResponse, UnreadableLine, responses
from tests.support.batches import put_lines

KEY = "0123456789abcdef" * 2
BODY = {"choices": [{"message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}]}


def line(**fields: Any) -> str:
    return json.dumps({"custom_id": KEY} | fields)


def read(file: Path) -> list[BatchResponse | UnreadableLine]:
    return list(responses(file))


@pytest.mark.parametrize(
    "said",
    [
        line(id="1", response={"status_code": 200, "request_id": "r", "body": BODY}, error=None),
        line(response={"body": BODY}),
        line(response=BODY),
        "\ufeff" + line(response={"status_code": 200, "body": BODY}),
        line(response={"status_code": 200, "body": BODY}) + "\r",
    ],
)
def test_reply_is_read(tmp_path: Path, said: str) -> None:
    (found,) = read(put_lines(tmp_path / "r.jsonl", ["", said]))
    assert isinstance(found, BatchResponse)
    assert (found.key, found.body, found.error) == (KEY, BODY, "")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"error": {"code": "batch_expired", "message": "too\nlate"}}, "batch_expired: too late"),
        ({"error": "it broke"}, "it broke"),
        ({"response": {"status_code": 429, "body": {"error": {"message": "Slow down."}}}}, "429 (Slow down.)"),
        ({"response": {"status_code": 502, "body": "<html>"}}, "502 (<html>)"),
        ({"response": {"status_code": 500, "body": None}}, "500 (without a reason)"),
        ({"response": {"status_code": 200, "body": {}}}, "not a model reply"),
        ({"response": {"status_code": 200, "body": {"choices": "?"}}}, "not a model reply"),
        ({"response": None, "error": None}, "not a model reply"),
        ({"response": [BODY]}, "not a model reply"),
        ({}, "not a model reply"),
        ({"error": {"message": "long " * 1000}}, "…"),
    ],
)
def test_error_is_read(tmp_path: Path, fields: dict[str, Any], reason: str) -> None:
    (found,) = read(put_lines(tmp_path / "r.jsonl", [line(**fields)]))
    assert isinstance(found, BatchResponse) and found.body is None
    assert found.error.endswith(reason) or reason in found.error
    assert len(found.error) < 300 and "\n" not in found.error


@pytest.mark.parametrize("said", ["{", "null", "[]", "7", '{"custom_id": 7}', "[" * 100_000, '{"id": "x"}'])
def test_invalid_response_is_reported_with_its_line(tmp_path: Path, said: str) -> None:
    found = read(put_lines(tmp_path / "r.jsonl", [line(response=BODY), "", said, line(response=BODY)]))
    assert [isinstance(one, BatchResponse) for one in found] == [True, False, True]
    assert isinstance(found[1], UnreadableLine) and found[1].number == 3


def test_foreign_request_has_no_key(tmp_path: Path) -> None:
    (found,) = read(put_lines(tmp_path / "r.jsonl", [json.dumps({"custom_id": "request-1", "response": BODY})]))
    assert isinstance(found, BatchResponse) and found.key == ""


@pytest.mark.parametrize("ending", ["", "\n"])
def test_overlong_line_is_skipped(tmp_path: Path, ending: str) -> None:
    short = line(response=BODY)
    file = tmp_path / "r.jsonl"
    longest = len(short) + 1
    file.write_text(f"{short}\n{'x' * 5 * longest}\n{short}\n{'y' * 3 * longest}{ending}")
    found = list(responses(file, longest))
    assert [isinstance(one, BatchResponse) for one in found] == [True, False, True, False]
    assert [one.number for one in found if isinstance(one, UnreadableLine)] == [2, 4]


@given(st.binary(max_size=400))
def test_no_byte_sequence_raises(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.mktemp("any") / "r.jsonl"
    file.write_bytes(data)
    found = list(responses(file, 64))
    assert len(found) <= data.count(b"\n") + 1


def test_response_digest_ignores_formatting(tmp_path: Path) -> None:
    said = {"id": "1", "custom_id": KEY, "response": {"status_code": 200, "body": BODY}, "error": None}
    same = [
        json.dumps(said),
        json.dumps(dict(reversed(said.items())), separators=(",", ":")),
        line(id="1", response=BODY),
    ]
    others = [
        line(id="2", response=BODY),
        json.dumps(said | {"custom_id": KEY[::-1]}),
        line(id="1", response=BODY | {"n": 1}),
    ]
    found = read(put_lines(tmp_path / "r.jsonl", [*same, *others]))
    digests = [one.digest for one in found if isinstance(one, BatchResponse)]
    assert len(digests) == 6 and len(set(digests[:3])) == 1 and len(set(digests)) == 4


@pytest.mark.parametrize("named", [{"message": "max_tokens \ud800"}, {"message": "Unsupported.", "param": "\ud800"}])
def test_refusal_round_trips(tmp_path: Path, named: dict[str, str]) -> None:
    (found,) = read(put_lines(tmp_path / "r.jsonl", [line(response={"status_code": 400, "body": {"error": named}})]))
    assert isinstance(found, BatchResponse) and "?" in found.refusal and found.refusal.encode()
