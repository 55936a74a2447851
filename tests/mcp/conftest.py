"""A folder of workspaces, and clients of servers over them."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from uuid import uuid4

import pytest

from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.mcp.running_server import HASHING, WRITING, Connect, over_http, over_stdio, serving

ADA = (
    "Ada Lovelace was born in London. Ada Lovelace met Charles Babbage in London in 1833."
    " Mary Somerville taught Ada Lovelace."
)
TURIN = "Charles Babbage spoke in Turin in 1840. Luigi Menabrea heard Charles Babbage in Turin."
DOCUMENTS = (
    Document("/notes/ada.md", "Ada Lovelace", ADA, {"kind": "life"}),
    Document("/notes/turin.md", "A journey", TURIN, {"kind": "journey"}, pages=(0, 40)),
)


@pytest.fixture(scope="package")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``main`` holds two documents that no test changes."""
    folder = tmp_path_factory.mktemp("workspaces")
    with Workspace(folder / "main", HASHING) as kb:
        kb.add(DOCUMENTS)
    return folder


@pytest.fixture(scope="package")
def address(workspaces: Path) -> Iterator[str]:
    with serving(workspaces) as url:
        yield url


@pytest.fixture
def main(address: str) -> Connect:
    """A reader of the workspace ``main``, over HTTP."""
    return partial(over_http, f"{address}/main")


@pytest.fixture
def own(workspaces: Path, address: str) -> Connect:
    """A writer of a workspace that the test has for itself, over HTTP."""
    name = f"own-{uuid4().hex}"
    (workspaces / name).mkdir()
    return partial(over_http, f"{address}/{name}", WRITING)


@pytest.fixture(params=["stdio", "http"])
def either(request: pytest.FixtureRequest, workspaces: Path, address: str) -> Connect:
    """A reader of ``main`` over both transports, in turn."""
    if request.param == "stdio":
        return partial(over_stdio, workspaces / "main")
    return partial(over_http, f"{address}/main")


@pytest.fixture(params=["stdio", "http"])
def writer(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Connect]:
    """A writer of an empty workspace, over both transports, in turn."""
    (tmp_path / "new").mkdir()
    if request.param == "stdio":
        yield partial(over_stdio, tmp_path / "new", "--write")
        return
    with serving(tmp_path) as url:
        yield partial(over_http, f"{url}/new", WRITING)
