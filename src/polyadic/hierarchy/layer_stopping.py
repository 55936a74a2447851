"""When to stop adding layers: cluster sparsity (HiRAG, Eq. 17), and layers that repeat the one below.

Cluster sparsity compares sizes only: it goes on where clusters just pair summaries, or gather again the summaries that
one cluster below was given. So layers that repeat the one below are recognized by their members and texts.
"""

from collections.abc import Iterable, Mapping, Sequence

from polyadic.model.hierarchy import Cluster, Summary
from polyadic.retrieval.relevance.stemming import stems, tokens
from polyadic.text.language import detect_language
from polyadic.text.stopwords import function_words

FEWEST = 3
"""Minimum number of members of a layer that is summarized."""

_FEWEST = 3
"""Minimum number of members that a summary of summaries condenses."""
_SHARE = 0.5


def sparsity(sizes: Sequence[int], members: int) -> float:
    """Compute the share of pairs of members that are in different clusters; 0 for fewer than two members.

    If clusters do not overlap, the share is in [0, 1]. With soft membership, pairs count more than once, and it can
    become negative.

    Parameters
    ----------
    sizes
        Number of members of each cluster.
    members
        Number of members of the layer.

    >>> sparsity([2, 2], 4), sparsity([4], 4), sparsity([4, 3], 4)
    (0.6666666666666667, 0.0, -0.5)
    """
    if members < 2:
        return 0.0
    return 1 - sum(size * (size - 1) for size in sizes) / (members * (members - 1))


def goes_on(sparsities: Sequence[float], change: float) -> bool:
    """Return whether to summarize the last clusters into another layer.

    Parameters
    ----------
    sparsities
        Sparsity of each layer, from layer 0 up to the last one.
    change
        Epsilon: minimum relative change of the sparsity from the layer below. The first layer is always built, and
        none follows a layer with a single cluster.

    >>> goes_on([0.99], 0.05), goes_on([0.99, 0.8], 0.05), goes_on([0.99, 0.98], 0.05), goes_on([0.9, 0.0], 0.05)
    (True, True, False, False)
    """
    if not sparsities:
        return False
    if len(sparsities) == 1:
        return True
    former, last = sparsities[-2:]
    return former > 0 and last > 0 and abs(last - former) / former > change


def layer_is_redundant(clusters: Sequence[Cluster], below: Mapping[str, Summary]) -> bool:
    """Return whether most members of a layer of summaries are in clusters that repeat others.

    A cluster repeats others if it has at most two members, if all its members summarize the same cluster of the layer
    below, or if another cluster of its layer has all its members.

    Parameters
    ----------
    clusters
        Clusters of the layer, not yet summarized.
    below
        Summaries by identifier, those of the layer below among them. If members are entities, nothing is repeated.

    >>> below = {s.id: s for s in (Summary(c, 1, c, "", "", ("x", "y"), "") for c in "abcdef")}
    >>> ids = sorted(below)
    >>> layer_is_redundant([Cluster(1, tuple(ids[n : n + 2]), tuple(ids[n : n + 2])) for n in (0, 2, 4)], below)
    True
    >>> layer_is_redundant([Cluster(1, tuple(ids[n : n + 3]), tuple(ids[n : n + 3])) for n in (0, 3)], below)
    False
    """
    if not all(member in below for one in clusters for member in one.members):
        return False
    repeated = sum(len(one.own) for one in clusters if _repeats_others(one, clusters, below))
    return repeated > _SHARE * sum(len(one.own) for one in clusters)


def summaries_are_redundant(clusters: Iterable[Cluster], below: Mapping[str, Summary]) -> bool:
    """Return whether every summary of a layer has only words of a single summary that it covers.

    Parameters
    ----------
    clusters
        Summarized clusters of the layer.
    below
        Summaries by identifier; a cluster with another member says something new.

    >>> below = {s.id: s for s in (Summary("a", 1, n, "", f"{n} flew.", ("x", "y"), "") for n in ("Ada", "Bob"))}
    >>> ids = tuple(sorted(below))
    >>> def made(text: str) -> Cluster:
    ...     return Cluster(1, ids, ids, summaries=(Summary("b", 2, "Ada", "", text, ids, ""),))
    >>> [summaries_are_redundant([made(text)], below) for text in ("Ada flew.", "Ada flew with Bob.")]
    [True, False]
    """
    return all(
        any(_words(summary) <= _words(below[member]) for member in one.members if member in below)
        for one in clusters
        for summary in one.summaries
    )


def _repeats_others(one: Cluster, clusters: Iterable[Cluster], below: Mapping[str, Summary]) -> bool:
    members = frozenset(one.members)
    return (
        len(members) < _FEWEST
        or len({below[member].cluster for member in members}) == 1
        or any(members < frozenset(other.members) for other in clusters)
    )


def _words(summary: Summary) -> frozenset[str]:
    text = f"{summary.name} {summary.type} {summary.description}"
    language = detect_language(text)
    empty = function_words(language)
    return stems((word for word in tokens(text) if word not in empty), language)
