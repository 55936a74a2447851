"""Text outline of the hierarchy."""

from collections.abc import Callable, Sequence

from polyadic.cli.common import say
from polyadic.hierarchy.outline import HierarchyOutline, LayerOutline, OutlineNode
from polyadic.model.hierarchy import EXTRACTIVE
from polyadic.text.counts import count

# Maximum number of sibling branches at the top level and below.
_SHOWN = (12, 5)
_STALE = "stale, polyadic hierarchy build updates it"


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
