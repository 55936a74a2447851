"""What is kept of a layer: nothing is lost, nothing is in two homes, and what is untouched stays word for word."""

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.hierarchy.cluster_update import ClusterUpdate, joined, renewal_is_due, update_clusters
from polyadic.model.hierarchy import Cluster, Summary

ITEMS = [f"{number:032x}" for number in range(24)]


def clusters_of(owns: list[list[str]], guests: list[list[str]], stale: list[bool]) -> list[Cluster]:
    """Clusters as clustering makes them: each item at home in one, some in others as well."""
    made: dict[str, Cluster] = {}
    for own, further, is_stale in zip(owns, guests, stale, strict=True):
        members = tuple(sorted({*own, *further}))
        cluster = Cluster(0, members, tuple(sorted(own)), sources=members)
        summary = Summary(cluster.id, 1, f"of {members[0]}", "", "", members, "a model")
        described = replace(cluster, sources=(), stale=True) if is_stale else replace(cluster, summaries=(summary,))
        made.setdefault(cluster.id, described)
    return list(made.values())


@st.composite
def layers(draw: st.DrawFn) -> list[Cluster]:
    items = draw(st.permutations(ITEMS))[: draw(st.integers(0, len(ITEMS)))]
    owns: list[list[str]] = []
    while len(items) >= 2:
        size = min(draw(st.integers(2, 6)), len(items))
        size += len(items) - size == 1
        owns, items = [*owns, list(items[:size])], items[size:]
    placed = [item for own in owns for item in own]
    guests = [draw(st.lists(st.sampled_from(placed), max_size=3)) for _ in owns]
    return clusters_of(owns, guests, [draw(st.booleans()) for _ in owns])


some_items = st.sets(st.sampled_from(ITEMS))


def homes(kept: ClusterUpdate) -> Counter[str]:
    return Counter(item for cluster in (*kept.clusters, *kept.remade) for item in cluster.own)


@given(layers(), some_items)
def test_every_item_has_one_primary_cluster_or_none(former: list[Cluster], present: set[str]) -> None:
    kept = update_clusters(former, present)
    assert set(homes(kept).values()) <= {1}
    assert set(homes(kept)) | set(kept.loose) == present
    assert not set(homes(kept)) & set(kept.loose)


@given(layers(), some_items)
def test_kept_clusters_are_unchanged(former: list[Cluster], present: set[str]) -> None:
    known = {cluster.id: cluster for cluster in former}
    kept = update_clusters(former, present)
    for cluster in kept.clusters:
        before = known[cluster.id]
        assert replace(cluster, own=before.own) == before and set(before.own) <= set(cluster.own)
        assert not before.stale and present.issuperset(before.members)
    for cluster in kept.remade:
        assert cluster.stale and not cluster.summaries and not cluster.sources
        assert len(cluster.members) >= 2 and present.issuperset(cluster.members)
    identifiers = [cluster.id for cluster in (*kept.clusters, *kept.remade)]
    assert len(set(identifiers)) == len(identifiers)


@pytest.mark.slow
@given(layers(), some_items)
def test_adding_items_keeps_existing_members(former: list[Cluster], new: set[str]) -> None:
    sound = [cluster for cluster in former if not cluster.stale]
    members = {member for cluster in sound for member in cluster.members}
    housed = {item for cluster in sound for item in cluster.own}
    kept = update_clusters(sound, members | new)
    assert {cluster.id for cluster in kept.clusters} == {cluster.id for cluster in sound} and kept.remade == ()
    assert set(kept.loose) == new - members
    assert all(cluster in sound for cluster in kept.clusters if set(cluster.members) <= housed)


@given(layers(), some_items, st.randoms(use_true_random=False))
def test_update_does_not_depend_on_item_order(former: list[Cluster], present: set[str], drawn: Random) -> None:
    shuffled = list(former)
    drawn.shuffle(shuffled)
    assert update_clusters(shuffled, present) == update_clusters(former, present)


@given(layers(), some_items, some_items)
def test_clusters_with_changed_texts_are_rebuilt(former: list[Cluster], present: set[str], changed: set[str]) -> None:
    kept = update_clusters(former, present, changed)
    assert all(changed.isdisjoint(cluster.sources) for cluster in kept.clusters)


@given(layers(), some_items)
def test_update_is_idempotent(former: list[Cluster], present: set[str]) -> None:
    once = update_clusters(former, present)
    again = update_clusters([*once.clusters, *once.remade], present)
    assert again == once


def test_item_of_a_removed_cluster_moves_to_its_secondary_cluster() -> None:
    a, b, c, d = ITEMS[:4]
    former = clusters_of([[a, b], [c, d]], [[], [b]], [False, False])
    kept = update_clusters(former, [b, c, d])
    assert [(cluster.members, cluster.own) for cluster in kept.clusters] == [((b, c, d), (b, c, d))]
    assert (kept.remade, kept.loose) == ((), ())


def test_clusters_that_become_equal_are_merged() -> None:
    a, b, c, d = ITEMS[:4]
    kept = update_clusters(clusters_of([[a, c], [b, d]], [[b], [a]], [False, False]), [a, b])
    assert [cluster.own for cluster in kept.remade] == [(a, b)] and kept.loose == ()


def test_of_two_clusters_that_become_one_the_summarized_one_stays() -> None:
    # A cluster that has lost a member, one that always had a and b alone, and one that has a as a guest, in whichever
    # order they stand.
    for a, b, gone, c in zip(ITEMS[:6], ITEMS[6:12], ITEMS[12:18], ITEMS[18:], strict=True):
        one, other = clusters_of([[a, b], [c]], [[], [a]], [False, False])
        (reduced,) = clusters_of([[a, gone]], [[b]], [False])
        kept = update_clusters([replace(one, own=(b,)), other, reduced], [a, b, c]).clusters
        assert {(cluster.own, cluster.summaries) for cluster in kept} == {
            ((a, b), one.summaries),
            ((c,), other.summaries),
        }


def test_joining_item_makes_a_cluster_stale() -> None:
    a, b, c = ITEMS[:3]
    (former,) = clusters_of([[a, b]], [[]], [False])
    one = joined(former, c)
    assert (one.members, one.own, one.stale, one.summaries) == ((a, b, c), (a, b, c), True, ())


def test_full_rebuild_is_due_above_the_threshold() -> None:
    assert not renewal_is_due(100, 90, 0, 0.2)  # nothing is to be placed
    assert not renewal_is_due(1, 0, 0, 0.2) and renewal_is_due(1, 0, 1, 0.2)
    assert renewal_is_due(10, 0, 3, 0.2) and not renewal_is_due(10, 0, 2, 0.2)
    assert renewal_is_due(10, 0, 1, 0.0) and not renewal_is_due(10, 4, 5, 1.0)
