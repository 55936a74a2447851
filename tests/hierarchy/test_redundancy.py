"""A layer repeats the one below it if its clusters gather no more than one cluster below or another one beside."""

from polyadic.hierarchy.redundancy import layer_is_redundant, summaries_are_redundant
from polyadic.model.hierarchy import Cluster, Summary

BELOW = {
    one.id: one
    for one in (
        Summary(cluster, 1, f"{cluster} {number}", "", f"Fact {number} of {cluster}.", ("x", "y"), "model")
        for cluster in ("Apollo", "Gemini", "Vostok")
        for number in range(3)
    )
}


def of(*clusters: str) -> tuple[str, ...]:
    return tuple(sorted(one.id for one in BELOW.values() if one.cluster in clusters))


def cluster(members: tuple[str, ...], own: tuple[str, ...] | None = None) -> Cluster:
    return Cluster(1, members, members if own is None else own)


def test_cluster_of_the_summaries_of_one_cluster_repeats_it() -> None:
    assert layer_is_redundant([cluster(of(name)) for name in ("Apollo", "Gemini", "Vostok")], BELOW)
    assert not layer_is_redundant([cluster(of("Apollo", "Gemini")), cluster(of("Vostok"))], BELOW)


def test_cluster_within_another_repeats_it() -> None:
    every = of("Apollo", "Gemini", "Vostok")
    within, beside = every[:5], every[5:]
    assert layer_is_redundant([cluster(every, beside), cluster(within)], BELOW)
    assert not layer_is_redundant([cluster(beside), cluster(within)], BELOW)


def test_clusters_of_entities_repeat_nothing() -> None:
    assert not layer_is_redundant([Cluster(0, ("a", "b"), ("a", "b"))], {})


def test_summary_repeats_one_with_all_its_words() -> None:
    first, second = of("Apollo")[:2]

    def made(name: str, description: str) -> Cluster:
        summary = Summary("above", 2, name, "", description, (first, second), "model")
        return Cluster(1, (first, second), (first, second), summaries=(summary,))

    repeated = made("Apollo", BELOW[first].description)
    of_both = made("Apollo", f"{BELOW[first].description} {BELOW[second].description}")
    assert summaries_are_redundant([repeated], BELOW)
    assert not summaries_are_redundant([of_both], BELOW)
    assert not summaries_are_redundant([repeated, of_both], BELOW)
