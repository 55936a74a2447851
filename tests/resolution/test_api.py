"""``Workspace.entities``: reviewing, deciding and undoing, without a model and with one."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.config import ChunkingSettings, Settings
from polyadic.errors import DecisionRefused, NotFound, SettingsError
from polyadic.extraction.extractor import Extraction
from polyadic.indexing.indexer import Indexer
from polyadic.interchange.export import exported
from polyadic.model.types import Chunk, Document, Evidence, Participation
from polyadic.resolution.decision_builder import resolve_id_prefix
from polyadic.workspace import Workspace
from tests.support.with_a_model import HASHING

BORN = (
    "A chemist from Lund, born there in a hard winter as the daughter of a baker, who found two acids in her kitchen,"
    " taught for thirty years at the school of mines and never published a line about any of her experiments"
)
STORIES = {
    "/docs/a.txt": [("Mira Falk", BORN, "Osk"), ("M. Falk", "", "Lund"), ("Quran Society", "", "Brno")],
    "/docs/b.txt": [("The Lady of the Acids", BORN, "Graz"), ("Qur'an Society", "", "Turin"), ("Mercury", "", "Sun")],
    "/docs/c.txt": [("Mercury", "", "Rome"), ("Mercury (planet)", "", "Sun")],
}


@dataclass
class StoryExtractor:
    """Reads what the stories say."""

    stories: Mapping[str, Sequence[tuple[str, str, str]]]
    name: str = "stories"
    paid: bool = False

    async def extract(self, document: Document, chunk: Chunk) -> Extraction:
        known = {name: what for name, what, _ in self.stories[document.source]}
        return Extraction(
            tuple(
                Evidence(
                    f"{name} knew {place}.",
                    8.0,
                    (Participation(name, "", what), Participation(place, "", known.get(place, ""))),
                    (),
                    "stories",
                )
                for name, what, place in self.stories[document.source]
            )
        )


def fill(kb: Workspace, stories: Mapping[str, Sequence[tuple[str, str, str]]] = STORIES) -> None:
    documents = [Document(source, "", f"Told in {source}.") for source in stories]
    extractor = StoryExtractor(stories)
    run_coroutine(Indexer(kb.store(make=True), extractor, kb.embedder, ChunkingSettings()).index(documents))


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as made:
        fill(made)
        yield made


def export(kb: Workspace) -> bytes:
    return b"".join(exported(kb, "hif"))


def test_review_lists_candidate_pairs(kb: Workspace) -> None:
    review = kb.entities.review()
    pairs = {frozenset((one.one.name, one.other.name)): one for one in review.candidates}
    assert review.candidates[0] is pairs[frozenset(("Quran Society", "Qur'an Society"))]
    assert (review.total, review.certain) == (len(pairs), 2)
    assert frozenset(("M. Falk", "Mira Falk")) in pairs
    assert "their descriptions are alike" in pairs[frozenset(("Mira Falk", "The Lady of the Acids"))].why
    assert len(kb.entities.review(limit=1).candidates) == 1


COSMONAUT = "cosmonaut of the Soviet Union who flew to the orbital station Salyut 6 on the spacecraft Soyuz {}"


@pytest.mark.parametrize(
    "stories",
    [
        # The words in common fit others as well.
        {f"/docs/{name}.txt": [(f"{name} Ivanov", BORN, name)] for name in ("Aleksei", "Boris", "Vasily")},
        # The flights differ.
        {
            f"/docs/{n}.txt": [(name, COSMONAUT.format(n), f"town {n}")]
            for n, name in ((28, "Gubarev"), (22, "Aksyonov"))
        },
        # The towns differ.
        {f"/docs/{n}.txt": [(n, BORN.replace("Lund", n[::-1].title()), n)] for n in ("Gubarev", "Aksyonov")},
        # One sentence has both.
        {"/docs/a.txt": [("Anita", BORN, "Arabella"), ("Arabella", BORN, "Anita")]},
        # One document has both, though described a little differently.
        {"/docs/a.txt": [("Liu Yang", BORN, "Beijing"), ("Wang Yaping", f"{BORN} twice", "Yantai")]},
    ],
    ids=["formulaic", "numbers", "names", "one sentence", "one document"],
)
def test_descriptions_alone_are_no_reason(
    tmp_path: Path, stories: Mapping[str, Sequence[tuple[str, str, str]]]
) -> None:
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as kb:
        fill(kb, stories)
        assert kb.entities.review().candidates == ()


def test_merging_and_undoing(kb: Workspace) -> None:
    before = export(kb)
    outcome = kb.entities.merge(["Mira Falk", "The Lady of the Acids", "M. Falk"])
    assert len(outcome.decided) == 1
    assert {fact.text for fact in kb.facts_of("M. Falk")} == {
        "Mira Falk knew Osk.",
        "M. Falk knew Lund.",
        "The Lady of the Acids knew Graz.",
    }
    again = kb.entities.merge(["mira falk", "M. Falk"])
    assert (again.decided, again.already_applied) == ((), outcome.decided)
    assert kb.entities.undo(outcome.decided[0].id[:6]).undone == outcome.decided
    assert export(kb) == before
    assert kb.entities.decisions() == []


def test_accepting_and_rejecting_pairs(kb: Workspace) -> None:
    one, other, *rest = kb.entities.review().candidates
    outcome = kb.entities.decide([one.id], [other.id])
    assert [decision.kind.value for decision in outcome.decided] == ["merge", "cannot-link"]
    assert [left.id for left in kb.entities.review().candidates] == [left.id for left in rest]
    with pytest.raises(NotFound, match="no proposed pair"):
        kb.entities.decide([one.id])


def test_pairs_are_selected_by_identifier_prefix(kb: Workspace) -> None:
    one, *_ = kb.entities.review().candidates
    assert len(one.id) == 32
    for reference in ("", "abc", "pair", "00000000"):
        with pytest.raises(NotFound, match="polyadic entities review"):
            kb.entities.decide([reference])
    assert len(kb.entities.decide([one.id[:8].upper()]).decided) == 1


def test_ambiguous_prefix_is_refused() -> None:
    known = ["abcd" + "0" * 28, "abcd" + "1" * 28]
    assert resolve_id_prefix(known, "abcd0", "proposed pair", "") == known[0]
    with pytest.raises(NotFound, match="'abcd' begins 2 identifiers of a proposed pair"):
        resolve_id_prefix(known, "abcd", "proposed pair", "")


def test_pair_with_a_merged_entity_says_what_to_undo_first(kb: Workspace) -> None:
    (society,) = kb.entities.merge(["Quran Society", "Graz"], "Quran Society").decided
    review = kb.entities.review()
    *others, last = review.candidates
    assert {last.one.name, last.other.name} == {"Quran Society", "Qur'an Society"}
    assert last.score > max(one.score for one in others)
    assert last.why.endswith(f"but Quran Society is merged: undo {society.id[:8]} first")
    with pytest.raises(DecisionRefused, match="is merged already"):
        kb.entities.decide([last.id])
    assert review.certain == len(kb.entities.merge_automatically().outcome.decided) == 1
    kb.entities.undo(society.id[:8])
    assert len(kb.entities.decide([last.id]).decided) == 1


def test_splitting_a_name(kb: Workspace) -> None:
    kb.entities.split("mercury", "Mercury (planet)", ["/docs/b.txt"])
    assert {fact.text for fact in kb.facts_of("Mercury (planet)")} == {
        "Mercury knew Sun.",
        "Mercury (planet) knew Sun.",
    }
    with pytest.raises(NotFound, match=r"no fact of /docs/a\.txt names Mercury"):
        kb.entities.split("Mercury", "Mercury (god)", ["/docs/a.txt"])


def test_renaming_and_undoing(kb: Workspace) -> None:
    before = export(kb)
    facts = {fact.id for fact in kb.facts_of("Mira Falk")}
    outcome = kb.entities.rename("Mira Falk", "Lund's chemist")
    assert {fact.id for fact in kb.facts_of("Lund's chemist")} == facts
    assert kb.show_entity("Lund's chemist").entity.name == "Lund's chemist"
    assert kb.show_entity("Mira Falk").entity.name == "Lund's chemist", "the old name still finds it"
    kb.entities.undo(outcome.decided[0].id)
    assert export(kb) == before


def test_spelling_of_a_name_can_be_changed(kb: Workspace) -> None:
    before = kb.show_entity("Mira Falk").entity
    kb.entities.rename("Mira Falk", "MIRA FALK")
    after = kb.show_entity("mira falk").entity
    assert (after.id, after.name, after.facts) == (before.id, "MIRA FALK", before.facts)


def test_renaming_a_merged_entity_keeps_the_merge(kb: Workspace) -> None:
    merged = kb.entities.merge(["Mira Falk", "M. Falk"], into="Mira Falk")
    facts = {fact.id for fact in kb.facts_of("Mira Falk")}
    renamed = kb.entities.rename("Mira Falk", "Mira of Lund")
    assert renamed.undone == merged.decided and len(kb.entities.decisions()) == 1
    assert {fact.id for fact in kb.facts_of("Mira of Lund")} == facts
    with pytest.raises(DecisionRefused, match="already"):
        kb.entities.rename("Mira of Lund", "Mira of Lund")
    back = kb.entities.rename("Mira of Lund", "Mira Falk")
    assert {fact.id for fact in kb.facts_of("M. Falk")} == facts and back.undone == renamed.decided


def test_renaming_never_merges(kb: Workspace) -> None:
    before = export(kb)
    with pytest.raises(DecisionRefused, match="name of another entity"):
        kb.entities.rename("Mira Falk", "m. falk")
    with pytest.raises(DecisionRefused, match="a name is empty"):
        kb.entities.rename("Mira Falk", " ")
    with pytest.raises(DecisionRefused, match="not two names"):
        kb.entities.merge(["Mira Falk", "MIRA FALK"], into="Somebody")
    assert export(kb) == before


def test_merge_automatically_merges_certain_pairs(kb: Workspace) -> None:
    merged = kb.entities.merge_automatically()
    assert {decision.names for decision in merged.outcome.decided} == {
        ("M. Falk", "Mira Falk"),
        ("Qur'an Society", "Quran Society"),
    }
    assert kb.entities.merge_automatically().outcome.decided == ()


@pytest.mark.parametrize("reference", ["", "abc", "xyzw", "0000"])
def test_only_existing_decisions_can_be_undone(kb: Workspace, reference: str) -> None:
    with pytest.raises(NotFound, match="review --decided"):
        kb.entities.undo(reference)


@pytest.mark.parametrize("unknown", ["Nobody At All", "\udcff"])
def test_unknown_names_are_refused(kb: Workspace, unknown: str) -> None:
    before = export(kb)
    with pytest.raises(NotFound, match="no entity matches"):
        kb.entities.merge(["Mira Falk", unknown])
    with pytest.raises(NotFound, match="no entity matches"):
        kb.entities.cannot_link("Mira Falk", unknown)
    with pytest.raises(NotFound, match="no fact of"):
        kb.entities.split(unknown, "x", ["/docs/a.txt"])
    assert export(kb) == before


def test_model_is_needed_only_for_adjudication(kb: Workspace) -> None:
    kb.entities.review()
    with pytest.raises(SettingsError, match="needs a language model"):
        kb.entities.review(by_model=True)


def test_api_works_within_a_running_loop(kb: Workspace) -> None:
    async def work() -> int:
        await kb.entities.amerge_automatically()
        return (await kb.entities.areview()).certain

    assert asyncio.run(work()) == 0
