"""A base with the deltas of what has changed since reads as arrays made afresh: every read, after any history."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from polyadic.errors import DecisionRefused
from polyadic.model.hierarchy import Rearrangement
from polyadic.model.identity import loose_name
from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.model.types import Usage
from polyadic.storage.protocol import Hits, LedgerCall, Links, NodeType, Reader, Rows
from polyadic.storage.records import DegreeWay
from polyadic.storage.sql import change_log
from polyadic.storage.sql.change_log import LEAST_KEPT
from polyadic.storage.sqlite import array_cache
from polyadic.storage.sqlite.array_cache import LEAST_CHANGED
from polyadic.storage.sqlite.store import SqliteStore
from tests.storage import hierarchy_oracle
from tests.storage.hierarchies import by_hand, rearrange
from tests.storage.test_filtered_reader import NAMES, QUESTION, ScoredFact, contents_of, publish_facts
from tests.support.lookups import chunks_of, keyed
from tests.support.store_driver import decide, document, withdraw
from tests.support.vectors import vector, vectors

DEGREES: list[tuple[DegreeWay, NodeType]] = [
    ("entity_facts", "entity"),
    ("entity_chunks", "entity"),
    ("fact_entities", "fact"),
    ("chunk_facts", "chunk"),
]
LIMITS = (1, 2, 1_000)
NODE_TYPES: tuple[NodeType, ...] = ("entity", "fact", "chunk")
NAMED = ("Ada", "ADA", "the Engine", "Engine", "London", "1843", "Ada (film)", "Turin", "Bolt")
TEXTS = ("what is asked", "who met whom", "Ada", "London")
ALONE: list[ScoredFact] = [("It rained.", [], 3.0)]
Step = Callable[["History"], None]


def read_by_row(reader: Reader) -> dict[str, Any]:
    """All that a reader tells by rows, in numbers: rows stand where arrays made afresh would have them."""
    rows = {node_type: np.arange(reader.size(node_type)) for node_type in NODE_TYPES}
    asked = {node_type: mixed(rows[node_type]) for node_type in NODE_TYPES}
    return {
        "nearest": [
            hits(reader.nearest(node_type, vector(text), k))
            for node_type in NODE_TYPES
            for text in TEXTS
            for k in LIMITS
        ],
        "scored": [
            hits(reader.nearest(node_type, QUESTION, k, by_score=True))
            for node_type in ("entity", "fact")
            for k in LIMITS
        ],
        "similarity": [
            reader.similarity(node_type, asked[node_type], vectors(TEXTS)).tolist() for node_type in NODE_TYPES
        ],
        "directions": [reader.directions(node_type, asked[node_type]).tolist() for node_type in NODE_TYPES],
        "main_vectors": reader.main_vectors(asked["entity"]).tolist(),
        "named": reader.named([loose_name(name) for name in NAMES]),
        "keyed": keyed(reader, ["ada", "engine", "london", "1843", "ada (film)", "ada (ship)"]),
        "search": hits(reader.search("Ada met worked", 50)),
        "holding": links(reader.chunks_with_words(["met", "nowhere", "wrote"], 50)),
        "facts_of": [links(reader.facts_of(asked["entity"], limit, QUESTION)) for limit in LIMITS],
        "entities_of": links(reader.links("fact_entities", asked["fact"])),
        "chunks_of": [links(reader.links("fact_chunks", asked["fact"], limit)) for limit in LIMITS],
        "facts_in": [links(reader.links("chunk_facts", asked["chunk"], limit)) for limit in LIMITS],
        "topic_entities_of": links(reader.links("chunk_topic", asked["chunk"])),
        "titled": [links(reader.links("topic_chunks", asked["entity"], limit)) for limit in LIMITS],
        "degrees": [reader.degrees(way, asked[node_type]).tolist() for way, node_type in DEGREES],
        "scores": [reader.scores(node_type, asked[node_type]).tolist() for node_type in ("entity", "fact")],
        "identified": [
            reader.rows(node_type, prefix, 9).tolist() for node_type in NODE_TYPES for prefix in ("", "3", "c")
        ],
        "containing": [reader.containing(asked["entity"][:n], 9).tolist() for n in (1, 2)],
        "chunks_in": [reader.chunks_in(record.id).tolist() for record in reader.records.documents()],
        "counts": reader.records.counts(),
        "hierarchy_reader": hierarchy_oracle.all_of(reader.hierarchy_reader(), reader.rows("entity")),
        "contents": contents_of(reader),
    }


def mixed(rows: Rows) -> Rows:
    """All rows in another order, some twice."""
    return np.concatenate([rows[::-2], rows[::3], rows[1::2]])


def hits(found: Hits) -> list[tuple[int, float]]:
    return list(zip(found.rows.tolist(), found.scores.tolist(), strict=True))


def links(found: Links) -> list[tuple[int, int]]:
    return list(zip(found.sources.tolist(), found.targets.tolist(), strict=True))


class History:
    """A store that lives through changes, and what has been said and decided in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = SqliteStore(folder, "test")
        self.documents: dict[str, Any] = {}
        self.decided: set[ResolutionDecision] = set()

    def publish_facts(self, name: str, said: list[ScoredFact]) -> None:
        """Publish a document, in place of what it said before."""
        self.documents[name] = publish_facts(self.store, name, said)

    def withdraw(self, name: str) -> None:
        if name in self.documents:
            withdraw(self.store, self.documents.pop(name))

    def decide(self, decision: ResolutionDecision) -> None:
        """Make a decision, or undo it where it holds."""
        undone = self.decided & {decision}
        with contextlib.suppress(DecisionRefused):
            decide(self.store, {decision} - undone, undone)
            self.decided ^= {decision}

    def rearrange(self) -> None:
        with self.store.read() as reader:
            bare = reader.size("fact") > 0 and not reader.records.hierarchy().clusters
            made = by_hand(reader) if bare else None
        if made:
            rearrange(self.store, Rearrangement(made[:1], made[1:]))

    def reembed(self) -> None:
        """Turn all vectors round, as another model might."""
        with self.store.exclusive_session(), self.store.reembedding_session("test") as gathering:
            with self.store.read() as reader:
                chunks = [chunk for record in reader.records.documents() for chunk in chunks_of(reader, record.id)]
            texts = list(dict.fromkeys([*gathering.texts(), *(chunk.text for chunk in chunks)]))
            gathering.put(texts, -vectors(texts), LedgerCall("embed", "test", Usage(), 0.0))
            gathering.switch({chunk.id: [gathering.digest(chunk.text)] for chunk in chunks})

    def read(self) -> None:
        with self.store.read() as reader:
            reader.size("fact")


