"""In a scope nothing of the hierarchy shows that rests on a document outside."""

import random
from collections.abc import Iterable, Set
from contextlib import AbstractContextManager
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from polyadic.model.hierarchy import Cluster, Hierarchy, Rearrangement
from polyadic.model.identity import entity_id, entity_key
from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from polyadic.storage.protocol import Reader, Store
from tests.storage.hierarchies import ALL, by_hand, drawn, ids_of, nodes_of, rearrange
from tests.storage.hierarchy_oracle import agree
from tests.support.store_driver import decide, document, publish, publish_documents, withdraw
from tests.support.vectors import vector

NAMES = ["Ada", "Babbage", "the Engine", "London", "1843", "Turin", "Mill", "Store"]
MERGE = ResolutionDecision(DecisionKind.MERGE, ("Turin", "London"), "London")
RENAME = ResolutionDecision(DecisionKind.MERGE, ("Mill", "Store"), "Mill and store")
SPLIT = ResolutionDecision(DecisionKind.SPLIT, ("Ada",), "Ada (ship)", (document("a", [])[0].id,))


def within(store: Store, documents: Set[str]) -> AbstractContextManager[Reader]:
    return store.read(lambda _: frozenset(documents))


def inside(reader: Reader, scope: frozenset[str], by_any_name: bool = False) -> set[str]:
    """Identifiers of the facts and entities that are only spoken of in scope, by all that the whole store tells."""
    entities, facts = ids_of(reader)
    every = reader.rows("chunk")
    chunks = {row: place.document_id for row, place in zip(every.tolist(), reader.chunk_places(every), strict=True)}

    def is_stated_inside(fact: int) -> bool:
        return {chunks[chunk] for chunk in reader.links("fact_chunks", np.array([fact]), ALL).targets.tolist()} <= scope

    def is_described_inside(entity: int) -> bool:
        mine = reader.facts_of(np.array([entity]), ALL, vector("x")).targets.tolist()
        return all(is_stated_inside(fact) for fact in mine) and (by_any_name or is_named(reader, entity, scope))

    found = {one for row, one in facts.items() if is_stated_inside(row)}
    return found | {one for row, one in entities.items() if is_described_inside(row)}


def is_named(reader: Reader, row: int, scope: frozenset[str]) -> bool:
    """Whether the name of an entity is said in scope, or was decided for a document there."""
    resolution: EntityResolution = reader.records.resolution()
    (entity,) = reader.entities(np.array([row]))
    said = {
        participant.name
        for one in scope
        for _, evidence in reader.records.evidence(one)
        for stated in evidence
        for participant in stated.participants
        if resolution.key(entity_key(participant.name), one) == entity.key
    }
    split = (d for d in resolution.decisions if d.kind is DecisionKind.SPLIT and entity_key(d.into) == entity.key)
    return entity.name in said or any(scope.intersection(decision.documents) for decision in split)


def seen(hierarchy: Hierarchy, ground: set[str]) -> set[str]:
    """Identifiers of what rests on this ground alone, from the lowest layer up."""
    known, found = set(ground), set()
    for node in nodes_of(hierarchy.clusters, hierarchy.communities).values():
        if known.issuperset((*node.members, *node.sources)):
            found.add(node.id)
            known |= {summary.id for summary in node.summaries} if isinstance(node, Cluster) else set()
    return found


def some_of(documents: Iterable[str], draw: random.Random) -> frozenset[str]:
    sample = sorted(documents)
    return frozenset(draw.sample(sample, draw.randint(1, len(sample))))


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "seed"), [*product(["sqlite"], range(12)), *product(["postgres"], range(4))])
def test_only_nodes_of_selected_documents_are_visible(store: Store, seed: int) -> None:
    draw = random.Random(seed)
    documents = {}
    for number, name in enumerate("abcde"):
        # Documents share some names, and have some for themselves.
        of = [*NAMES[number : number + 3], *(f"{one} of {name}" for one in NAMES[:3])]
        said = [(f"{' and '.join(names)} met.", names) for names in (draw.sample(of, 3) for _ in range(4))]
        said += draw.sample([("Mars met Venus.", ["Mars", "Venus"])], draw.randint(0, 1))
        source, chunks, evidence = document(name, said)
        described = [
            replace(e, participants=tuple(replace(p, description=f"as {name}{name} has it") for p in e.participants))
            for e in evidence
        ]
        publish_documents(store, [(source, chunks, described)])
        documents[name] = source.id
    decide(store, draw.sample([MERGE, RENAME, SPLIT], draw.randint(0, 3)))
    with store.read() as reader:
        grounds = [inside(reader, some_of(documents.values(), draw), by_any_name=True) for _ in range(6)]
    for ground in grounds:
        with store.read() as reader:
            change = drawn(reader, seed, ground=ground)
        rearrange(store, replace(change, removed=()))
    if draw.random() < 0.5:
        withdraw(store, publish(store, "f", [("Ada met Turin.", ["Ada", "Turin"])]))
    shown = 0
    for _ in range(8):
        scope = some_of(documents.values(), draw)
        with store.read() as reader:
            expected = seen(reader.records.hierarchy(), inside(reader, scope))
        with within(store, scope) as scoped:
            hierarchy = scoped.records.hierarchy()
            assert nodes_of(hierarchy.clusters, hierarchy.communities).keys() == expected
            assert (hierarchy.sparsities, hierarchy.settled, hierarchy.since) == ((), 0, 0)
            assert {one.parent for one in hierarchy.communities} <= expected | {""}
            agree(scoped)
            outside = (name for name, one in documents.items() if one not in scope)
            assert not any(f"as {name}{name} has it" in repr(hierarchy) for name in outside)
        shown += len(expected)
    assert shown


def test_stale_nodes_are_visible_if_all_members_are(store: Store) -> None:
    inner = publish(store, "a", [("Ada met Babbage.", ["Ada", "Babbage"])])
    with store.read() as reader:
        cluster, community = by_hand(reader)
    outer = publish(store, "b", [("Mill met Store.", ["Mill", "Store"])])
    passing = publish(store, "c", [("Mill met Store.", ["Mill", "Store"]), ("Mill saw Turin.", ["Mill", "Turin"])])
    elsewhere = tuple(entity_id(key) for key in ("mill", "turin"))
    rearrange(store, Rearrangement([replace(cluster, sources=(*cluster.sources, *elsewhere))], [community]))
    withdraw(store, passing)
    for scope, shown in ((inner, 1), (outer, 0)):
        with within(store, {scope.id}) as reader:
            hierarchy = reader.records.hierarchy()
            assert [len(hierarchy.clusters), len(hierarchy.summaries), len(hierarchy.communities)] == [shown, 0, 0]


def test_filtered_hierarchy_follows_changes(store: Store) -> None:
    source = publish(store, "a", [("Ada met Babbage.", ["Ada", "Babbage"])])
    only = {source.id}
    with store.read() as reader:
        cluster, community = by_hand(reader)
    for change, summaries in (
        (Rearrangement(), 0),
        (Rearrangement([cluster], [community]), 1),
        (Rearrangement(removed=[cluster.id]), 0),
    ):
        rearrange(store, change)
        with within(store, only) as reader:
            assert reader.hierarchy_reader().summary_count == summaries
