"""What every store promises of the hierarchy: it is kept as given, and told while what it was made from is said."""

from dataclasses import replace

import numpy as np
import pytest

from polyadic.model.hierarchy import Cluster, Hierarchy, Rearrangement
from polyadic.model.identity import entity_id
from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence
from polyadic.storage.protocol import Store
from tests.storage.hierarchies import by_hand, rearrange
from tests.support.store_driver import decide, document, publish, publish_documents, withdraw
from tests.support.stores import rows_of
from tests.support.vectors import vector, vectors

STATEMENTS = [
    ("Ada met Babbage in London.", ["Ada", "Babbage", "London"]),
    ("Babbage worked on the Engine.", ["Babbage", "the Engine"]),
]


def test_store_without_a_hierarchy_returns_an_empty_one(store: Store) -> None:
    publish(store, "a", STATEMENTS)
    nothing = np.zeros(0, dtype=np.int64)
    with store.read() as reader:
        assert reader.records.hierarchy() == Hierarchy()
        parts = reader.hierarchy_reader()
        assert (parts.summary_count, parts.community_count) == (0, 0)
        assert parts.nearest(vector("x"), 5).rows.tolist() == []
        assert parts.summaries_of(np.arange(4)).targets.tolist() == []
        assert parts.communities_of(np.arange(4), nothing).tolist() == []
        assert parts.similarity(nothing, vectors(["x"])).shape == (1, 0)


def test_hierarchy_round_trips(store: Store) -> None:
    publish(store, "a", STATEMENTS)
    with store.read() as reader:
        cluster, community = by_hand(reader)
        vectors_before = reader.records.counts().vectors
    rearrange(store, Rearrangement([cluster], [community], ["ab" * 16], [0.25, 0.5], 4, 2))
    with store.read() as reader:
        assert reader.records.hierarchy() == Hierarchy((cluster,), (community,), (0.25, 0.5), 4, 2)
        assert reader.records.counts().vectors == vectors_before + 1
        parts = reader.hierarchy_reader()
        hits = parts.nearest(vector("Computing: Who computes."), 1)
        assert parts.summaries(hits.rows) == [*cluster.summaries]
        assert hits.scores[0] == pytest.approx(1, abs=3e-4)
        assert parts.communities(parts.communities_of(np.zeros(0, dtype=np.int64), hits.rows)) == [community]
    assert store.problems() == []


def test_vectors_are_deleted_with_their_summaries(store: Store) -> None:
    source = publish(store, "a", STATEMENTS)
    with store.read() as reader:
        cluster, community = by_hand(reader)
    rearrange(store, Rearrangement([cluster], [community]))
    reworded = replace(cluster, summaries=(replace(cluster.summaries[0], description="Who counts."),))
    rearrange(store, Rearrangement([reworded]))
    with store.read() as reader:
        assert [one.stale for one in reader.records.hierarchy().communities] == [True]
        assert reader.hierarchy_reader().nearest(vector("Computing: Who counts."), 1).scores[0] == pytest.approx(
            1, abs=3e-4
        )
        vectors_then = reader.records.counts().vectors
    rearrange(store, Rearrangement(removed=[cluster.id, community.id]))
    with store.read() as reader:
        assert reader.records.hierarchy() == Hierarchy()
        assert reader.records.counts().vectors == vectors_then - 1
    withdraw(store, source)
    with store.read() as reader:
        assert reader.records.counts().vectors == 0
    assert store.problems() == []


def test_node_with_missing_sources_is_stale_from_the_start(store: Store) -> None:
    publish(store, "a", STATEMENTS)
    with store.read() as reader:
        cluster, community = by_hand(reader)
    rearrange(store, Rearrangement([replace(cluster, sources=("ab" * 16,))], [community]))
    with store.read() as reader:
        hierarchy = reader.records.hierarchy()
        assert hierarchy.clusters[0].stale and hierarchy.communities[0].stale
        assert not hierarchy.summaries and not reader.hierarchy_reader().summary_count
    assert store.problems() == []


def test_new_facts_make_nothing_stale(store: Store) -> None:
    publish(store, "a", STATEMENTS)
    with store.read() as reader:
        cluster, community = by_hand(reader)
    rearrange(store, Rearrangement([cluster], [community], (), [0.5], 4, 0))
    more = publish(store, "b", [("Ada wrote to Babbage.", ["Ada", "Babbage"]), *STATEMENTS])
    with store.read() as reader:
        assert reader.records.hierarchy() == Hierarchy((cluster,), (community,), (0.5,), 4, 0)
    withdraw(store, more)
    with store.read() as reader:
        assert reader.records.hierarchy() == Hierarchy((cluster,), (community,), (0.5,), 4, 0)


