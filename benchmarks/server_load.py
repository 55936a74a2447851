"""Load test of the server for docs/performance.md: ``python -m benchmarks.server_load [FOLDER]``.

A ``polyadic serve`` process on HotpotQA-100, without a language model, answers clients on the same machine over the
loopback interface. FOLDER keeps the filled workspaces; missing ones are created.
"""

import os
import platform
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import httpx2

from benchmarks.data import filled, load
from benchmarks.report_sections import PERFORMANCE, given_folder, rewrite
from benchmarks.server_process import Load, Served, ask, served
from polyadic.config import ReadingSettings
from polyadic.evaluation.datasets import Dataset
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document

HEADING = "## Serving"
SET, OTHERS = "hotpotqa-100", "2wiki-101"
PATH = f"/v1/workspaces/{SET}/query"
AT_ONCE = 200
BUSY = 2_000
MANY = 10_000
MANY_AT_ONCE = 8
WARM = 1_000
JOBS_DOCUMENTS = 600
AT_A_TIME = 100
HEAD = """
Made by `python -m benchmarks.server_load`: one `polyadic serve` process over HotpotQA-100 without a language model,
asked
over the loopback interface by clients on the same machine, which share its processors. Each question is answered whole,
with citations. On {machine}.

| what | measured | bound |
|---|---|---|
"""


def main() -> None:
    dataset = load(SET)
    with given_folder() as folder:
        with filled(dataset, folder) as workspace:
            folder_of_workspace = workspace.folder
        with served(folder_of_workspace) as server:
            lines = []
            for what, measured, bound in measured_rows(server, dataset):
                lines.append(f"| {what} | {measured} | {bound} |")
                print(lines[-1], flush=True)
    head = HEAD.format(machine=f"{os.cpu_count()} cores, Python {platform.python_version()}")
    section = head + "\n".join(lines) + "\n"
    rewrite(PERFORMANCE, HEADING, section.splitlines())


def measured_rows(server: Served, dataset: Dataset) -> Iterator[tuple[str, str, str]]:
    questions = [question.text for question in dataset.questions]
    ask(server, PATH, questions, 1, len(questions))  # the first question loads arrays and weights
    idle = ask(server, PATH, questions, 1, 2 * len(questions))
    yield "one at a time, p50 / p95 / p99: ms", _spread(idle), ""
    busy = ask(server, PATH, questions, AT_ONCE, BUSY)
    yield f"{AT_ONCE} at once, {BUSY:,} questions: answered a second", f"{busy.a_second:.1f}", ""
    yield f"{AT_ONCE} at once, p50 / p95 / p99: ms", _spread(busy), ""
    yield f"{AT_ONCE} at once: not answered", str(busy.failed), "0"
    documents = list(islice(_documents(load(OTHERS)), JOBS_DOCUMENTS))
    for where, name in (("another workspace", "growing"), ("the same workspace", SET)):
        during = _while_indexing(server, name, documents, questions)
        meanwhile = f"one at a time while {JOBS_DOCUMENTS} documents are read into {where}"
        yield f"{meanwhile}, p50 / p95 / p99: ms", _spread(during), ""
        times = during.milliseconds(95) / idle.milliseconds(95)
        yield f"its p95 / the p95 of a server that does nothing else ({where})", f"{times:.2f}", "2"
    yield from _memory(server, questions)


def _memory(server: Served, questions: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Measure the memory of the warm process, and its maximum and final value after many questions."""
    ask(server, PATH, questions, MANY_AT_ONCE, WARM)
    megabytes, failed = [server.memory()], 0
    for _ in range(MANY // WARM):
        failed += ask(server, PATH, questions, MANY_AT_ONCE, WARM).failed
        megabytes.append(server.memory())
    yield f"memory after {WARM:,} questions / after {MANY:,} more: MB", f"{megabytes[0]:.0f} / {megabytes[-1]:.0f}", ""
    yield f"memory, most / least in {MANY:,} questions", f"{max(megabytes) / min(megabytes):.3f}", "1.05"
    yield f"not answered of {MANY:,}", str(failed), "0"


def _while_indexing(server: Served, name: str, documents: Sequence[Document], questions: Sequence[str]) -> Load:
    """Ask questions sequentially while jobs index documents into a workspace."""
    seconds: list[float] = []
    with server.client() as client:
        job = _upload(client, name, documents)
        started = time.perf_counter()
        while _is_running(client, name, job):
            load = ask(server, PATH, questions, 1, 20)
            assert not load.failed, f"{load.failed} questions were not answered"
            seconds += load.seconds
        return Load(seconds, 0, time.perf_counter() - started)


def _upload(client: httpx2.Client, name: str, documents: Sequence[Document]) -> str:
    """Upload documents to a workspace, created if necessary; returns the id of the last job."""
    if name != SET:
        client.post("/v1/workspaces", json={"name": name}).raise_for_status()
    job = ""
    for start in range(0, len(documents), AT_A_TIME):
        texts = [
            {"source": f"text:{start + number}", "title": document.title, "text": document.text}
            for number, document in enumerate(documents[start : start + AT_A_TIME])
        ]
        reply = client.post(f"/v1/workspaces/{name}/documents/texts", json={"texts": texts})
        job = str(reply.raise_for_status().json()["id"])
    return job


def _is_running(client: httpx2.Client, name: str, job: str) -> bool:
    status: dict[str, Any] = client.get(f"/v1/workspaces/{name}/jobs/{job}").raise_for_status().json()
    assert status["state"] in ("queued", "running", "succeeded"), status["problem"]
    return bool(status["state"] != "succeeded")


def _documents(dataset: Dataset) -> Iterator[Document]:
    return (
        document for document in read_documents([dataset.corpus], ReadingSettings()) if isinstance(document, Document)
    )


def _spread(load: Load) -> str:
    return " / ".join(f"{load.milliseconds(percentile):.0f}" for percentile in (50, 95, 99))


if __name__ == "__main__":
    main()
