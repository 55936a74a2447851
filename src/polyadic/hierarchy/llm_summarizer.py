"""Summaries and reports by a language model; where its reply is of no use, the extractive form stands in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyadic.config import HierarchyBuildSettings
from polyadic.errors import NoReply
from polyadic.hierarchy.extractive_summarizer import reported, summarised
from polyadic.hierarchy.prompt_context import (
    FactContext,
    MemberContext,
    NumberedLines,
    format_facts,
    format_member_list,
    format_members,
)
from polyadic.hierarchy.report_replies import findings_of, read_report
from polyadic.hierarchy.summarizer import OTHER_TYPE, ClusterSummaries, CommunityDescription
from polyadic.hierarchy.summary_replies import read_summaries
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.json_schema import INTEGER, NUMBER, TEXT, list_of, record
from polyadic.llm.language_model import ModelReply, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import Prompt, PromptLibrary
from polyadic.llm.replies.model import Problems
from polyadic.model.hierarchy import Cluster, Report, Summary
from polyadic.text.tokens import count_tokens

SUMMARISE, REPORT = "summarise", "report"
"""What requests are for, as ledgers and batch files say it."""
UNUSABLE_SUMMARIES = "no summary from the model, extractive instead"
UNUSABLE_REPORT = "no report from the model, extractive instead"
CUT_OFF = "reply cut off at output_tokens"

_SUMMARY = record(name=TEXT, type=TEXT, description=TEXT, members=list_of(INTEGER))
SUMMARIES_SCHEMA = ReplySchema("summaries", record(summaries=list_of(_SUMMARY)))
_FINDING = record(text=TEXT, facts=list_of(INTEGER))
REPORT_SCHEMA = ReplySchema("report", record(title=TEXT, summary=TEXT, rating=NUMBER, findings=list_of(_FINDING)))

# Of the model's context, this share at most is kept for the reply: summaries and reports are short.
_SHARE_OF_REPLY = 1 / 3
# Vocabularies differ: what is counted here may be more there (as llm/endpoint_model.py has it).
_MARGIN = 1.1
_AROUND_A_REQUEST = 20
# Of what a report is made from, members take this share at most on top of the facts, which name most of them anyway.
_SHARE_OF_MEMBERS = 1 / 4
_BEGINNING = 80


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request, what it shows as numbered, and whose words stand in it."""

    request: ModelRequest
    numbered: NumberedLines
    sources: tuple[str, ...]


