"""Request files keep to a provider's limits and appear whole or not at all."""

import json
import random
from pathlib import Path
from typing import Any

import pytest

from polyadic.batch.request_files import RequestFileWriter, RequestShard
from polyadic.errors import NotFound, PolyadicError
from polyadic.llm.batch_model import PendingRequest
from polyadic.model.identity import digest
from tests.model_server import ModelServer
from tests.model_server.batches import answer_batch
from tests.support.batches import lines_of, put_lines
from tests.support.with_a_model import SMALL, export, workspace

URL = "/v1/chat/completions"

A_SHARD = 5


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


def answered(server: ModelServer, shard: Path) -> Path:
    """What a machine without network to the store makes of one shard."""
    return put_lines(shard.with_name(f"answers-{shard.name}"), answer_batch(server, shard))


def test_shards_read_one_by_one_end_like_a_direct_run(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with workspace(tmp_path / "direct", server, chunking=SMALL) as kb:
        kb.index([letters])
        expected = export(kb)
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters], most_requests=A_SHARD)
        files = [*written.files]
        assert [file.name for file in files[:3]] == ["ask.jsonl", "ask-2.jsonl", "ask-3.jsonl"]
        assert {len(lines_of([file])) for file in files[:-1]} == {A_SHARD}
        assert kb.batch.shards(files) == [
            RequestShard(file, len(lines_of([file])), len(lines_of([file]))) for file in files
        ]

        shuffled = random.Random(3).sample(files, len(files))
        lost, damaged, rest = shuffled[0], shuffled[1], shuffled[2:]
        for file in [*rest, rest[0]]:
            kb.batch.read([answered(server, file)])
        answers = answered(server, damaged)
        answers.write_bytes(answers.read_bytes()[:-40])
        report = kb.batch.read([answers])
        assert [(Path(line.file), line.number) for line in report.unreadable] == [(answers, len(lines_of([damaged])))]

        pending = {shard.file: shard.pending for shard in kb.batch.shards(files) if shard.pending}
        assert pending == {lost: len(lines_of([lost])), damaged: 1}
        kb.batch.read([answered(server, damaged), answered(server, lost)])
        assert not any(shard.pending for shard in kb.batch.shards(files))
        assert export(kb) == expected


def test_same_shards_are_written_again(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    contents = []
    for name in ("one", "two"):
        with workspace(tmp_path / name, server, chunking=SMALL) as kb:
            files = kb.batch.write(tmp_path / f"{name}.jsonl", [letters], most_bytes=20_000).files
        assert all(file.stat().st_size <= 20_000 for file in files) and len(files) > 1
        contents.append([file.read_bytes() for file in files])
    assert contents[0] == contents[1]


def test_file_without_requests_is_refused(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        (file,) = kb.batch.write(tmp_path / "ask.jsonl", [letters]).files
        with pytest.raises(NotFound, match=r"no file .*gone"):
            kb.batch.shards([tmp_path / "gone.jsonl"])
        with pytest.raises(PolyadicError, match=r"answers-ask\.jsonl, line 1 is not a request"):
            kb.batch.shards([answered(server, file)])
        put_lines(file, [*lines_of([file])[:2], '{"custom_id":"cut o'])
        with pytest.raises(PolyadicError, match=r"ask\.jsonl, line 3 is not a request"):
            kb.batch.shards([file])
