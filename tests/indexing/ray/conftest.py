"""A cluster of Ray with two nodes on this machine, storage that speaks S3, and a model for all."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import Settings
from polyadic.workspace import Workspace
from tests.model_server import ModelServer, ready
from tests.support import postgres
from tests.support.canonical import canonical
from tests.support.with_a_model import story

DOCUMENTS, ROWS = 24, 6


@pytest.fixture(scope="package")
def storage() -> Iterator[Any]:
    """The client of storage that speaks S3, which this process and those that it starts find by their environment."""
    pytest.importorskip("s3fs", reason="needs s3fs")
    boto3 = pytest.importorskip("boto3", reason="needs moto")
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    named = {"AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (named | {"AWS_DEFAULT_REGION": "us-east-1"}).items():
            patch.setenv(name, value)
        yield boto3.client("s3")
    server.stop()


@pytest.fixture(scope="package")
def cluster(storage: Any) -> Iterator[Any]:
    """Two nodes, of which the second may be killed; the process has joined the first."""
    # A short path: there will be sockets below it, whose paths are bounded.
    folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))
    os.environ |= {"RAY_TMPDIR": str(folder), "RAY_USAGE_STATS_ENABLED": "0", "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
    ray = pytest.importorskip("ray", reason="needs the extra ray")
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    cluster.add_node(num_cpus=2)
    ray.init(cluster.address, log_to_driver=False)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def two_nodes(cluster: Any) -> Any:
    """The cluster, whole again."""
    while len(cluster.worker_nodes) < 1:
        cluster.add_node(num_cpus=2)
    cluster.wait_for_nodes(timeout=120)
    return cluster


@pytest.fixture(scope="package")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Documents of a chunk or two, some of them rows, and something that nobody can read."""
    folder = tmp_path_factory.mktemp("corpus")
    for part in range(DOCUMENTS):
        (folder / f"{part:03}.txt").write_text(story(part, 8), encoding="utf-8")
    (folder / "rows.csv").write_text("id,text\n" + "".join(f"r{n},{story(n + 100, 4)!r}\n" for n in range(ROWS)))
    (folder / "picture.png").write_bytes(b"\x89PNG")
    return folder


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


def fresh() -> str:
    """The address of a workspace in PostgreSQL that is not there yet."""
    return f"{postgres.server()}#{postgres.fresh()}"


def read_here(names: list[Path], asked: Settings) -> str:
    """What a workspace knows once documents were read into it on this machine alone."""
    with Workspace(fresh(), asked) as kb:
        kb.index(names)
        return contents_of(kb)


def contents_of(kb: Workspace) -> str:
    """All that a workspace knows, once it has been found sound."""
    store = kb.store()
    assert store.problems() == []
    return canonical(store)
