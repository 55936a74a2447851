"""How much of the local and global knowledge the bridge contains (HiRAG, Table 7)."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import HierarchyBuildSettings
from polyadic.evaluation.bridge_coverage import bridge_coverage
from polyadic.evaluation.measures.token_overlap import token_set
from polyadic.workspace import Workspace
from tests.hierarchy.towns import without_a_model, workspace

QUESTIONS = ["Who built the Bridge 3?", "Who joined the Graufeld Works?"]


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Workspace]:
    with workspace(tmp_path / "kb", without_a_model(HierarchyBuildSettings(cluster_members=6)), 12) as kb:
        kb.hierarchy.build()
        yield kb


def share(kb: Workspace, part: str, question: str, other: str) -> float:
    """The share of the tokens of a part that the bridge of another question contains."""
    local, bridge = kb.retrieve(question, part, 300), kb.retrieve(other, "bridge", 300)
    wanted, given = (token_set("\n".join(item.text for item in found.items)) for found in (local, bridge))
    return len(wanted & given) / len(wanted)


def test_coverage_is_the_mean_share_of_tokens(kb: Workspace) -> None:
    coverage = bridge_coverage(kb, QUESTIONS, 300)
    first, second = QUESTIONS
    own = (share(kb, "local", first, first) + share(kb, "local", second, second)) / 2
    other = (share(kb, "local", first, second) + share(kb, "local", second, first)) / 2
    assert coverage.questions == 2
    assert coverage.local_in_bridge == pytest.approx(own)
    assert coverage.local_in_other_bridge == pytest.approx(other)
    assert own > other


def test_one_question_has_no_baseline(kb: Workspace) -> None:
    coverage = bridge_coverage(kb, QUESTIONS[:1], 300)
    assert coverage.local_in_bridge is not None and coverage.global_in_bridge is not None
    assert coverage.local_in_other_bridge is None and coverage.global_in_other_bridge is None
