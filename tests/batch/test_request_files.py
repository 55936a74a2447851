"""Request files keep to a provider's limits and appear whole or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest

from polyadic.batch.request_files import RequestFiles
from polyadic.errors import PolyadicError
from polyadic.identity import digest
from polyadic.models.by_file import Noted

URL = "/v1/chat/completions"


def noted(number: int, text: str = "Wer war Zoë?") -> Noted:
    return Noted(digest(str(number)), "extract", {"model": "m", "messages": [{"role": "user", "content": text}]})


def names(folder: Path) -> list[str]:
    return sorted(file.name for file in folder.iterdir())


@pytest.mark.parametrize(
    ("limits", "lengths"),
    [({}, [7]), ({"most_requests": 3}, [3, 3, 1]), ({"most_bytes": 400}, [2, 2, 2, 1]), ({"most_bytes": 10}, [1] * 7)],
)
def test_limits(tmp_path: Path, limits: dict[str, Any], lengths: list[int]) -> None:
    with RequestFiles(tmp_path / "ask.jsonl", URL, **limits) as files:
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


def test_nothing_to_ask_leaves_no_file(tmp_path: Path) -> None:
    with RequestFiles(tmp_path / "ask.jsonl", URL) as files:
        pass
    assert files.files == [] and names(tmp_path) == []


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    (tmp_path / "ask.jsonl").write_text("before")
    with pytest.raises(KeyboardInterrupt), RequestFiles(tmp_path / "ask.jsonl", URL, overwrite=True) as files:
        files.add(noted(1))
        raise KeyboardInterrupt
    assert names(tmp_path) == ["ask.jsonl"] and (tmp_path / "ask.jsonl").read_text() == "before"


@pytest.mark.parametrize("name", ["ask.jsonl", "ask-2.jsonl", "ask-17.jsonl"])
def test_what_is_there_is_replaced_only_where_that_is_said(tmp_path: Path, name: str) -> None:
    others = ["ask-.jsonl", "ask-01.jsonl", "ask-2.json", "my-ask-2.jsonl", "task.jsonl"]
    for file in (name, *others):
        (tmp_path / file).write_text("before")
    with pytest.raises(PolyadicError, match=f"{name} is there already.*--overwrite"):
        RequestFiles(tmp_path / "ask.jsonl", URL)
    with RequestFiles(tmp_path / "ask.jsonl", URL, overwrite=True) as files:
        files.add(noted(1))
    assert names(tmp_path) == sorted(["ask.jsonl", *others])
    assert all((tmp_path / other).read_text() == "before" for other in others)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(PolyadicError, match="no folder"):
        RequestFiles(tmp_path / "nowhere" / "ask.jsonl", URL)
