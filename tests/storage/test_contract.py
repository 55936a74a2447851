"""What every store promises; a new store joins by adding itself to ``open_store`` (tests/storage/conftest.py)."""

import random
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from polyadic.errors import EmbedderMismatch, NotFound, StoreBusy
from polyadic.model.aggregation import tally, tally_difference
from polyadic.model.identity import entity_key, fact_id, loose_name
from polyadic.model.types import Chunk, Document, Participation, Span
from polyadic.storage.protocol import (
    ChunkFactsPrefetch,
    DocumentListing,
    Fingerprint,
    NearestPrefetch,
    NeighbourPrefetch,
    NodeType,
    OriginalRecord,
    QuotePrefetch,
    Rows,
    Store,
    StoreChange,
    Vectors,
)
from tests.support.canonical import canonical
from tests.support.lookups import chunks_of, keyed
from tests.support.store_driver import document, make_evidence, publish, publish_documents, stage, withdraw
from tests.support.stores import ENGINES, IN_MEMORY, Opener
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


def test_source_spans_quote_exactly(store: Store) -> None:
    source = publish(store, "ada", [ADA, ENGINE])
    with store.read() as reader:
        rows = reader.nearest("fact", vector(ENGINE[0]), 1).rows
        (place,) = reader.fact_places(rows)[0]
        assert place.quote == ENGINE[0] == source.text[place.span.start : place.span.end]
        (chunk_place,) = reader.chunk_places(reader.links("fact_chunks", rows, 10).targets)
        assert chunk_place.quote == source.text
        chunks = reader.links("fact_chunks", rows, 10).targets
        assert reader.tokens("fact", rows).tolist() == [fact.tokens for fact in reader.facts(rows)]
        assert reader.tokens("chunk", chunks).tolist() == [one.tokens for one in chunks_of(reader, source.id)]
        assert reader.records.document(source.id) == source


def test_source_spans_have_headings(store: Store) -> None:
    text = f"# Ada Lovelace\n\n## Letters\n\n{ADA[0]}\n\n## Engines\n\n{ENGINE[0]} It was of brass."
    source = Document("/docs/ada.md", "Ada Lovelace", text)
    # The second passage begins behind its heading.
    first, second = Span(0, text.index(ENGINE[0])), Span(text.index(ENGINE[0]), len(text))
    chunks = [Chunk(source.id, one, text[one.start : one.end], 9, one.start) for one in (first, second)]
    at = text.index(ADA[0])
    stated = replace(make_evidence(*ADA), spans=(Span(at, at + len(ADA[0])),))
    publish_documents(store, [(source, chunks, [stated])])
    with store.read() as reader:
        ((letters,),) = reader.fact_places(reader.nearest("fact", vector(ADA[0]), 1).rows)
        engines = next(one for one in reader.chunk_places(reader.rows("chunk")) if one.span == second)
        # What repeats the title tells nothing.
        assert (letters.headings, engines.headings) == (("Letters",), ("Engines",))
        found = reader.records.headings([chunk.id for chunk in chunks])
        assert [one.words for one in found[chunks[0].id]] == ["Ada Lovelace", "Letters", "Engines"]
        assert [one.words for one in found[chunks[1].id]] == ["Ada Lovelace", "Engines"]
        assert text[found[chunks[1].id][1].start :].startswith("## Engines")
        assert reader.records.headings(["ab" * 16]) == {}


def test_first_source_spans_of_a_widely_stated_fact_are_returned(store: Store) -> None:
    sources = [publish(store, f"ada-{number}", [ADA, ENGINE]) for number in (7, 3, 9, 1, 8, 5, 0, 2, 6, 4)]
    heard = frozenset(source.id for source in sources[:4])
    with store.read() as reader, store.read(lambda _: heard) as scoped:
        every = reader.rows("fact")
        for facts in (every, every[[1, 0, 1]]):
            for places in reader.fact_places(facts):
                assert [place.source for place in places] == sorted(source.source for source in sources)[:8]
        for places in scoped.fact_places(scoped.rows("fact")):
            assert [place.source for place in places] == sorted(source.source for source in sources[:4])
        first, second = reader.fact_places(every[::-1])
        assert [first, second] == reader.fact_places(every)[::-1] and first != second


