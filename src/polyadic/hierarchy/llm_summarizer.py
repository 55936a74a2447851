"""Summaries and reports by a language model, with extractive ones as a fallback for unusable replies."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyadic.config import HierarchyBuildSettings
from polyadic.errors import NoReply
from polyadic.hierarchy.extractive_summarizer import reported, summarized
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
from polyadic.hierarchy.summary_replies import DraftMembership, read_summaries, says_none
from polyadic.llm.cached_model import CachedModel
from polyadic.llm.endpoint_model import prompt_tokens
from polyadic.llm.json_schema import INTEGER, NUMBER, TEXT, list_of, record
from polyadic.llm.language_model import ModelReply, ModelRequest, ReplySchema
from polyadic.llm.prompts.library import Prompt, PromptLibrary
from polyadic.llm.replies.parsed_reply import Problems
from polyadic.model.hierarchy import Cluster, Membership, Report, Summary
from polyadic.text.tokens import count_tokens

SUMMARIZE, REPORT = "summarize", "report"
"""Purposes of requests, as recorded in the ledger and in batch files."""
PROMPTS = ("summarize_cluster", "report_community")
"""Prompts for summaries and for reports."""
UNUSABLE_SUMMARIES = "no summary from the model, extractive instead"
UNUSABLE_REPORT = "no report from the model, extractive instead"
CUT_OFF = "reply cut off at output_tokens"

_SUMMARY = record(name=TEXT, type=TEXT, description=TEXT, members=list_of(INTEGER))
SUMMARIES_SCHEMA = ReplySchema("summaries", record(summaries=list_of(_SUMMARY)))
_FINDING = record(text=TEXT, facts=list_of(INTEGER))
REPORT_SCHEMA = ReplySchema("report", record(title=TEXT, summary=TEXT, rating=NUMBER, findings=list_of(_FINDING)))

# Maximum share of the context reserved for the reply: summaries and reports are short.
_REPLY_SHARE = 1 / 3
# Safety margin, because the tokenizer of the model may count more tokens (as in llm/endpoint_model.py).
_MARGIN = 1.1
_REQUEST_OVERHEAD = 20
# Maximum share of tokens for members, on top of those for facts; the facts name most members anyway.
_MEMBER_SHARE = 1 / 4
# Maximum number of tokens of each member of a cluster, on average: about 1,200 characters of English.
_MEMBER_TOKENS = 400
_EXCERPT_LENGTH = 80


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A request, its numbered lines, and the identifiers of the sources of its text."""

    request: ModelRequest
    numbered: NumberedLines
    sources: tuple[str, ...]


