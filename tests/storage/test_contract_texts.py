"""What every store promises of texts: spans that quote exactly, evidence, and any characters."""

import random
from dataclasses import replace

import numpy as np

from polyadic.model.identity import entity_key, loose_name
from polyadic.model.types import Chunk, Document, Span
from polyadic.storage.protocol import (
    Fingerprint,
    Store,
)
from tests.storage.test_contract import ADA, ENGINE, LONELY, _publish_staged, engine
from tests.support.canonical import canonical
from tests.support.lookups import chunks_of, keyed
from tests.support.store_driver import document, make_evidence, publish, publish_documents, stage, withdraw
from tests.support.stores import Opener
from tests.support.vectors import vector

__all__ = ["engine"]


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