def test_unused_member_makes_stale_only_when_deleted(store: Store) -> None:
    publish(store, "a", STATEMENTS)
    aside = publish(store, "b", [("Mars met Venus.", ["Mars", "Venus"])])
    with store.read() as reader:
        cluster, _ = by_hand(reader)
        (venus,) = (one for one in reader.entities(reader.rows("entity")[:6]) if one.name == "Venus")
    members = tuple(sorted((*cluster.members, venus.id)))
    rearrange(store, Rearrangement([Cluster(0, members, (), cluster.sources)]))
    source, chunks, evidence = document("c", [("Mars met Venus.", ["Mars", "Venus"])])
    described = tuple(replace(p, description="a planet") for p in evidence[0].participants)
    publish_documents(store, [(source, chunks, [replace(evidence[0], participants=described)])])
    with store.read() as reader:
        assert [one.stale for one in reader.records.hierarchy().clusters] == [False]
    withdraw(store, source)
    withdraw(store, aside)
    with store.read() as reader:
        assert [one.stale for one in reader.records.hierarchy().clusters] == [True]


def describing(name: str, description: str) -> tuple[Document, list[Chunk], list[Evidence]]:
    """A document that describes all whom it is about."""
    source, chunks, evidence = document(name, STATEMENTS)
    described = [
        replace(one, participants=tuple(replace(p, description=description) for p in one.participants))
        for one in evidence
    ]
    return source, chunks, described


def test_only_vanished_texts_make_nodes_stale(store: Store) -> None:
    first, _ = publish_documents(store, [describing("a", "a calculating person"), describing("b", "someone")])
    with store.read() as reader:
        cluster, community = by_hand(reader)
        summary = replace(cluster.summaries[0], description=reader.entities(reader.rows("entity")[:1])[0].description)
    assert summary.description == "a calculating person"
    cluster = replace(cluster, summaries=(summary,))
    rearrange(store, Rearrangement([cluster], [community]))
    publish_documents(store, [describing("c", "someone")])
    with store.read() as reader:
        assert {one.description for one in reader.entities(reader.rows("entity")[:4])} == {"someone"}
        assert reader.records.hierarchy() == Hierarchy((cluster,), (community,))
    withdraw(store, first)
    with store.read() as reader:
        hierarchy = reader.records.hierarchy()
        assert hierarchy.clusters[0].stale and hierarchy.communities[0].stale
    assert store.problems() == []
    tables = repr([*rows_of(store, ("hierarchy_node", "summary", "hierarchy_source", "entity", "attribute_value"))])
    assert "calculating" not in tables and "someone" in tables


def test_equal_node_elsewhere_keeps_its_source_texts(store: Store) -> None:
    first, _ = publish_documents(store, [describing("a", "a calculating person"), describing("b", "someone")])
    with store.read() as reader:
        cluster, community = by_hand(reader)
    community = replace(community, sources=cluster.sources)
    rearrange(store, Rearrangement([cluster], [community]))
    publish_documents(store, [describing("c", "someone")])
    moved = replace(community, members=community.members[1:])
    rearrange(store, Rearrangement([replace(cluster, own=cluster.members)], [moved], [community.id]))
    withdraw(store, first)
    with store.read() as reader:
        hierarchy = reader.records.hierarchy()
        assert hierarchy.clusters[0].stale and hierarchy.communities[0].stale


@pytest.mark.parametrize(("before", "after"), [("Who computes.", "Who counts."), ("", "Who counts."), ("It is.", "")])
def test_changed_summary_text_makes_dependents_stale(store: Store, before: str, after: str) -> None:
    publish(store, "a", STATEMENTS)
    with store.read() as reader:
        cluster, community = by_hand(reader)
    first, second = (
        replace(cluster, summaries=(replace(cluster.summaries[0], description=description),))
        for description in (before, after)
    )
    rearrange(store, Rearrangement([first], [community]))
    rearrange(store, Rearrangement([second]))
    with store.read() as reader:
        assert [one.stale for one in reader.records.hierarchy().communities] == [True]
    assert store.problems() == []


def test_regenerated_equal_report_depends_on_the_current_summary(store: Store) -> None:
    publish(store, "a", STATEMENTS)
    with store.read() as reader:
        cluster, community = by_hand(reader)
    rearrange(store, Rearrangement([cluster], [community]))
    reworded = replace(cluster, summaries=(replace(cluster.summaries[0], description="Who counts."),))
    rearrange(store, Rearrangement([reworded], [community]))
    assert store.problems() == []
    rearrange(store, Rearrangement([replace(reworded, own=reworded.members)]))
    with store.read() as reader:
        assert [one.stale for one in reader.records.hierarchy().communities] == [False]


def test_decided_name_is_current_until_undone(store: Store) -> None:
    publish(store, "a", STATEMENTS)
    with store.read() as reader:
        cluster, community = by_hand(reader)
    decision = ResolutionDecision(DecisionKind.MERGE, ("Babbage", "nobody else"), "BABBAGE")
    assert entity_id("babbage") in cluster.sources
    rearrange(store, Rearrangement([cluster], [community]))
    decide(store, [decision])
    with store.read() as reader:
        assert reader.records.hierarchy() == Hierarchy((cluster,), (community,))
    rearrange(store, Rearrangement(removed=[cluster.id, community.id]))
    rearrange(store, Rearrangement([cluster], [community]))
    decide(store, [], [decision])
    with store.read() as reader:
        hierarchy = reader.records.hierarchy()
        assert hierarchy.clusters[0].stale and hierarchy.communities[0].stale
