"""Of a thousand documents, few that come, change or go have few words written again; counted at the server."""

from collections.abc import Iterator
from statistics import mean

import pytest

from polyadic.model.hierarchy import Hierarchy
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.hierarchy.towns import by_model, document, documents, hierarchy_of, source_of, workspace
from tests.model_server import ModelServer, ready

pytestmark = pytest.mark.slow
DOCUMENTS, FEW = 1000, 10
CHANGED = (7, 23, 111, 512)


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


@pytest.fixture(scope="module")
def built(server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with workspace(tmp_path_factory.mktemp("towns"), by_model(server), DOCUMENTS) as kb:
        kb.hierarchy.build()
        yield kb


def rebuilt(kb: Workspace, server: ModelServer) -> tuple[float, Hierarchy, Hierarchy]:
    """The share of summaries and reports about which the model was called, and the hierarchy before and after."""
    before = hierarchy_of(kb)
    server.reset()
    report = kb.hierarchy.build()
    assert report.is_whole and not report.rebuilt and not report.failed
    after = hierarchy_of(kb)
    assert not any(one.stale for one in after.clusters) and not any(one.stale for one in after.communities)
    return len(server.calls) / (report.clusters + report.reports), before, after


def test_adding_one_percent_requests_at_most_five_percent(built: Workspace, server: ModelServer) -> None:
    built.add(documents(DOCUMENTS, DOCUMENTS + FEW))
    share, before, after = rebuilt(built, server)
    assert 0 < share <= 0.05
    known = {one.id: one for one in after.clusters}
    assert all(known[one.id].summaries == one.summaries for one in before.clusters if one.id in known)
    assert len(known.keys() & {one.id for one in before.clusters}) >= 0.99 * len(before.clusters)
    # On each level, a new document joins one community; the others stay as they are.
    levels = len({one.level for one in before.communities})
    assert len({one.id for one in before.communities} - {one.id for one in after.communities}) <= levels * FEW


def test_only_changed_and_deleted_parts_are_requested(built: Workspace, server: ModelServer) -> None:
    shares = []
    # How much hangs on one document is chance: it may lie where much comes together.
    for number in CHANGED:
        text = document(number).text.replace(f"Bridge {number}", f"Ferry {number}")
        built.add([Document(source_of(number), "", text)])
        share, _, _ = rebuilt(built, server)
        shares.append(share)
    assert min(shares) > 0 and mean(shares) <= 0.05
    built.delete(source_of(11))
    share, before, after = rebuilt(built, server)
    assert 0 < share <= 0.05
    assert len({one.id for one in after.clusters} & {one.id for one in before.clusters}) >= 0.95 * len(before.clusters)


def test_unchanged_workspace_makes_no_requests(built: Workspace, server: ModelServer) -> None:
    share, before, after = rebuilt(built, server)
    assert share == 0 and before == after