def test_evidence_round_trips(store: Store) -> None:
    _, chunks, evidence = document("ada", [ADA, LONELY])
    source = publish(store, "ada", [ADA, LONELY])
    with store.write() as writer:
        writer.stage([(source, Fingerprint("another content", "recipe", "by hand"), chunks)])
    with store.read() as reader:
        assert reader.records.evidence(source.id) == [(chunks[0], tuple(evidence))]
        assert reader.records.evidence("00" * 16) == []


def test_optional_fields_of_evidence_round_trip(store: Store) -> None:
    source, chunks, (statement,) = document("ada", [ADA])
    ada, babbage, london = statement.participants
    dated = replace(ada, role="guest", value="1843")
    evidence = (
        replace(statement, participants=(dated, babbage, london), qualifiers=(("source", "a letter"), ("a", ""))),
        replace(statement, text="Ada left.", participants=(dated, replace(london, value="51.5")), valid_to="1852-11"),
        replace(statement, text="Ada stayed.", valid_from="1833", unsupported="no one says so"),
    )
    publish_documents(store, [(source, chunks, list(evidence))])
    with store.read() as reader:
        assert reader.records.evidence(source.id) == [(chunks[0], evidence)]


def test_documents_are_streamed_one_by_one(store: Store) -> None:
    sources = [publish(store, name, [ADA]) for name in ("one", "two")]
    with store.write() as writer:
        current = writer.current([*(source.id for source in sources), "00" * 16])
        assert next(current)[0] == sources[0].id
        assert [document for document, _ in current] == [sources[1].id]


def test_incidence_is_symmetric(store: Store) -> None:
    publish(store, "ada", [ADA, ENGINE])
    with store.read() as reader:
        babbage = np.array([keyed(reader, ["charles babbage"])["charles babbage"]])
        facts = reader.facts_of(babbage, 10, vector("x"))
        assert facts.sources.tolist() == [babbage[0]] * 2
        assert set(babbage.tolist()) == {
            int(e)
            for f in facts.targets
            for e in reader.links("fact_entities", np.array([f])).targets
            if int(e) == babbage[0]
        }
        chunks = reader.links("fact_chunks", facts.targets, 10)
        assert set(reader.links("chunk_facts", np.unique(chunks.targets), 10).targets.tolist()) == set(
            facts.targets.tolist()
        )
        assert reader.degrees("entity_facts", babbage).tolist() == [2]
        assert reader.degrees("fact_entities", facts.targets).tolist() == [
            len(reader.links("fact_entities", facts.targets[[i]]).targets) for i in (0, 1)
        ]
        assert reader.degrees("entity_chunks", babbage).tolist() == [1]


def test_hub_returns_its_most_similar_facts(store: Store) -> None:
    statements = [(f"London saw event {i}.", ["London", f"event {i}"]) for i in range(40)]
    publish(store, "hub", statements)
    with store.read() as reader:
        london = np.array([keyed(reader, ["london"])["london"]])
        links = reader.facts_of(london, 5, vector(statements[17][0]))
        assert len(links.targets) == 5
        assert statements[17][0] in [fact.text for fact in reader.facts(links.targets)]
        best = reader.nearest("fact", vector(statements[17][0]), 5).rows
        assert set(best.tolist()) == set(links.targets.tolist())


def test_several_entities_return_their_own_most_similar_facts(store: Store) -> None:
    statements = [(f"{place} saw event {i}.", [place, f"event {i}"]) for i in range(20) for place in ("Rome", "Oslo")]
    publish(store, "hubs", statements)
    with store.read() as reader:
        rows = keyed(reader, ["rome", "oslo", "event 3"])
        asked = [("rome", "event 3"), ("event 3", "x"), ("oslo", "event 5"), ("rome", "event 7")]
        entities, toward = np.array([rows[key] for key, _ in asked]), vectors([text for _, text in asked])
        links = reader.facts_of(entities, 4, toward)
        alone = [reader.facts_of(entities[[i]], 4, toward[i]) for i in range(len(asked))]
    assert [len(one.targets) for one in alone] == [4, 2, 4, 4]
    assert links.sources.tolist() == [row for one in alone for row in one.sources.tolist()]
    assert links.targets.tolist() == [row for one in alone for row in one.targets.tolist()]


