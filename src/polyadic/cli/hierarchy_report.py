"""Text of the hierarchy: progress and report of building, estimated cost, outline and measures."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from polyadic.cli.common import print_some, say, spent
from polyadic.cli.progress import shown_live
from polyadic.hierarchy.build_report import BuildProgress, BuildReport
from polyadic.hierarchy.estimate import BuildEstimate
from polyadic.hierarchy.outline import HierarchyOutline, LayerOutline, OutlineNode
from polyadic.model.hierarchy import EXTRACTIVE
from polyadic.text.counts import count

if TYPE_CHECKING:
    # Building needs no measures, and their libraries are slow to import.
    from polyadic.evaluation.bridge_coverage import BridgeCoverage
    from polyadic.hierarchy.measures import HierarchyMeasures

# Maximum number of sibling branches at the top level and below.
_SHOWN = (12, 5)
_STALE = "stale, polyadic hierarchy build updates it"

_UNKNOWN = "–"


def building_shown() -> AbstractContextManager[Callable[[BuildProgress], None]]:
    """Show the progress of building."""
    return shown_live("clustering", _progress_line)


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
    is_free = found.by == EXTRACTIVE or not found.usage.calls
    usage = "no model calls are needed" if is_free else f"about {spent(found.usage)}"
    say(f"{_written_by(found.by)}: {usage}")
    if found.usage.calls:
        say(f"at most {spent(found.max_usage)}, whatever the model replies; --budget sets a lower limit")
        say(f"({found.basis})")
    if found.cached:
        say(f"{count(found.cached, 'reply', 'replies')} cached from an earlier run")


def _written_by(by: str) -> str:
    return "written without a language model" if by == EXTRACTIVE else f"written by {by}"


def _progress_line(progress: BuildProgress) -> str:
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
        f" {report.reports:,} of them with a report; {_written_by(report.by)}"
    )
    if not report.changed:
        say("nothing to do: the hierarchy is up to date")
        return
    made = f"{count(report.clusters_built, 'cluster')} summarized, {count(report.reports_written, 'report')} written"
    removed = f", {report.removed:,} removed" if report.removed else ""
    say(f"{'all rebuilt: ' if report.rebuilt else ''}{made}{removed}, in {report.seconds:.1f} s")


def print_outline(outline: HierarchyOutline) -> None:
    """Print layers, summaries and communities; of many siblings only the largest."""
    if not outline.layers and not outline.communities:
        say("there is no hierarchy yet: polyadic hierarchy build creates it")
        return
    say("layers", bold=True)
    for layer in outline.layers:
        say(f"  {_layer(layer)}")
    if outline.unplaced:
        unplaced = count(outline.unplaced, "entity", "entities")
        say(f"  {unplaced} in no cluster: polyadic hierarchy build adds new ones")
    if outline.top:
        say("summaries", bold=True)
        _print_branches(outline.top, _summary)
    if outline.communities:
        say("communities", bold=True)
        _print_branches(outline.communities, _community)


def _layer(layer: LayerOutline) -> str:
    """
    >>> _layer(LayerOutline(0, 120, 11, 11, 1, 0.91))
    '0: 120 entities in 11 clusters (sparsity 0.910) with 11 summaries, 1 cluster stale'
    >>> _layer(LayerOutline(1, 11, 0, 0, 0, 0.9))
    '1: 11 summaries, not clustered further (sparsity would be 0.900)'
    """
    items = count(layer.items, "entity", "entities") if layer.layer == 0 else count(layer.items, "summary", "summaries")
    if not layer.clusters:
        would = f" (sparsity would be {layer.sparsity:.3f})" if layer.sparsity is not None else ""
        return f"{layer.layer}: {items}, not clustered further{would}"
    sparsity = f" (sparsity {layer.sparsity:.3f})" if layer.sparsity is not None else ""
    stale = f", {count(layer.stale, 'cluster')} stale" if layer.stale else ""
    summaries = count(layer.summaries, "summary", "summaries")
    return f"{layer.layer}: {items} in {count(layer.clusters, 'cluster')}{sparsity} with {summaries}{stale}"


def _print_branches(branches: Sequence[OutlineNode], describe: Callable[[OutlineNode], str], level: int = 0) -> None:
    shown, indent = _SHOWN[min(level, len(_SHOWN) - 1)], "  " * (level + 1)
    for branch in branches[:shown]:
        say(f"{indent}{describe(branch)}")
        _print_branches(branch.branches, describe, level + 1)
    if len(branches) > shown:
        say(f"{indent}and {len(branches) - shown:,} more")


def _summary(branch: OutlineNode) -> str:
    kind = f" ({branch.type})" if branch.type else ""
    if not branch.size:
        return f"{branch.name}{kind}"
    covers = f"{count(branch.size, 'member')}, {count(branch.entities, 'entity', 'entities')}"
    return f"{branch.name}{kind}: {covers}{_author(branch)}"


def _community(branch: OutlineNode) -> str:
    name = branch.name or (_STALE if branch.stale else "no report: its facts are in other reports")
    rating = f", rated {branch.rating:g}" if branch.rating is not None else ""
    holds = f"{count(branch.size, 'member')}, {count(branch.entities, 'entity', 'entities')}"
    return f"{name}: {holds}{rating}{_author(branch)}"


def _author(branch: OutlineNode) -> str:
    return ", extractive" if branch.by == EXTRACTIVE else ""


def print_measures(measures: "HierarchyMeasures", coverage: "BridgeCoverage | None") -> None:
    """Print sparsity by layer, clustering coefficients and, if given, the coverage of the bridge."""
    say("layer   items  clusters  sparsity  change  with overlaps", bold=True)
    for layer in measures.layers:
        change = f"{layer.change:.1%}" if layer.change is not None else _UNKNOWN
        sparsities = f"{_figure(layer.sparsity):>8}  {change:>6}  {_figure(layer.overlapping_sparsity):>13}"
        say(f"{layer.layer:5}  {layer.items:6,}  {layer.clusters:8,}  {sparsities}")
    say("clustering coefficient", bold=True)
    say(f"  {measures.clustering:.3f} of {count(measures.entities, 'entity', 'entities')} joined by facts")
    joined = count(measures.summaries, "summary", "summaries")
    say(f"  {measures.clustering_with_summaries:.3f} with {joined} joined to their members")
    if coverage:
        say(f"share of tokens that the bridge contains, mean of {count(coverage.questions, 'question')}", bold=True)
        for part, own, other in (
            ("local", coverage.local_in_bridge, coverage.local_in_other_bridge),
            ("global", coverage.global_in_bridge, coverage.global_in_other_bridge),
        ):
            say(f"  {part:6}  {_figure(own)}  (bridge of another question: {_figure(other)})")


def _figure(value: float | None) -> str:
    return _UNKNOWN if value is None else f"{value:.3f}"
