"""What every store promises of publishing, deleting and sessions."""

import numpy as np
import pytest

from polyadic.errors import EmbedderMismatch, NotFound, StoreBusy
from polyadic.storage.protocol import (
    Fingerprint,
    Store,
)
from tests.storage.test_contract import ADA, ENGINE, _publish_staged, engine
from tests.support.canonical import canonical
from tests.support.lookups import keyed
from tests.support.store_driver import document, make_evidence, publish, stage, withdraw
from tests.support.stores import Opener
from tests.support.vectors import vector

__all__ = ["engine"]


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
