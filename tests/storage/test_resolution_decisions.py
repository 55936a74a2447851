"""What decisions on who is who do to a store: facts stay what they are, entities come together and apart."""

from collections.abc import Iterator

import numpy as np
import pytest

from polyadic.errors import DecisionRefused
from polyadic.model.identity import document_id
from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.model.types import Entity, Fact
from polyadic.storage.protocol import Store
from tests.support.canonical import canonical
from tests.support.store_driver import decide, publish, withdraw
from tests.support.stores import Opener

MET = ("Ada met Babbage.", ["Ada", "Babbage"])
WROTE = ("Ada Lovelace wrote notes.", ["Ada Lovelace", "notes"])
BOTH = ("Ada, that is Ada Lovelace, wrote to Babbage.", ["Ada", "Ada Lovelace", "Babbage"])
ADA = ResolutionDecision(DecisionKind.MERGE, ("Ada", "Ada Lovelace"), "Ada Lovelace")


@pytest.fixture
def store(open_store: Opener) -> Iterator[Store]:
    made = open_store("kb")
    yield made
    assert made.problems() == []


def entities(store: Store) -> dict[str, Entity]:
    with store.read() as reader:
        return {entity.name: entity for entity in reader.entities(reader.rows("entity"))}


def facts(store: Store) -> dict[str, Fact]:
    with store.read() as reader:
        return {fact.text: fact for fact in reader.facts(reader.rows("fact"))}


def test_facts_keep_their_identity_and_arity(store: Store) -> None:
    publish(store, "a", [MET, WROTE, BOTH])
    before = facts(store)
    with store.read() as reader:
        arities = reader.records.arities()
    decide(store, [ADA])
    after = facts(store)
    assert {text: (f.id, f.score, f.support) for text, f in after.items()} == {
        text: (f.id, f.score, f.support) for text, f in before.items()
    }
    with store.read() as reader:
        assert reader.records.arities() == arities == {2: 2, 3: 1}
    assert after[BOTH[0]].entities == ("Ada Lovelace", "Babbage")


def test_merged_entity_has_the_facts_of_both(store: Store) -> None:
    publish(store, "a", [MET, WROTE, BOTH])
    publish(store, "b", [WROTE])
    before = entities(store)
    decide(store, [ADA])
    one = entities(store)["Ada Lovelace"]
    assert "Ada" not in entities(store)
    assert (one.facts, before["Ada"].facts, before["Ada Lovelace"].facts) == (3, 2, 2)
    assert one.score == pytest.approx(60.0)
    with store.read() as reader:
        rows = reader.named(["ada", "ada lovelace"])
        assert rows["ada"] == rows["ada lovelace"]
        assert reader.degrees("entity_chunks", np.array(rows["ada"])).tolist() == [2]


@pytest.mark.parametrize(
    "decision",
    [
        ADA,
        ResolutionDecision(DecisionKind.MERGE, ("Ada", "Babbage", "notes"), "Everything"),
        ResolutionDecision(DecisionKind.MERGE, ("Ada", "Ada Lovelace"), "Babbage"),
        ResolutionDecision(DecisionKind.SPLIT, ("Ada",), "Ada (ship)", (document_id("/docs/a.txt"),)),
        ResolutionDecision(
            DecisionKind.SPLIT, ("Ada",), "Babbage", (document_id("/docs/a.txt"), document_id("/docs/b.txt"))
        ),
        ResolutionDecision(DecisionKind.CANNOT_LINK, ("Ada", "Ada Lovelace")),
        ResolutionDecision(DecisionKind.MERGE, ("nobody", "Ada"), "ADA"),
    ],
)
def test_undoing_leaves_no_trace(store: Store, decision: ResolutionDecision) -> None:
    publish(store, "a", [MET, WROTE])
    publish(store, "b", [MET, BOTH], title="Ada")
    before = canonical(store)
    decide(store, [decision])
    assert canonical(store) != before
    assert store.problems() == []
    decide(store, (), [decision])
    assert canonical(store) == before


def test_split_applies_in_one_document(store: Store) -> None:
    planet = publish(store, "planet", [("Mercury orbits the Sun.", ["Mercury", "the Sun"])])
    publish(
        store,
        "god",
        [("Mercury carries messages.", ["Mercury", "messages"]), ("Mercury orbits the Sun.", ["Mercury", "the Sun"])],
    )
    decide(store, [ResolutionDecision(DecisionKind.SPLIT, ("Mercury",), "Mercury (planet)", (planet.id,))])
    known = entities(store)
    assert (known["Mercury"].facts, known["Mercury (planet)"].facts) == (2, 1)
    assert facts(store)["Mercury orbits the Sun."].entities == ("Mercury", "Mercury (planet)", "the Sun")
    withdraw(store, planet)
    assert "Mercury (planet)" not in entities(store)


def test_decisions_apply_to_later_documents(store: Store, open_store: Opener) -> None:
    decide(store, [ADA])
    publish(store, "a", [MET, BOTH])
    publish(store, "b", [WROTE])
    assert entities(store)["Ada Lovelace"].facts == 3
    other = open_store("other")
    publish(other, "b", [WROTE])
    publish(other, "a", [MET, BOTH])
    decide(other, [ADA])
    assert canonical(other) == canonical(store)
    other.close()


def test_split_entity_can_be_merged(store: Store) -> None:
    source = publish(store, "a", [MET])
    publish(store, "b", [WROTE])
    split = ResolutionDecision(DecisionKind.SPLIT, ("Ada",), "Ada (countess)", (source.id,))
    merged = ResolutionDecision(DecisionKind.MERGE, ("Ada (countess)", "Ada Lovelace"), "Ada Lovelace")
    decide(store, [split, merged])
    assert entities(store)["Ada Lovelace"].facts == 2
    decide(store, (), [split])
    assert (entities(store)["Ada Lovelace"].facts, entities(store)["Ada"].facts) == (1, 1)


def test_a_contradiction_changes_nothing(store: Store) -> None:
    publish(store, "a", [MET, WROTE])
    decide(store, [ADA])
    before = canonical(store)
    with pytest.raises(DecisionRefused):
        decide(
            store,
            [
                ResolutionDecision(DecisionKind.MERGE, ("Babbage", "notes"), "x"),
                ResolutionDecision(DecisionKind.CANNOT_LINK, ("Ada", "Ada Lovelace")),
            ],
        )
    assert canonical(store) == before


def test_deciding_twice_changes_nothing(store: Store) -> None:
    publish(store, "a", [MET, WROTE])
    decide(store, [ADA])
    with store.read() as reader:
        (first,) = reader.records.decisions()
    decide(store, [ResolutionDecision(DecisionKind.MERGE, ("ADA LOVELACE", "Ada"), "Ada Lovelace")])
    with store.read() as reader:
        assert reader.records.decisions() == [first]
