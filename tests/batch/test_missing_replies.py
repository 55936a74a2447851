"""Requests in many small files, answered somewhere else: they come back in any order, in part, twice, or damaged."""

import random
from pathlib import Path

import pytest

from polyadic.batch.missing_replies import RequestShard
from polyadic.errors import NotFound, PolyadicError
from tests.model_server import ModelServer
from tests.model_server.batches import answer_batch
from tests.support.batches import lines_of, put_lines
from tests.support.with_a_model import SMALL, export, workspace

A_SHARD = 5


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
