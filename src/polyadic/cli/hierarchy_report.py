"""The sum of building a hierarchy for people: what was written, what was not, and what it would cost."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

from polyadic.cli.common import count, say, spent
from polyadic.cli.progress import shown_live
from polyadic.hierarchy.build_report import BuildProgress, BuildReport
from polyadic.hierarchy.estimate import BuildEstimate
from polyadic.model.hierarchy import EXTRACTIVE

_SHOWN = 20


def building_shown() -> AbstractContextManager[Callable[[BuildProgress], None]]:
    """Shows how far building has come."""
    return shown_live("clustering", _line)


def build_exit_code(report: BuildReport) -> int:
    """0 built, 1 stopped before anything was replied, 3 stopped on the way, or something is missing of it."""
    if report.stopped:
        return 3 if report.usage.calls or report.recalled else 1
    return 3 if report.failed or report.awaited else 0


def print_build(report: BuildReport) -> None:
    """What was built on standard output, what was not on standard error."""
    if report.is_whole:
        _print_built(report)
    if report.awaited:
        awaited = count(report.awaited, "summary or report", "summaries or reports")
        say(f"hierarchy: {awaited} to be asked for by file")
    if report.usage.calls:
        say(f"{report.by}: {spent(report.usage)}")
    if report.slowed:
        say(f"slowed down {count(report.slowed, 'time')}: the endpoint said that there were too many calls")
    if report.embedding_usage.calls:
        say(f"embedding: {spent(report.embedding_usage)}")
    _print_some([f"{number:,} × {problem}" for problem, number in report.lost.most_common()], "in the replies:")
    left = count(sum(report.failed.values()), "summary or report", "summaries and reports")
    heading = f"{left} made of names and facts instead (the same command asks again):"
    _print_some([f"{number:,} × {reason}" for reason, number in report.failed.most_common()], heading)
    if report.stopped:
        kept = "the hierarchy is as it was, and the same command goes on from there"
        say(f"stopped: {report.stopped}; {kept}", err=True)


def print_build_estimate(found: BuildEstimate) -> None:
    """What building would cost."""
    written = f"{count(found.summaries, 'cluster')} to sum up, {count(found.reports, 'community', 'communities')}"
    say(f"hierarchy: {written} to report on{', all of them anew' if found.anew else ''}")
    asked = "no language model is asked" if found.by == EXTRACTIVE or not found.usage.calls else spent(found.usage)
    say(f"by {found.by}: {asked}")
    if found.usage.calls:
        say(f"at most {spent(found.most)}")
        say(f"({found.basis})")
    if found.remembered:
        say(f"{count(found.remembered, 'reply', 'replies')} of an earlier run are known already")


def _line(progress: BuildProgress) -> str:
    paid = f", {spent(progress.usage)}" if progress.usage.calls else ""
    if not progress.all:
        return f"building: {progress.what}{paid}"
    return f"building: {progress.done:,} of {progress.all:,} {progress.what} written{paid}"


def _print_built(report: BuildReport) -> None:
    if not report.entities:
        say("the workspace names nothing, so there is no hierarchy")
        return
    say(
        f"{count(report.entities, 'entity', 'entities')}: {count(report.summaries, 'summary', 'summaries')} in"
        f" {count(report.layers, 'layer')}, {count(report.communities, 'community', 'communities')} with"
        f" {count(report.reports, 'report')}, by {report.by}"
    )
    if not report.changed:
        say("nothing to do: it is as the workspace is")
        return
    made = f"{count(report.clusters_made, 'cluster')} summed up, {count(report.reports_made, 'report')} written"
    removed = f", {report.removed:,} removed" if report.removed else ""
    say(f"{'all clustered anew: ' if report.anew else ''}{made}{removed}, in {report.seconds:.1f} s")


def _print_some(lines: Sequence[str], heading: str) -> None:
    if not lines:
        return
    say(heading, err=True)
    for line in lines[:_SHOWN]:
        say(f"  {line}", err=True)
    if len(lines) > _SHOWN:
        say(f"  and {len(lines) - _SHOWN:,} more (all of them: --json)", err=True)
