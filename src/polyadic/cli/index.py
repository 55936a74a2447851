"""polyadic index: read documents into the workspace."""

import gc
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from urllib.parse import urlsplit

import click

from polyadic.cli.common import (
    FiniteFloat,
    count,
    json_option,
    plain,
    print_json,
    say,
    spent,
    workspace_option,
    workspace_place,
)
from polyadic.cli.estimate import duration, print_estimates
from polyadic.cli.hierarchy_report import build_exit_code, building_shown, print_build
from polyadic.cli.index_report import print_report
from polyadic.cli.progress import shown_live
from polyadic.extraction.factory import ExtractorName
from polyadic.hierarchy.build_report import BuildReport
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.budget import SpendingBudget
from polyadic.workspace import Workspace

# A large document makes millions of values without cycles; looking for these as often as Python does takes a fifth of
# the time.
_ALLOCATIONS_BETWEEN_COLLECTIONS = 200_000


@click.command("index")
@click.argument("paths", nargs=-1, metavar="[PATH...]")
@click.option(
    "--extractor",
    type=click.Choice(["model", "sentences"]),
    help="Read with the language model, or without one; also again what was read in the other way.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="PATTERN",
    help="Pass over files and folders with this name or path, such as '*.log' or 'old/**/drafts'.",
)
@click.option(
    "--prune", is_flag=True, help="Delete documents below the PATHs whose files are gone, or their rows, or the PATH."
)
@click.option("--retry", is_flag=True, help="Without PATH: try the chunks again that could not be read.")
@click.option(
    "--budget", type=FiniteFloat(min=0), help="Stop before more money is spent, by the prices in the settings."
)
@click.option("--spend-tokens", type=click.IntRange(min=0), help="Stop before more tokens are spent.")
@click.option("--hierarchy", is_flag=True, help="Build the hierarchy after it, as polyadic hierarchy build.")
@click.option("--dry-run", is_flag=True, help="Say what it would cost, and do nothing: as polyadic estimate.")
@click.option(
    "--engine", type=click.Choice(["local", "ray"]), default="local", help="What does the work (docs/ray.md)."
)
@click.option("--address", help="Of the cluster of Ray (default: RAY_ADDRESS, else one of this machine for this run).")
@click.option("--workers", type=click.IntRange(min=1), help="How many workers on Ray (default: one a host).")
@workspace_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    paths: tuple[str, ...],
    extractor: ExtractorName | None,
    exclude: tuple[str, ...],
    prune: bool,
    retry: bool,
    budget: float | None,
    spend_tokens: int | None,
    hierarchy: bool,
    dry_run: bool,
    engine: str,
    address: str | None,
    workers: int | None,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Read files and folders into the workspace. What is unchanged costs nothing.

    Formats: .txt .md .rst .tex .log .html .xml .yaml .pdf .docx .odt .rtf .pptx .xlsx .epub .eml, source code, text
    files without a suffix, .mbox with a document a message, and tables in .csv .tsv .json .jsonl: with a column of
    prose a document a row, else one document with a fact a row. With --engine ray a PATH may be a URI of other storage,
    such as s3://BUCKET/FOLDER.
    """
    if engine == "ray" and (prune or retry or dry_run or exclude):
        raise click.UsageError("--engine ray goes with none of --exclude, --prune, --retry and --dry-run", context)
    if engine == "ray" and urlsplit(workspace or context.obj or "").password:
        what = "Ray keeps the command line, so a password in -w is refused: put it into PGPASSWORD or ~/.pgpass"
        raise click.UsageError(what, context)
    if engine == "local" and (address or workers):
        raise click.UsageError("--address and --workers are for --engine ray", context)
    if retry and (paths or extractor or exclude or prune or dry_run):
        raise click.UsageError("--retry takes no PATH and no other option", context)
    if not paths and not retry:
        raise click.UsageError("missing argument 'PATH...'", context)
    gc.set_threshold(_ALLOCATIONS_BETWEEN_COLLECTIONS)
    most = SpendingBudget(budget, spend_tokens) if budget is not None or spend_tokens is not None else None
    files = [Path(path) for path in paths]
    with Workspace(workspace_place(context, workspace)) as kb:
        if dry_run:
            return print_estimates(kb, files, extractor, hierarchy, as_json, exclude)
        with progress_shown() as report_progress:
            if engine == "ray":
                report = kb.index_on_ray(paths, report_progress, extractor, most, address, workers)
            elif retry:
                report = kb.retry(report_progress, most)
            else:
                report = kb.index(files, report_progress, extractor, prune, most, exclude)
        if not hierarchy:
            print_json(report) if as_json else print_report(report)
            return exit_code(report)
        if not as_json:
            print_report(report)
        built = _build(kb, report, most)
    if as_json:
        print_json({**plain(report), "hierarchy": built})
    elif built:
        print_build(built)
    else:
        say("the hierarchy was not built, as indexing did not get that far", err=True)
    return exit_code(report) or _exit_code_after(built)


def exit_code(report: IndexReport) -> int:
    """0 all read, 1 nothing read, 3 some read and some not."""
    if not report.left_out and not report.failed and not report.stopped:
        return 0
    return 3 if report.documents else 1


def _build(kb: Workspace, report: IndexReport, budget: SpendingBudget | None) -> BuildReport | None:
    """Build the hierarchy with what is left of the budget; None where indexing stopped, or found nothing."""
    if report.stopped or not report.documents:
        return None
    with building_shown() as report_progress:
        return kb.hierarchy.build(report_progress, budget=budget.after(report.usage) if budget else None)


def _exit_code_after(built: BuildReport | None) -> int:
    """Documents were read, so it is partly done if the hierarchy is not."""
    return 3 if built is None or build_exit_code(built) else 0


def progress_shown() -> AbstractContextManager[Callable[[IndexProgress], None]]:
    """Shows how far indexing has come."""
    return shown_live("reading", _line)


def _line(progress: IndexProgress) -> str:
    """
    >>> from polyadic.model.types import Usage
    >>> _line(IndexProgress(12, 40, 30, 200, Usage(), files=28, share=0.434, seconds_left=125))
    'indexing 28 files: 43 %, about 2 min left; 12 documents, 30 of 40 chunks read, 200 texts embedded'
    >>> _line(IndexProgress(0, 2, 0, 0, Usage()))
    'indexing: 0 of 2 chunks read, 0 texts embedded'
    """
    paid = f", {spent(progress.usage)}" if progress.usage.calls else ""
    left = "" if progress.seconds_left is None else f", about {duration(progress.seconds_left)} left"
    share = "" if progress.share is None else f"{100 * progress.share:.0f} %{left}; "
    files = f" {count(progress.files, 'file')}" if progress.files else ""
    # Documents count when a batch of them is published: until then there is nothing to say of them.
    documents = f"{count(progress.documents, 'document')}, " if progress.documents else ""
    return (
        f"indexing{files}: {share}{documents}{progress.chunks_read:,} of"
        f" {count(progress.chunks, 'chunk')} read, {count(progress.texts_embedded, 'text')} embedded{paid}"
    )
