"""Text table of the measures of a hierarchy."""

from polyadic.cli.common import say
from polyadic.evaluation.bridge_coverage import BridgeCoverage
from polyadic.hierarchy.measures import HierarchyMeasures
from polyadic.text.counts import count

_UNKNOWN = "–"


def print_measures(measures: HierarchyMeasures, coverage: BridgeCoverage | None) -> None:
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
