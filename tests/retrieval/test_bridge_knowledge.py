"""The bridge with memberships that have a description and a strength, as HiRAG's relations between layers."""

import asyncio

from polyadic.config import HierarchySearchSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.model.types import Item, ItemKind, RetrievalSection
from polyadic.retrieval.methods.hierarchy import HierarchyMethod
from tests.retrieval.stores_with_hierarchy import with_hierarchy
from tests.retrieval.stories import FactsByDocument

FACTS: FactsByDocument = {"one": [["Mill", "Wheel"], ["Store", "Card"], ["Loom", "Yarn"]]}
COVERED = ["Mill", "Store", "Loom"]
STRENGTHS = {"Mill": 4.0, "Store": 9.5}
SETTINGS = HierarchySearchSettings(
    entities=3, key_entities=3, paths="plain", bounded=False, named_first=False, general_questions=False
)


def memberships(described: bool, strengths: dict[str, float]) -> list[Item]:
    """What the bridge says of a summary of three entities, which are on its paths."""
    reader = with_hierarchy(FACTS, {"Engines": COVERED}, [[*COVERED, "Engines"]], described={"Engines": strengths})
    settings = SETTINGS.model_copy(update={"described_memberships": described})
    method = HierarchyMethod(settings, (RetrievalSection.BRIDGE,))
    found = asyncio.run(method.retrieve("Mill Store Loom", reader, HashingEmbedder(), 4000))
    return [item for item in found.items if item.kind is ItemKind.ENTITY]


def test_each_described_membership_is_an_item_the_strongest_first() -> None:
    found = memberships(True, {**STRENGTHS, "Loom": 6.0})
    assert [item.text for item in found] == [
        "Store — Engines: Store is part. (strength 9.5)",
        "Loom — Engines: Loom is part. (strength 6)",
        "Mill — Engines: Mill is part. (strength 4)",
    ]
    assert len({item.id for item in found}) == 3
    assert all(item.places and item.tokens > 0 for item in found)


def test_members_without_a_description_stay_together() -> None:
    *described, last = memberships(True, STRENGTHS)
    assert [item.text.split(" — ")[0] for item in described] == ["Store", "Mill"]
    assert last.text == "Engines covers Loom: All about Engines."


def test_by_default_a_summary_is_one_item() -> None:
    (joint,) = memberships(False, STRENGTHS)
    covered = joint.text.removeprefix("Engines covers ").split(":")[0].replace(" and ", ", ").split(", ")
    assert sorted(covered) == sorted(COVERED)


def test_nothing_changes_if_no_membership_is_described() -> None:
    assert memberships(True, {}) == memberships(False, {})