def test_prefetch_does_not_change_results(store: Store) -> None:
    publish(store, "ada", [ADA, ENGINE, LONELY], title="Ada Lovelace")
    publish(store, "again", [ADA, ("The Analytical Engine stood in London.", ["the Analytical Engine", "London"])])
    answers = []
    for is_said in (False, True):
        with store.read() as reader:
            facts = reader.rows("fact")
            if is_said:
                none = facts[:0]
                reader.prefetch(
                    NeighbourPrefetch(facts[:2], 1, reader.rows("chunk")), NeighbourPrefetch(facts, 1, none)
                )
                reader.prefetch(NeighbourPrefetch(none, 1, none), ChunkFactsPrefetch(none, 1))
                reader.prefetch(
                    NearestPrefetch("fact", vector("query"), 2),
                    NearestPrefetch("entity", vector("query"), 2, scored=True),
                )
                reader.prefetch(
                    NearestPrefetch("chunk", vector("query"), 1), ChunkFactsPrefetch(reader.rows("chunk"), 2)
                )
                reader.prefetch(QuotePrefetch(facts[1:], reader.rows("chunk")), QuotePrefetch(facts[:0], facts[:0]))
            entities, chunks = reader.links("fact_entities", facts), reader.links("fact_chunks", facts, 1)
            results: list[Rows | Vectors] = [
                part for links in (entities, chunks) for part in (links.sources, links.targets)
            ]
            results += [
                reader.scores("fact", facts),
                reader.tokens("fact", facts),
                reader.degrees("fact_entities", facts),
            ]
            results += [reader.scores("entity", entities.targets), reader.degrees("entity_chunks", entities.targets)]
            results += [reader.similarity("fact", facts, vectors(["query", "other"]))]
            results += [reader.links("chunk_topic", chunks.targets).targets]
            within = reader.links("chunk_facts", reader.rows("chunk"), 2)
            results += [within.sources, within.targets, reader.links("fact_entities", within.targets).targets]
            near = [
                reader.nearest("fact", vector("query"), 2),
                reader.nearest("entity", vector("query"), 2, by_score=True),
            ]
            near += [reader.nearest("chunk", vector("query"), 1), reader.nearest("fact", vector("other"), 3)]
            results += [part for hits in near for part in (hits.rows, hits.scores)]
            said = [reader.facts(facts), reader.fact_places(facts), reader.chunk_places(reader.rows("chunk"))]
            answers.append([*(one.tolist() for one in results), *said])
    assert answers[0] == answers[1]
    assert len(answers[0][2]) == 3


def test_similarity_agrees_with_nearest(store: Store) -> None:
    publish(store, "ada", [ADA, ENGINE])
    with store.read() as reader:
        node_types: tuple[NodeType, ...] = ("entity", "fact", "chunk")
        for node_type in node_types:
            hits = reader.nearest(node_type, vector("query"), 10)
            again = reader.similarity(node_type, hits.rows, np.array([vector("query"), vector("other")]))
            assert again.shape == (2, len(hits.rows))
            np.testing.assert_allclose(again[0], hits.scores, atol=1e-6)
            assert (np.diff(hits.scores) <= 0).all()


def test_main_vector_is_that_of_the_best_supported_description(store: Store) -> None:
    for name, description in (("a", "a mathematician"), ("b", "a countess"), ("c", "a countess")):
        source, chunks, _ = document(name, [ADA])
        publish_documents(store, [(source, chunks, [make_evidence(*ADA, description=description)])])
    with store.read() as reader:
        rows = reader.rows("entity")
        names = [entity.name for entity in reader.entities(rows)]
        np.testing.assert_allclose(
            reader.main_vectors(rows), vectors([f"{name}: a countess" for name in names]), atol=1e-3
        )
        assert reader.main_vectors(rows[:0]).shape[0] == 0
    with store.read(lambda _: frozenset({document("a", [ADA])[0].id})) as reader:
        rows = reader.rows("entity")
        names = [entity.name for entity in reader.entities(rows)]
        np.testing.assert_allclose(
            reader.main_vectors(rows), vectors([f"{name}: a mathematician" for name in names]), atol=1e-3
        )


