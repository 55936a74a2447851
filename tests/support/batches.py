"""Rounds of batch files between a workspace and the test server."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from polyadic.batch.report import BatchReadReport, BatchWriteReport
from polyadic.workspace import Workspace
from tests.model_server import ModelServer
from tests.model_server.batches import answer_batch

Change = Callable[[list[str]], list[str]]


def lines_of(files: Sequence[Path]) -> list[str]:
    return [line for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def bodies_of(files: Sequence[Path]) -> list[str]:
    """What is sent, each in one canonical form, sorted."""
    return sorted(json.dumps(json.loads(line)["body"], sort_keys=True) for line in lines_of(files))


def put_lines(file: Path, lines: Sequence[str]) -> Path:
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return file


def round_trip(
    kb: Workspace, server: ModelServer, written: BatchWriteReport, answers: Path, change: Change = lambda lines: lines
) -> BatchReadReport:
    """Have what was written answered, changed on its way back, and read."""
    return kb.batch.read([put_lines(answers, change(answer_batch(server, *written.files)))])


def until_done(kb: Workspace, server: ModelServer, folder: Path) -> int:
    """Write and read until nothing is missing; returns how many rounds that took."""
    for number in range(1, 10):
        written = kb.batch.write(folder / f"asked-{number}.jsonl")
        if not written.files:
            return number - 1
        round_trip(kb, server, written, folder / f"answers-{number}.jsonl")
    raise AssertionError("there is no end to it")