def all_contents(store: SqliteStore, documents: list[str]) -> list[dict[str, Any]]:
    """What a store tells as a whole, and in the scopes of one document and of all but one."""
    with store.read() as reader:
        seen = [read_by_row(reader)]
    for only in (documents[:1], documents[1:]):
        with store.read(lambda _, only=only: frozenset(only)) as reader:  # type: ignore[misc]
            seen.append(contents_of(reader))
    return seen


def opened(folder: Path) -> list[dict[str, Any]]:
    """What another process would be told."""
    store = SqliteStore(folder, "test")
    with store.read() as reader:
        documents = sorted(record.id for record in reader.records.documents())
    seen = all_contents(store, documents)
    store.close()
    return seen


statements = st.builds(
    lambda names, verb, score: (f"{' and '.join(names)} {verb}.", names, score),
    st.lists(st.sampled_from(NAMED), min_size=0, max_size=4),
    st.sampled_from(["met", "worked"]),
    st.sampled_from([3.0, 8.0]),
)
decisions = st.sampled_from(
    [
        ResolutionDecision(DecisionKind.MERGE, ("Engine", "London"), "London"),
        ResolutionDecision(DecisionKind.MERGE, ("1843", "Ada (film)"), "Ada (film)"),
        ResolutionDecision(DecisionKind.MERGE, ("Turin", "Ada"), "Ada of Turin"),
        ResolutionDecision(DecisionKind.SPLIT, ("Ada",), "Ada (ship)", (document("a", [])[0].id,)),
        ResolutionDecision(DecisionKind.SPLIT, ("Engine",), "Ada", (document("b", [])[0].id, document("c", [])[0].id)),
    ]
)
names = st.sampled_from("abcd")
publish_steps = st.builds(
    lambda name, said: lambda history: history.publish_facts(name, said),
    names,
    st.lists(statements, min_size=1, max_size=4),
)
steps = st.one_of(
    publish_steps,
    publish_steps,
    st.builds(lambda name: lambda history: history.withdraw(name), names),
    st.builds(lambda decision: lambda history: history.decide(decision), decisions),
    st.just(History.read),
    st.just(History.rearrange),
    st.just(History.reembed),
)


