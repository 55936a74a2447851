"""What polyadic eval and polyadic eval make-questions share: having the model asked by batch files."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click

from polyadic.batch.report import BatchReadReport
from polyadic.batch.request_writer import RequestFileWriter
from polyadic.cli.common import count, print_json, say, shown, spent
from polyadic.concurrency.sync import run_sync
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.workspace import Workspace

Command = TypeVar("Command", bound=Callable[..., Any])
_FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class BatchFileOptions:
    """The batch files that were named: one for requests, those with responses."""

    requests: Path | None
    responses: tuple[Path, ...]
    overwrite: bool

    def __bool__(self) -> bool:
        return bool(self.requests or self.responses)


@dataclass(frozen=True, slots=True)
class BatchRoundReport:
    """What one round did: requests that are missing still, the files that they were written to, and what was read."""

    missing: int
    files: Sequence[Path]
    read: BatchReadReport


def batch_options(command: Command) -> Command:
    """--batch-write, --batch-read and --overwrite."""
    for option in (
        click.option("--overwrite", is_flag=True, help="Replace the file that --batch-write names."),
        click.option("--batch-read", type=_FILE, multiple=True, help="Take in a provider's responses, and go on."),
        click.option("--batch-write", type=_FILE, help="Ask no model: write what would be asked (docs/batch.md)."),
    ):
        command = option(command)
    return command


class BatchRound:
    """One round of an evaluation whose models are asked by batch files.

    Parameters
    ----------
    by_file
        Takes in responses and keeps what is awaited.
    files
        As they were named.
    """

    def __init__(self, by_file: EvaluationBatch, files: BatchFileOptions) -> None:
        self.by_file = by_file
        url = "/chat/completions" if by_file.is_azure else "/v1/chat/completions"
        # Made now, so that a file that may not be replaced is said before anything is done.
        self._files = (
            RequestFileWriter(files.requests, url, files.overwrite, inputs=files.responses) if files.requests else None
        )
        self._read = run_sync(by_file.take)(files.responses)

    def wait(self) -> BatchRoundReport:
        """Write what is missing, where a file for that was named."""
        if self._files:
            self.by_file.write(self._files)
        return BatchRoundReport(len(self.by_file.awaited), self._files.files if self._files else [], self._read)


def rounds(kb: Workspace, folder: Path, files: BatchFileOptions, judge: str = "") -> BatchRound | None:
    """What goes on by batch files; None where none is named."""
    return BatchRound(EvaluationBatch(kb, folder, judge), files) if files else None


def print_round(one: BatchRoundReport, as_json: bool) -> int:
    """Say what is awaited; returns the exit code."""
    if as_json:
        print_json(one)
        return 3
    read = one.read
    if read.taken or read.refused or read.known or read.strangers or read.unreadable:
        parts = {
            "taken": read.taken,
            "known before": read.known,
            "without a reply of use": read.refused,
            "that nothing waits for": read.strangers,
            "that cannot be read": len(read.unreadable),
        }
        say(f"response lines: {', '.join(f'{number:,} {what}' for what, number in parts.items() if number)}")
        if read.usage.calls:
            say(f"paid: {spent(read.usage)}")
    for line in read.unreadable[:5]:
        say(f"{shown(line.file)}, line {line.number}: {line.reason}", err=True)
    if one.files:
        say(f"{count(one.missing, 'request')} written to {', '.join(shown(str(file)) for file in one.files)}")
        say("have them answered, then give the same command with --batch-read RESPONSES.jsonl")
    else:
        say(f"{count(one.missing, 'reply', 'replies')} missing: give the same command with --batch-write FILE.jsonl")
    return 3
