"""Build the hierarchy by batch files: one round per layer of summaries, and one for reports."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.hierarchy.api import HierarchyApi
from polyadic.hierarchy.build_report import BuildReport
from polyadic.hierarchy.llm_summarizer import REPORT, SUMMARISE
from polyadic.hierarchy.prompt_context import MemberContext
from polyadic.hierarchy.report_replies import findings_of, read_report
from polyadic.hierarchy.summary_replies import read_summaries
from polyadic.llm.batch_model import BatchModel, PendingRequest
from polyadic.llm.language_model import ModelReply
from polyadic.llm.replies.model import Problems
from polyadic.model.identity import digest
from polyadic.storage.protocol import Store

ASKER = digest("hierarchy")
"""Key of the hierarchy's pending requests in the store; a workspace has one hierarchy."""

# More numbers than any request uses: replies are checked without the request that they answer.
_MEMBERS = [MemberContext(str(number), "") for number in range(1, 1001)]
_FACTS = [str(number) for number in range(1, 10_001)]


@dataclass(slots=True)
class BatchHierarchyBuild:
    """Hierarchy build that proceeds as far as replies are known; each round repeats earlier steps from cached replies.

    Parameters
    ----------
    store
        Store of the pending requests.
    hierarchies
        Builder of the hierarchy.
    model
        Batch model.
    errors
        Why the response to a request was unusable, by request key.
    note
        Called with each request whose reply is missing.
    failed
        Filled with the reasons why responses to missing requests were unusable, counted.
    """

    store: Store
    hierarchies: HierarchyApi
    model: BatchModel
    errors: Mapping[str, str]
    note: Callable[[PendingRequest], None]
    failed: Counter[str] = field(default_factory=Counter)

    def is_pending(self) -> bool:
        """Whether requests for the hierarchy are pending."""
        with self.store.write() as writer:
            return bool(writer.waiting.keys(ASKER))

    async def build(self) -> BuildReport:
        """Build the hierarchy, or store the requests that it waits for."""
        purposes: dict[str, str] = {}

        def note(requests: Sequence[PendingRequest]) -> None:
            for request in requests:
                purposes[request.key] = request.purpose
                self.note(request)
                if request.key in self.errors:
                    self.failed[self.errors[request.key]] += 1

        report = await self.hierarchies.by_model(self.store, self.model, note=note)
        with self.store.write() as writer:
            if report.pending:
                writer.waiting.put(ASKER, purposes)
            else:
                writer.waiting.release(ASKER)
        return report


def _has_summaries(reply: ModelReply) -> bool:
    return bool(read_summaries(reply.text, _MEMBERS, ())[0])


def _has_findings(reply: ModelReply) -> bool:
    draft = read_report(reply.text, Problems())
    return draft is not None and bool(findings_of(draft, _FACTS, Problems()))


USABLE: Mapping[str, Callable[[ModelReply], bool]] = {SUMMARISE: _has_summaries, REPORT: _has_findings}
"""Whether a reply is worth caching, by purpose."""