def test_scored_hits_are_ranked_by_the_product(store: Store) -> None:
    publish(store, "ada", [ADA, ENGINE])
    with store.read() as reader:
        hits = reader.nearest("entity", vector("query"), 10, by_score=True)
        products = reader.similarity("entity", hits.rows, vector("query")[None])[0] * reader.scores("entity", hits.rows)
        np.testing.assert_allclose(hits.scores, products, rtol=1e-5)
        assert (np.diff(hits.scores) <= 0).all()
        assert reader.scores("fact", reader.nearest("fact", vector("x"), 1).rows).tolist() == [8.0]


def test_title_entity_leads_to_its_passages(store: Store) -> None:
    publish(store, "ada", [ADA], title="Ada Lovelace")
    publish(store, "other", [ENGINE], title="Nobody we know")
    with store.read() as reader:
        ada = np.array([keyed(reader, ["ada lovelace"])["ada lovelace"]])
        titled = reader.links("topic_chunks", ada, 10)
        assert reader.links("chunk_topic", titled.targets).targets.tolist() == ada.tolist()
        assert [place.title for place in reader.chunk_places(titled.targets)] == ["Ada Lovelace"]


def test_names_are_found_by_alias(store: Store) -> None:
    publish(store, "ada", [("Émile Zola wrote Germinal (novel).", ["Émile Zola", "Germinal (novel)"])])
    with store.read() as reader:
        named = reader.named(["emile zola", "germinal", "nobody"])
        assert sorted(named) == ["emile zola", "germinal"]
        assert [e.name for e in reader.entities(np.array(named["germinal"]))] == ["Germinal (novel)"]


def test_day_is_found_however_it_is_written(store: Store) -> None:
    publish(store, "rows", [("2014/08/11: 35.6 degrees in Seattle.", ["2014/08/11", "Seattle"])])
    publish(store, "other", [("2014/08/12: 30.1 degrees, rain in August 2014.", ["2014/08/12", "August 2014"])])
    with store.read() as reader:
        for question in ("11 August 2014", "How hot was it on August 11, 2014?", "2014-08-11"):
            assert reader.chunk_places(reader.search(question, 5).rows)[0].source == "/docs/rows.txt"
        (named,) = reader.named(["20140811"]).values()
        assert [e.name for e in reader.entities(np.array(named))] == ["2014/08/11"]


def test_full_text_search_handles_any_query(store: Store) -> None:
    publish(store, "ada", [ADA, ENGINE])
    publish(store, "moon", [("1969年7月，阿波罗11号登上月球。", ["阿波罗11号", "月球"])])
    with store.read() as reader:
        assert reader.chunk_places(reader.search("analytical", 5).rows)[0].source == "/docs/ada.txt"
        assert reader.chunk_places(reader.search("月球", 5).rows)[0].source == "/docs/moon.txt"
        for query in ('"', "AND OR NOT", "a:b", "(", "*", "", "NEAR(", "-x", "\0"):
            reader.search(query, 5)


def test_facts_containing_all_given_entities(store: Store) -> None:
    publish(store, "ada", [ADA, ENGINE])
    with store.read() as reader:
        rows = keyed(reader, ["charles babbage", "london"])
        both = reader.containing(np.array(list(rows.values())), 10)
        assert [fact.text for fact in reader.facts(both)] == [ADA[0]]
        assert reader.containing(np.zeros(0, dtype=np.int64), 10).tolist() == []


def test_identifier_prefixes_are_resolved(store: Store) -> None:
    publish(store, "ada", [ADA, ENGINE])
    with store.read() as reader:
        fact = reader.facts(reader.rows("fact")[:1])[0]
        assert [f.id for f in reader.facts(reader.rows("fact", fact.id[:10], 5))] == [fact.id]


