"""Estimate the cost of building a hierarchy before anything is spent: what is expected, and an upper bound.

The hierarchy is drafted with extractive texts in place of a model's replies. So the requests about entities are exact.
The number of requests about summaries depends on the replies, and is about right if the model gives one summary per
cluster; the bound (see cost_bound.py) holds for any replies. No endpoint is called, and nothing is embedded.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from polyadic.config import HierarchyBuildSettings, ModelSettings
from polyadic.errors import NoReply
from polyadic.hierarchy.build_inputs import HierarchyInputs
from polyadic.hierarchy.cost_bound import most_clusters_above, most_reports
from polyadic.hierarchy.extractive_summarizer import reported, summarized
from polyadic.hierarchy.llm_summarizer import REPORT, SUMMARIZE, LLMSummarizer
from polyadic.hierarchy.prompt_context import FactContext, MemberContext
from polyadic.hierarchy.summarizer import ClusterSummaries, CommunityDescription
from polyadic.llm.endpoint_model import TOKENIZER_MARGIN, price, prompt_tokens
from polyadic.llm.language_model import LanguageModel, ModelRequest
from polyadic.model.hierarchy import Cluster, Hierarchy, Summary
from polyadic.model.types import Usage
from polyadic.storage.protocol import UsageTotals, Vectors

# Reply tokens assumed before the first paid call: two summaries of two sentences each, a report of six findings.
_REPLY_TOKENS = {SUMMARIZE: 220, REPORT: 450}
_REPORTS = 0
"""Stands for the reports among the layers of summaries, which are numbered from 1."""


@dataclass(slots=True)
class BuildEstimate:
    """Estimated cost of a hierarchy build.

    Parameters
    ----------
    by
        Name of the language model, or "extractive".
    rebuilt
        Whether everything would be clustered again.
    summaries, reports
        Number of clusters to summarize and of communities to report on.
    cached
        Number of those whose reply is cached.
    usage
        Expected usage of the model.
    max_usage
        Upper bound, whatever the model replies: the most requests that a build may send, each as long as possible,
        and replies of the maximum length.
    basis
        How the length of replies was estimated; empty if the model would not be called.
    """

    by: str = ""
    rebuilt: bool = False
    summaries: int = 0
    reports: int = 0
    cached: int = 0
    usage: Usage = field(default_factory=Usage)
    max_usage: Usage = field(default_factory=Usage)
    basis: str = ""


@dataclass(frozen=True, slots=True)
class HierarchyDraft:
    """A hierarchy with extractive texts in place of unknown replies, and what it was drafted from."""

    ground: HierarchyInputs
    former: Hierarchy
    drafted: Hierarchy
    rebuilt: bool

    @property
    def clusters(self) -> tuple[Cluster, ...]:
        """The former and the drafted clusters."""
        return self.former.clusters + self.drafted.clusters


class CountingSummarizer:
    """Summarizer that counts the requests to a model and returns extractive texts in place of its replies.

    Parameters
    ----------
    writing
        Builds the requests and reads cached replies.
    model
        Gives the maximum cost of a request.
    is_cached
        Whether the reply to a request is cached, by its key.
    """

    def __init__(self, writing: LLMSummarizer, model: LanguageModel, is_cached: Callable[[str], bool]) -> None:
        self.by = writing.by
        self.asked: set[str] = set()
        self.cached = 0
        self.calls: Counter[str] = Counter()
        self.sent: Counter[str] = Counter()
        self._most: defaultdict[int, Usage] = defaultdict(Usage)
        self._writing = writing
        self._model = model
        self._is_cached = is_cached

    async def summarize(self, layer: int, members: Sequence[MemberContext]) -> ClusterSummaries:
        if self._is_known(self._writing.summary_request(members), layer):
            return await self._writing.summarize(layer, members)
        return summarized(layer, members)

    async def report(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> CommunityDescription:
        request = self._writing.report_request(members, facts)
        if request is not None and self._is_known(request, _REPORTS):
            return await self._writing.report(members, facts)
        return reported(members, facts)

    def _is_known(self, request: ModelRequest, layer: int) -> bool:
        """Whether the reply is cached; otherwise count the call for its layer."""
        key = request.key(self._model.name)
        if self._is_cached(key):
            self.cached += 1
            return True
        if key not in self.asked:
            self.asked.add(key)
            try:
                most = self._model.max_usage(request)
            except NoReply:
                return False  # exceeds the context, so it would not be sent
            self._most[layer] += most
            self.calls[request.purpose] += 1
            self.sent[request.purpose] += prompt_tokens(request)
        return False

    def cost(self, spent: UsageTotals, settings: ModelSettings) -> tuple[Usage, str]:
        """Return the expected usage of the calls, and how the length of replies was estimated."""
        usage, basis = Usage(), []
        for purpose, calls in sorted(self.calls.items()):
            before, _ = spent.get((purpose, self.by), (Usage(), 0.0))
            known = before.calls > 0
            each = before.completion_tokens / before.calls if known else _REPLY_TOKENS[purpose]
            received = round(calls * each)
            sent = self.sent[purpose]
            usage += Usage(calls, sent, received, price(sent, received, settings))
            where = f"as in {before.calls:,} calls before" if known else "a rule of thumb"
            basis.append(f"{each:.0f} tokens per reply to {purpose}, {where}")
        return usage, "; ".join(basis)

    def max_usage(self, draft: HierarchyDraft, settings: HierarchyBuildSettings, model: ModelSettings) -> Usage:
        """Return the maximum usage of a build, whatever the model replies.

        Parameters
        ----------
        draft
            The hierarchy that was drafted with this summarizer.
        settings, model
            Settings of the build and of the model.
        """
        first = min((layer for layer in self._most if layer != _REPORTS), default=_REPORTS)
        if first == _REPORTS:
            # All summaries are known, so the requests for reports are exact.
            return self._most[_REPORTS]
        former = None if draft.rebuilt else draft.former
        # The summaries of layer n are those of the clusters of layer n - 1.
        summaries = most_clusters_above(first - 1, draft.drafted, former, settings)
        facts = draft.ground.facts
        reports = most_reports(len(facts), settings.report_facts)
        members = max([settings.cluster_members, *(len(one.members) for one in draft.clusters)]) + 1
        return (
            self._most[first]
            + self._most_of(summaries, self._writing.most_summary_tokens(members), model)
            + self._most_of(reports, self._writing.most_report_tokens(max(fact.tokens for fact in facts)), model)
        )

    def _most_of(self, calls: int, prompt: int, model: ModelSettings) -> Usage:
        """Maximum usage of so many calls; tokens have a margin, because tokenizers differ."""
        sent, received = calls * math.ceil(prompt * TOKENIZER_MARGIN), calls * self._model.output_tokens
        return Usage(calls, sent, received, price(sent, received, model))


class AveragedSummaries:
    """Summary vectors without an embedder: the normalized mean of the entities below a summary."""

    def __init__(self, ground: HierarchyInputs, former: Sequence[Summary]) -> None:
        self._ground = ground
        self._known = {summary.id: summary for summary in former}

    async def of(self, summaries: Sequence[Summary]) -> Vectors:
        self._known |= {summary.id: summary for summary in summaries}
        if not summaries:
            return np.zeros((0, self._ground.directions.shape[1]), dtype=np.float32)
        return np.stack([self._mean(summary) for summary in summaries])

    def _mean(self, summary: Summary) -> Vectors:
        below = self._ground.below(summary.id, self._known)
        total = self._ground.directions[below].sum(axis=0)
        return np.asarray(total / max(float(np.linalg.norm(total)), 1e-12), dtype=np.float32)
