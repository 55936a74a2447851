"""polyadic batch: have the language model asked by batch files instead of calls."""

from collections.abc import Sequence
from pathlib import Path

import click

from polyadic.batch.report import BatchReadReport, BatchWriteReport, FailedQuestion
from polyadic.batch.request_writer import MOST_BYTES, MOST_REQUESTS
from polyadic.cli.common import (
    FiniteFloat,
    count,
    json_option,
    method_option,
    plain,
    print_json,
    say,
    shown,
    spent,
    workspace_option,
    workspace_place,
)
from polyadic.cli.hierarchy_report import build_exit_code, print_build
from polyadic.cli.index import progress_shown
from polyadic.cli.index_report import print_unsupported
from polyadic.indexing.report import IndexReport
from polyadic.storage.pending_requests import PendingCounts
from polyadic.workspace import Workspace

_SHOWN = 20


@click.group("batch")
def command() -> None:
    """Have the language model asked by batch files: a provider's batches cost less, and a machine without
    network needs no more.

    batch write FILE.jsonl PATH... writes what indexing would ask; the provider (or vllm run-batch) answers
    it; batch read RESPONSES.jsonl takes the answers and goes on. A second batch write holds what is still
    missing (docs/batch.md).
    """


@command.command("write")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option(
    "--questions",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='Questions to answer: a line {"id": "...", "question": "..."} each.',
)
@method_option("How knowledge is found for them")
@click.option("--context-tokens", type=click.IntRange(min=1), help="How many tokens of knowledge to bring to each.")
@click.option("--anew", is_flag=True, help="Ask also about documents that were read in another way.")
@click.option(
    "--hierarchy", is_flag=True, help="Ask for the hierarchy of what is indexed: a round a layer, then reports."
)
@click.option("--overwrite", is_flag=True, help="Replace the FILE, FILE-2, ... of an earlier writing.")
@click.option(
    "--shard-requests", type=click.IntRange(min=1), default=MOST_REQUESTS, help="Most requests of a file (50,000)."
)
@click.option(
    "--shard-megabytes", type=FiniteFloat(min=0.001), default=MOST_BYTES / 1e6, help="Most megabytes of a file (200)."
)
@workspace_option
@json_option
@click.pass_context
def write(
    context: click.Context,
    file: Path,
    paths: tuple[str, ...],
    questions: Path | None,
    method: str | None,
    context_tokens: int | None,
    anew: bool,
    hierarchy: bool,
    overwrite: bool,
    shard_requests: int,
    shard_megabytes: float,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Write to FILE what is to be asked of the language model and has no reply yet.

    That is what indexing the PATHs would ask, what answering the questions would ask, what building the
    hierarchy would ask next, and what an earlier writing asked in vain. Documents appear once their replies
    have been read; no PATH is needed again.
    What is more than goes into one file goes on in FILE-2, FILE-3, ...; each may be answered and read by itself.
    """
    if questions is None and (method or context_tokens):
        raise click.UsageError("--method and --context-tokens are for --questions", context)
    with Workspace(workspace_place(context, workspace)) as kb, progress_shown() as report_progress:
        written = kb.batch.write(
            file,
            paths,
            questions,
            method,
            context_tokens,
            anew,
            overwrite,
            report_progress,
            shard_requests,
            int(shard_megabytes * 1e6),
            hierarchy,
        )
    print_json(written) if as_json else _print_written(written, hierarchy)
    index, built = written.index, written.hierarchy
    left = index.left_out or index.failed or index.stopped or written.failed_questions
    return 3 if left or (built and built.stopped) or (hierarchy and not built) else 0


@command.command("read")
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="For answers.")
@workspace_option
@json_option
@click.pass_context
def read(
    context: click.Context, files: tuple[Path, ...], output: Path | None, workspace: str | None, as_json: bool
) -> int:
    """Take in the response lines in the FILEs, and go on.

    Documents are published, the hierarchy is built, questions are answered, as far as replies are there. Lines
    may come in any order, in part, and with errors among them; a file that is read twice changes nothing.
    Answers are printed, or added to the file that -o names, one JSON object a line. Exit code 3 says that
    something is missing still: write again.
    """
    with Workspace(workspace_place(context, workspace)) as kb, progress_shown() as report_progress:
        report = kb.batch.read(files, output, report_progress)
    print_json(report) if as_json else _print_read(report, output)
    index, missing = report.index, report.missing
    whole = not (missing.requests or missing.questions or index.failed or index.stopped or report.unreadable)
    built = report.hierarchy
    return 0 if whole and (built is None or not build_exit_code(built)) else 3


@command.command("status")
@click.argument("files", nargs=-1, metavar="[FILE...]", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@workspace_option
@json_option
@click.pass_context
def status(context: click.Context, files: tuple[Path, ...], workspace: str | None, as_json: bool) -> int:
    """Say what is awaited, and with request FILEs of which of them.

    With FILEs, exit code 3 says that replies to some of them are missing still.
    """
    with Workspace(workspace_place(context, workspace)) as kb:
        missing, shards = kb.batch.missing(), kb.batch.shards(files)
    if as_json:
        print_json({**plain(missing), "files": shards} if files else missing)
    else:
        say(_awaited(missing))
        for shard in shards:
            lacking = f"{shard.awaited:,} awaited" if shard.awaited else "none awaited"
            say(f"  {shown(str(shard.file))}: {count(shard.requests, 'request')}, {lacking}")
    return 3 if any(shard.awaited for shard in shards) else 0


@command.command("forget")
@workspace_option
@json_option
@click.pass_context
def forget(context: click.Context, workspace: str | None, as_json: bool) -> None:
    """Await nothing any more.

    Documents that are not published yet and questions are dropped. Replies that were read stay remembered,
    so what is asked again is not paid for again.
    """
    with Workspace(workspace_place(context, workspace)) as kb:
        forgotten = kb.batch.forget()
    print_json(forgotten) if as_json else say(f"forgotten: {_amounts(forgotten)}")


def _print_written(written: BatchWriteReport, hierarchy: bool) -> None:
    _print_index(written.index)
    if written.hierarchy:
        print_build(written.hierarchy)
    elif hierarchy:
        say("the hierarchy is not asked for yet: documents wait that it is to be made from", err=True)
    for file in written.files:
        say(f"written to {shown(str(file))}")
    if written.files:
        say(f"{count(written.requests, 'request')}, {written.bytes / 1e6:,.1f} MB: {_awaited(written.missing)}")
        say("next: have them answered, then polyadic batch read RESPONSES.jsonl")
    else:
        say("nothing is to be asked, so no file was written")
    if written.ready:
        say(f"{count(written.ready, 'question')} can be answered already: polyadic batch read")
    _print_questions(written.asked_again, written.failed_questions)


def _print_read(report: BatchReadReport, output: Path | None) -> None:
    lines = [
        (report.taken, "taken"),
        (report.known, "known before"),
        (report.refused, "without a reply of use"),
        (report.strangers, "that nothing waits for"),
        (len(report.unreadable), "that cannot be read"),
    ]
    say(f"response lines: {', '.join(f'{number:,} {what}' for number, what in lines if number) or 'none'}")
    if report.adapted:
        say("the endpoint refused a parameter: the next batch write leaves it out")
    if report.usage.calls:
        say(f"entered in the ledger: {spent(report.usage)}")
    _print_index(report.index)
    _print_some([f"{f.source}, characters {f.span.start}–{f.span.end}: {f.reason}" for f in report.failed], "chunk")
    _print_some([f"{line.file}, line {line.number}: {line.reason}" for line in report.unreadable], "line")
    if report.hierarchy:
        print_build(report.hierarchy)
    reasons = [f"{number:,} × {reason}" for reason, number in report.failed_themes.most_common()]
    _print_some(reasons, "summary or report", "summaries and reports", report.failed_themes.total())
    _print_questions(report.asked_again, report.failed_questions)
    if output:
        say(f"{count(len(report.answers), 'answer')} added to {shown(str(output))}")
    else:
        _print_answers(report)
    say(_awaited(report.missing) + (": polyadic batch write FILE asks again" if report.missing.requests else ""))


def _print_index(index: IndexReport) -> None:
    if index.documents or index.left_out:
        say(
            f"{count(index.documents, 'document')}: {index.added:,} added, {index.changed:,} changed,"
            f" {index.unchanged:,} unchanged; {count(index.facts, 'fact')}"
        )
    for problem, number in index.problems.most_common(_SHOWN):
        say(f"  in the replies: {number:,} × {problem}", err=True)
    _print_some([str(skipped) for skipped in index.skipped], "thing")
    print_unsupported(index.unsupported)
    _print_some([f"{f.source}, characters {f.span.start}–{f.span.end}: {f.reason}" for f in index.failed], "chunk")
    if index.stopped:
        say(f"stopped: {index.stopped}", err=True)


def _print_questions(asked_again: int, failed: Sequence[FailedQuestion]) -> None:
    if asked_again:
        say(f"{count(asked_again, 'question')} to be asked again, as what bears on them has changed")
    _print_some([f"{question.id or question.question}: {question.reason}" for question in failed], "question")


def _print_answers(report: BatchReadReport) -> None:
    for answer in report.answers:
        say(f"\n{answer.id}: {answer.question}" if answer.id else f"\n{answer.question}", bold=True)
        say(answer.text)
        for cited in answer.citations:
            page = f"page {cited.page}, " if cited.page else ""
            say(f" [{cited.marker}] {shown(cited.source)}, {page}characters {cited.start}–{cited.end}")
    if report.answers:
        say()


def _print_some(lines: Sequence[str], what: str, several: str = "", number: int | None = None) -> None:
    """What was left, on standard error; ``number`` where that is more than there are lines."""
    if not lines:
        return
    say(f"{count(len(lines) if number is None else number, what, several)} left:", err=True)
    for line in lines[:_SHOWN]:
        say(f"  {shown(line)}", err=True)
    if len(lines) > _SHOWN:
        say(f"  and {len(lines) - _SHOWN:,} more (all of them: --json)", err=True)


def _awaited(missing: PendingCounts) -> str:
    awaited = missing.requests or missing.documents or missing.questions
    return f"awaited: {_amounts(missing)}" if awaited else "nothing is awaited"


def _amounts(missing: PendingCounts) -> str:
    """
    >>> _amounts(PendingCounts(3, 1, 0))
    '3 replies, for 1 document and 0 questions'
    >>> _amounts(PendingCounts(3, 0, 0))
    '3 replies'
    """
    replies = count(missing.requests, "reply", "replies")
    if missing.requests and not (missing.documents or missing.questions):
        return replies
    return f"{replies}, for {count(missing.documents, 'document')} and {count(missing.questions, 'question')}"
