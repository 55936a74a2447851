"""The hierarchy of a workspace: building it, what that would cost, and what it looks like; ``Workspace.hierarchy``."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from polyadic.concurrency.sync import run_sync
from polyadic.config import Settings
from polyadic.embeddings.embedder import Embedder
from polyadic.hierarchy.build_context import BuildContext
from polyadic.hierarchy.build_report import BuildProgress, BuildReport
from polyadic.hierarchy.builder import HierarchyBuilder
from polyadic.hierarchy.draft import draft
from polyadic.hierarchy.estimate import AveragedSummaries, BuildEstimate, CountingSummarizer
from polyadic.hierarchy.extractive_summarizer import ExtractiveSummarizer
from polyadic.hierarchy.inputs import HierarchyInputs
from polyadic.hierarchy.llm_summarizer import LLMSummarizer
from polyadic.hierarchy.outline import DEPTH, HierarchyOutline, outline_of
from polyadic.llm.batch_model import PendingRequest
from polyadic.llm.budget import SpendingBudget, check_prices
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.language_model import LanguageModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.llm.store_cache import StoreResponseCache
from polyadic.optional_dependencies import need_hierarchy
from polyadic.storage.protocol import Store

By = Literal["model", "extractive"]


def wanted(by: By | None, settings: Settings) -> By:
    """What is asked for, or else the settings' choice: a language model if one is named.

    >>> wanted(None, Settings())
    'extractive'
    """
    if by:
        return by
    if settings.themes.by == "auto":
        return "model" if settings.model.name else "extractive"
    return settings.themes.by


@dataclass(frozen=True, slots=True)
class HierarchyApi:
    """Themes over the facts of a workspace: layers of summaries, and communities with reports.

    Parameters
    ----------
    settings
        Those of the workspace.
    store, embedder, model
        Give what they are named after when it is needed; ``model`` raises where there is none.
    prompts
        What a model is asked with.
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
        anew: bool = False,
        budget: SpendingBudget | None = None,
    ) -> BuildReport:
        """Bring the hierarchy into line with what the workspace holds: what rests on nothing new stays as it is.

        Where the model or the budget gives out, nothing changes, and the report says why; what was replied is kept, so
        that the next run goes on from there and pays for nothing twice.

        Parameters
        ----------
        report_progress
            Called after every summary and every report.
        by
            ``model`` or ``extractive`` (names and facts, no language model); as the settings say if left out. What a
            model wrote is kept where no model is asked, as long as it holds.
        anew
            Cluster everything anew, and have everything written again.
        budget
            The most that may be spent on the language model.

        Raises
        ------
        NotFound
            There is no workspace.
        SettingsError
            A model is to be asked, and none is named; or the budget is in money, and there are no prices.
        ModelUnavailable
            The language model's key is not there. What goes wrong with it later stands in the report.
        StoreBusy
            Another process is writing to this workspace.
        PackageMissing
            The packages of the extra ``hierarchy`` are not installed.
        """
        need_hierarchy()
        store = self.store()
        if wanted(by, self.settings) == "extractive":
            writing = ExtractiveSummarizer()
            return await HierarchyBuilder(
                store, self.embedder(), writing, self.settings.themes, report_progress=report_progress
            ).build(anew)
        check_prices(budget, self.settings.model)
        model = self.model()
        model.check()
        slowed_before = model.slowed
        report = await self.by_model(store, model, report_progress, budget, anew)
        report.slowed = model.slowed - slowed_before
        return report

    async def by_model(
        self,
        store: Store,
        model: LanguageModel,
        report_progress: Callable[[BuildProgress], None] = lambda progress: None,
        budget: SpendingBudget | None = None,
        anew: bool = False,
        note: Callable[[Sequence[PendingRequest]], None] = lambda requests: None,
    ) -> BuildReport:
        """As :meth:`abuild`, with this model, which may be one that is asked by file: ``note`` is told what it is."""
        asked = CachedModel(model, StoreResponseCache(store), budget)
        builder = HierarchyBuilder(
            store,
            self.embedder(),
            LLMSummarizer(asked, self.prompts, self.settings.themes),
            self.settings.themes,
            self.settings.model.at_once,
            report_progress,
            lambda: asked.spent,
            note,
        )
        report = await builder.build(anew)
        report.recalled = asked.recalled
        return report

    async def aestimate(self, by: By | None = None, anew: bool = False) -> BuildEstimate:
        """What building would cost, before anything is spent; parameters and errors as for :meth:`abuild`."""
        need_hierarchy()
        if wanted(by, self.settings) == "extractive":
            return await self._drafted(ExtractiveSummarizer(), anew)
        model, store = self.model(), self.store()

        def is_remembered(key: str) -> bool:
            with store.read() as reader:
                return reader.reply(key) is not None

        asked = LLMSummarizer(CachedModel(model, StoreResponseCache(store)), self.prompts, self.settings.themes)
        counting = CountingSummarizer(asked, model, is_remembered)
        found = await self._drafted(counting, anew)
        with store.read() as reader:
            found.usage, found.basis = counting.cost(reader.spent(), self.settings.model)
        found.remembered, found.most = counting.remembered, counting.most
        return found

    def outline(self, depth: int = DEPTH) -> HierarchyOutline:
        """The hierarchy as it stands, as a tree of so many levels; raises NotFound where there is no workspace."""
        with self.store().read() as reader:
            return outline_of(reader, depth)

    # plain twins

    build = run_sync(abuild)
    estimate = run_sync(aestimate)

    async def _drafted(self, writing: ExtractiveSummarizer | CountingSummarizer, anew: bool) -> BuildEstimate:
        report = BuildReport(by=writing.by)
        with self.store().read() as reader:
            ground, former = HierarchyInputs.of(reader), reader.hierarchy()
        vectors = AveragedSummaries(ground, former.summaries)
        await draft(BuildContext(ground, former, writing, vectors, self.settings.themes, 1, anew, report))
        return BuildEstimate(writing.by, report.anew, report.clusters_made, report.reports_made)
