"""Whatever a store has lived through, it holds what its documents and decisions say, and nothing else."""

from collections.abc import Mapping
from contextlib import ExitStack

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from polyadic.errors import DecisionRefused
from polyadic.model.identity import document_id
from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from tests.support.canonical import canonical
from tests.support.examples import examples
from tests.support.store_driver import WrittenFact, decide, document, publish, publish_all, withdraw
from tests.support.stores import stores

# Few names in several spellings, so that documents share entities, facts, forms and decisions.
NAMES = ("Ada", "ADA", "Countess", "the Engine", "Engine", "Mercury", "Mercury (planet)", "1843")
TITLES = {"a": "Ada", "b": "the Engine", "c": "Mercury", "d": ""}
DOCUMENTS = tuple(document_id(f"/docs/{name}.txt") for name in TITLES)
names = st.sampled_from(NAMES)
statements = st.builds(
    lambda taking_part, verb: (f"{' and '.join(taking_part)} {verb}.", taking_part),
    st.lists(names, min_size=1, max_size=4),
    st.sampled_from(["met", "worked"]),
)
contents = st.lists(statements, min_size=1, max_size=3)
which = st.sampled_from(sorted(TITLES))
merges = st.builds(
    lambda of, into: ResolutionDecision(DecisionKind.MERGE, tuple(of), into),
    st.lists(names, min_size=2, max_size=3),
    names,
)
splits = st.builds(
    lambda name, into, of: ResolutionDecision(DecisionKind.SPLIT, (name,), into, tuple(of)),
    names,
    names | st.just("Mercury (god)"),
    st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=3, unique=True),
)
cannot_links = st.builds(lambda one, other: ResolutionDecision(DecisionKind.CANNOT_LINK, (one, other)), names, names)
LIVES = settings(
    max_examples=40,
    stateful_step_count=12,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


class Life(RuleBasedStateMachine):
    """Indexing, changing, withdrawing, deciding, undoing and reopening, in any order."""

    engine = "sqlite"

    def __init__(self) -> None:
        super().__init__()
        self._held = ExitStack()
        self._open = self._held.enter_context(stores(self.engine))
        self._store = self._open("lived")
        self._present: dict[str, list[WrittenFact]] = {}
        self._decided: set[ResolutionDecision] = set()
        self._steps = 0

    @initialize(batch=st.dictionaries(which, contents, min_size=2))
    def begin(self, batch: Mapping[str, list[WrittenFact]]) -> None:
        self.index_together(batch)

    @rule(name=which, said=contents)
    def index(self, name: str, said: list[WrittenFact]) -> None:
        publish(self._store, name, said, TITLES[name])
        self._present[name] = said

    @rule(batch=st.dictionaries(which, contents, min_size=2))
    def index_together(self, batch: Mapping[str, list[WrittenFact]]) -> None:
        publish_all(self._store, [(name, said, TITLES[name]) for name, said in batch.items()])
        self._present |= batch

    @precondition(lambda self: self._present)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(sorted(self._present)))
        withdraw(self._store, document(name, self._present.pop(name), TITLES[name])[0])

    @rule(decision=merges)
    def merge(self, decision: ResolutionDecision) -> None:
        self._decide({decision}, set())

    @rule(decision=splits)
    def split(self, decision: ResolutionDecision) -> None:
        self._decide({decision}, set())

    @rule(decision=merges | splits | cannot_links)
    def decide(self, decision: ResolutionDecision) -> None:
        self._decide({decision}, set())

    @precondition(lambda self: self._decided)
    @rule(data=st.data(), instead=st.none() | merges | splits)
    def undo(self, data: st.DataObject, instead: ResolutionDecision | None) -> None:
        going = data.draw(st.sampled_from(sorted(self._decided, key=lambda one: one.id)))
        self._decide({instead} if instead else set(), {going})

    @rule()
    def reopen(self) -> None:
        self._store.close()
        self._store = self._open("lived")

    @invariant()
    def is_sound(self) -> None:
        self._steps += 1
        if self._steps % 4 == 0:
            assert self._store.problems() == []

    def teardown(self) -> None:
        with self._held:
            self._compare()

    def _compare(self) -> None:
        lived = canonical(self._store)
        assert self._store.problems() == []
        self._store.close()
        fresh = self._open("fresh")
        decided_first = self._steps % 2 == 0
        if decided_first:
            decide(fresh, self._decided)
        for name in sorted(self._present, reverse=True):
            publish(fresh, name, self._present[name], TITLES[name])
        if not decided_first:
            decide(fresh, self._decided)
        assert canonical(fresh) == lived

    def _decide(self, new: set[ResolutionDecision], undone: set[ResolutionDecision]) -> None:
        """What contradicts itself is refused, and then nothing has changed."""
        known = {one.id for one in self._decided}
        coming = {one for one in new if one.id not in known} - undone
        after = (self._decided - undone) | coming
        try:
            EntityResolution.of(after)
        except DecisionRefused:
            with pytest.raises(DecisionRefused):
                decide(self._store, coming, undone)
            with self._store.read() as reader:
                assert reader.records.resolution().decisions == self._decided
        else:
            decide(self._store, coming, undone)
            self._decided = after


class PostgresLife(Life):
    engine = "postgres"


TestLife = pytest.mark.slow(Life.TestCase)
TestLife.settings = LIVES
TestPostgresLife = pytest.mark.slow(PostgresLife.TestCase)
TestPostgresLife.settings = settings(LIVES, max_examples=examples(10))
