"""Request files keep to a provider's limits and appear whole or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

from polyadic.batch.request_writer import RequestFileWriter
from polyadic.errors import PolyadicError
from polyadic.llm.batch_model import PendingRequest
from polyadic.model.identity import digest

URL = "/v1/chat/completions"


def noted(number: int, text: str = "Wer war Zoë?") -> PendingRequest:
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    return PendingRequest(digest(str(number)), "extract", body, URL)


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.mark.parametrize(
    ("limits", "lengths"),
    [({}, [7]), ({"most_requests": 3}, [3, 3, 1]), ({"most_bytes": 400}, [2, 2, 2, 1]), ({"most_bytes": 10}, [1] * 7)],
)
def test_shards_respect_limits(tmp_path: Path, limits: dict[str, Any], lengths: list[int]) -> None:
    with RequestFileWriter(tmp_path / "ask.jsonl", **limits) as files:
        for number in (*range(7), 3, 4):
            files.add(noted(number))
        assert names(tmp_path) == sorted(f".{file.name}.partial" for file in files.files)
    assert [file.name for file in files.files[:2]] == ["ask.jsonl", "ask-2.jsonl"][: len(lengths)]
    assert names(tmp_path) == sorted(file.name for file in files.files)
    lines = [file.read_text(encoding="utf-8").splitlines() for file in files.files]
    assert [len(of_one) for of_one in lines] == lengths
    assert files.requests == 7 and files.bytes == sum(file.stat().st_size for file in files.files)
    for number, line in enumerate(line for of_one in lines for line in of_one):
        expected = {"custom_id": digest(str(number)), "method": "POST", "url": URL, "body": noted(number).body}
        assert json.loads(line) == expected and "Zoë" in line


def test_no_requests_write_no_file(tmp_path: Path) -> None:
    with RequestFileWriter(tmp_path / "ask.jsonl") as files:
        pass
    assert files.files == [] and names(tmp_path) == []


def written(file: Path, requests: int) -> list[Path]:
    """What a writing of so many requests, one a file, has left."""
    with RequestFileWriter(file, overwrite=True, most_requests=1) as files:
        for number in range(requests):
            files.add(noted(number))
    return files.files


def test_error_keeps_existing_files(tmp_path: Path) -> None:
    (before,) = written(tmp_path / "ask.jsonl", 1)
    content = before.read_bytes()
    with pytest.raises(KeyboardInterrupt), RequestFileWriter(before, overwrite=True) as files:
        files.add(noted(7))
        raise KeyboardInterrupt
    assert names(tmp_path) == ["ask.jsonl"] and before.read_bytes() == content


def test_existing_request_files_are_replaced_only_with_overwrite(tmp_path: Path) -> None:
    written(tmp_path / "ask.jsonl", 3)
    with pytest.raises(PolyadicError, match=r"ask\.jsonl already exists.*--overwrite"):
        RequestFileWriter(tmp_path / "ask.jsonl")
    assert [file.name for file in written(tmp_path / "ask.jsonl", 2)] == ["ask.jsonl", "ask-2.jsonl"]
    assert names(tmp_path) == ["ask-2.jsonl", "ask.jsonl"]


@pytest.mark.parametrize("name", ["ask-2.jsonl", "ask-3.jsonl", "ask-2024.jsonl", "ask-.jsonl", "ask-01.jsonl"])
def test_unrelated_files_are_not_removed(tmp_path: Path, name: str) -> None:
    written(tmp_path / "ask.jsonl", 1)
    (tmp_path / name).write_text('{"results": "of a year"}\n')
    written(tmp_path / "ask.jsonl", 1)
    assert (tmp_path / name).read_text() == '{"results": "of a year"}\n'


@pytest.mark.parametrize(("name", "requests"), [("ask.jsonl", 1), ("ask-2.jsonl", 2), ("ask-3.jsonl", 3)])
@pytest.mark.parametrize("content", ["", "results", '{"id": "q1", "question": "Who?"}\n', '{"custom_id":"1"}\n'])
def test_files_without_requests_are_not_replaced(tmp_path: Path, name: str, requests: int, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(PolyadicError, match=f"{name} is not a request file"):
        written(tmp_path / "ask.jsonl", requests)
    assert names(tmp_path) == [name] and (tmp_path / name).read_text() == content


def test_input_files_are_not_replaced(tmp_path: Path) -> None:
    (before,) = written(tmp_path / "ask.jsonl", 1)
    (tmp_path / "link.jsonl").symlink_to(before)
    for other in (before, tmp_path / "link.jsonl", tmp_path / "." / "ask.jsonl"):
        with pytest.raises(PolyadicError, match=r"ask\.jsonl is an input file"):
            RequestFileWriter(before, overwrite=True, inputs=[tmp_path / "nowhere", other])


def test_missing_output_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PolyadicError, match="no folder"):
        RequestFileWriter(tmp_path / "nowhere" / "ask.jsonl")