def test_staged_revisions_are_invisible_and_resumed(store: Store) -> None:
    before = canonical(store)
    source, chunks, evidence = document("ada", [ADA])
    stage(store, source, chunks, {chunks[0].id: evidence})
    assert canonical(store) == before
    with store.write() as writer:
        recipe, another = (Fingerprint(source.content, recipe, "by hand") for recipe in ("recipe", "another"))
        assert writer.stage([(source, recipe, chunks)]) == {source.id: {chunks[0].id}}
        assert writer.stage([(source, another, chunks)]) == {source.id: frozenset()}


def test_a_failed_transaction_leaves_no_trace(store: Store) -> None:
    publish(store, "ada", [ADA])
    before = canonical(store)
    with pytest.raises(RuntimeError, match="on purpose"), store.write() as writer:
        source, chunks, _ = document("engine", [ENGINE])
        writer.stage([(source, Fingerprint(source.content, "recipe", "by hand"), chunks)])
        raise RuntimeError("on purpose")
    assert canonical(store) == before


def test_deleting_leaves_no_trace(store: Store) -> None:
    publish(store, "ada", [ADA])
    before = canonical(store)
    source = publish(store, "engine", [ENGINE, ADA])
    assert canonical(store) != before
    withdraw(store, source)
    assert canonical(store) == before
    with store.read() as reader:
        assert reader.search("designed", 5).rows.tolist() == []
        with pytest.raises(NotFound):
            reader.records.document(source.id)


def test_changed_document_replaces_its_facts(store: Store, open_store: Opener) -> None:
    publish(store, "ada", [ADA, ENGINE])
    publish(store, "ada", [ENGINE])
    fresh = open_store("fresh")
    publish(fresh, "ada", [ENGINE])
    assert canonical(store) == canonical(fresh)


def test_most_frequent_name_wins_in_any_order(store: Store, open_store: Opener) -> None:
    versions = [("a", "NASA"), ("b", "Nasa"), ("c", "NASA")]
    other = open_store("other")
    for name, spelling in versions:
        publish(store, name, [(f"{spelling} built {name}.", [spelling, name])])
    for name, spelling in reversed(versions):
        publish(other, name, [(f"{spelling} built {name}.", [spelling, name])])
    assert canonical(store) == canonical(other)
    with store.read() as reader:
        assert reader.entities(np.array([keyed(reader, ["nasa"])["nasa"]]))[0].name == "NASA"


def test_only_the_most_frequent_forms_are_embedded(store: Store) -> None:
    for i in range(12):
        publish(store, f"d{i}", [(f"Ada did {i}.", [])])
        source, chunks, _ = document(f"e{i}", [(f"Ada did {i}.", [])])
        evidence = make_evidence(f"Ada did {i}.", ["Ada", f"thing {i}"], description=f"description {i:02}")
        stage(store, source, chunks, {chunks[0].id: [evidence]})
        _publish_staged(store, source.id, {chunks[0].id: [chunks[0].text]})
    with store.read() as reader:
        ada = np.array([keyed(reader, ["ada"])["ada"]])
        kept = reader.similarity("entity", ada, np.array([vector(f"Ada: description {i:02}") for i in range(12)]))
    assert (kept[:, 0] > 0.999).sum() == 8


def test_a_second_writer_is_refused_in_one_line(store: Store, open_store: Opener) -> None:
    other = open_store("kb")
    with store.exclusive_session(), pytest.raises(StoreBusy, match="another process"), other.write():
        pass
    with other.write():
        pass


def test_shared_session_blocks_an_exclusive_one(store: Store, open_store: Opener) -> None:
    other = open_store("kb")
    with store.indexing_session() as claims:
        assert claims.acquire(["00" * 16]) == {"00" * 16}
        publish(store, "ada", [ADA])
        with pytest.raises(StoreBusy, match="another process"), other.exclusive_session():
            pass
        claims.release(["00" * 16])
    with other.exclusive_session(), other.indexing_session() as claims:
        assert claims.acquire(["00" * 16]) == {"00" * 16}


