"""Tallies add and subtract exactly, in any order."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.model.aggregation import Attribute, mean_score, tally, tally_difference
from polyadic.model.types import Evidence, Participation

participations = st.builds(
    Participation,
    name=st.sampled_from(["Ada", "ADA", "Engine", "London"]),
    type=st.sampled_from(["", "person"]),
    description=st.sampled_from(["", "a mathematician"]),
    score=st.sampled_from([10.0, 33.33, 100.0]),
)
evidences = st.builds(
    Evidence,
    text=st.sampled_from(["They met.", "They  met.", "It rained."]),
    score=st.sampled_from([0.5, 7.77, 10.0]),
    participants=st.lists(participations, max_size=4).map(tuple),
    spans=st.just(()),
    extractor=st.just("test"),
)
chunks = st.lists(st.tuples(st.sampled_from(["d1", "d2"]), st.lists(evidences, max_size=4)), max_size=5)

EvidenceByChunk = list[tuple[str, list[Evidence]]]


@given(chunks, st.randoms())
def test_tally_does_not_depend_on_order(evidence: EvidenceByChunk, random: object) -> None:
    shuffled = sorted(evidence, key=lambda _: random.random())  # type: ignore[attr-defined]
    assert tally(evidence).entities == tally(shuffled).entities
    assert {i: (f.evidence, f.score, f.participants) for i, f in tally(evidence).facts.items()} == {
        i: (f.evidence, f.score, f.participants) for i, f in tally(shuffled).facts.items()
    }


@pytest.mark.slow
@given(chunks, chunks)
def test_subtracting_undoes_adding(kept: EvidenceByChunk, gone: EvidenceByChunk) -> None:
    assert tally_difference(tally(kept + gone), tally(gone)).facts.keys() == tally(kept).facts.keys()
    nothing = tally_difference(tally_difference(tally(kept + gone), tally(gone)), tally(kept))
    assert not nothing.facts
    assert not nothing.entities


@given(chunks)
def test_scores_stay_in_the_ranges_of_the_paper(evidence: EvidenceByChunk) -> None:
    counts = tally(evidence)
    assert all(0 < mean_score(f.score, f.evidence) <= 10 for f in counts.facts.values())
    assert all(0 < mean_score(e.score, e.evidence) <= 100 for e in counts.entities.values())


def test_evidence_with_one_participant_makes_no_fact() -> None:
    alone = Evidence("Ada wrote.", 9.0, (Participation("Ada"), Participation("ADA")), (), "test")
    assert alone.fact_id is None
    assert not tally([("d", [alone])]).entities


def test_all_versions_of_an_attribute_are_counted() -> None:
    def make_evidence(name: str, description: str) -> Evidence:
        return Evidence("They met.", 9.0, (Participation(name, "", description), Participation("B")), (), "test")

    counts = tally([("d", [make_evidence("Ada", ""), make_evidence("ADA", "a mathematician")])])
    assert counts.entities["ada"].value_counts == {
        (Attribute.NAME, "Ada"): 1,
        (Attribute.NAME, "ADA"): 1,
        (Attribute.FORM, "Ada"): 1,
        (Attribute.FORM, "ADA: a mathematician"): 1,
        (Attribute.DESCRIPTION, "a mathematician"): 1,
    }
    assert counts.entities["ada"].chunks == 1
