"""The command where the environment names a collector."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polyadic.config import Settings
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.support.with_a_model import HASHING, TEXT
from tests.tracing.collector import Collector

pytestmark = pytest.mark.slow

QUESTION = "Who described the Analytical Engine in Turin?"
TRACE, CALLER = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as kb:
        kb.add([Document("memory:letters", "", TEXT)])
    return tmp_path / "kb"


def run(folder: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "POLYADIC_EMBEDDING__MODEL": "hashing", **variables}
    command = [sys.executable, "-m", "polyadic", "-w", str(folder), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


def test_query_span_is_a_child_of_the_given_trace_context(collector: Collector, folder: Path) -> None:
    ran = run(folder, "query", QUESTION, TRACEPARENT=f"00-{TRACE}-{CALLER}-01")
    assert ran.returncode == 0 and ran.stderr == ""
    root, question = collector.wait_for("polyadic query"), collector.wait_for("question")
    assert (root.trace, root.parent) == (TRACE, CALLER) and not root.failed
    assert collector.way_to(question) == ["polyadic query", "question"]
    assert b"Turin" not in b"".join(collector.bodies)


def test_indexing_is_traced(collector: Collector, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "mary.md").write_text("Mary Somerville taught Ada Lovelace in Chelsea.")
    assert run(folder, "index", str(tmp_path / "mary.md")).returncode == 0
    index = collector.wait_for("index")
    assert collector.way_to(index) == ["polyadic index", "index"] and index.attributes["polyadic.added"] == 1
    assert b"mary" not in b"".join(collector.bodies)


def test_failures_are_unchanged_with_a_collector(collector: Collector, tmp_path: Path) -> None:
    ran = run(tmp_path / "none", "query", QUESTION)
    assert ran.returncode == 1 and len(ran.stderr.splitlines()) == 1
    assert collector.wait_for("polyadic query").failed


def test_unreachable_collector_does_not_affect_answers(folder: Path) -> None:
    with_it = run(folder, "query", QUESTION, "--json", OTEL_EXPORTER_OTLP_ENDPOINT="http://127.0.0.1:9")
    assert with_it.returncode == 0 and with_it.stdout.startswith("{")
    [line] = with_it.stderr.splitlines()
    assert line.startswith("polyadic: spans are not sent: ")
