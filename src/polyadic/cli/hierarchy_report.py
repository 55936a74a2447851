"""Text reports of building the hierarchy, and of its estimated cost."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from polyadic.cli.common import print_some, say, spent
from polyadic.cli.progress import shown_live
from polyadic.hierarchy.build_report import BuildProgress, BuildReport
from polyadic.hierarchy.estimate import BuildEstimate
from polyadic.model.hierarchy import EXTRACTIVE
from polyadic.text.counts import count


def building_shown() -> AbstractContextManager[Callable[[BuildProgress], None]]:
    """Show the progress of building."""
    return shown_live("clustering", _line)


def build_exit_code(report: BuildReport) -> int:
    """Return 0 if built, 1 if stopped before the first reply, 3 if stopped later or incomplete."""
    if report.stopped:
        return 3 if report.usage.calls or report.cache_hits else 1
    return 3 if report.failed or report.pending else 0


def print_build(report: BuildReport) -> None:
    """Print results to standard output and problems to standard error."""
    if report.is_whole:
        _print_built(report)
    if report.pending:
        pending = count(report.pending, "summary or report", "summaries or reports")
        say(f"hierarchy: {pending} pending in batch files")
    if report.usage.calls:
        say(f"{report.by}: {spent(report.usage)}")
    if report.throttle_count:
        say(f"slowed down {count(report.throttle_count, 'time')}: the endpoint reported too many requests")
    if report.embedding_usage.calls:
        say(f"embedding: {spent(report.embedding_usage)}")
    print_some([f"{number:,} × {problem}" for problem, number in report.dropped.most_common()], "in the replies:")
    failed = count(sum(report.failed.values()), "summary or report", "summaries and reports")
    heading = f"{failed} extracted from names and facts instead (run the same command again to retry):"
    print_some([f"{number:,} × {reason}" for reason, number in report.failed.most_common()], heading)
    if report.stopped:
        kept = "the hierarchy is unchanged, run the same command again to resume"
        say(f"stopped: {report.stopped}; {kept}", err=True)


def print_build_estimate(found: BuildEstimate) -> None:
    """Print the estimated cost of building."""
    written = f"{count(found.summaries, 'cluster')} to summarize, {count(found.reports, 'community', 'communities')}"
    say(f"hierarchy: {written} to report on{', all rebuilt' if found.rebuilt else ''}")
    usage = "no model calls are needed" if found.by == EXTRACTIVE or not found.usage.calls else spent(found.usage)
    say(f"{_author(found.by)}: {usage}")
    if found.usage.calls:
        say(f"at most {spent(found.max_usage)}")
        say(f"({found.basis})")
    if found.cached:
        say(f"{count(found.cached, 'reply', 'replies')} cached from an earlier run")


def _author(by: str) -> str:
    return "written without a language model" if by == EXTRACTIVE else f"written by {by}"


def _line(progress: BuildProgress) -> str:
    paid = f", {spent(progress.usage)}" if progress.usage.calls else ""
    if not progress.all:
        return f"building: {progress.what}{paid}"
    return f"building: {progress.done:,} of {progress.all:,} {progress.what} written{paid}"


def _print_built(report: BuildReport) -> None:
    if not report.entities:
        say("the workspace has no entities to cluster, so there is no hierarchy")
        return
    say(
        f"{count(report.entities, 'entity', 'entities')}: {count(report.summaries, 'summary', 'summaries')} in"
        f" {count(report.layers, 'layer')}, and {count(report.communities, 'community', 'communities')},"
        f" {report.reports:,} of them with a report; {_author(report.by)}"
    )
    if not report.changed:
        say("nothing to do: the hierarchy is up to date")
        return
    made = f"{count(report.clusters_built, 'cluster')} summarized, {count(report.reports_written, 'report')} written"
    removed = f", {report.removed:,} removed" if report.removed else ""
    say(f"{'all rebuilt: ' if report.rebuilt else ''}{made}{removed}, in {report.seconds:.1f} s")
