"""Summaries and reports by a language model; where its reply is of no use, the extractive form stands in."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from polyadic.construction.replies.stated import Problems
from polyadic.errors import NoReply
from polyadic.hierarchy.extractive import reported, summarised
from polyadic.hierarchy.report_replies import findings_of, read_report
from polyadic.hierarchy.summary_replies import read_summaries
from polyadic.hierarchy.telling import Shown, ToldFact, ToldMember, list_members, show_facts, show_members
from polyadic.hierarchy.writing import OTHER_TYPE, Reported, Summaries
from polyadic.models.language_model import Reply, Request, Schema
from polyadic.models.remembering import Remembering
from polyadic.models.schemas import INTEGER, NUMBER, TEXT, list_of, record
from polyadic.models.tokens import count_tokens
from polyadic.prompts.library import Prompt, Prompts
from polyadic.settings import ThemesSettings
from polyadic.themes import Cluster, Report, Summary

SUMMARISE, REPORT = "summarise", "report"
"""What requests are for, as ledgers and batch files say it."""
UNUSABLE_SUMMARIES = "no summary from the model, extractive instead"
UNUSABLE_REPORT = "no report from the model, extractive instead"
CUT_OFF = "reply cut off at output_tokens"

_SUMMARY = record(name=TEXT, type=TEXT, description=TEXT, members=list_of(INTEGER))
SUMMARIES_SCHEMA = Schema("summaries", record(summaries=list_of(_SUMMARY)))
_FINDING = record(text=TEXT, facts=list_of(INTEGER))
REPORT_SCHEMA = Schema("report", record(title=TEXT, summary=TEXT, rating=NUMBER, findings=list_of(_FINDING)))

# Of the model's context, this share at most is kept for the reply: summaries and reports are short.
_SHARE_OF_REPLY = 1 / 3
# Vocabularies differ: what is counted here may be more there (as models/endpoint_model.py has it).
_MARGIN = 1.1
_AROUND_A_REQUEST = 20
# Of what a report is made from, members take this share at most on top of the facts, which name most of them anyway.
_SHARE_OF_MEMBERS = 1 / 4
_BEGINNING = 80


@dataclass(frozen=True, slots=True)
class _Asked:
    """A request, what it shows as numbered, and whose words stand in it."""

    request: Request
    numbered: Shown
    sources: tuple[str, ...]


class ModelWriting:
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

    def __init__(self, model: Remembering, prompts: Prompts, settings: ThemesSettings) -> None:
        self.by = model.model.name
        self._model = model
        self._settings = settings
        self._summarise, self._report = prompts.get("summarise_cluster"), prompts.get("report_community")
        self._types = (
            f"one of {', '.join(settings.types)}, or {OTHER_TYPE} if it is none of these"
            if settings.types
            else "its kind, in a word or two"
        )

    def summary_request(self, members: Sequence[ToldMember]) -> Request:
        """What is asked for the summaries of a cluster: the same members in the same order, the same words."""
        return self._asked_to_summarise(members).request

    def report_request(self, members: Sequence[ToldMember], facts: Sequence[ToldFact]) -> Request | None:
        """What is asked for a report; None where there are no facts, and nothing is asked."""
        return self._asked_to_report(members, facts).request if facts else None

    async def summarise(self, layer: int, members: Sequence[ToldMember]) -> Summaries:
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
        return Summaries(summaries, asked.sources, _lost(problems))

    async def report(self, members: Sequence[ToldMember], facts: Sequence[ToldFact]) -> Reported:
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
        return Reported(report, asked.sources, _lost(problems))

    def _read(self, reply: Reply, facts: Sequence[str]) -> tuple[Report | None, Problems]:
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

    def _asked_to_summarise(self, members: Sequence[ToldMember]) -> _Asked:
        room = self._room(self._summarise, members="", types=self._types)
        shown = show_members(members, room)
        messages = self._summarise.messages(members=shown.text, types=self._types)
        return _Asked(Request(SUMMARISE, messages, SUMMARIES_SCHEMA), shown, tuple(sorted(shown.sources)))

    def _asked_to_report(self, members: Sequence[ToldMember], facts: Sequence[ToldFact]) -> _Asked:
        room = min(
            self._room(self._report, members="", facts=""), self._settings.report_tokens * (1 + _SHARE_OF_MEMBERS)
        )
        listed = list_members(members, int(room * _SHARE_OF_MEMBERS / (1 + _SHARE_OF_MEMBERS)))
        shown = show_facts(facts, int(room / (1 + _SHARE_OF_MEMBERS)))
        messages = self._report.messages(members=listed.text, facts=shown.text)
        sources = tuple(sorted(listed.sources | shown.sources))
        return _Asked(Request(REPORT, messages, REPORT_SCHEMA), shown, sources)

    def _room(self, prompt: Prompt, **values: str) -> int:
        """How many tokens may be filled into a prompt, so that there is room for the reply as well."""
        model = self._model.model
        reply = min(model.output_tokens, model.context_tokens * _SHARE_OF_REPLY)
        around = sum(count_tokens([message.text for message in prompt.messages(**values)])) + _AROUND_A_REQUEST
        return max(0, int((model.context_tokens - reply) / _MARGIN) - around)

    def _useless(self, what: str, reply: Reply) -> str:
        line = " ".join(reply.text.split())
        beginning = line if len(line) <= _BEGINNING else f"{line[: _BEGINNING - 1]}…"
        if not reply.complete:
            return f'{self.by} reached output_tokens before its {what} could be read ("{beginning}")'
        return f'{self.by} gave no {what} that can be read ("{beginning}")'


def _without_a_model(
    layer: int, members: Sequence[ToldMember], failed: str, problems: Problems | None = None
) -> Summaries:
    lost = _lost((problems or Problems()) + Problems((UNUSABLE_SUMMARIES,)))
    return replace(summarised(layer, members), lost=lost, failed=failed)


def _report_without_a_model(
    members: Sequence[ToldMember], facts: Sequence[ToldFact], failed: str, problems: Problems | None = None
) -> Reported:
    lost = _lost((problems or Problems()) + Problems((UNUSABLE_REPORT,)))
    return replace(reported(members, facts), lost=lost, failed=failed)


def _of(ids: Sequence[str], numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(sorted(ids[number - 1] for number in numbers))


def _lost(problems: Problems) -> tuple[str, ...]:
    return tuple(sorted(problems.elements()))
