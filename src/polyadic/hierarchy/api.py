"""API of the hierarchy: build it, estimate the cost, show its outline, measure it; ``Workspace.hierarchy``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.config import Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.hierarchy.build_context import BuildContext
from polyadic.hierarchy.build_inputs import HierarchyInputs
from polyadic.hierarchy.build_report import BuildProgress, BuildReport
from polyadic.hierarchy.builder import HierarchyBuilder, draft
from polyadic.hierarchy.estimate import AveragedSummaries, BuildEstimate, CountingSummarizer, HierarchyDraft
from polyadic.hierarchy.extractive_summarizer import ExtractiveSummarizer
from polyadic.hierarchy.llm_summarizer import PROMPTS, LLMSummarizer
from polyadic.hierarchy.measures import HierarchyMeasures, measures_of
from polyadic.hierarchy.outline import DEPTH, HierarchyOutline, outline_of
from polyadic.llm.batch_model import PendingRequest
from polyadic.llm.budget import SpendingBudget, check_prices
from polyadic.llm.cached_model import CachedModel, StoreResponseCache
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.identity import digest
from polyadic.optional_dependencies import need_hierarchy
from polyadic.storage.protocol import Store

By = Literal["model", "extractive"]


def wanted(by: By | None, settings: Settings) -> By:
    """Return the requested summarizer or the configured one; ``auto`` means the language model if one is configured.

    >>> wanted(None, Settings())
    'extractive'
    """
    if by:
        return by
    if settings.hierarchy_build.by == "auto":
        return "model" if settings.model.of_role("summaries").name else "extractive"
    return settings.hierarchy_build.by


@dataclass(frozen=True, slots=True)
class HierarchyApi:
    """Build and show the hierarchy of a workspace: layers of summaries, and communities with reports.

    Parameters
    ----------
    settings
        Settings of the workspace.
    store, embedder, model
        Factories, called on first use; ``model`` raises if no model is configured.
    prompts
        Prompts for the language model.
    """

    settings: Settings
    store: Callable[[], Store]
    embedder: Callable[[], Embedder]
    model: Callable[[], LanguageModel]
    prompts: PromptLibrary

    async def abuild(
        self,
        report_progress: Callable[[BuildProgress], None] = lambda progress: None,
        by: By | None = None,
        rebuild: bool = False,
        budget: SpendingBudget | None = None,
    ) -> BuildReport:
        """Update the hierarchy to the current facts; parts without changed sources are kept.

        If the model becomes unavailable or the budget is exhausted, the hierarchy does not change and the report gives
        the reason. Replies are cached, so the next run resumes without paying twice.

        Parameters
        ----------
        report_progress
            Called after every summary and every report.
        by
            ``model`` or ``extractive`` (names and facts, no language model); by default as configured. An extractive
            run keeps texts that a model wrote as long as their sources are unchanged.
        rebuild
            Cluster everything again and rewrite all summaries and reports.
        budget
            Spending limit for the language model.

        Returns
        -------
        BuildReport
            What the run did.

        Raises
        ------
        NotFound
            There is no workspace.
        SettingsError
            No model is configured; or the budget is in money and no prices are configured.
        ModelUnavailable
            The API key of the language model is missing. Later failures of the model are in the report.
        StoreBusy
            Another process is writing to this workspace.
        PackageMissing
            The packages of the extra ``hierarchy``, or of ``umap`` if it is to reduce vectors, are not installed.
        """
        need_hierarchy(self.settings.hierarchy_build.reduction)
        store = self.store()
        if wanted(by, self.settings) == "extractive":
            writing = ExtractiveSummarizer()
            return await HierarchyBuilder(
                store, self.embedder(), writing, self.settings.hierarchy_build, report_progress=report_progress
            ).build(rebuild)
        check_prices(budget, self.settings.model, "summaries")
        model = self.model()
        model.check()
        slowed_before = model.throttle_count
        report = await self.by_model(store, model, report_progress, budget, rebuild)
        report.throttle_count = model.throttle_count - slowed_before
        return report

    async def by_model(
        self,
        store: Store,
        model: LanguageModel,
        report_progress: Callable[[BuildProgress], None] = lambda progress: None,
        budget: SpendingBudget | None = None,
        rebuild: bool = False,
        note: Callable[[Sequence[PendingRequest]], None] = lambda requests: None,
    ) -> BuildReport:
        """Build as :meth:`abuild` with this model; ``note`` receives the requests of a batch-file model."""
        need_hierarchy(self.settings.hierarchy_build.reduction)
        asked = CachedModel(model, StoreResponseCache(store), budget)
        builder = HierarchyBuilder(
            store,
            self.embedder(),
            LLMSummarizer(asked, self.prompts, self.settings.hierarchy_build),
            self.settings.hierarchy_build,
            self.settings.model.of_role("summaries").at_once,
            report_progress,
            lambda: asked.spent,
            note,
        )
        report = await builder.build(rebuild)
        report.cache_hits = asked.cache_hits
        return report

    async def aestimate(self, by: By | None = None, rebuild: bool = False) -> BuildEstimate:
        """Estimate the cost of building, without spending anything; parameters and errors as for :meth:`abuild`."""
        need_hierarchy(self.settings.hierarchy_build.reduction)
        if wanted(by, self.settings) == "extractive":
            return (await self._draft_estimate(ExtractiveSummarizer(), rebuild))[0]
        model, store = self.model(), self.store()

        def is_cached(key: str) -> bool:
            with store.read() as reader:
                return reader.records.reply(key) is not None

        build_settings, model_settings = self.settings.hierarchy_build, self.settings.model.of_role("summaries")
        asked = LLMSummarizer(CachedModel(model, StoreResponseCache(store)), self.prompts, build_settings)
        counting = CountingSummarizer(asked, model, is_cached)
        found, drafted = await self._draft_estimate(counting, rebuild)
        with store.read() as reader:
            found.usage, found.basis = counting.cost(reader.records.spent(), model_settings)
        found.cached, found.max_usage = counting.cached, counting.max_usage(drafted, build_settings, model_settings)
        return found

    def writer_fingerprint(self) -> str:
        """Return what the texts of a build depend on besides its settings: the model and the texts of its prompts."""
        if wanted(None, self.settings) == "extractive":
            return "extractive"
        prompts = (self.prompts.get(name).fingerprint for name in PROMPTS)
        return digest("writer", self.settings.model.of_role("summaries").name, *prompts)

    def outline(self, depth: int = DEPTH) -> HierarchyOutline:
        """Return the current hierarchy as a tree of ``depth`` levels; raises NotFound if there is no workspace."""
        with self.store().read() as reader:
            return outline_of(reader, depth)

    def measure(self) -> HierarchyMeasures:
        """Measure sparsity and clustering; raises NotFound if there is no hierarchy, PackageMissing without SciPy."""
        need_hierarchy()
        with self.store().read() as reader:
            return measures_of(reader)

    # synchronous variants

    build = async_to_sync(abuild)
    estimate = async_to_sync(aestimate)

    async def _draft_estimate(
        self, writing: ExtractiveSummarizer | CountingSummarizer, rebuild: bool
    ) -> tuple[BuildEstimate, HierarchyDraft]:
        report = BuildReport(by=writing.by)
        with self.store().read() as reader:
            ground, former = HierarchyInputs.of(reader), reader.records.hierarchy()
        vectors, settings = AveragedSummaries(ground, former.summaries), self.settings.hierarchy_build
        drafted = await draft(BuildContext(ground, former, writing, vectors, settings, 1, rebuild, report))
        found = BuildEstimate(writing.by, report.rebuilt, report.clusters_built, report.reports_written)
        return found, HierarchyDraft(ground, former, drafted, report.rebuilt)