# How many changes are kept, and after how many a base is made anew: so many that neither happens, or few.
bounds = st.sampled_from([(LEAST_KEPT, LEAST_CHANGED), (20, LEAST_CHANGED), (40, 10)])


@pytest.mark.slow
@example(
    [],
    [
        lambda h: h.publish_facts("a", ALONE),
        lambda h: h.withdraw("a"),
        History.read,
        lambda h: h.publish_facts("a", ALONE),
    ],
    (LEAST_KEPT, LEAST_CHANGED),
)
@given(st.lists(publish_steps, max_size=4), st.lists(steps, min_size=1, max_size=7), bounds)
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_incremental_reads_equal_rebuilt_arrays_after_any_history(
    before: list[Step], after: list[Step], bounds: tuple[int, int]
) -> None:
    kept, changed = bounds
    with (
        tempfile.TemporaryDirectory() as name,
        patch.object(change_log, "LEAST_KEPT", kept),
        patch.object(array_cache, "LEAST_CHANGED", changed),
    ):
        history = History(Path(name) / "kb")
        for step in before:
            step(history)
        history.read()
        saved = history.folder / "derived"
        for step in after:
            step(history)
        documents = sorted(one.id for one in history.documents.values())
        in_process = all_contents(history.store, documents)
        history.store.close()
        elsewhere = opened(history.folder)
        shutil.rmtree(saved)
        afresh = opened(history.folder)
        for one, other, fresh in zip(in_process, elsewhere, afresh, strict=True):
            for what, expected in fresh.items():
                assert one[what] == expected, what
                assert other[what] == expected, what


def many(name: str, facts: int) -> list[ScoredFact]:
    """So many facts that nothing else states, of entities that nothing else names."""
    return [(f"{name} {n} met {name} {n + 1}.", [f"{name} {n}", f"{name} {n + 1}"], 8.0) for n in range(facts)]


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    made = History(tmp_path / "kb")
    made.publish_facts("a", many("Ada", 300))
    made.read()
    yield made
    made.store.close()


def test_ties_are_ordered_by_identifier(tmp_path: Path) -> None:
    """The same words have the same vector, whose product with another hangs in its last digit on where it stands."""
    history = History(tmp_path / "kb")
    for name in "abc":
        history.publish_facts(name, [("They met.", [f"{name} {n}", f"Bolt {n}"], 8.0) for n in range(13)])
        history.read()
    with history.store.read() as reader:
        for asked in (vector(f"question {n}") for n in range(8)):
            for near in (reader.nearest("fact", asked, 39), reader.nearest("fact", asked, 39, by_score=True)):
                assert near.rows.tolist() == list(range(39))
                assert len(set(near.scores.tolist())) == 1
    history.store.close()