def test_reader_sees_one_snapshot_during_a_write(store: Store, open_store: Opener) -> None:
    publish(store, "ada", [ADA])
    other = open_store("kb")
    with other.read() as reader:
        before = reader.records.counts()
        publish(store, "engine", [ENGINE])
        assert reader.records.counts() == before
        assert [fact.text for fact in reader.facts(reader.rows("fact")[:1])] == [ADA[0]]
    with other.read() as reader:
        assert reader.records.counts().facts == 2


def test_another_embedding_model_is_refused(store: Store, open_store: Opener) -> None:
    publish(store, "ada", [ADA])
    store.close()
    with pytest.raises(EmbedderMismatch, match="test vectors"):
        open_store("kb", "other vectors")


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


def test_long_texts_are_stored(store: Store, open_store: Opener) -> None:
    """Of any length: no index may set bounds to what documents and models say."""
    drawn = random.Random(3)

    def long(begins: str) -> str:
        # Characters of three bytes, in no order that could be packed.
        return begins + "".join(chr(drawn.randrange(0x4E00, 0x9F00)) for _ in range(4_000))

    publish(store, "ada", [ADA])
    before = canonical(store)
    name, other, title = long("Ada "), long("Babbage "), long("Of ")
    texts = [(f"{name} met {other}.", [name, other]), (f"{name} wrote.", [name, title])]
    for begins in ("b", "a", "c"):
        publish(store, long(begins), texts, title=title)
    described = make_evidence(texts[0][0], [name, other], description=long("who is "))
    source, chunks, _ = document(long("d"), texts[:1], title)
    stage(store, source, chunks, {chunks[0].id: [described]})
    _publish_staged(store, source.id, {chunks[0].id: [chunks[0].text]})
    assert store.problems() == []
    with store.read() as reader:
        records = reader.records.documents()
        sources = [record.source for record in records]
        assert sources == sorted(sources) and len(sources) == 5
        listed: list[str] = []
        while len(listed) < len(sources):
            found = reader.records.listed(listed[-1] if listed else None, 2)
            listed += [record.source for record in found.documents]
        assert listed == sources
        keys = keyed(reader, [entity_key(name), entity_key(title)])
        assert len(keys) == 2
        assert reader.named([loose_name(name)])[loose_name(name)] == [keys[entity_key(name)]]
        assert len(reader.search(name, 5).rows) <= 5
        titled = reader.links("topic_chunks", np.array([keys[entity_key(title)]]), 9)
        assert len(titled.targets) >= 3
    for record in records[1:]:
        with store.read() as reader:
            whole = reader.records.document(record.id)
        withdraw(store, whole)
    assert canonical(store) == before and store.problems() == []


def test_any_text_round_trips(store: Store) -> None:
    strange = 'a "quoted" \\ backslash, \0, \U0010ffff0, \U0010ffff, \x01, {"json": [1]}, {an,array} end'
    name, other = f"Ada {strange}", f"Babbage {strange}"
    publish(store, f"doc {strange}", [(f"{name} met {other}.", [name, other])], title=f"Of {strange}")
    with store.read() as reader:
        facts, chunks = reader.rows("fact"), reader.rows("chunk")
        (fact,), ((stated,),), (stands,) = reader.facts(facts), reader.fact_places(facts), reader.chunk_places(chunks)
        assert fact.text == f"{name} met {other}." and set(fact.entities) == {name, other}
        assert stated.quote == fact.text and stated.quote in stands.quote
        assert stated.title == f"Of {strange}" and strange in stated.source
        called = reader.named([loose_name(name)])[loose_name(name)]
        assert [entity.name for entity in reader.entities(np.array(called))] == [name]


def _publish_staged(store: Store, document_id: str, windows: dict[str, list[str]]) -> None:
    with store.write() as writer:
        said = {chunk.id: evidence for chunk, evidence in writer.staged(document_id)}
        tallies = tally_difference(tally((document_id, evidence) for evidence in said.values()), tally(()))
        writer.apply(StoreChange([document_id], (), tallies, dict.fromkeys(tallies.facts, 5), windows, said))
        while missing := writer.attach():
            writer.put_vectors(missing, vectors(missing))
