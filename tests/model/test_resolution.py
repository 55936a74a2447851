"""Decisions on who is who: what they mean together, and which are refused."""

import pytest

from polyadic.errors import DecisionRefused
from polyadic.model.resolution import DecisionKind, EntityResolution, ResolutionDecision

PLANET = ResolutionDecision(DecisionKind.SPLIT, ("Mercury",), "Mercury (planet)", ("d1", "d2"))
PLANETS = ResolutionDecision(DecisionKind.MERGE, ("Mercury (planet)", "Planet Mercury"), "Mercury (planet)")
ADA = ResolutionDecision(DecisionKind.MERGE, ("Ada", "Ada Lovelace"), "Ada Lovelace")


def test_splits_apply_before_merges() -> None:
    for decisions in ([PLANET, PLANETS], [PLANETS, PLANET]):
        resolution = EntityResolution.of(decisions)
        assert [resolution.key("mercury", document) for document in ("d1", "d3")] == ["mercury (planet)", "mercury"]
        assert resolution.key("planet mercury", "d3") == "mercury (planet)"
        assert resolution.meanings(["mercury"]) == {"mercury", "mercury (planet)"}


def test_split_entities_can_be_merged() -> None:
    resolution = EntityResolution.of(
        [PLANET, ResolutionDecision(DecisionKind.MERGE, ("Mercury (planet)", "Hermes"), "Hermes")]
    )
    assert (resolution.key("mercury", "d1"), resolution.key("mercury", "d3")) == ("hermes", "mercury")
    assert resolution.meanings(["mercury"]) == {"mercury", "hermes"}


def test_decisions_ignore_the_order_of_names_and_documents() -> None:
    turned = ResolutionDecision(DecisionKind.SPLIT, ("MERCURY",), "Mercury (planet)", ("d2", "d1"))
    assert turned.id == PLANET.id
    assert ResolutionDecision(DecisionKind.MERGE, ("Ada Lovelace", "ada"), "Ada Lovelace").id == ADA.id


@pytest.mark.parametrize(
    ("decisions", "reason"),
    [
        ([ADA, ResolutionDecision(DecisionKind.MERGE, ("Ada Lovelace", "Countess"), "Countess")], "is merged already"),
        ([ADA, ResolutionDecision(DecisionKind.MERGE, ("Babbage", "Charles"), "Ada")], "is merged already"),
        ([ADA, ResolutionDecision(DecisionKind.CANNOT_LINK, ("Ada Lovelace", "ADA"))], "have a cannot-link decision"),
        ([PLANET, ResolutionDecision(DecisionKind.SPLIT, ("Mercury",), "Mercury (god)", ("d2",))], "split differently"),
        (
            [PLANET, ResolutionDecision(DecisionKind.SPLIT, ("Mercury",), "mercury (PLANET)", ("d3",))],
            "spelt in two ways",
        ),
        (
            [PLANETS, ResolutionDecision(DecisionKind.SPLIT, ("Mercury",), "Mercury (Planet)", ("d3",))],
            "Mercury .* and .* are one name",
        ),
        ([ResolutionDecision(DecisionKind.MERGE, ("Ada", "ADA"), "Ada")], "not two names"),
        ([ResolutionDecision(DecisionKind.CANNOT_LINK, ("Ada", "the Ada"))], "not two names"),
        ([ResolutionDecision(DecisionKind.CANNOT_LINK, ("Ada", "Bea", "Cleo"))], "not two names"),
        ([ResolutionDecision(DecisionKind.MERGE, ("Ada", "Bea"))], "a name is empty"),
        ([ResolutionDecision(DecisionKind.MERGE, ("Ada", " '' "), "Ada")], "a name is empty"),
        ([ResolutionDecision(DecisionKind.SPLIT, ("Ada",), "the ADA", ("d1",))], "the same name"),
        ([ResolutionDecision(DecisionKind.SPLIT, ("Ada",), "Ada (ship)")], "has no documents"),
    ],
)
def test_invalid_and_contradicting_decisions_are_refused(decisions: list[ResolutionDecision], reason: str) -> None:
    for order in (decisions, decisions[::-1]):
        with pytest.raises(DecisionRefused, match=reason):
            EntityResolution.of(order)
