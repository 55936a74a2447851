"""Which pairs of entities are proposed, which are merged without being looked at, and which never."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision
from polyadic.model.types import Chunk, Document, Evidence, Participation, Span
from polyadic.resolution.blocking import MOST_IN_A_BLOCK, by_name, by_vector
from polyadic.resolution.homonyms import homonyms
from polyadic.resolution.merge_candidates import CERTAIN, CandidatePairs
from polyadic.resolution.parsed_name import ParsedName
from polyadic.storage.sqlite.store import SqliteStore
from tests.resolution.lookalikes import fill, lookalikes, put_together
from tests.support.lookups import keyed
from tests.support.store_driver import decide, publish, publish_documents
from tests.support.vectors import kept

Said = Sequence[tuple[str, Sequence[tuple[str, str]]]]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path, "test")
    yield made
    made.close()


def publish_facts(store: SqliteStore, name: str, said: Said) -> Document:
    """A document that says this, with the types of those who take part."""
    source = Document(f"/docs/{name}.txt", "", " ".join(text for text, _ in said))
    chunk = Chunk(source.id, Span(0, len(source.text)), source.text, 9, 0)
    evidence = [Evidence(text, 8.0, tuple(Participation(*one) for one in names), (), "") for text, names in said]
    publish_documents(store, [(source, [chunk], evidence)])
    return source


def found(store: SqliteStore) -> dict[frozenset[str], tuple[float, str]]:
    with store.read() as reader:
        look = CandidatePairs.of(reader)
        return {frozenset(look.names(pair)): (one.score, one.why) for pair, one in look.judged.items()}


def merges(store: SqliteStore, least: float = CERTAIN) -> list[tuple[str, ...]]:
    with store.read() as reader:
        return [decision.names for decision in CandidatePairs.of(reader).merges(least)]


@pytest.mark.slow
def test_similar_names_are_merged_precisely(store: SqliteStore) -> None:
    """The measure of docs/quality.md: what is merged unseen is one in 19 of 20 cases at least."""
    pairs = lookalikes()
    fill(store, pairs)
    assert (len(pairs), sum(pair.same for pair in pairs)) >= (120, 50)
    with store.read() as reader:
        merged = put_together(pairs, EntityResolution.of(CandidatePairs.of(reader).merges(CERTAIN)))
    right = sum(pair.same for pair in merged)
    assert right / len(merged) >= 0.95
    assert right / sum(pair.same for pair in pairs) >= 0.8


def test_candidates_are_ordered_by_score_with_reasons(store: SqliteStore) -> None:
    publish(store, "a", [("São Paulo grows coffee.", ["São Paulo", "coffee"])])
    publish(store, "b", [("Sao Paulo sells maize.", ["Sao Paulo", "maize"]), ("Mercury shines.", ["Mercury", "light"])])
    publish(store, "c", [("Mercury (planet) is hot.", ["Mercury (planet)", "heat"])])
    with store.read() as reader:
        look = CandidatePairs.of(reader)
        first, second = (look.candidate(pair) for pair in look.ranked())
    assert {first.one.name, first.other.name} == {"São Paulo", "Sao Paulo"}
    assert first.score > CERTAIN > second.score
    assert first.why.startswith("the same but for accents, spaces and punctuation")
    assert {first.one.fact, first.other.fact} == {"São Paulo grows coffee.", "Sao Paulo sells maize."}


def test_british_and_american_spellings_are_proposed_and_not_merged(store: SqliteStore) -> None:
    pairs = [("Organisation of Labour Theatres", "Organization of Labor Theaters"), ("colour", "color")]
    for number, names in enumerate(pairs):
        for name in names:
            publish(store, name, [(f"{name} came first.", [name, f"place {number}"])])
    publish(store, "both", [("They say colour or color.", ["colour", "color"])])
    proposed = found(store)
    for names in pairs:
        score, why = proposed[frozenset(names)]
        assert 0.4 < score < CERTAIN and why.startswith("the same but for British and American spelling")
    assert merges(store) == []


def test_merges_are_not_transitive(store: SqliteStore) -> None:
    """I.M.F. may be two, each of which spells it out; they do not become one by that."""
    funds = ["International Monetary Fund", "Inner Mongolia Folklore"]
    publish_facts(store, "a", [(f"{funds[0]} (IMF) lends.", [(funds[0], ""), ("IMF", ""), ("money", "")])])
    publish_facts(store, "b", [(f"{funds[1]} (IMF) sings.", [(funds[1], ""), ("IMF", ""), ("songs", "")])])
    assert all(found(store)[frozenset((fund, "IMF"))][0] >= CERTAIN for fund in funds)
    assert [len(group) for group in merges(store)] == [2]


def test_empty_store_has_no_candidates(store: SqliteStore) -> None:
    assert (found(store), merges(store)) == ({}, [])
    publish(store, "a", [("Alone.", ["Alone"])])
    with store.read() as reader:
        assert homonyms(reader, CandidatePairs.of(reader)) == []


def test_decided_pairs_are_not_proposed_again(store: SqliteStore) -> None:
    names = ["São Paulo", "Sao Paulo", "Malmö", "Malmo"]
    publish(store, "a", [(f"{name} is a city.", [name, f"city {name[0]}"]) for name in names])
    assert len(found(store)) == 2
    decide(
        store,
        [
            ResolutionDecision(DecisionKind.CANNOT_LINK, ("São Paulo", "Sao Paulo")),
            ResolutionDecision(DecisionKind.MERGE, ("Malmö", "Malmo"), "Malmö"),
        ],
    )
    assert found(store) == {}
    assert merges(store) == []


def test_incompatible_types_lower_the_score(store: SqliteStore) -> None:
    publish_facts(store, "a", [("Núria flows.", [("Núria", "river"), ("valley", "")])])
    publish_facts(store, "b", [("Nuria sings.", [("Nuria", "person"), ("songs", "")])])
    score, why = found(store)[frozenset(("Núria", "Nuria"))]
    assert score < CERTAIN
    assert "but one is river, the other person" in why or "but one is person, the other river" in why


@pytest.mark.parametrize(
    ("one", "other", "kind", "merged"),
    [
        ("Forderung", "Förderung", "", False),
        ("plane", "Pläne", "", False),
        ("Zurich", "Zürich", "city", True),
        ("Jose Garcia", "José García", "", True),
        ("Monsters", "Monsters, Inc", "title", False),
        ("Atari", "Atari, Inc", "organization", True),
        ("control data", "Control Data Corporation", "", False),
        ("Acme Widgets", "Acme Widgets Ltd", "", True),
    ],
)
def test_accents_and_legal_forms_prevent_certain_merges(
    store: SqliteStore, one: str, other: str, kind: str, merged: bool
) -> None:
    stated = [(f"{name} is here.", [(name, kind), (f"place {number}", "")]) for number, name in enumerate((one, other))]
    publish_facts(store, "a", stated)
    assert frozenset((one, other)) in found(store), "proposed in any case"
    assert bool(merges(store)) == merged


def test_shared_last_name_is_never_certain(store: SqliteStore) -> None:
    for first in ("Clara", "Robert"):
        person, last = (f"{first} Schumann", "person"), ("Schumann", "person")
        publish_facts(
            store,
            first,
            [(f"{first} Schumann played.", [person, ("piano", "")]), ("Schumann left.", [last, ("it", "")])],
        )
    assert merges(store, 0.7) == []
    with store.read() as reader:
        (homonym,) = homonyms(reader, CandidatePairs.of(reader))
    assert homonym.name == "Schumann"
    assert {sense.name: sense.documents for sense in homonym.senses} == {
        "Clara Schumann": ("/docs/Clara.txt",),
        "Robert Schumann": ("/docs/Robert.txt",),
    }


def test_name_with_two_types_may_be_a_homonym(store: SqliteStore) -> None:
    publish_facts(store, "planet", [("Mercury is hot.", [("Mercury", "place"), ("heat", "")])])
    source = publish_facts(store, "singer", [("Mercury sang.", [("Mercury", "person"), ("songs", "")])])
    with store.read() as reader:
        (homonym,) = homonyms(reader, CandidatePairs.of(reader))
    assert {sense.name for sense in homonym.senses} == {"Mercury (place)", "Mercury (person)"}
    decide(store, [ResolutionDecision(DecisionKind.SPLIT, ("Mercury",), "Mercury (person)", (source.id,))])
    with store.read() as reader:
        assert homonyms(reader, CandidatePairs.of(reader)) == []


def test_entity_direction_is_the_normalized_sum_of_its_forms(store: SqliteStore) -> None:
    for number, description in enumerate(("capital of Norway", "city")):
        source = Document(f"/docs/{number}.txt", "", f"Oslo grew {number}.")
        chunk = Chunk(source.id, Span(0, len(source.text)), source.text, 3, 0)
        oslo = Participation("Oslo", "place", description)
        publish_documents(
            store, [(source, [chunk], [Evidence(source.text, 8.0, (oslo, Participation("growth")), (), "")])]
        )
    forms = kept(["Oslo: capital of Norway", "Oslo: city"]).sum(axis=0)
    with store.read() as reader:
        row = keyed(reader, ["oslo"])["oslo"]
        (direction,) = reader.directions("entity", np.array([row]))
    assert np.allclose(direction, forms / np.linalg.norm(forms), atol=1e-5)


def test_frequent_blocking_keys_are_skipped() -> None:
    few = [ParsedName.of(f"{first} Smith") for first in ("Ann", "Amy")]
    many = [ParsedName.of(f"A{chr(97 + n // 26)}{chr(97 + n % 26)} Smith") for n in range(MOST_IN_A_BLOCK + 1)]
    assert by_name(few) == {(0, 1)}
    assert by_name(many) == set()


@pytest.mark.parametrize("rows", [1, 2, 40, 700])
def test_nearest_entities_by_vector_are_candidates(rows: int) -> None:
    drawn = np.random.default_rng(1).standard_normal((rows, 32))
    drawn = np.concatenate([drawn, drawn + 0.01])
    pairs = by_vector((drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32), 0.99)
    assert len(pairs & {(row, row + rows) for row in range(rows)}) >= 0.95 * rows
    assert all(one < other for one, other in pairs)


Described = Sequence[tuple[str, str, str]]
"""Entities of a fact: name, type and description."""


def publish_described(store: SqliteStore, name: str, said: Sequence[tuple[str, Described]]) -> Document:
    """A document whose facts describe their entities, as those of a language model do."""
    source = Document(f"/docs/{name}.txt", "", " ".join(text for text, _ in said))
    chunk = Chunk(source.id, Span(0, len(source.text)), source.text, 9, 0)
    evidence = [Evidence(text, 8.0, tuple(Participation(*one) for one in named), (), "") for text, named in said]
    publish_documents(store, [(source, [chunk], evidence)])
    return source


@pytest.mark.parametrize(
    ("description", "proposed"),
    [
        ("name of Gzhatsk since 1968", True),
        ("former name of the town Gzhatsk", True),
        ("town later renamed Gzhatsk", True),
        ("town renamed Gzhatsk, Soviet until 1991", True),
        ("former name of Gzhatsk Nova", False),
        ("town named after Gzhatsk", False),
        ("town near Gzhatsk", False),
    ],
)
def test_description_may_state_an_alias(store: SqliteStore, description: str, proposed: bool) -> None:
    towns = [("Gagarin", "place", description), ("Gzhatsk", "place", "town by a river")]
    publish_described(store, "a", [("Gagarin and Gzhatsk are on the map.", towns)])
    assert (frozenset(("Gagarin", "Gzhatsk")) in found(store)) == proposed


@pytest.mark.parametrize(
    ("short", "long", "proposed"),
    [
        (("Apollo 13", "mission", "aborted flight"), ("Apollo 13 (film)", "mission", "film of 1995"), False),
        (("Endeavour", "ship", "Shuttle of STS-61"), ("Endeavour (Shuttle)", "ship", "Shuttle of STS-88"), True),
        (("Atlantis", "spacecraft", "Space Shuttle"), ("Atlantic", "ocean", "ocean of the sinking"), False),
        (("Apollo 13", "", ""), ("Apollo 13 (film)", "", ""), True),
    ],
)
def test_types_and_descriptions_tell_similar_names_apart(
    store: SqliteStore, short: tuple[str, str, str], long: tuple[str, str, str], proposed: bool
) -> None:
    publish_described(store, "a", [("It is here.", [short, ("Osk", "", "")])])
    publish_described(store, "b", [("It is there.", [long, ("Graz", "", "")])])
    assert (frozenset((short[0], long[0])) in found(store)) == proposed


@pytest.mark.parametrize(("kind", "proposed"), [("date", False), ("amount of time", False), ("event", True)])
def test_dates_and_amounts_are_not_proposed(store: SqliteStore, kind: str, proposed: bool) -> None:
    for name, place in (("Landing Day", "Osk"), ("Landing-Day", "Graz")):
        publish_facts(store, place, [(f"{place} has a {name}.", [(name, kind), (place, "")])])
    assert bool(found(store)) == proposed
