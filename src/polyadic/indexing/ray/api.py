"""Public method of a workspace that indexes on a Ray cluster."""

from collections.abc import Callable, Sequence

from polyadic.errors import PolyadicError, SettingsError
from polyadic.extraction import factory
from polyadic.extraction.factory import ExtractorName
from polyadic.indexing.api import IndexingMixin
from polyadic.indexing.document_iterators import skipped_report
from polyadic.indexing.report import IndexProgress, IndexReport
from polyadic.indexing.workspace_roots import record_roots, roots_of
from polyadic.llm.budget import SpendingBudget, check_prices
from polyadic.loaders.loader import SkippedInput
from polyadic.storage.url import LocalFolder


class RayIndexingMixin(IndexingMixin):
    """Adding and deleting documents, and indexing on a Ray cluster."""

    _address: str

    def index_on_ray(
        self,
        names: Sequence[str],
        report_progress: Callable[[IndexProgress], None] = lambda progress: None,
        extractor: ExtractorName | None = None,
        budget: SpendingBudget | None = None,
        address: str | None = None,
        workers: int | None = None,
    ) -> IndexReport:
        """Index on a Ray cluster (docs/ray.md); the workspace must be in PostgreSQL.

        There is no asynchronous version: the calling thread waits for Ray.

        Parameters
        ----------
        names
            Files and folders that exist under the same path on every host, and URIs of object storage.
        report_progress, extractor
            As for :meth:`aindex`.
        budget
            As for :meth:`aindex`; the limit applies to all workers together.
        address
            Address of the cluster. None: the value of ``RAY_ADDRESS``, else a local cluster for this run.
        workers
            Number of workers; each makes up to ``at_once`` concurrent calls. None: one per host.

        Returns
        -------
        IndexReport
            As for :meth:`aindex`, summed over the workers.

        Raises
        ------
        PackageMissing
            The packages of the extra ``ray`` are not installed.
        PolyadicError
            The workspace is a folder, the cluster cannot be joined, or the run cannot continue.
        """
        from polyadic.indexing.ray.cluster import joined, need_ray
        from polyadic.indexing.ray.indexing_run import RayRun
        from polyadic.indexing.ray.sources import list_sources, local_paths
        from polyadic.indexing.ray.worker_env import WorkerEnvironment

        need_ray()
        by = self._check_shared(extractor, budget)
        sources = list(list_sources(names, self.settings.reading))
        skipped = [source for source in sources if isinstance(source, SkippedInput)]
        files = [source for source in sources if isinstance(source, str)]
        if not files:
            return skipped_report(skipped)
        store, worker_env = self.store(make=True), WorkerEnvironment.of(self.settings, self.folder)
        record_roots(store, roots_of(local_paths(names)))
        reextract = extractor is not None
        with joined(address):
            run = RayRun(
                self._address, store, self.settings, worker_env, by, reextract, budget, workers, report_progress
            )
            return run.index(files, skipped)

    def _check_shared(self, extractor: ExtractorName | None, budget: SpendingBudget | None) -> ExtractorName:
        """Check that workers on other hosts can index into this workspace, and return the name of their extractor."""
        if isinstance(self.home, LocalFolder):
            what = f"workers on many hosts cannot write to the folder {self.home}"
            raise PolyadicError(what, "use a workspace in PostgreSQL: -w postgresql://HOST/DATABASE#NAME")
        if self.settings.ocr.engine != "off" or self.settings.ocr.captions:
            what = "Ray workers neither run OCR nor describe pictures"
            raise SettingsError(what, 'set engine = "off" and captions = 0 under [ocr], or index without Ray')
        by = factory.wanted(extractor, self.settings)
        if by == "model":
            check_prices(budget, self.settings.model, "extraction")
            self._required_model("extraction").check()
        # Fail early: weights that are missing here may also be missing on the hosts that embed.
        _ = self.embedder
        return by
