"""Build the hierarchy of a store: draft it, then apply it in one transaction.

Replies of a language model are committed as they arrive, so a build that is stopped or killed does not change the
hierarchy, and the next build resumes from the cached replies.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyadic.config import HierarchyBuildSettings
from polyadic.embeddings.embedder import Embedder
from polyadic.hierarchy.build_context import BuildContext, BuildInterrupted
from polyadic.hierarchy.build_inputs import HierarchyInputs
from polyadic.hierarchy.build_report import BuildProgress, BuildReport
from polyadic.hierarchy.community_reports import CommunityReportBuilder
from polyadic.hierarchy.layering import LayerBuilder
from polyadic.hierarchy.summarizer import Summarizer
from polyadic.llm.batch_model import PendingRequest
from polyadic.model.aggregation import form
from polyadic.model.hierarchy import Cluster, Community, Hierarchy, Rearrangement, Summary
from polyadic.model.types import Usage
from polyadic.storage.protocol import LedgerCall, Store, Vectors

EMBEDDING_BATCH = 256


@dataclass(slots=True)
class EmbeddedSummaries:
    """Embed summaries and store their vectors, so that adding the summaries later does not embed them again."""

    store: Store
    embedder: Embedder
    report: BuildReport

    async def of(self, summaries: Sequence[Summary]) -> Vectors:
        """Return the vectors of summaries.

        Texts that are embedded together change each other's vectors a little, so they are embedded in the order of
        their texts: the clusters must not depend on the order of the summaries.
        """
        texts = sorted({form(summary.name, summary.description) for summary in summaries})
        vectors: dict[str, Vectors] = {}
        for start in range(0, len(texts), EMBEDDING_BATCH):
            batch = texts[start : start + EMBEDDING_BATCH]
            vectors |= zip(batch, await self.embed(batch), strict=True)
        rows = [vectors[form(summary.name, summary.description)] for summary in summaries]
        return np.array(rows, dtype=np.float32).reshape(-1, self.embedder.dimension)

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """Embed texts and store their vectors."""
        vectors = await self.embedder.embed(texts)
        self.report.texts_embedded += len(texts)
        with self.store.write() as writer:
            writer.put_vectors(texts, vectors)
        return vectors


@dataclass(frozen=True, slots=True)
class HierarchyBuilder:
    """Build the hierarchy of a store.

    Parameters
    ----------
    store, embedder, settings
        The store, embedder and hierarchy settings that the build uses.
    writing
        The summarizer that writes summaries and reports.
    at_once
        Maximum number of concurrent model calls.
    report_progress
        Called after every summary or report.
    spent
        Returns the usage of the model so far.
    note
        Called with requests that wait for a batch file.
    """

    store: Store
    embedder: Embedder
    writing: Summarizer
    settings: HierarchyBuildSettings
    at_once: int = 1
    report_progress: Callable[[BuildProgress], None] = lambda progress: None
    spent: Callable[[], Usage] = Usage
    note: Callable[[Sequence[PendingRequest]], None] = lambda requests: None

    async def build(self, rebuild: bool = False) -> BuildReport:
        """Update the hierarchy to the current facts; parts without changed sources are kept.

        Parameters
        ----------
        rebuild
            Cluster everything again and rewrite all summaries and reports.

        Raises
        ------
        StoreBusy
            Another process is writing to the store.
        """
        report = BuildReport(by=self.writing.by)
        started, embedded_before = time.perf_counter(), self.embedder.spent
        with self.store.exclusive_session():
            try:
                await self._build(report, rebuild)
            except BuildInterrupted:
                pass  # the report says why
            finally:
                # Also if the run ends with an error or Ctrl-C: the calls have been paid for.
                report.usage = self.spent()
                report.embedding_usage = self.embedder.spent - embedded_before
                self._enter_embedding()
        report.seconds = time.perf_counter() - started
        return report

    async def _build(self, report: BuildReport, rebuild: bool) -> None:
        vectors = EmbeddedSummaries(self.store, self.embedder, report)
        with self.store.read() as reader:
            ground, former = HierarchyInputs.of(reader), reader.records.hierarchy()
        hierarchy = await draft(
            BuildContext(
                ground,
                former,
                self.writing,
                vectors,
                self.settings,
                self.at_once,
                rebuild,
                report,
                self.report_progress,
                self.spent,
                self.note,
            )
        )
        if change := _rearrangement(former, hierarchy):
            await self._apply(change, vectors)

    async def _apply(self, change: Rearrangement, vectors: EmbeddedSummaries) -> None:
        """Embed missing texts, then apply the change in one transaction."""
        texts = [form(one.name, one.description) for cluster in change.clusters for one in cluster.summaries]
        with self.store.write() as writer:
            lacking = writer.texts_without_vectors(texts)
        for start in range(0, len(lacking), EMBEDDING_BATCH):
            await vectors.embed(lacking[start : start + EMBEDDING_BATCH])
        with self.store.write() as writer:
            writer.update_hierarchy(change)
            while missing := writer.attach():
                writer.put_vectors(missing, await self.embedder.embed(missing))

    def _enter_embedding(self) -> None:
        usage, seconds = self.embedder.take_usage()
        if usage.calls:
            self.store.record_calls([(LedgerCall("embed", self.embedder.name, usage, seconds), None)])


async def draft(work: BuildContext) -> Hierarchy:
    """Draft the new hierarchy and record counts in the report.

    Raises
    ------
    BuildInterrupted
        The draft could not be completed; the report gives the reason.
    """
    layers = await LayerBuilder(work).layers()
    work.report.rebuilt = layers.rebuilt
    communities = await CommunityReportBuilder(work, layers).communities()
    hierarchy = Hierarchy(
        tuple(sorted(layers.clusters, key=lambda one: (one.layer, one.id))),
        tuple(communities),
        tuple(layers.sparsities),
        layers.settled,
        layers.since,
    )
    _count(work, hierarchy)
    return hierarchy


def _rearrangement(former: Hierarchy, now: Hierarchy) -> Rearrangement | None:
    """Return the change from one hierarchy to another; None if they are equal.

    >>> one = Hierarchy((Cluster(0, ("a", "b"), ("a", "b")),), settled=2)
    >>> _rearrangement(one, one) is None, len(_rearrangement(one, Hierarchy()).removed)
    (True, 1)
    """
    if former == now:
        return None
    clusters, communities = _by_id(former.clusters), _by_id(former.communities)
    gone = [*_gone(clusters, now.clusters), *_gone(communities, now.communities)]
    return Rearrangement(
        [one for one in now.clusters if clusters.get(one.id) != one],
        [one for one in now.communities if communities.get(one.id) != one],
        gone,
        now.sparsities,
        now.settled,
        now.since,
    )


Node = Cluster | Community


def _by_id(nodes: Iterable[Node]) -> Mapping[str, Node]:
    return {one.id: one for one in nodes}


def _gone(former: Collection[str], now: Iterable[Node]) -> list[str]:
    current = {one.id for one in now}
    return sorted(one for one in former if one not in current)


def _count(work: BuildContext, now: Hierarchy) -> None:
    report, change = work.report, _rearrangement(work.former, now)
    report.entities = len(work.ground.entities)
    report.layers = len({one.layer for one in now.clusters})
    report.clusters, report.summaries = len(now.clusters), len(now.summaries)
    report.communities = len(now.communities)
    report.reports = sum(one.report is not None for one in now.communities)
    report.sparsities = now.sparsities
    report.changed = change is not None
    report.removed = len(change.removed) if change else 0
