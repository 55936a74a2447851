"""What every store promises; a new store joins by adding itself to ``open_store`` (tests/storage/conftest.py)."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from polyadic.model.aggregation import tally, tally_difference
from polyadic.model.identity import entity_key, fact_id
from polyadic.model.types import Document, Participation
from polyadic.storage.protocol import (
    DocumentListing,
    OriginalRecord,
    Store,
    StoreChange,
)
from tests.support.lookups import keyed
from tests.support.store_driver import document, publish, publish_documents, stage, withdraw
from tests.support.stores import ENGINES, IN_MEMORY
from tests.support.vectors import kept, vector, vectors

ADA = ("Ada Lovelace met Charles Babbage in London.", ["Ada Lovelace", "Charles Babbage", "London"])
ENGINE = ("Charles Babbage designed the Analytical Engine.", ["Charles Babbage", "the Analytical Engine"])
LONELY = ("Only London is named here.", ["London"])


@pytest.fixture(params=[*ENGINES, IN_MEMORY])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_empty_store_returns_empty_results(store: Store) -> None:
    nothing = np.zeros(0, dtype=np.int64)
    with store.read() as reader:
        assert reader.records.counts().facts == 0
        assert reader.records.documents() == []
        assert reader.records.listed(None, 5) == reader.records.listed("a", 5, "b") == DocumentListing([], 0, False)
        assert reader.nearest("fact", vector("x"), 5).rows.tolist() == []
        assert reader.nearest("entity", vector("x"), 5).rows.tolist() == []
        assert reader.nearest("chunk", vector("x"), 5).rows.tolist() == []
        assert reader.similarity("entity", nothing, vector("x")[None]).shape == (1, 0)
        assert reader.facts_of(nothing, 5, vector("x")).targets.tolist() == []
        assert reader.search("anything at all", 5).rows.tolist() == []
        assert reader.named(["ada lovelace"]) == {}
        assert keyed(reader, ["ada lovelace"]) == {}
        assert reader.rows("fact", "abcd", 5).tolist() == []


def test_published_documents_are_found(store: Store) -> None:
    publish(store, "ada", [ADA, ENGINE, LONELY], title="Ada Lovelace")
    with store.read() as reader:
        counts = reader.records.counts()
        assert (counts.documents, counts.chunks, counts.facts, counts.entities) == (1, 1, 2, 4)
        assert (counts.evidence, counts.evidence_with_fact, counts.participations) == (3, 2, 5)
        assert reader.records.arities() == {2: 1, 3: 1}
        facts = reader.facts(reader.nearest("fact", vector(ADA[0]), 2).rows)
        assert [fact.text for fact in facts] == [ADA[0], ENGINE[0]]
        assert facts[0].entities == ("Ada Lovelace", "Charles Babbage", "London")
        assert facts[0].id == fact_id(ADA[0], [entity_key(name) for name in ADA[1]])
        assert (facts[0].score, facts[0].support) == (8.0, 1)
        entity = reader.entities(reader.nearest("entity", vector("Charles Babbage"), 1).rows)[0]
        assert (entity.name, entity.type, entity.score, entity.facts) == ("Charles Babbage", "thing", 60.0, 2)


def test_details_of_statements_and_dates_of_documents_are_read(store: Store) -> None:
    source, chunks, (said_of_ada,) = document("ada", [ADA])
    ada, babbage, london = said_of_ada.participants
    detailed = replace(
        said_of_ada,
        participants=(replace(ada, role="guest"), replace(babbage, role="host"), replace(london, value="GB-LND")),
        valid_from="1833-06-05",
        valid_to="1833",
        qualifiers=(("source", "letter"),),
    )
    publish_documents(store, [(replace(source, metadata={"date": "1843-10-02"}), chunks, [detailed])])
    publish(store, "engine", [ENGINE])
    with store.read() as reader:
        assert reader.records.detailed_evidence([chunks[0].id, "00" * 16]) == {chunks[0].id: (detailed,)}
        assert {place.date for place in reader.chunk_places(reader.rows("chunk"))} == {"1843-10-02", ""}
        fact = reader.nearest("fact", vector(ADA[0]), 1).rows
        assert [place.date for place in reader.fact_places(fact)[0]] == ["1843-10-02"]
        others = frozenset(record.id for record in reader.records.documents()) - {source.id}
    with store.read(lambda reader: others) as reader:
        assert reader.records.detailed_evidence([chunks[0].id]) == {}


@pytest.mark.parametrize(
    "details",
    [
        {"participants": (Participation("Ada", role="guest"), Participation("Babbage"))},
        {"participants": (Participation("Ada", value="A1"), Participation("Babbage"))},
        {"valid_from": "1833"},
        {"valid_to": "1833"},
        {"qualifiers": (("source", "letter"),)},
    ],
)
def test_each_detail_of_evidence_is_read(store: Store, details: dict[str, Any]) -> None:
    source, chunks, (plain, other) = document("ada", [ADA, ENGINE])
    detailed = replace(plain, **details)
    publish_documents(store, [(source, chunks, [detailed, other])])
    with store.read() as reader:
        (evidence,) = reader.records.detailed_evidence([chunks[0].id]).values()
    assert detailed in evidence and set(evidence) <= {detailed, other}


def test_documents_are_paginated(store: Store) -> None:
    for name, title in (("b", "Ada"), ("Ä", "Die Straße"), ("ada", ""), ("a%", "b"), ("gone", "Ada")):
        publish(store, name, [ADA], title)
    withdraw(store, document("gone", [], "")[0])
    words = ("", "ADA", "b", "straße", "STRASSE", "%", "nothing")
    cursors = (None, "", "/docs/ada.txt", "/docs/b", "/docs/\ud800", "zzz")
    with store.read() as reader:
        every = reader.records.documents()
        assert len(every) == 4
        for word, after, limit in product(words, cursors, (0, 1, 2, 9)):
            sought = word.casefold()
            wanted = [one for one in every if sought in one.source.casefold() or sought in one.title.casefold()]
            later = [one for one in wanted if after is None or one.source > after]
            expected = DocumentListing(later[:limit], len(wanted), len(later) > limit)
            assert reader.records.listed(after, limit, word) == expected, (word, after, limit)


def test_listing_searches_names_of_sources(store: Store) -> None:
    for name in ("a", "ada"):
        publish(store, name, [ADA], "Title")
    with store.read() as reader:
        assert len(reader.records.listed(None, 5, "DOCS").documents) == 2
        assert reader.records.listed(None, 5, "docs", lambda source: source.removeprefix("/docs/")).documents == []
        found = reader.records.listed(None, 5, "ADA.", lambda source: source.removeprefix("/docs/"))
        assert [record.source for record in found.documents] == ["/docs/ada.txt"]


def test_roots_are_recorded_once(store: Store) -> None:
    with store.read() as reader:
        assert reader.records.roots() == []
    for folders in (["/b", "/a"], ["/a", "/c/é"]):
        with store.write() as writer:
            writer.add_roots(folders)
    with store.read() as reader:
        assert reader.records.roots() == ["/a", "/b", "/c/é"]


def original(store: Store, source: Document, only: frozenset[str] | None = None) -> tuple[str, bool, bytes | None]:
    """Digest, whether a copy is kept, and the copy."""
    with store.read(None if only is None else lambda _: only) as reader:
        record = reader.records.original(source.id)
        content = reader.records.original_content(source.id)
        return (record.digest, record.is_kept, content) if record else ("", False, content)


def test_original_files_belong_to_revisions(store: Store) -> None:
    # Longer than one piece, with every byte.
    content = bytes(range(256)) * 800
    first, second = "1" * 32, "2" * 32
    source, chunks, evidence = document("ada", [ADA])
    other = publish(store, "engine", [ENGINE])
    stage(store, source, chunks, {chunks[0].id: evidence})
    with store.write() as writer:
        assert writer.originals([source.id], is_staged=True) == {}
        writer.put_original(source.id, first, content, is_staged=True)
        assert writer.originals([source.id], is_staged=True) == {source.id: OriginalRecord(first, True)}
        assert writer.originals([source.id], is_staged=False) == {}
    assert original(store, source) == ("", False, None)
    _publish_staged(store, source.id, {chunks[0].id: [chunks[0].text]})
    assert original(store, source) == (first, True, content)
    assert original(store, source, frozenset([other.id])) == ("", False, None)
    assert original(store, source, frozenset([source.id])) == (first, True, content)
    with store.write() as writer:
        writer.put_original(source.id, second, b"PDF", is_staged=False)
    assert original(store, source) == (second, True, b"PDF")
    with store.write() as writer:
        writer.put_original(source.id, first, None, is_staged=False)
    assert original(store, source) == (first, False, None)
    assert original(store, other) == ("", False, None)


@pytest.mark.parametrize("content", [bytes(range(256)) * 800, None])
def test_original_files_stay_while_the_text_is_the_same(store: Store, content: bytes | None) -> None:
    source = publish(store, "ada", [ADA])
    publish(store, "engine", [ENGINE])
    digest = "1" * 32
    with store.write() as writer:
        writer.put_original(source.id, digest, content, is_staged=False)
    publish(store, "ada", [ADA])
    assert original(store, source) == (digest, content is not None, content)
    assert store.problems() == []


def test_original_files_are_deleted_with_their_revision(store: Store) -> None:
    source = publish(store, "ada", [ADA])
    for change in (lambda: publish(store, "ada", [ADA, ENGINE]), lambda: withdraw(store, source)):
        with store.write() as writer:
            writer.put_original(source.id, "1" * 32, b"PDF", is_staged=False)
        change()
        assert original(store, source) == ("", False, None)
        assert store.problems() == []
    publish(store, "ada", [ADA])
    assert original(store, source) == ("", False, None)


def test_chunk_vector_is_the_normalized_sum_of_its_windows(store: Store) -> None:
    source, chunks, evidence = document("ada", [ADA])
    stage(store, source, chunks, {chunks[0].id: evidence})
    _publish_staged(store, source.id, {chunks[0].id: ["first window", "second window"]})
    publish(store, "engine", [ENGINE])
    with store.read() as reader:
        rows = reader.rows("chunk")
        expected = {chunks[0].id: kept(["first window", "second window"]).sum(axis=0)}
        ids = [place.chunk_id for place in reader.chunk_places(rows)]
        sums = np.array([expected.get(one, kept([ENGINE[0]])[0]) for one in ids])
        assert np.allclose(
            reader.directions("chunk", rows), sums / np.linalg.norm(sums, axis=1, keepdims=True), atol=1e-3
        )
        assert len(reader.directions("chunk", rows[:0])) == 0


def test_version_names_what_a_reader_sees(store: Store) -> None:
    ada, engine = publish(store, "ada", [ADA]), publish(store, "engine", [ENGINE])

    def version(*only: Document) -> str:
        filtered = frozenset(one.id for one in only)
        with store.read((lambda _: filtered) if only else None) as reader:
            return reader.records.version

    seen = [version(), version(ada), version(engine), version(ada, engine)]
    assert seen == [version(), version(ada), version(engine), version(engine, ada)]
    assert len({*seen[:3]}) == 3
    publish(store, "lonely", [ADA, ENGINE])
    assert version() not in seen
    withdraw(store, engine)
    assert version() not in seen and version(ada) != version()


def test_documents_are_streamed_one_by_one(store: Store) -> None:
    sources = [publish(store, name, [ADA]) for name in ("one", "two")]
    with store.write() as writer:
        current = writer.current([*(source.id for source in sources), "00" * 16])
        assert next(current)[0] == sources[0].id
        assert [document for document, _ in current] == [sources[1].id]


def test_documents_are_selected_by_source_and_metadata(store: Store) -> None:
    for name, year in (("a", "1815"), ("b", "1791"), ("c", "1815")):
        source, chunks, evidence = document(name, [ADA])
        source = replace(source, metadata={"year": year, "of": "Ada"})
        stage(store, source, chunks, {chunks[0].id: evidence})
        _publish_staged(store, source.id, {chunks[0].id: [chunks[0].text]})
    ids = {name: document(name, [ADA])[0].id for name in ("a", "b", "c")}
    with store.read() as reader:
        assert reader.records.select((), {"year": "1815"}) == {ids["a"], ids["c"]}
        assert reader.records.select((), {"year": "1815", "of": "Ada"}) == {ids["a"], ids["c"]}
        assert reader.records.select(["/docs/a.txt"], {"year": "1815"}) == {ids["a"]}
        assert reader.records.select(["/docs"], {}) == set(ids.values())
        assert reader.records.select((), {"of": "Babbage"}) == reader.records.select((), {"year": "of"}) == frozenset()


def test_documents_are_selected_by_date(store: Store) -> None:
    dates = {"a": "2023-12-31", "b": "2024-01-01 09:00:00+02:00", "c": "2024-12-31", "d": "2025", "e": ""}
    ids = {}
    for name, date in dates.items():
        source, chunks, evidence = document(name, [ADA])
        stage(store, replace(source, metadata={"date": date} if date else {}), chunks, {chunks[0].id: evidence})
        _publish_staged(store, source.id, {chunks[0].id: [chunks[0].text]})
        ids[source.id] = name

    def selected(**where: str) -> str:
        conditions = {key.replace("_from", ">=").replace("_to", "<="): value for key, value in where.items()}
        return "".join(sorted(ids[one] for one in reader.records.select((), conditions)))

    with store.read() as reader:
        assert selected(date_from="2024") == "bcd"
        assert selected(date_to="2024") == "abc"
        assert selected(date_from="2024", date_to="2024") == "bc"
        assert selected(date_from="2024-01-02", date_to="2024-12-31") == "c"
        assert selected(date_to="2023-12-30") == selected(date="2024") == selected(year_from="0") == ""


def _publish_staged(store: Store, document_id: str, windows: dict[str, list[str]]) -> None:
    with store.write() as writer:
        said = {chunk.id: evidence for chunk, evidence in writer.staged(document_id)}
        tallies = tally_difference(tally((document_id, evidence) for evidence in said.values()), tally(()))
        writer.apply(StoreChange([document_id], (), tallies, dict.fromkeys(tallies.facts, 5), windows, said))
        while missing := writer.attach():
            writer.put_vectors(missing, vectors(missing))
