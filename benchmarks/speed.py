"""Generate the first section of docs/performance.md: ``python -m benchmarks.speed``, with data from POLYADIC_DATA.

Processes are timed from outside, and retrieval by its trace. All values are medians.
"""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the command sets it; must precede the import of numpy

import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.data import data_folder, load
from benchmarks.report_sections import PERFORMANCE
from polyadic.evaluation.retrieval_run import run_method
from polyadic.workspace import Workspace

TIMES = 7
HEAD = """# Performance

Made by `python -m benchmarks.speed` from the data that `POLYADIC_DATA` names; medians of {times}. On {machine}.
[Performance at scale](performance-scale.md) measures a million facts, PostgreSQL and Ray.

| what | measured | bound |
|---|---|---|
"""


def main() -> None:
    dataset = load("hotpotqa-100")
    with tempfile.TemporaryDirectory() as folder:
        rows = [("`import polyadic`: ms", f"{_import_ms():.0f}", "150")]
        workspace = Workspace(Path(folder) / "kb")
        rows += _indexing(workspace, dataset.corpus)
        rows += [_query_process(workspace.folder)]
        rows += _retrieval(workspace)
    lines = [f"| {what} | {measured} | {bound} |" for what, measured, bound in rows]
    head = HEAD.format(times=TIMES, machine=f"{os.cpu_count()} cores, Python {platform.python_version()}")
    _, heading, others = PERFORMANCE.read_text(encoding="utf-8").partition("\n## ")
    PERFORMANCE.write_text(head + "\n".join(lines) + "\n" + heading + others, encoding="utf-8")
    print(PERFORMANCE.read_text())


def _import_ms() -> float:
    """Return the milliseconds for importing the package, without the start of the interpreter."""
    import_seconds = _process_seconds([sys.executable, "-c", "import polyadic"])
    return 1000 * max(0.0, import_seconds - _process_seconds([sys.executable, "-c", "pass"]))


def _process_seconds(command: Sequence[str]) -> float:
    seconds = []
    for _ in range(TIMES):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def _indexing(workspace: Workspace, corpus: Path) -> list[tuple[str, str, str]]:
    """Measure one indexing run; the cost without embedding is measured with the hashing embedder."""
    started = time.perf_counter()
    first = workspace.index([corpus])
    seconds = time.perf_counter() - started
    workspace.close()
    with tempfile.TemporaryDirectory() as folder:
        cpu = _cpu_beside_embedding(Path(folder), corpus)
    status = workspace.status()
    workspace.close()
    size = workspace.status().bytes
    text = sum(len(workspace.show_document(d.source).document.text.encode()) for d in workspace.documents())
    ideal = text + 4 * status.counts.dimension * status.counts.vectors
    return [
        ("index HotpotQA-100 (994 documents): s, all", f"{seconds:.1f}", ""),
        ("of it embedding: s", f"{first.embedding_seconds:.1f}", ""),
        ("texts embedded a second", f"{first.texts_embedded / first.embedding_seconds:.0f}", ""),
        ("processor time beside the embedding model: s", f"{cpu:.1f}", "5"),
        ("store on disk / (text + 4 · 384 bytes a vector)", f"{size / ideal:.2f}", "3"),
    ]


def _cpu_beside_embedding(folder: Path, corpus: Path) -> float:
    """Return the processor seconds of a process that indexes with the hashing embedder."""
    code = (
        "import resource, sys; from polyadic.cli.main import run; run(['-w', sys.argv[1], 'index', sys.argv[2]]);"
        "used = resource.getrusage(resource.RUSAGE_SELF); print('cpu', used.ru_utime + used.ru_stime)"
    )
    environment = {**os.environ, "POLYADIC_EMBEDDING__MODEL": "hashing"}
    output = subprocess.run(
        [sys.executable, "-c", code, str(folder), str(corpus)],
        check=True,
        capture_output=True,
        text=True,
        env=environment,
    ).stdout
    return float(output.split("cpu ")[1])


def _query_process(workspace: Path) -> tuple[str, str, str]:
    question = "Are Christopher Nolan and Sathish Kalathil both film directors?"
    seconds = _process_seconds([sys.executable, "-m", "polyadic", "-w", str(workspace), "query", question])
    return "`polyadic query`, a fresh process: s", f"{seconds:.2f}", "1.5"


def _retrieval(workspace: Workspace) -> list[tuple[str, str, str]]:
    questions = load("hotpotqa-100").questions
    rows = []
    for method, bound in (("chunks", ""), ("hypergraph", "8"), ("walk", "8")):
        runs = [run for _ in range(2) for run in run_method(workspace, questions, method, 4000)][len(questions) :]
        own = sorted(1000 * run.seconds for run in runs)
        embedding = statistics.median(1000 * run.embedding_seconds for run in runs)
        spread = f"{statistics.median(own):.1f} / {own[int(0.95 * len(own))]:.1f}"
        rows.append((f"`{method}`, p50 / p95 a question beside embedding: ms", spread, bound))
        rows.append((f"`{method}`, embedding a question: ms", f"{embedding:.1f}", ""))
    return rows


if __name__ == "__main__":
    data_folder()
    main()
