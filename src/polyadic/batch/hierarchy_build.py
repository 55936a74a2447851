"""Build the hierarchy by batch files: one round per layer of summaries, and one for reports."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from polyadic.batch.stage import BatchStage
from polyadic.hierarchy.api import HierarchyApi
from polyadic.hierarchy.build_report import BuildReport
from polyadic.hierarchy.llm_summarizer import REPORT, SUMMARIZE
from polyadic.hierarchy.prompt_context import MemberContext
from polyadic.hierarchy.report_replies import findings_of, read_report
from polyadic.hierarchy.summary_replies import read_summaries, says_none
from polyadic.llm.batch_model import PendingRequest
from polyadic.llm.language_model import ModelReply
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.model.identity import digest

# More numbers than any request uses: replies are checked without the request that they answer.
_MEMBERS = [MemberContext(str(number), "") for number in range(1, 1001)]
_FACTS = [str(number) for number in range(1, 10_001)]


@dataclass(slots=True)
class BatchHierarchyBuild(BatchStage):
    """Hierarchy build; ``hierarchies`` builds the hierarchy. A workspace has one."""

    key = digest("hierarchy")

    hierarchies: HierarchyApi

    async def build(self) -> BuildReport:
        """Build the hierarchy, or store the requests that it waits for."""
        purposes: dict[str, str] = {}

        def note(requests: Sequence[PendingRequest]) -> None:
            purposes.update((request.key, request.purpose) for request in requests)
            self.note_all(requests)

        report = await self.hierarchies.by_model(self.store, self.model, note=note)
        self.save(purposes if report.pending else {})
        return report


def _has_summaries(reply: ModelReply) -> bool:
    return bool(read_summaries(reply.text, _MEMBERS, ())[0]) or says_none(reply.text)


def _has_findings(reply: ModelReply) -> bool:
    draft = read_report(reply.text, Problems())
    return draft is not None and bool(findings_of(draft, _FACTS, Problems()))


USABLE: Mapping[str, Callable[[ModelReply], bool]] = {SUMMARIZE: _has_summaries, REPORT: _has_findings}
"""Whether a reply is worth caching, by purpose."""
