"""A store of an earlier version opens, is brought forward, and keeps what it holds."""

import asyncio
import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from polyadic.chunking.chunker import chunk_document
from polyadic.config import ChunkingSettings, Settings
from polyadic.errors import StoreError
from polyadic.extraction.sentence_extractor import SentenceExtractor
from polyadic.model import identity
from polyadic.model.hierarchy import Hierarchy, Rearrangement
from polyadic.model.types import Chunk, Document, Usage
from polyadic.storage.protocol import Fingerprint, LedgerCall
from polyadic.storage.sql.compression import decompress
from polyadic.storage.sql.half_precision import HALF
from polyadic.storage.sql.texts import PIECE, text_of
from polyadic.storage.sqlite.schema import APPLICATION_ID, MIGRATIONS, VERSION
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.workspace import Workspace
from tests.model_server import ModelServer, ready
from tests.storage.hierarchies import by_hand, rearrange
from tests.support.canonical import canonical
from tests.support.store_driver import publish, withdraw
from tests.support.vectors import vectors
from tests.support.with_a_model import HASHING, export, workspace

TITLED = Document("memory:mercury", "Mercury (planet)", "Mercury passed before the Sun in Turin in 1631.")
PLAIN = Document("memory:ada", "", "Ada Lovelace met Charles Babbage in London. It rained.")
DOCUMENTS = (TITLED, PLAIN)
SETTINGS = Settings(embedding=HASHING)
OLD_EXTRACTOR = "sentences-1"


def version_1(folder: Path, documents: Sequence[Document]) -> Path:
    """A workspace as version 1 wrote it: made by this one, and written back into the tables of that time."""
    with Workspace(folder / "made", SETTINGS) as kb:
        kb.add(documents)
    old = folder / "old"
    old.mkdir()
    source = sqlite3.connect(folder / "made" / "store.sqlite")
    target = sqlite3.connect(old / "store.sqlite")
    target.executescript(MIGRATIONS[0])
    source.execute("BEGIN")
    put_wide_back(source)
    for table in ("meta", "document", "vector", "passage_window", "fact", "entity", "attribute_value", "entity_alias"):
        copy(source, target, table)
    copy(source, target, "statement")
    for table, columns in (
        ("participation", "fact, entity"),
        ("chunk", "id, digest, revision, start, stop, new_from, tokens, evidence"),
    ):
        copy(source, target, table, columns)
    put_whole_texts_back(source)
    copy(source, target, "revision", "id, document, content, pipeline_config, title, title_key, text, metadata")
    for revision, recipe in target.execute("SELECT id, pipeline_config FROM revision").fetchall():
        old_recipe = json.dumps(json.loads(recipe) | {"extractor": OLD_EXTRACTOR}, sort_keys=True)
        target.execute("UPDATE revision SET pipeline_config = ? WHERE id = ?", (old_recipe, revision))
    words = "SELECT c.id, r.title, substr(r.text, c.start + 1, c.stop - c.start) FROM chunk c JOIN revision r"
    target.executemany(
        "INSERT INTO passage_fts (rowid, title, text) VALUES (?, ?, ?)", target.execute(words + " ON r.id = c.revision")
    )
    target.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    target.execute("PRAGMA user_version = 1")
    target.commit()
    source.rollback()
    source.close()
    target.close()
    return old


def put_wide_back(connection: sqlite3.Connection) -> None:
    """Keep evidence, replies and vectors as versions before the eighth did."""
    connection.create_function("unpacked", 1, lambda data: None if data is None else decompress(data))
    connection.create_function("wide", 1, lambda data: np.frombuffer(data, HALF).astype("<f4").tobytes())
    connection.execute("UPDATE chunk SET evidence = unpacked(evidence)")
    connection.execute("ALTER TABLE chunk DROP COLUMN evidence_count")
    connection.execute("UPDATE reply SET text = unpacked(text)")
    connection.execute(
        "CREATE INDEX attribute_value_best ON attribute_value (entity, attribute, occurrences DESC, value)"
    )
    for table in ("vector", "new_vector"):
        connection.execute(f"UPDATE {table} SET data = wide(data)")


