"""An indexing run on a cluster: files are read by tasks, documents indexed by workers, and what was done is summed up.

Ray Data carries documents from the one to the other as they come, starts again what dies, and gives again what it was
at work on; as whatever is indexed already costs nothing, it is as if it had been done once.
"""

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import PurePosixPath
from typing import Any

from polyadic.config import ReadingSettings, Settings
from polyadic.errors import PolyadicError
from polyadic.extraction.factory import ExtractorName
from polyadic.indexing.batching import BATCH_CHARACTERS, BATCH_DOCUMENTS
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

_FILES_A_TASK = 32
# Where there are few documents, batches are so small that in the end no worker waits long for what others have begun.
_BATCHES_A_WORKER = 8 * BATCHES_AT_ONCE
# Of a processor, as Ray counts: actors here wait most of the time, and must never keep files from being read.
_NEXT_TO_NONE = 0
_ASKED_AT_ONCE = 10_000


@dataclass(frozen=True, slots=True)
class RayRun:
    """What a run works with; ``address`` is that of the workspace that ``store`` is open to.

    ``workers``: how many; None: one a host. ``extractor`` is what reads, and ``anew`` says that documents are read
    again that were read in another way. To be used within :func:`polyadic.indexing.ray.cluster.joined`.
    """

    address: str
    store: Store
    settings: Settings
    surroundings: WorkerEnvironment
    extractor: ExtractorName
    anew: bool = False
    budget: SpendingBudget | None = None
    workers: int | None = None
    report_progress: Callable[[IndexProgress], None] = lambda progress: None

    def index(self, files: Sequence[str], skipped: Iterable[SkippedInput] = ()) -> IndexReport:
        """Index files that were found, and enter into the report what was skipped before.

        Raises
        ------
        StoreBusy
            Another process keeps others out of the store.
        PolyadicError
            A worker could not go on, or Ray gave up.
        """
        started = time.perf_counter()
        report = IndexReport(by_model=self.extractor == "model")
        report.skip(*skipped)
        with self.store.joined() as claims:
            self._index(files, report)
            if not report.stopped:
                with self.store.write() as writer:
                    writer.drop_staged(claims)
        report.failed.sort(key=lambda chunk: (chunk.source, chunk.span))
        report.seconds = time.perf_counter() - started
        # Workers embed beside each other, and beside what else they do.
        report.embedding_seconds = min(report.embedding_seconds, report.seconds)
        return report

    def _index(self, files: Sequence[str], report: IndexReport) -> None:
        from ray.exceptions import RayError

        errors: list[tuple[str, str]] = []
        try:
            for done in self._each_done(files):
                _add(report, done.report)
                if done.error and done.error not in errors:
                    errors.append(done.error)
                self.report_progress(report.progress())
        except RayError as error:
            said = [line for line in str(error).strip().splitlines() if line.strip()]
            raise PolyadicError(
                f"Ray gave up ({said[-1] if said else error!r})", "see its logs; go on with the same command"
            ) from error
        if errors:
            raise PolyadicError(*errors[0])

    def _each_done(self, files: Sequence[str]) -> Iterator[BatchResult]:
        """What became of each batch, as they are done."""
        import ray
        from ray.data import ActorPoolStrategy

        workers, job = self.workers or _hosts(), self._job()
        data = ray.data.from_items(
            [{"name": name} for name in files], override_num_blocks=-(-len(files) // _FILES_A_TASK)
        )
        data.context.target_max_block_size = BATCH_CHARACTERS
        documents = data.flat_map(_packed, fn_kwargs={"settings": self.settings.reading})
        done = documents.map_batches(
            IndexingWorker,
            fn_constructor_args=(job,),
            batch_size=_batch_size(files, workers),
            compute=ActorPoolStrategy(
                min_size=1, max_size=workers, initial_size=workers, max_concurrent_calls_per_actor=BATCHES_AT_ONCE
            ),
            num_cpus=_NEXT_TO_NONE,
        )
        for row in done.iter_rows():
            yield DONE.unpacked(row[COLUMN])

    def _job(self) -> WorkerConfig:
        council = _here(Coordinator).remote(self.settings.model, self.budget)
        return WorkerConfig(
            self.address,
            self.settings,
            self.surroundings,
            self.extractor,
            self.anew,
            self.budget,
            council,
            self._pool(),
        )

    def _pool(self) -> list[Any]:
        """The actors that embed: one a graphics processor, else one a host; one in all for an endpoint, whose limits
        are then those of all workers."""
        import ray

        embedding, graphics = self.settings.embedding, int(ray.cluster_resources().get("GPU", 0))
        if embedding.model == "endpoint":
            count, options = 1, {}
        elif embedding.model == "minilm" and graphics:
            count, options = graphics, {"num_gpus": 1}
        else:
            count, options = _hosts(), {}
        kept = {"max_restarts": -1, "max_task_retries": -1, "scheduling_strategy": "SPREAD"}
        actor = ray.remote(EmbeddingActor).options(num_cpus=_NEXT_TO_NONE, **options, **kept)
        return [actor.remote(embedding, self.surroundings) for _ in range(count)]


def _here(kind: type) -> Any:
    """An actor on this host, so that it lives as long as the run does, and is asked much at once."""
    import ray
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    return ray.remote(kind).options(num_cpus=_NEXT_TO_NONE, max_concurrency=_ASKED_AT_ONCE, scheduling_strategy=here)


def _hosts() -> int:
    import ray

    return sum(node["Alive"] for node in ray.nodes())


def _packed(row: dict[str, Any], settings: ReadingSettings) -> Iterator[dict[str, bytes]]:
    """The documents of one file as rows."""
    for one in load_source(row["name"], settings):
        yield {COLUMN: FOUND.packed(RayDocument.of(one))}


def _batch_size(files: Collection[str], workers: int) -> int:
    """How many documents there are in a batch.

    >>> _batch_size(["a.txt"] * 100, 4), _batch_size(["a.txt"] * 10_000, 4), _batch_size(["rows.jsonl"], 4)
    (1, 64, 64)
    """
    if any(PurePosixPath(name).suffix.lower() in ROWS for name in files):
        return BATCH_DOCUMENTS
    return min(BATCH_DOCUMENTS, -(-len(files) // (workers * _BATCHES_A_WORKER)))


def _add(report: IndexReport, part: IndexReport) -> None:
    """Enter into a report what another did: numbers are summed up, of words the first stay."""
    for field in fields(IndexReport):
        ours, theirs = getattr(report, field.name), getattr(part, field.name)
        total = ours or theirs if isinstance(ours, str | bool) else ours + theirs
        setattr(report, field.name, total)
