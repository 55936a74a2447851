"""Batch files for ``polyadic eval`` and ``polyadic eval make-questions``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from polyadic.batch.report import BatchReadReport
from polyadic.batch.request_files import RequestFileWriter
from polyadic.cli.common import print_json, say, shown, spent
from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.llm.batch_model import ReplyPending
from polyadic.text.counts import count
from polyadic.workspace import Workspace

Command = TypeVar("Command", bound=Callable[..., Any])
T = TypeVar("T")
_FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class BatchFileOptions:
    """Batch files given on the command line: one to write requests to, several to read responses from."""

    requests: Path | None
    responses: tuple[Path, ...]
    overwrite: bool

    def __bool__(self) -> bool:
        return bool(self.requests or self.responses)


@dataclass(frozen=True, slots=True)
class BatchRoundReport:
    """Result of one round: number of missing replies, files written, and responses read."""

    missing: int
    files: Sequence[Path]
    read: BatchReadReport


def batch_options(command: Command) -> Command:
    """Add the options --batch-write, --batch-read and --overwrite."""
    for option in (
        click.option("--overwrite", is_flag=True, help="Replace the existing file of --batch-write."),
        click.option(
            "--batch-read", type=_FILE, multiple=True, help="Read a response file and continue; may be repeated."
        ),
        click.option(
            "--batch-write",
            type=_FILE,
            help="Write the requests to a file instead of calling the model (docs/batch.md).",
        ),
    ):
        command = option(command)
    return command


class BatchRound:
    """One round of an evaluation that sends its requests as batch files.

    Parameters
    ----------
    by_file
        Batch that reads responses and holds the pending requests.
    files
        Files given on the command line.
    """

    def __init__(self, by_file: EvaluationBatch, files: BatchFileOptions) -> None:
        self.by_file = by_file
        # Created first, so that an existing file without --overwrite is reported before any work is done.
        self._files = (
            RequestFileWriter(files.requests, files.overwrite, inputs=files.responses) if files.requests else None
        )
        self._read = async_to_sync(by_file.take)(files.responses)

    def wait(self) -> BatchRoundReport:
        """Write the pending requests, if a file was given for them."""
        if self._files:
            self.by_file.write(self._files)
        return BatchRoundReport(len(self.by_file.pending), self._files.files if self._files else [], self._read)


def rounds(kb: Workspace, folder: Path, files: BatchFileOptions, judge: str = "") -> BatchRound | None:
    """Create the round for the given batch files; None if there are none."""
    return BatchRound(EvaluationBatch(kb, folder, judge), files) if files else None


def done_by_files(by_files: BatchRound | None, work: Callable[[EvaluationBatch | None], T]) -> T | BatchRoundReport:
    """Do work that calls a model, or that sends its requests by files.

    Returns
    -------
    T or BatchRoundReport
        The result of the work; if replies are missing, the report of the files that their requests were written to.

    Raises
    ------
    ReplyPending
        Replies are missing, and no files were given.
    """
    if by_files is None:
        return work(None)
    try:
        done = work(by_files.by_file)
    except ReplyPending:
        return by_files.wait()
    by_files.by_file.done()
    return done


def print_round(one: BatchRoundReport, as_json: bool) -> int:
    """Print the result of a round and return the exit code 3."""
    if as_json:
        print_json(one)
        return 3
    read = one.read
    if read.accepted or read.refused or read.duplicates or read.unknown_requests or read.unreadable:
        parts = {
            "accepted": read.accepted,
            "read before": read.duplicates,
            "without a usable reply": read.refused,
            "for unknown requests": read.unknown_requests,
            "unreadable": len(read.unreadable),
        }
        say(f"response lines: {', '.join(f'{number:,} {what}' for what, number in parts.items() if number)}")
        if read.usage.calls:
            say(f"paid: {spent(read.usage)}")
    for line in read.unreadable[:5]:
        say(f"{shown(line.file)}, line {line.number}: {line.reason}", err=True)
    if one.files:
        say(f"{count(one.missing, 'request')} written to {', '.join(shown(str(file)) for file in one.files)}")
        say("process them, then run the same command with --batch-read RESPONSES.jsonl")
    else:
        say(f"{count(one.missing, 'reply', 'replies')} missing: run the same command with --batch-write FILE.jsonl")
    return 3
