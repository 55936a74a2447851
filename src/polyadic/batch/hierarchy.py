"""The hierarchy, asked for by file: a round a layer of summaries, and one for reports."""

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
"""Under which the store keeps what the hierarchy waits for: there is one in a workspace."""

# More than a request numbers: whether a reply can be read is known before it is known what was shown.
_MEMBERS = [MemberContext(str(number), "") for number in range(1, 1001)]
_FACTS = [str(number) for number in range(1, 10_001)]


@dataclass(slots=True)
class BatchHierarchyBuild:
    """Builds the hierarchy as far as replies are known: what is remembered is made again each time, and asks nothing.

    Parameters
    ----------
    store
        Where what is awaited is kept.
    hierarchies
        What builds.
    model
        Is asked by file.
    errors
        Says by request why its response was of no use.
    note
        Told of each request whose reply is missing.
    failed
        Becomes the reasons for which responses were of no use to what is missing, counted.
    """

    store: Store
    hierarchies: HierarchyApi
    model: BatchModel
    errors: Mapping[str, str]
    note: Callable[[PendingRequest], None]
    failed: Counter[str] = field(default_factory=Counter)

    def is_awaited(self) -> bool:
        """Whether it has been asked for, and has not been built since."""
        with self.store.write() as writer:
            return bool(writer.waiting.keys(ASKER))

    async def build(self) -> BuildReport:
        """Build it, or keep what it waits for."""
        wanted: dict[str, str] = {}

        def note(requests: Sequence[PendingRequest]) -> None:
            for request in requests:
                wanted[request.key] = request.purpose
                self.note(request)
                if request.key in self.errors:
                    self.failed[self.errors[request.key]] += 1

        report = await self.hierarchies.by_model(self.store, self.model, note=note)
        with self.store.write() as writer:
            if report.awaited:
                writer.waiting.put(ASKER, wanted)
            else:
                writer.waiting.release(ASKER)
        return report


def _has_summaries(reply: ModelReply) -> bool:
    return bool(read_summaries(reply.text, _MEMBERS, ())[0])


def _has_findings(reply: ModelReply) -> bool:
    draft = read_report(reply.text, Problems())
    return draft is not None and bool(findings_of(draft, _FACTS, Problems()))


USABLE: Mapping[str, Callable[[ModelReply], bool]] = {SUMMARISE: _has_summaries, REPORT: _has_findings}
"""Whether a reply is worth remembering, by what it is for."""
