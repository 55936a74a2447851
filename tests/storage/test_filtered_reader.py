"""A reader with a scope reads as if the other documents had never been there."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.errors import NotFound
from polyadic.model.identity import loose_name
from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.model.types import Document
from polyadic.storage.protocol import Links, NodeType, Reader, Rows, Store
from tests.support.examples import examples
from tests.support.lookups import keyed
from tests.support.store_driver import decide, document, publish, publish_documents, withdraw
from tests.support.stores import ENGINES, stores
from tests.support.vectors import vector

NODE_TYPES: tuple[NodeType, ...] = ("fact", "entity", "chunk")
ALL = 1_000
QUESTION = vector("what is asked")
NAMES = ["Ada", "ADA", "the Engine", "Engine", "London", "1843", "Ada (film)"]
TITLES = {"a": "Ada (film)", "b": "the Engine", "c": "", "d": "Ada"}
ScoredFact = tuple[str, Sequence[str], float]
Corpus = dict[str, list[ScoredFact]]
statements = st.builds(
    lambda names, verb, score: (f"{' and '.join(names)} {verb}.", names, score),
    st.lists(st.sampled_from(NAMES), min_size=0, max_size=4),
    st.sampled_from(["met", "worked"]),
    st.sampled_from([3.0, 8.0]),
)
corpora = st.dictionaries(st.sampled_from("abcd"), st.lists(statements, min_size=1, max_size=4), min_size=1)


def contents_of(reader: Reader) -> dict[str, Any]:
    """All that a reader can tell, in public identifiers."""
    return {
        "documents": [(d.source, d.title, d.chunks, d.facts) for d in reader.records.documents()],
        "listed": [reader.records.listed(after, 2, words) for after in (None, "/docs/b.txt") for words in ("", "ada")],
        "counts": [
            getattr(reader.records.counts(), name)
            for name in ("documents", "chunks", "evidence", "evidence_with_fact", "facts")
        ],
        "participations": [reader.records.counts().entities, reader.records.counts().participations],
        "arities": reader.records.arities(),
        "extractors": reader.records.extractors(),
        "facts": of_facts(reader, rows_of(reader, "fact")),
        "entities": of_entities(reader, rows_of(reader, "entity")),
        "chunks": of_chunks(reader, rows_of(reader, "chunk")),
        "nearest": {node_type: nearest(reader, node_type) for node_type in ("fact", "entity", "chunk")},
        "scored": {node_type: scored(reader, node_type) for node_type in ("fact", "entity")},
        "named": {
            name: sorted(entity.key for entity in reader.entities(np.array(rows)))
            for name, rows in reader.named([loose_name(name) for name in NAMES]).items()
        },
        "keyed": sorted(keyed(reader, ["ada", "engine", "london", "1843", "ada (film)"])),
        "found": sorted(at.source for at in reader.chunk_places(reader.search("Ada met", ALL).rows)),
        "selected": sorted(reader.records.select([], {})),
        "by identifier": {node_type: by_identifier(reader, node_type) for node_type in NODE_TYPES},
        "sizes": [reader.size(node_type) for node_type in ("fact", "entity", "chunk")],
    }


def rows_of(reader: Reader, node_type: NodeType) -> Rows:
    """All rows that can be seen, in the order of their public identifiers."""
    return reader.rows(node_type)


def ids(reader: Reader, node_type: NodeType, rows: Rows) -> list[str]:
    if node_type == "fact":
        return [fact.id for fact in reader.facts(rows)]
    if node_type == "entity":
        return [entity.id for entity in reader.entities(rows)]
    return [place.chunk_id for place in reader.chunk_places(rows)]


def by_identifier(reader: Reader, node_type: NodeType) -> list[list[str]]:
    """What is found by the identifier of each row."""
    return [
        ids(reader, node_type, reader.rows(node_type, one))
        for one in ids(reader, node_type, rows_of(reader, node_type))
    ]


def pairs(reader: Reader, links: Links, source: NodeType, target: NodeType) -> list[tuple[str, str]]:
    ends = zip(ids(reader, source, links.sources), ids(reader, target, links.targets), strict=True)
    return sorted(ends)


def of_facts(reader: Reader, rows: Rows) -> list[Any]:
    places = [[(p.source, p.span, p.quote) for p in at] for at in reader.fact_places(rows)]
    links = [
        pairs(reader, reader.links("fact_entities", rows), "fact", "entity"),
        pairs(reader, reader.links("fact_chunks", rows, ALL), "fact", "chunk"),
    ]
    numbers = [reader.degrees("fact_entities", rows).tolist(), reader.scores("fact", rows).tolist()]
    return [reader.facts(rows), places, links, numbers]


def of_entities(reader: Reader, rows: Rows) -> list[Any]:
    facts = [pairs(reader, reader.facts_of(rows, limit, QUESTION), "entity", "fact") for limit in (1, ALL)]
    links = [*facts, pairs(reader, reader.links("topic_chunks", rows, ALL), "entity", "chunk")]
    numbers = [
        reader.degrees("entity_facts", rows).tolist(),
        reader.scores("entity", rows).tolist(),
        reader.degrees("entity_chunks", rows).tolist(),
    ]
    together = ids(reader, "fact", reader.containing(rows[:1], ALL))
    return [reader.entities(rows), links, numbers, together]


def of_chunks(reader: Reader, rows: Rows) -> list[Any]:
    links = [
        pairs(reader, reader.links("chunk_facts", rows, ALL), "chunk", "fact"),
        pairs(reader, reader.links("chunk_topic", rows), "chunk", "entity"),
    ]
    return [
        reader.tokens("chunk", rows).tolist(),
        reader.chunk_places(rows),
        links,
        reader.degrees("chunk_facts", rows).tolist(),
    ]


def nearest(reader: Reader, node_type: NodeType) -> list[tuple[str, float]]:
    hits = reader.nearest(node_type, QUESTION, ALL)
    again = reader.similarity(node_type, hits.rows, QUESTION[None, :])[0]
    assert np.allclose(hits.scores, again, atol=1e-6)
    # Products of matrices of other sizes differ in their last digits, so ties may stand in another order.
    return sorted(zip(ids(reader, node_type, hits.rows), hits.scores.round(4).tolist(), strict=True))


def scored(reader: Reader, node_type: Literal["fact", "entity"]) -> list[tuple[str, float]]:
    hits = reader.nearest(node_type, QUESTION, ALL, by_score=True)
    return sorted(zip(ids(reader, node_type, hits.rows), hits.scores.round(2).tolist(), strict=True))


def fill(store: Store, corpus: Corpus) -> dict[str, Document]:
    return {name: publish_facts(store, name, said) for name, said in corpus.items()}


def publish_facts(store: Store, name: str, statements: Sequence[ScoredFact]) -> Document:
    """Publish a document that judges its statements in its own way, and describes its entities in one of two.

    More ways would give an entity more forms than have vectors; a scope shares those that do (one test of its own).
    """
    source, chunks, evidence = document(name, [(text, names) for text, names, _ in statements], TITLES[name])
    description = "as a and c have it" if name in "ac" else "as b and d have it"
    judged = []
    for one, (_, _, score) in zip(evidence, statements, strict=True):
        participants = tuple(replace(p, description=description) for p in one.participants)
        judged.append(replace(one, score=score, participants=participants))
    publish_documents(store, [(source, chunks, judged)])
    return source


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@given(corpus=corpora, wanted=st.sets(st.sampled_from("abcd")), with_splits=st.booleans())
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_filtered_view_equals_a_separate_store(
    engine: str, corpus: Corpus, wanted: set[str], with_splits: bool
) -> None:
    split = ResolutionDecision(
        DecisionKind.SPLIT, ("Ada",), "Ada (ship)", (document("a", [])[0].id, document("b", [])[0].id)
    )
    with stores(engine) as open_store:
        whole, alone = open_store("whole"), open_store("alone")
        documents = fill(whole, corpus)
        fill(alone, {name: said for name, said in corpus.items() if name in wanted})
        for store in (whole, alone) if with_splits else ():
            decide(store, [split])
        only = frozenset(documents[name].id for name in wanted & documents.keys())
        with whole.read(lambda _: only) as scoped, alone.read() as reader:
            assert contents_of(scoped) == contents_of(reader)
            ours, theirs = (one.directions("entity", rows_of(one, "entity")) for one in (scoped, reader))
            # Without vectors there is no dimension.
            assert len(ours) == len(theirs) and (not len(ours) or np.allclose(ours, theirs, atol=1e-4))
            ours, theirs = (one.main_vectors(rows_of(one, "entity")) for one in (scoped, reader))
            assert len(ours) == len(theirs) and (not len(ours) or np.allclose(ours, theirs, atol=1e-4))


decisions = st.sets(
    st.sampled_from(
        [
            ResolutionDecision(DecisionKind.MERGE, ("Engine", "London"), "London"),
            ResolutionDecision(DecisionKind.MERGE, ("1843", "Ada (film)"), "Ada (film)"),
            ResolutionDecision(DecisionKind.SPLIT, ("Ada",), "Ada (ship)", (document("a", [])[0].id,)),
            ResolutionDecision(
                DecisionKind.SPLIT, ("Engine",), "Ada", (document("b", [])[0].id, document("c", [])[0].id)
            ),
        ]
    )
)


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@given(corpus=corpora, wanted=st.sets(st.sampled_from("abcd")), made=decisions)
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_decisions_do_not_reveal_filtered_documents(
    engine: str, corpus: Corpus, wanted: set[str], made: set[ResolutionDecision]
) -> None:
    """Whether other documents are there makes no difference, nor do the names that decisions take from them."""
    with stores(engine) as open_store:
        whole, alone = open_store("whole"), open_store("alone")
        documents = fill(whole, corpus)
        fill(alone, {name: said for name, said in corpus.items() if name in wanted})
        for store in (whole, alone):
            decide(store, made)
        only = frozenset(documents[name].id for name in wanted & documents.keys())
        with whole.read(lambda _: only) as scoped, alone.read(lambda _: only) as reader:
            assert contents_of(scoped) == contents_of(reader)


def test_entity_is_found_by_its_visible_forms(store: Store) -> None:

    def described(name: str, times: int) -> Document:
        source, chunks, evidence = document(name, [("Bolt met Weiss.", ["Bolt", "Weiss"])] * times)
        participants = [replace(p, description=f"as {name} has it") for p in evidence[0].participants]
        publish_documents(
            store, [(source, chunks, [replace(one, participants=tuple(participants)) for one in evidence])]
        )
        return source

    few = described("few", 1)
    for n in range(9):
        described(f"many-{n}", 3)
    with store.read(lambda _: frozenset({few.id})) as reader:
        hits = reader.nearest("entity", vector("Bolt met Weiss."), ALL)
        assert sorted(entity.name for entity in reader.entities(hits.rows)) == ["Bolt", "Weiss"]
        assert np.allclose(hits.scores, 1.0, atol=3e-4)
    store.close()


def test_merged_name_from_hidden_documents_is_not_shown(store: Store) -> None:
    open_to_all = publish(store, "open", [("Agent Seven met the minister.", ["Agent Seven", "the minister"])])
    secret = publish(store, "secret", [("Agent Seven is John Smith.", ["Agent Seven", "John Smith"])])
    decide(store, [ResolutionDecision(DecisionKind.MERGE, ("Agent Seven", "John Smith"), "John Smith")])
    with store.read(lambda _: frozenset({open_to_all.id})) as reader:
        rows = rows_of(reader, "entity")
        assert {entity.name for entity in reader.entities(rows)} == {"Agent Seven", "the minister"}
        (fact,) = reader.facts(rows_of(reader, "fact"))
        assert fact.entities == ("Agent Seven", "the minister")
        assert not reader.named([loose_name("John Smith")])
        assert not keyed(reader, ["john smith"])
        for entity in reader.entities(rows):
            assert reader.entities(reader.rows("entity", entity.id))[0].name == entity.name
        assert not reader.records.decisions()
        assert reader.records.record(secret.id) is None
        with pytest.raises(NotFound):
            reader.records.document(secret.id)
    with store.read(lambda _: frozenset({secret.id})) as reader:
        assert list(reader.named([loose_name("John Smith")])) == ["john smith"]
    withdraw(store, secret)
    with store.read(lambda _: frozenset({open_to_all.id})) as reader:
        assert "John Smith" not in repr(reader.entities(rows_of(reader, "entity")))
        assert not reader.named([loose_name("John Smith")])
    store.close()


def test_filtered_view_is_cached_until_the_store_changes(store: Store) -> None:
    first = publish(store, "a", [("Ada met London.", ["Ada", "London"])])
    only = frozenset({first.id})
    with store.read(lambda _: only) as reader:
        assert reader.size("fact") == 1
    publish(store, "a", [("Ada met London.", ["Ada", "London"]), ("Ada wrote in 1843.", ["Ada", "1843"])])
    with store.read(lambda _: only) as reader:
        assert reader.size("fact") == 2
    store.close()


def test_vectors_of_hidden_documents_are_not_counted(store: Store) -> None:
    shown = publish(store, "a", [("Ada met London.", ["Ada", "London"])])
    with store.read(lambda _: frozenset({shown.id})) as reader:
        before = reader.records.counts()
    publish(store, "b", [("Bolt met Weiss.", ["Bolt", "Weiss"])])
    with store.read(lambda _: frozenset({shown.id})) as reader:
        assert reader.records.counts() == before


def test_empty_filter_has_no_contents(store: Store) -> None:
    publish(store, "a", [("Ada met London.", ["Ada", "London"])])
    with store.read(lambda _: frozenset()) as reader:
        assert [reader.size(node_type) for node_type in ("fact", "entity", "chunk")] == [0, 0, 0]
        assert not len(rows_of(reader, "fact"))
        assert not reader.records.documents()
    store.close()
