"""Indexing run on a Ray cluster: tasks read files, workers index documents, and the reports are added up.

Ray Data streams documents from tasks to workers, restarts what dies and repeats its work. Because documents that are
indexed already cost nothing, repeated work has no effect.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import PurePosixPath
from typing import Any

from polyadic.config import ReadingSettings, Settings
from polyadic.errors import PolyadicError
from polyadic.extraction.factory import ExtractorName
from polyadic.indexing.document_batches import BATCH_DOCUMENTS
from polyadic.indexing.ray.coordinator import Coordinator
from polyadic.indexing.ray.embedder_pool import EmbeddingActor
from polyadic.indexing.ray.serialization import COLUMN, DONE, FOUND, BatchResult, RayDocument
from polyadic.indexing.ray.sources import ROWS, load_source
from polyadic.indexing.ray.worker import BATCHES_AT_ONCE, IndexingWorker, WorkerConfig
from polyadic.indexing.ray.worker_env import WorkerEnvironment
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.llm.budget import SpendingBudget
from polyadic.loaders.loader import SkippedInput
from polyadic.storage.protocol import Store

# Ray Data passes whole blocks to workers. With large blocks, the worker that starts first would get all documents of a
# small run, so a block contains no more files than a batch, and few rows of a table.
_FILES_PER_BLOCK = 32
_BLOCK_BYTES = 100_000
# With few documents, batches are small, so that workers finish at about the same time.
_BATCHES_PER_WORKER = 8 * BATCHES_AT_ONCE
# CPU share in Ray's accounting: these actors mostly wait, and must not block the tasks that read files.
_ACTOR_CPUS = 0
_MAX_CALLS = 10_000


@dataclass(frozen=True, slots=True)
class RayRun:
    """Indexing run on a Ray cluster, to be used within :func:`polyadic.indexing.ray.cluster.joined`.

    Parameters
    ----------
    address
        Address of the workspace.
    store
        Store of the workspace.
    settings
        Settings of the workspace.
    worker_env
        Environment variables and prompts for the workers.
    extractor
        Name of the extractor.
    reextract
        Reindex documents whose pipeline configuration has changed.
    budget
        Spending limit of all workers together; None: no limit.
    workers
        Number of workers; None: one per host.
    report_progress
        Called after every batch.
    """

    address: str
    store: Store
    settings: Settings
    worker_env: WorkerEnvironment
    extractor: ExtractorName
    reextract: bool = False
    budget: SpendingBudget | None = None
    workers: int | None = None
    report_progress: Callable[[IndexProgress], None] = lambda progress: None

    def index(self, files: Sequence[str], skipped: Iterable[SkippedInput] = ()) -> IndexReport:
        """Index files; add inputs that were skipped before to the report.

        Raises
        ------
        StoreBusy
            Another process has locked the store.
        PolyadicError
            A worker failed, or Ray gave up.
        """
        started = time.perf_counter()
        report = IndexReport(by_model=self.extractor == "model")
        report.skip(*skipped)
        with self.store.indexing_session() as claims:
            self._index(files, report)
            if not report.stopped:
                with self.store.write() as writer:
                    writer.drop_staged(claims)
        report.failed.sort(key=lambda chunk: (chunk.source, chunk.span))
        report.seconds = time.perf_counter() - started
        # Workers embed concurrently, so the sum may exceed the duration of the run.
        report.embedding_seconds = min(report.embedding_seconds, report.seconds)
        return report

    def _index(self, files: Sequence[str], report: IndexReport) -> None:
        from ray.exceptions import RayError

        errors: list[tuple[str, str]] = []
        try:
            for done in self._batch_results(files):
                _add(report, done.report)
                if done.error and done.error not in errors:
                    errors.append(done.error)
                self.report_progress(report.progress())
        except RayError as error:
            lines = [line for line in str(error).strip().splitlines() if line.strip()]
            raise PolyadicError(
                f"Ray failed ({lines[-1] if lines else error!r})", "see its logs; run the same command again to resume"
            ) from error
        if errors:
            raise PolyadicError(*errors[0])

    def _batch_results(self, files: Sequence[str]) -> Iterator[BatchResult]:
        """Yield the result of each batch as it completes."""
        import ray
        from ray.data import ActorPoolStrategy

        workers, job = self.workers or _hosts(), self._job()
        batch_size = _batch_size(files, workers)
        blocks = -(-len(files) // min(batch_size, _FILES_PER_BLOCK))
        data = ray.data.from_items([{"name": name} for name in files], override_num_blocks=blocks)
        data.context.target_max_block_size = _BLOCK_BYTES
        documents = data.flat_map(_read_rows, fn_kwargs={"settings": self.settings.reading})
        done = documents.map_batches(
            IndexingWorker,
            fn_constructor_args=(job,),
            batch_size=batch_size,
            compute=ActorPoolStrategy(
                min_size=1,
                max_size=workers,
                initial_size=workers,
                # No batch waits for a busy worker while another one is idle.
                max_tasks_in_flight_per_actor=BATCHES_AT_ONCE,
                max_concurrent_calls_per_actor=BATCHES_AT_ONCE,
            ),
            num_cpus=_ACTOR_CPUS,
        )
        for row in done.iter_rows():
            yield DONE.unpacked(row[COLUMN])

    def _job(self) -> WorkerConfig:
        coordinator = _local_actor(Coordinator).remote(self.settings.model.of_role("extraction"), self.budget)
        return WorkerConfig(
            self.address,
            self.settings,
            self.worker_env,
            self.extractor,
            self.reextract,
            self.budget,
            coordinator,
            self._pool(),
        )

    def _pool(self) -> list[Any]:
        """Start the embedding actors: one per GPU, or else one per host; a single one for an endpoint, so that its
        rate limits apply to all workers."""
        import ray

        embedding, graphics = self.settings.embedding, int(ray.cluster_resources().get("GPU", 0))
        if embedding.model == "endpoint":
            count, options = 1, {}
        elif embedding.model == "minilm" and graphics:
            count, options = graphics, {"num_gpus": 1}
        else:
            count, options = _hosts(), {}
        fault_tolerance = {"max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": "SPREAD"}
        actor = ray.remote(EmbeddingActor).options(num_cpus=_ACTOR_CPUS, **options, **fault_tolerance)
        return [actor.remote(embedding, self.worker_env) for _ in range(count)]


def _local_actor(kind: type) -> Any:
    """Declare an actor on this host, so that it lives as long as the run, with many concurrent calls."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(kind).options(num_cpus=_ACTOR_CPUS, max_concurrency=_MAX_CALLS, scheduling_strategy=here)


def _hosts() -> int:
    import ray

    return sum(node["Alive"] for node in ray.nodes())


def _read_rows(row: dict[str, Any], settings: ReadingSettings) -> Iterator[dict[str, bytes]]:
    """Read the documents of one file as rows."""
    for one in load_source(row["name"], settings):
        yield {COLUMN: FOUND.packed(RayDocument.of(one))}


def _batch_size(files: Collection[str], workers: int) -> int:
    """Choose the number of documents per batch.

    >>> _batch_size(["a.txt"] * 100, 4), _batch_size(["a.txt"] * 10_000, 4), _batch_size(["rows.jsonl"], 4)
    (1, 64, 64)
    """
    if any(PurePosixPath(name).suffix.lower() in ROWS for name in files):
        return BATCH_DOCUMENTS
    return min(BATCH_DOCUMENTS, -(-len(files) // (workers * _BATCHES_PER_WORKER)))


def _add(report: IndexReport, part: IndexReport) -> None:
    """Merge a partial report: add numbers and collections, keep the first non-empty string or flag."""
    for field in fields(IndexReport):
        ours, theirs = getattr(report, field.name), getattr(part, field.name)
        total = ours or theirs if isinstance(ours, str | bool) else ours + theirs
        setattr(report, field.name, total)