class LLMSummarizer:
    """Implements Writing with a language model.

    Parameters
    ----------
    model
        With its memory and its budget.
    prompts
        Of which ``summarise_cluster`` and ``report_community`` are used.
    settings
        General types, and how many tokens of facts a report is made from.
    """

    def __init__(self, model: CachedModel, prompts: PromptLibrary, settings: HierarchyBuildSettings) -> None:
        self.by = model.model.name
        self._model = model
        self._settings = settings
        self._summarise, self._report = prompts.get("summarise_cluster"), prompts.get("report_community")
        self._types = (
            f"one of {', '.join(settings.types)}, or {OTHER_TYPE} if it is none of these"
            if settings.types
            else "its kind, in a word or two"
        )

    def summary_request(self, members: Sequence[MemberContext]) -> ModelRequest:
        """What is asked for the summaries of a cluster: the same members in the same order, the same words."""
        return self._asked_to_summarise(members).request

    def report_request(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> ModelRequest | None:
        """What is asked for a report; None where there are no facts, and nothing is asked."""
        return self._asked_to_report(members, facts).request if facts else None

    async def summarise(self, layer: int, members: Sequence[MemberContext]) -> ClusterSummaries:
        """As Writing has it; of fewer than two members nothing is asked."""
        if len(members) < 2:
            return summarised(layer, members)
        asked, types = self._asked_to_summarise(members), self._settings.types
        try:
            reply = await self._model.ask(
                asked.request, lambda reply: bool(read_summaries(reply.text, members, types)[0])
            )
        except NoReply as problem:
            return _without_a_model(layer, members, str(problem))
        drafts, problems = read_summaries(reply.text, members, types)
        problems[CUT_OFF] += not reply.complete
        if not drafts:
            return _without_a_model(layer, members, self._useless("summaries", reply), problems)
        ids = [member.id for member in members]
        cluster = Cluster(layer - 1, tuple(sorted(ids)), ()).id
        summaries = tuple(
            Summary(cluster, layer, one.name, one.type, one.description, _of(ids, one.members), self.by)
            for one in drafts
        )
        return ClusterSummaries(summaries, asked.sources, _lost(problems))

    async def report(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> CommunityDescription:
        """As Writing has it; without facts nothing is asked."""
        if not facts:
            return reported(members, facts)
        asked = self._asked_to_report(members, facts)
        try:
            reply = await self._model.ask(
                asked.request, lambda reply: self._read(reply, asked.numbered.ids)[0] is not None
            )
        except NoReply as problem:
            return _report_without_a_model(members, facts, str(problem))
        report, problems = self._read(reply, asked.numbered.ids)
        if report is None:
            return _report_without_a_model(members, facts, self._useless("report with findings", reply), problems)
        return CommunityDescription(report, asked.sources, _lost(problems))

    def _read(self, reply: ModelReply, facts: Sequence[str]) -> tuple[Report | None, Problems]:
        """The report in a reply, as far as it rests on these facts, and what was mended or left out."""
        problems = Problems()
        problems[CUT_OFF] += not reply.complete
        draft = read_report(reply.text, problems)
        if draft is None:
            return None, problems
        findings = findings_of(draft, facts, problems)
        if not findings or not (draft.title or draft.summary):
            problems["report without title and summary"] += bool(findings)
            return None, problems
        problems["report without a title"] += not draft.title
        title, summary = (draft.title, draft.summary) if draft.title else (draft.summary, "")
        return Report(title, summary, draft.rating, findings, self.by), problems

    def _asked_to_summarise(self, members: Sequence[MemberContext]) -> _Asked:
        room = self._room(self._summarise, members="", types=self._types)
        shown = format_members(members, room)
        messages = self._summarise.messages(members=shown.text, types=self._types)
        return _Asked(ModelRequest(SUMMARISE, messages, SUMMARIES_SCHEMA), shown, tuple(sorted(shown.sources)))

    def _asked_to_report(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> _Asked:
        room = min(
            self._room(self._report, members="", facts=""), self._settings.report_tokens * (1 + _SHARE_OF_MEMBERS)
        )
        listed = format_member_list(members, int(room * _SHARE_OF_MEMBERS / (1 + _SHARE_OF_MEMBERS)))
        shown = format_facts(facts, int(room / (1 + _SHARE_OF_MEMBERS)))
        messages = self._report.messages(members=listed.text, facts=shown.text)
        sources = tuple(sorted(listed.sources | shown.sources))
        return _Asked(ModelRequest(REPORT, messages, REPORT_SCHEMA), shown, sources)

    def _room(self, prompt: Prompt, **values: str) -> int:
        """How many tokens may be filled into a prompt, so that there is room for the reply as well."""
        model = self._model.model
        reply = min(model.output_tokens, model.context_tokens * _SHARE_OF_REPLY)
        around = sum(count_tokens([message.text for message in prompt.messages(**values)])) + _AROUND_A_REQUEST
        return max(0, int((model.context_tokens - reply) / _MARGIN) - around)

    def _useless(self, what: str, reply: ModelReply) -> str:
        line = " ".join(reply.text.split())
        beginning = line if len(line) <= _BEGINNING else f"{line[: _BEGINNING - 1]}…"
        if not reply.complete:
            return f'{self.by} reached output_tokens before its {what} could be read ("{beginning}")'
        return f'{self.by} gave no {what} that can be read ("{beginning}")'


def _without_a_model(
    layer: int, members: Sequence[MemberContext], failed: str, problems: Problems | None = None
) -> ClusterSummaries:
    lost = _lost((problems or Problems()) + Problems((UNUSABLE_SUMMARIES,)))
    return replace(summarised(layer, members), lost=lost, failed=failed)


def _report_without_a_model(
    members: Sequence[MemberContext], facts: Sequence[FactContext], failed: str, problems: Problems | None = None
) -> CommunityDescription:
    lost = _lost((problems or Problems()) + Problems((UNUSABLE_REPORT,)))
    return replace(reported(members, facts), lost=lost, failed=failed)


def _of(ids: Sequence[str], numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(sorted(ids[number - 1] for number in numbers))


def _lost(problems: Problems) -> tuple[str, ...]:
    return tuple(sorted(problems.elements()))