def put_whole_texts_back(connection: sqlite3.Connection) -> None:
    """Keep texts as versions before the seventh did."""
    connection.execute("ALTER TABLE revision ADD COLUMN text TEXT NOT NULL DEFAULT ''")
    for (revision,) in connection.execute("SELECT id FROM revision").fetchall():
        connection.execute("UPDATE revision SET text = ? WHERE id = ?", (text_of(connection, revision), revision))
    connection.execute("DROP TABLE text_segment")
    connection.execute("ALTER TABLE revision DROP COLUMN characters")


def to_version_3(folder: Path) -> None:
    """Leave a store as version 3 wrote it: what has come since is taken away."""
    with closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        connection.execute("BEGIN")
        put_wide_back(connection)
        put_whole_texts_back(connection)
        for table in ("hierarchy_node", "hierarchy_source", "summary", "change_log"):
            connection.execute(f"DROP TABLE {table}")
        for index in ("document_source", "revision_title", "revision_title_bare"):
            connection.execute(f"DROP INDEX {index}")
        connection.execute("PRAGMA user_version = 3")
        connection.commit()


def to_version_7(folder: Path) -> None:
    """Leave a store as version 7 wrote it."""
    with closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        connection.execute("BEGIN")
        put_wide_back(connection)
        connection.execute("PRAGMA user_version = 7")
        connection.commit()


def copy(source: sqlite3.Connection, target: sqlite3.Connection, table: str, columns: str = "*") -> None:
    rows = source.execute(f"SELECT {columns} FROM {table}").fetchall()
    names = f" ({columns})" if columns != "*" else ""
    marks = ", ".join("?" * len(rows[0])) if rows else ""
    target.executemany(f"INSERT INTO {table}{names} VALUES ({marks})", rows)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    return version_1(tmp_path, DOCUMENTS)


def version(folder: Path) -> int:
    connection = sqlite3.connect(folder / "store.sqlite")
    found: int = connection.execute("PRAGMA user_version").fetchone()[0]
    connection.close()
    return found


def test_version_1_store_is_migrated_with_its_contents(tmp_path: Path, old: Path) -> None:
    assert version(old) == 1
    with Workspace(old, SETTINGS) as kb, Workspace(tmp_path / "made", SETTINGS) as made:
        assert export(kb) == export(made)
        assert version(old) == VERSION
        assert {record.extractor for record in kb.documents()} == {OLD_EXTRACTOR}
        assert kb.status().failures == () and kb.status().spent.calls == 0
        assert kb.show_document("memory:ada").document.pages == ()


def test_version_3_store_gets_hierarchy_tables(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path, "test vectors")) as store:
        source = publish(store, "ada", [("Ada met Babbage in London.", ["Ada", "Babbage", "London"])])
        told = canonical(store)
    to_version_3(tmp_path)
    before = sorted((tmp_path / "derived").iterdir())
    with closing(SqliteStore(tmp_path, "test vectors")) as store:
        assert version(tmp_path) == VERSION
        assert canonical(store) == told
        assert before == sorted((tmp_path / "derived").iterdir())
        with store.read() as reader:
            assert reader.hierarchy() == Hierarchy()
            cluster, community = by_hand(reader)
        rearrange(store, Rearrangement([cluster], [community], (), [0.5], 4, 0))
        with store.read() as reader:
            assert reader.hierarchy() == Hierarchy((cluster,), (community,), (0.5,), 4, 0)
        withdraw(store, source)
        assert store.problems() == []


