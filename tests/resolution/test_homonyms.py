"""Which names are proposed for a split because documents describe them as different things."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.resolution.descriptions import genus
from polyadic.resolution.homonyms import Homonym, homonyms
from polyadic.resolution.merge_candidates import CandidatePairs
from polyadic.storage.sqlite.store import SqliteStore
from tests.resolution.test_merge_candidates import publish_described, publish_facts
from tests.support.store_driver import decide

SHIP = "spacecraft"
MODULES = ("Charlie Brown", "Odyssey", "America")
SHUTTLES = ("Discovery", "Atlantis", "Endeavour")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    """Some spacecraft are command modules, others are shuttles."""
    made = SqliteStore(tmp_path, "test")
    for kind, names in (("command module", MODULES), ("Space Shuttle", SHUTTLES)):
        for number, name in enumerate(names):
            ship = (name, SHIP, f"{kind} of flight {number}")
            publish_described(made, name, [(f"{name} flew.", [ship, (f"crew of {name}", "group", "")])])
    yield made
    made.close()


def of(store: SqliteStore) -> list[Homonym]:
    with store.read() as reader:
        return homonyms(reader, CandidatePairs.of(reader))


def fly_columbia(store: SqliteStore, flights: Sequence[tuple[str, str, str]]) -> None:
    """One document for each description of Columbia, with a neighbour."""
    for name, description, neighbour in flights:
        ship = ("Columbia", SHIP, description)
        publish_described(store, name, [(f"Columbia flew with {neighbour}.", [ship, (neighbour, "person", "")])])


TWO = (("apollo", "command module of Apollo 11", "Collins"), ("sts", "Space Shuttle that flew STS-1", "Crippen"))


def test_name_of_two_kinds_is_proposed_with_evidence_of_each(store: SqliteStore) -> None:
    fly_columbia(store, [*TWO, ("hubble", "Shuttle of STS-109", "Altman")])
    (homonym,) = of(store)
    assert homonym.name == "Columbia"
    shuttle, module = homonym.senses
    assert set(shuttle.documents) == {"/docs/hubble.txt", "/docs/sts.txt"}
    assert (module.name, module.documents) == ("Columbia (command module)", ("/docs/apollo.txt",))
    assert (module.description, module.fact) == ("command module of Apollo 11", "Columbia flew with Collins.")


def test_kept_name_is_not_proposed_again_even_for_new_documents(store: SqliteStore) -> None:
    fly_columbia(store, TWO)
    kept = ResolutionDecision(DecisionKind.KEEP, ("Columbia",))
    decide(store, [kept])
    assert of(store) == []
    fly_columbia(store, [("hubble", "Shuttle of STS-109", "Altman")])
    assert of(store) == []
    decide(store, [], [kept])
    assert [homonym.name for homonym in of(store)] == ["Columbia"]


def test_split_name_is_not_proposed_again(store: SqliteStore) -> None:
    fly_columbia(store, TWO)
    (homonym,) = of(store)
    with store.read() as reader:
        (apollo,) = (one.id for one in reader.records.documents() if one.source == "/docs/apollo.txt")
    decide(store, [ResolutionDecision(DecisionKind.SPLIT, ("Columbia",), homonym.senses[1].name, (apollo,))])
    assert of(store) == []


def test_common_neighbour_shows_that_a_name_has_one_sense(store: SqliteStore) -> None:
    fly_columbia(store, [(name, description, "Young") for name, description, _ in TWO])
    assert of(store) == []


def test_date_in_common_does_not(store: SqliteStore) -> None:
    for name, description, neighbour in TWO:
        named = [("Columbia", SHIP, description), (neighbour, "person", ""), ("April", "date", "month")]
        publish_described(store, name, [(f"Columbia flew in April with {neighbour}.", named)])
    assert [homonym.name for homonym in of(store)] == ["Columbia"]


def test_kinds_that_another_entity_combines_are_compatible(store: SqliteStore) -> None:
    fly_columbia(store, TWO)
    for number, kind in enumerate(("command module", "Space Shuttle")):
        ship = ("Pathfinder", SHIP, f"{kind} of flight {number}")
        publish_described(store, f"test-{number}", [("Pathfinder flew.", [ship, (f"pilot {number}", "person", "")])])
    assert of(store) == []


@pytest.mark.parametrize(
    ("entity_type", "one", "other"),
    [
        ("person", "commander of Apollo 11", "pilot of STS-1"),
        ("place", "city of mission control", "seat of the engineers"),
        (SHIP, "ship on which Americans depended", "craft rebuilt for two cosmonauts"),
    ],
)
def test_roles_and_unique_words_are_no_kinds(store: SqliteStore, entity_type: str, one: str, other: str) -> None:
    for number, description in enumerate((one, other)):
        named = [("Columbia", entity_type, description), (f"neighbour {number}", "thing", "")]
        publish_described(store, f"doc-{number}", [(f"Columbia {number}.", named)])
    assert of(store) == []


def test_types_conflict_only_without_a_common_neighbour(store: SqliteStore) -> None:
    publish_facts(store, "a", [("The Center launched it.", [("Kennedy", "place"), ("Pad 39A", "")])])
    publish_facts(store, "b", [("The Center owns it.", [("Kennedy", "organization"), ("Pad 39A", "")])])
    assert of(store) == []


def test_year_may_also_be_the_name_of_an_album(store: SqliteStore) -> None:
    publish_facts(store, "a", [("Taylor Swift sang 1989.", [("1989 ", "album"), ("Taylor Swift", "")])])
    publish_facts(store, "b", [("The wall fell in 1989.", [("1989", "date"), ("wall", "")])])
    (homonym,) = of(store)
    assert {sense.name for sense in homonym.senses} == {"1989 (album)", "1989 (date)"}


def test_common_noun_is_no_homonym(store: SqliteStore) -> None:
    for number, kind in enumerate(("person", "organization")):
        publish_facts(store, kind, [(f"A guard {number}.", [("guard", kind), (f"neighbour {number}", "")])])
    assert of(store) == []


def test_magazine_is_a_work_and_an_organization(store: SqliteStore) -> None:
    publish_facts(store, "a", [("It was ranked.", [("Billboard", "organization"), ("Janis", "")])])
    publish_facts(store, "b", [("It was printed.", [("Billboard", "magazine"), ("Berry", "")])])
    assert of(store) == []


@pytest.mark.parametrize(
    ("description", "expected"),
    [
        ("the Shuttle whose loss was investigated", "shuttle"),
        ("Kommandomodul von Apollo 11", "kommandomodul"),
        ("flew on Soyuz TM-32", ""),
        ("type of prototype", ""),
        ("American ship often visiting Mir", ""),
        ("", ""),
    ],
)
def test_kind_is_what_stands_before_the_first_function_word(description: str, expected: str) -> None:
    assert " ".join(genus(description)) == expected


def serve(store: SqliteStore, name: str, text: str, neighbour: str) -> None:
    named = [("Air Force", "organization", f"service of {neighbour}"), (neighbour, "person", "")]
    publish_described(store, name, [(text, named)])


def test_common_noun_used_as_a_name_is_proposed_if_nothing_connects_its_uses(store: SqliteStore) -> None:
    serve(store, "a", "Stafford became a general of the Air Force.", "Stafford")
    serve(store, "b", "Yang was a pilot of the Air Force.", "Yang")
    assert of(store) == []
    publish_facts(store, "c", [("Each air force has pilots.", [("pilots", "")])])
    (homonym,) = of(store)
    assert {(sense.name, sense.documents) for sense in homonym.senses} == {
        ("Air Force (Stafford)", ("/docs/a.txt",)),
        ("Air Force (Yang)", ("/docs/b.txt",)),
    }
    publish_facts(
        store,
        "d",
        [("Yang met Stafford in the Air Force.", [("Yang", ""), ("Stafford", ""), ("Air Force", "organization")])],
    )
    assert of(store) == []


def test_common_noun_without_a_type_is_not_proposed(store: SqliteStore) -> None:
    """Facts extracted without a model have none, and manuals capitalize words such as "Note"."""
    for name, neighbour in (("a", "Ada"), ("b", "Bob")):
        publish_facts(store, name, [(f"Note that {neighbour} left a note.", [("Note", ""), (neighbour, "")])])
    assert of(store) == []