class LLMSummarizer:
    """Summarizer with a language model.

    Parameters
    ----------
    model
        Model with response cache and budget.
    prompts
        Prompt library; ``summarize_cluster`` and ``report_community`` are used.
    settings
        Gives the general types, and the token budget of facts in a report request.
    """

    def __init__(self, model: CachedModel, prompts: PromptLibrary, settings: HierarchyBuildSettings) -> None:
        self.by = model.model.name
        self._model = model
        self._settings = settings
        self._summarize, self._report = map(prompts.get, PROMPTS)
        self._types = (
            f"one of {', '.join(settings.types)}, or {OTHER_TYPE} if it is none of these"
            if settings.types
            else "its kind, in a word or two"
        )

    def summary_request(self, members: Sequence[MemberContext]) -> ModelRequest:
        """Build the request for the summaries of a cluster; it is determined by the members and their order."""
        return self._prepare_summary(members).request

    def report_request(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> ModelRequest | None:
        """Build the request for a report; None without facts."""
        return self._prepare_report(members, facts).request if facts else None

    def most_summary_tokens(self, members: int) -> int:
        """Return the maximum number of prompt tokens of a request for the summaries of so many members."""
        empty = ModelRequest(SUMMARIZE, self._summarize.messages(members="", types=self._types))
        return prompt_tokens(empty) + self._summary_room(members)

    def most_report_tokens(self, longest_fact: int) -> int:
        """Return the maximum number of prompt tokens of a request for a report; one fact is shown however long."""
        empty = ModelRequest(REPORT, self._report.messages(members="", facts=""))
        return prompt_tokens(empty) + math.ceil(self._report_room()) + longest_fact

    async def summarize(self, layer: int, members: Sequence[MemberContext]) -> ClusterSummaries:
        """Summarize as the protocol says; fewer than two members are not sent to the model.

        If the model finds nothing in common, the summary is extractive.
        """
        if len(members) < 2:
            return summarized(layer, members)
        prepared, types = self._prepare_summary(members), self._settings.types
        try:
            reply = await self._model.complete(
                prepared.request,
                lambda reply: bool(read_summaries(reply.text, members, types)[0]) or says_none(reply.text),
            )
        except NoReply as problem:
            return _extractive_summaries(layer, members, str(problem))
        drafts, problems = read_summaries(reply.text, members, types)
        problems[CUT_OFF] += not reply.complete
        if says_none(reply.text):
            return summarized(layer, members)
        if not drafts:
            return _extractive_summaries(layer, members, self._unusable("summaries", reply), problems)
        ids = [member.id for member in members]
        cluster = Cluster(layer - 1, tuple(sorted(ids)), ()).id
        summaries = tuple(
            Summary(
                cluster,
                layer,
                one.name,
                one.type,
                one.description,
                _member_ids(ids, one.members),
                self.by,
                _memberships(ids, one.memberships),
            )
            for one in drafts
        )
        return ClusterSummaries(summaries, prepared.sources, _as_list(problems))

    async def report(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> CommunityDescription:
        """Report as the protocol says; without facts the model is not called."""
        if not facts:
            return reported(members, facts)
        prepared = self._prepare_report(members, facts)
        try:
            reply = await self._model.complete(
                prepared.request, lambda reply: self._read(reply, prepared.numbered.ids)[0] is not None
            )
        except NoReply as problem:
            return _extractive_report(members, facts, str(problem))
        report, problems = self._read(reply, prepared.numbered.ids)
        if report is None:
            return _extractive_report(members, facts, self._unusable("report with findings", reply), problems)
        return CommunityDescription(report, prepared.sources, _as_list(problems))

    def _read(self, reply: ModelReply, facts: Sequence[str]) -> tuple[Report | None, Problems]:
        """Read a report and keep what these facts support; return it with the problems."""
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

    def _prepare_summary(self, members: Sequence[MemberContext]) -> _Prepared:
        shown = format_members(members, self._summary_room(len(members)))
        messages = self._summarize.messages(members=shown.text, types=self._types)
        schema = SUMMARIES_SCHEMA if self._summarize.asks_for_json else None
        return _Prepared(ModelRequest(SUMMARIZE, messages, schema), shown, tuple(sorted(shown.sources)))

    def _prepare_report(self, members: Sequence[MemberContext], facts: Sequence[FactContext]) -> _Prepared:
        room = self._report_room()
        listed = format_member_list(members, int(room * _MEMBER_SHARE / (1 + _MEMBER_SHARE)))
        shown = format_facts(facts, int(room / (1 + _MEMBER_SHARE)))
        messages = self._report.messages(members=listed.text, facts=shown.text)
        sources = tuple(sorted(listed.sources | shown.sources))
        return _Prepared(ModelRequest(REPORT, messages, REPORT_SCHEMA), shown, sources)

    def _summary_room(self, members: int) -> int:
        return min(self._room(self._summarize, members="", types=self._types), _MEMBER_TOKENS * members)

    def _report_room(self) -> float:
        return min(self._room(self._report, members="", facts=""), self._settings.report_tokens * (1 + _MEMBER_SHARE))

    def _room(self, prompt: Prompt, **values: str) -> int:
        """Number of tokens available for the values of a prompt, after reserving room for the reply."""
        model = self._model.model
        reply = min(model.output_tokens, model.context_tokens * _REPLY_SHARE)
        overhead = sum(count_tokens([message.text for message in prompt.messages(**values)])) + _REQUEST_OVERHEAD
        return max(0, int((model.context_tokens - reply) / _MARGIN) - overhead)

    def _unusable(self, what: str, reply: ModelReply) -> str:
        line = " ".join(reply.text.split())
        excerpt = line if len(line) <= _EXCERPT_LENGTH else f"{line[: _EXCERPT_LENGTH - 1]}…"
        if not reply.complete:
            return f'{self.by} reached output_tokens before its {what} could be read ("{excerpt}")'
        return f'{self.by} gave no {what} that can be read ("{excerpt}")'


def _extractive_summaries(
    layer: int, members: Sequence[MemberContext], failed: str, problems: Problems | None = None
) -> ClusterSummaries:
    dropped = _as_list((problems or Problems()) + Problems((UNUSABLE_SUMMARIES,)))
    return replace(summarized(layer, members), dropped=dropped, failed=failed)


def _extractive_report(
    members: Sequence[MemberContext], facts: Sequence[FactContext], failed: str, problems: Problems | None = None
) -> CommunityDescription:
    dropped = _as_list((problems or Problems()) + Problems((UNUSABLE_REPORT,)))
    return replace(reported(members, facts), dropped=dropped, failed=failed)


def _member_ids(ids: Sequence[str], numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(sorted(ids[number - 1] for number in numbers))


def _memberships(ids: Sequence[str], drafts: Sequence[DraftMembership]) -> tuple[Membership, ...]:
    described = (Membership(ids[draft.member - 1], draft.description, draft.strength) for draft in drafts)
    return tuple(sorted(described, key=lambda membership: membership.member))


def _as_list(problems: Problems) -> tuple[str, ...]:
    return tuple(sorted(problems.elements()))