def test_migrated_texts_are_segmented_exactly(tmp_path: Path) -> None:
    """Longer than a piece, of characters of one to four bytes."""
    text = "Ada met Babbage in London 🜁. Ada né naît à Turin, 寒い。 " * (3 * PIECE // 40)
    document = Document("memory:long", "Ada", text)
    old = version_1(tmp_path, [document, TITLED])
    with Workspace(old, SETTINGS) as kb, Workspace(tmp_path / "made", SETTINGS) as made:
        assert kb.show_document("memory:long").document.text == text
        assert export(kb) == export(made)
        shown = kb.documents()
        assert {record.source: record.characters for record in shown}["memory:long"] == len(text)
        assert kb._existing_store.problems() == []
        for fact in kb.facts_of("Babbage"):
            for place in kb.show_fact(fact.id).places:
                assert place.quote == text[place.span.start : place.span.end] != ""


def filled(folder: Path, facts: int) -> None:
    """A store with vectors in use and gathered, replies, a hierarchy, and a passage that could not be read."""
    said = [(f"Ada met Bolt {number} in London.", ["Ada", f"Bolt {number}", "London"]) for number in range(facts)]
    with closing(SqliteStore(folder, "test vectors")) as store:
        publish(store, "ada", said)
        failed = Document("memory:unread", "", "Nobody could read this.")
        (chunk,) = chunk_document(failed, ChunkingSettings())
        with store.write() as writer:
            writer.stage([(failed, Fingerprint(failed.content, "r", "by hand"), [chunk])])
            writer.put_failure(failed.id, chunk.id, "no reply")
        with store.read() as reader:
            nodes = by_hand(reader)
        rearrange(store, Rearrangement([nodes[0]], [nodes[1]], (), [0.5], 4, 0))
        call = LedgerCall("extract", "told", Usage(1, 10, 10, 0.0), 1.0, "")
        for number in range(facts):
            store.record_calls([(call, (f"{number:032x}", "Bolt met Ada. " * 500, number % 2 == 0))])
        with store.reembedding_session("another model") as gathering:
            gathering.put(["Ada"], vectors(["Ada"]), LedgerCall("embed", "another model", Usage(), 0.0, ""))


def told_by(folder: Path) -> list[object]:
    """All that a store holds that the eighth version keeps in another form, and what is found by it."""
    with closing(SqliteStore(folder, "test vectors")) as store, store.read() as reader:
        near = [reader.nearest(side, vectors(["Ada"])[0], 9) for side in ("entity", "fact", "chunk")]
        counts = reader.counts()
        assert store.problems() == []
        return [
            canonical(store),
            reader.hierarchy(),
            [reader.reply(f"{number:032x}") for number in range(4)],
            [(hits.rows.tolist(), hits.scores.tolist()) for hits in near],
            (counts.evidence, counts.vectors, counts.dimension),
            tables(folder, "vector", "new_vector", "chunk"),
        ]


def tables(folder: Path, *names: str) -> list[list[object]]:
    with closing(sqlite3.connect(folder / "store.sqlite")) as connection:
        return [connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall() for name in names]


def test_version_7_store_becomes_smaller(tmp_path: Path) -> None:
    filled(tmp_path, facts=300)
    told = told_by(tmp_path)
    to_version_7(tmp_path)
    before = (tmp_path / "store.sqlite").stat().st_size
    with closing(SqliteStore(tmp_path, "test vectors")):
        assert version(tmp_path) == VERSION
    assert told_by(tmp_path) == told
    assert (tmp_path / "store.sqlite").stat().st_size < before / 2
    assert tables(tmp_path, "pragma_freelist_count") == [[(0,)]]


def test_damage_before_a_migration_is_still_detected(tmp_path: Path) -> None:
    filled(tmp_path, facts=3)
    to_version_7(tmp_path)
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as connection:
        connection.execute("UPDATE chunk SET evidence = 'Mars' WHERE evidence IS NOT NULL")
        connection.commit()
    with closing(SqliteStore(tmp_path, "test vectors")) as store:
        (problem,) = store.problems()
        assert "evidence that cannot be read" in problem


def test_migration_succeeds_if_the_file_cannot_be_compacted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    filled(tmp_path, facts=80)
    told = told_by(tmp_path)
    to_version_7(tmp_path)
    with closing(sqlite3.connect(tmp_path / "store.sqlite")) as reading:
        # Another process reads: what it reads cannot be moved meanwhile.
        reading.execute("BEGIN")
        assert reading.execute("SELECT count(*) FROM reply").fetchone() == (80,)
        monkeypatch.setattr("polyadic.storage.sqlite.database.BUSY_MILLISECONDS", 100)
        with closing(SqliteStore(tmp_path, "test vectors")):
            assert version(tmp_path) == VERSION
    assert told_by(tmp_path) == told


def test_migration_adds_shorter_aliases_of_people(tmp_path: Path) -> None:
    old = version_1(tmp_path, [Document("memory:r", "", "Robert Adolf Stemmle met Clara Weiss in Turin.")])
    connection = sqlite3.connect(old / "store.sqlite")
    connection.execute("DELETE FROM entity_alias WHERE alias = 'r a stemmle'")
    connection.commit()
    connection.close()
    with Workspace(old, SETTINGS) as kb:
        assert [fact.entities for fact in kb.facts_of("R. A. Stemmle")] == [
            ("Clara Weiss", "Robert Adolf Stemmle", "Turin")
        ]


def test_migrated_store_answers_questions(old: Path) -> None:
    with Workspace(old, SETTINGS) as kb:
        answer = kb.query("Whom did Ada Lovelace meet in London?")
        assert "Charles Babbage" in answer.text and answer.citations
        assert "Turin" in kb.query("Where did Mercury pass before the Sun?").text
        assert [fact.text for fact in kb.facts_of("Charles Babbage")]


def test_titles_are_found_without_their_qualifier(old: Path) -> None:
    with Workspace(old, SETTINGS) as kb:
        assert len(kb.documents()) == len(DOCUMENTS)
    connection = sqlite3.connect(old / "store.sqlite")
    found = dict(connection.execute("SELECT title_key, title_bare FROM revision"))
    connection.close()
    bare = identity.entity_key(identity.without_qualifier(TITLED.title))
    assert found == {identity.entity_key(TITLED.title): bare, "": ""}


def test_migrated_store_can_be_changed(tmp_path: Path, old: Path) -> None:
    with Workspace(old, SETTINGS) as kb, Workspace(tmp_path / "made", SETTINGS) as made:
        for one in (kb, made):
            one.delete("memory:ada")
            one.add([Document("memory:new", "", "Mary Somerville taught Ada Lovelace in Chelsea.")])
        assert export(kb) == export(made)
        # The sentence extractor of that time was another, and asking it costs nothing.
        report = kb.add(DOCUMENTS)
        assert (report.added, report.changed, report.unchanged) == (1, 1, 0)
        assert made.add(DOCUMENTS).unchanged == 1
        assert export(kb) == export(made)


def test_migrated_store_can_be_reextracted_with_a_model(old: Path) -> None:
    with ModelServer(ready()) as server, workspace(old, server) as kb:
        assert kb.add(DOCUMENTS).outdated == 2
        assert kb.add(DOCUMENTS, extractor="model").changed == 2
        assert len(server.calls) == 2 and kb.status().spent.calls == 2


def test_interrupted_run_of_version_1_is_resumed(tmp_path: Path) -> None:
    old = version_1(tmp_path, DOCUMENTS)
    with sqlite3.connect(old / "store.sqlite") as connection:
        connection.execute("UPDATE chunk SET evidence = NULL WHERE revision = 1")
    connection.close()
    with Workspace(old, SETTINGS) as kb, Workspace(tmp_path / "made", SETTINGS) as made:
        kb.add(DOCUMENTS)
        assert kb.status().failures == ()
        assert {d.extractor for d in kb.documents()} == {d.extractor for d in made.documents()}


def test_a_newer_store_is_refused(old: Path) -> None:
    connection = sqlite3.connect(old / "store.sqlite")
    connection.execute(f"PRAGMA user_version = {VERSION + 1}")
    connection.close()
    with pytest.raises(StoreError, match="newer Polyadic"):
        SqliteStore(old, "hashing")


def test_migration_is_atomic(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = (*MIGRATIONS, "CREATE TABLE later (id INTEGER);\nSELECT id FROM nowhere;\n")
    with monkeypatch.context() as patched:
        patched.setattr("polyadic.storage.sqlite.database.MIGRATIONS", broken)
        patched.setattr("polyadic.storage.sqlite.database.VERSION", len(broken))
        with pytest.raises(StoreError, match="nowhere"):
            SqliteStore(old, "hashing")
    assert version(old) == 1
    with Workspace(old, SETTINGS) as kb:
        assert len(kb.documents()) == len(DOCUMENTS)


def test_migrated_evidence_is_unchanged(old: Path) -> None:
    extractor = SentenceExtractor("auto")
    (chunk,) = chunk_document(PLAIN, ChunkingSettings())
    assert isinstance(chunk, Chunk)
    expected = asyncio.run(extractor.extract(PLAIN, chunk)).evidence
    with Workspace(old, SETTINGS) as kb, kb._existing_store.write() as writer:
        (((_, said),),) = dict(writer.current([PLAIN.id])).values()
    assert said == expected
