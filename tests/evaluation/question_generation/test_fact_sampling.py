"""Facts for questions: joined as asked for, the same by the same seed, whatever the history of the workspace."""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.evaluation.question_generation.fact_sampling import (
    MOST_FACTS,
    Arity,
    FactSample,
    FactSampling,
    SamplingStratum,
    sampled,
    strata,
)
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.evaluation.tiny_dataset import HASHING

PEOPLE = ("Ada Falk", "Bela Novak", "Clara Weiss", "Dora Brandt", "Emil Orth", "Fritz Kern", "Greta Lind", "Hugo Sand")
PLACES = ("Brno", "Ghent", "Graz", "Turin")
WROTE = [*pairwise(PEOPLE), *zip(PEOPLE, PEOPLE[3:], strict=False)]


def documents() -> list[Document]:
    """Chains of people who wrote to one another; everybody lives in Hubville, and something came about in 1815."""
    pairs = [f"{one} wrote to {other}." for one, other in WROTE]
    several = [
        f"{one} met {other} in {PLACES[n % 4]} at {PLACES[(n + 1) % 4]}."
        for n, (one, other) in enumerate(combinations(PEOPLE, 2))
    ]
    hub = [f"Number{n:03d} Place lies in Hubville." for n in range(MOST_FACTS + 5)]
    years = [f"{place} burned in 1815." for place in PLACES]
    return [Document(f"memory:{n}", "", text) for n, text in enumerate([*pairs, *several, *hub, *years])]


def filled(folder: Path, several: Sequence[Document]) -> Workspace:
    kb = Workspace(folder, HASHING)
    kb.add(several)
    return kb


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with filled(tmp_path_factory.mktemp("sampling") / "kb", documents()) as kb:
        yield kb


def samples(
    kb: Workspace, sampling: FactSampling, arity: Arity = "binary", hops: int = 1, wanted: int = 20, seed: int = 0
) -> list[FactSample]:
    with kb.store().read() as reader:
        return sampled(reader, sampling, SamplingStratum(arity, hops, wanted), seed)


@pytest.mark.parametrize("sampling", list(FactSampling))
@pytest.mark.parametrize("arity", ["binary", "n-ary"])
@pytest.mark.parametrize("hops", [1, 2, 3])
def test_samples_have_distinct_facts_of_one_arity_with_places(
    kb: Workspace, sampling: FactSampling, arity: Arity, hops: int
) -> None:
    found = samples(kb, sampling, arity, hops)
    assert found
    assert len({sample.id for sample in found}) == len(found) <= 20
    for sample in found:
        assert len({fact.id for fact in sample.facts}) == hops == len(sample.places)
        assert all((len(fact.entities) == 2) == (arity == "binary") for fact in sample.facts)
        assert [place.quote for place in sample.places] == [fact.text for fact in sample.facts]


@pytest.mark.parametrize("arity", ["binary", "n-ary"])
@pytest.mark.parametrize("hops", [2, 3])
def test_chain_sample_has_no_shortcut(kb: Workspace, arity: Arity, hops: int) -> None:
    for sample in samples(kb, FactSampling.CHAIN, arity, hops):
        entities = [set(fact.entities) for fact in sample.facts]
        shared = [one & other for one, other in combinations(entities, 2)]
        joined = [one & other for one, other in pairwise(entities)]
        assert [{joint} for joint in sample.joints] == joined
        assert sum(map(bool, shared)) == hops - 1, "no two facts share anything but neighbours"


def test_hubs_and_years_are_no_joints(kb: Workspace) -> None:
    found = [sample for sampling in FactSampling for sample in samples(kb, sampling, hops=2, wanted=500)]
    joints = {joint for sample in found for joint in sample.joints}
    assert joints and not joints & {"Hubville", "1815"}
    assert joints <= {*PEOPLE, *PLACES}
    alone = {name for sample in samples(kb, FactSampling.CHAIN, wanted=500) for name in sample.facts[0].entities}
    assert {"Hubville", "1815"} <= alone, "what they say is asked about all the same"


def test_star_sample_shares_one_entity(kb: Workspace) -> None:
    for sample in samples(kb, FactSampling.ONE_ENTITY, "n-ary", 3):
        (joint,) = sample.joints
        assert all(joint in fact.entities for fact in sample.facts)


def test_multi_star_sample_joins_each_fact_through_its_own_entity(kb: Workspace) -> None:
    for sample in samples(kb, FactSampling.SEVERAL_ENTITIES, "n-ary", 3):
        first, *further = sample.facts
        assert len(set(sample.joints)) == 2
        for joint, fact in zip(sample.joints, further, strict=True):
            assert set(first.entities) & set(fact.entities) == {joint}


def test_same_seed_gives_the_same_samples(kb: Workspace, tmp_path: Path) -> None:
    drawn = [sample.id for sample in samples(kb, FactSampling.CHAIN, "n-ary", 3)]
    with filled(tmp_path / "other", documents()[::-1]) as other:
        other.add([Document("memory:further", "", "Xaver Zorn met Ada Falk in Brno.")])
        other.delete("memory:further")
        assert [sample.id for sample in samples(other, FactSampling.CHAIN, "n-ary", 3)] == drawn
    assert [sample.id for sample in samples(kb, FactSampling.CHAIN, "n-ary", 3, seed=1)] != drawn
    assert samples(kb, FactSampling.CHAIN, "n-ary", 3, wanted=5) == samples(kb, FactSampling.CHAIN, "n-ary", 3)[:5]


def test_fewer_samples_if_the_workspace_has_no_more(kb: Workspace) -> None:
    pairs = len(WROTE) + MOST_FACTS + 5 + len(PLACES)
    assert len(samples(kb, FactSampling.CHAIN, wanted=10_000)) == pairs
    assert samples(kb, FactSampling.CHAIN, hops=5, wanted=10_000), "along the letters"
    assert samples(kb, FactSampling.SEVERAL_ENTITIES, hops=4, wanted=10_000) == [], "a pair has two entities only"


ARITIES: tuple[Arity, ...] = ("binary", "n-ary")


@given(st.integers(1, 5000), st.sampled_from([(1,), (2, 3), (1, 2, 3)]), st.sampled_from([ARITIES, ARITIES[1:]]))
def test_stratum_shares_sum_up(count: int, hops: tuple[int, ...], arities: tuple[Arity, ...]) -> None:
    shares = strata(count, arities, hops)
    assert sum(one.wanted for one in shares) == count
    whole = sum(2 if hop == 1 else 1 for hop in hops) * len(arities)
    assert all(abs(one.wanted - count * (2 if one.hops == 1 else 1) / whole) < 1 for one in shares)


def test_default_strata_follow_the_paper() -> None:
    assert [one.wanted for one in strata(512, ARITIES, (1, 2, 3))] == [128, 64, 64] * 2
