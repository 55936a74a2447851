"""polyadic index: read documents into the workspace."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from polyadic.cli.common import count, json_option, print_json, say, shown, workspace_folder, workspace_option
from polyadic.construction.indexing import IndexReport, Progress
from polyadic.workspace import Workspace

_LOG_SECONDS = 5.0
_SKIPPED_SHOWN = 20


@click.command("index")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@workspace_option
@json_option
@click.pass_context
def command(context: click.Context, paths: tuple[str, ...], workspace: str | None, as_json: bool) -> int:
    """Read files and folders (.txt .md .jsonl .csv) into the workspace. What is unchanged costs nothing."""
    with Workspace(workspace_folder(context, workspace)) as kb, progress_shown() as report_progress:
        report = kb.index([Path(path) for path in paths], report_progress)
    if as_json:
        print_json(report)
    else:
        _print_sum(report)
    return exit_code(report)


def exit_code(report: IndexReport) -> int:
    """0 all read, 1 nothing read, 3 some read and some not."""
    if not report.skipped:
        return 0
    return 3 if report.documents else 1


@contextmanager
def progress_shown() -> Iterator[Callable[[Progress], None]]:
    """Live on a terminal, a plain line now and then in a log; both on standard error."""
    if not sys.stderr.isatty():
        yield _logger()
        return
    from rich.console import Console
    from rich.status import Status

    with Status("reading", console=Console(stderr=True)) as status:
        yield lambda progress: status.update(_line(progress))


def _logger() -> Callable[[Progress], None]:
    last = time.monotonic()

    def log(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= _LOG_SECONDS:
            last = time.monotonic()
            say(_line(progress), err=True)

    return log


def _line(progress: Progress) -> str:
    return (
        f"indexing: {count(progress.documents, 'document')}, {count(progress.chunks, 'chunk')},"
        f" {count(progress.texts_embedded, 'text')} embedded"
    )


def _print_sum(report: IndexReport) -> None:
    say(
        f"{count(report.documents, 'document')}: {report.added:,} added, {report.changed:,} changed,"
        f" {report.unchanged:,} unchanged"
    )
    if report.chunks:
        facts = count(report.evidence - report.without_fact, "fact")
        rest = f", {report.without_fact:,} that name fewer than two things (kept, not used)"
        said = facts + (rest if report.without_fact else "")
        say(f"{count(report.chunks, 'chunk')}, {count(report.evidence, 'statement')}: {said}")
        besides = report.seconds - report.embedding_seconds
        say(
            f"{count(report.texts_embedded, 'text')} embedded in {report.embedding_seconds:.1f} s,"
            f" everything else took {besides:.1f} s"
        )
    if report.same_text:
        say(f"{count(report.same_text, 'document')} with the same content as another, kept as documents of their own")
    if report.skipped:
        say(f"{count(len(report.skipped), 'thing')} not read:", err=True)
        for skipped in report.skipped[:_SKIPPED_SHOWN]:
            say(f"  {shown(str(skipped))}", err=True)
        if len(report.skipped) > _SKIPPED_SHOWN:
            say(f"  and {len(report.skipped) - _SKIPPED_SHOWN:,} more (all of them: --json)", err=True)
