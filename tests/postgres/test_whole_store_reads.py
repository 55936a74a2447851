"""What reads all entities or facts gives the same over PostgreSQL, whose rows are no positions, as over SQLite."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import Settings
from polyadic.evaluation.indexing_cost import construction_of
from polyadic.resolution.merge_candidates import CandidatePairs
from polyadic.server.catalogue import entities_page, entity_types, facts_page
from polyadic.workspace import Workspace
from tests.support import postgres

EXAMPLES = Path(__file__).parents[2] / "examples" / "spaceflight"
HASHING = Settings.model_validate({"embedding": {"model": "hashing"}})


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Workspace]]:
    """The same documents in SQLite and in PostgreSQL, there beside another workspace whose rows come first."""
    in_postgres = f"{postgres.server()}#{postgres.fresh()}"
    with Workspace(f"{postgres.server()}#{postgres.fresh()}", HASHING) as other:
        other.index([min(EXAMPLES.glob("*.md"))])
    opened = [Workspace(place, HASHING) for place in (tmp_path_factory.mktemp("kb"), in_postgres)]
    for kb in opened:
        kb.index([EXAMPLES])
    yield opened
    for kb in opened:
        kb.close()


def test_catalogue_pages_are_the_same(workspaces: list[Workspace]) -> None:
    sqlite, on_postgres = workspaces
    assert entity_types(on_postgres) == entity_types(sqlite)
    for start in (0, 40):
        assert entities_page(on_postgres, None, "", start, 40) == entities_page(sqlite, None, "", start, 40)
        assert facts_page(on_postgres, 3, start, 40) == facts_page(sqlite, 3, start, 40)


def test_merge_candidates_are_the_same(workspaces: list[Workspace]) -> None:
    listed = []
    for kb in workspaces:
        with kb.store().read() as reader:
            pairs = CandidatePairs.of(reader)
            listed.append([pairs.candidate(pair) for pair in pairs.ranked()])
    assert listed[0] and listed[1] == listed[0]


def test_indexing_costs_are_the_same(workspaces: list[Workspace]) -> None:
    sqlite, on_postgres = (construction_of(kb, None) for kb in workspaces)
    assert on_postgres == sqlite
