"""Through any history, a hierarchy tells nothing that rests on what is said no more, and what it tells is found."""

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.model.types import Document
from polyadic.storage.protocol import Store
from tests.storage.hierarchies import arrange, ids_of, move, reword
from tests.storage.hierarchy_oracle import agree
from tests.storage.staleness import Ground, State
from tests.support.examples import examples
from tests.support.store_driver import decide, document, publish_documents, withdraw
from tests.support.stores import ENGINES, rows_of, stores

NAMES = ["Ada", "ADA", "the Engine", "Engine", "London", "1843"]
SPLIT = ResolutionDecision(DecisionKind.SPLIT, ("Ada",), "Ada (ship)", (document("a", [])[0].id,))
MERGE = ResolutionDecision(DecisionKind.MERGE, ("Engine", "London"), "London")
HOW = ["anew", "over what is kept", "other words", "elsewhere"]
contents = st.lists(st.lists(st.sampled_from(NAMES), min_size=2, max_size=4), min_size=1, max_size=3)
steps = st.one_of(
    st.tuples(st.sampled_from("abcd"), contents, st.booleans()),
    st.tuples(st.sampled_from("abcd"), st.none(), st.booleans()),
    st.sampled_from([SPLIT, MERGE]),
    st.tuples(st.integers(0, 1_000_000), st.sampled_from(HOW)),
)


class Life:
    """A store through a random history; each revision of a document has a word that nothing else says."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.present: dict[str, tuple[Document, str]] = {}
        self.secrets: list[str] = []
        self.expected = State()

    def take(self, step: Any) -> None:
        given = None
        match step:
            case ResolutionDecision():
                self._decide(step)
            case (int() as seed, "other words"):
                given = reword(self.store, seed)
            case (int() as seed, "elsewhere"):
                given = move(self.store, seed)
            case (int() as seed, how):
                given = arrange(self.store, seed, how == "over what is kept")
            case (str() as name, None, _):
                if name in self.present:
                    withdraw(self.store, self.present.pop(name)[0])
            case (str() as name, content, is_telling):
                self.present[name] = self._publish(name, content, is_telling)
        with self.store.read() as reader:
            self.expected = self.expected.after(Ground.of(reader), given)

    def _publish(self, name: str, content: list[list[str]], is_telling: bool) -> tuple[Document, str]:
        """What documents say is the same, unless they tell their secret: then as a description, and as a fact."""
        secret = f"secret{len(self.secrets)}"
        self.secrets.append(secret)
        said = [(f"{' and '.join(names)} met.", names) for names in content]
        said += [(f"Ada met {secret}.", ["Ada", "London"])] if is_telling else []
        source, chunks, evidence = document(name, said)
        description = f"as {secret} has it" if is_telling else ""
        worded = [
            replace(one, participants=tuple(replace(p, description=description) for p in one.participants))
            for one in evidence
        ]
        publish_documents(self.store, [(source, chunks, worded)])
        return source, secret

    def _decide(self, decision: ResolutionDecision) -> None:
        with self.store.read() as reader:
            holds = decision in reader.records.resolution().decisions
        decide(self.store, [] if holds else [decision], [decision] if holds else [])

    def check(self) -> None:
        withdrawn = set(self.secrets) - {secret for _, secret in self.present.values()}
        with self.store.read() as reader:
            assert reader.records.hierarchy() == self.expected.hierarchy
            entities, facts = ids_of(reader)
            agree(reader)
            assert reader.hierarchy_reader().entities([*entities.values()][::-1]).tolist() == [*entities][::-1]
            assert reader.hierarchy_reader().facts([*facts.values()][::-1]).tolist() == [*facts][::-1]
        assert self.store.problems() == []
        assert not withdrawn & set(self._words())

    def _words(self) -> Iterator[str]:
        """All that stands in the tables."""
        for row in rows_of(self.store, ("hierarchy_node", "summary")):
            text = " ".join(str(field) for field in row)
            yield from (secret for secret in self.secrets if f"{secret} " in text.replace(".", " "))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@given(history=st.lists(steps, min_size=2, max_size=8))
@settings(max_examples=examples(15), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_text_of_deleted_evidence_remains_in_the_hierarchy(engine: str, history: list[Any]) -> None:
    with stores(engine) as open_store:
        life = Life(open_store("kb"))
        for step in history:
            life.take(step)
            life.check()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_long_random_history_stays_consistent(seed: int, store: Store) -> None:
    """As above, with hierarchies that have something to rest on."""
    draw = random.Random(seed)
    life = Life(store)
    for name in "abcd":
        life.take((name, [draw.choices(NAMES, k=3) for _ in range(3)], draw.random() < 0.5))
    for _ in range(8):
        life.take((draw.randrange(1_000_000), draw.choice(HOW)))
        life.check()
        name = draw.choice("abcd")
        content = draw.choice([None, [draw.choices(NAMES, k=3)]])
        life.take(draw.choice([(name, content, draw.random() < 0.5), SPLIT, MERGE]))
        life.check()


def test_emptied_store_has_no_hierarchy_rows(store: Store) -> None:
    life = Life(store)
    for name in "ab":
        life.take((name, [NAMES[:3], NAMES[3:]], True))
    life.take((7, "anew"))
    assert life.expected.hierarchy.summaries
    for name in "ab":
        life.take((name, None, False))
    life.check()
    with life.store.read() as reader:
        assert not reader.records.hierarchy().summaries and reader.records.counts().vectors == 0
        assert all(node.stale for node in reader.records.hierarchy().clusters)
