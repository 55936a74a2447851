"""polyadic entities: who is who. What may be one, deciding, and undoing."""

from typing import Any

import click

from polyadic.cli.common import (
    FiniteFloat,
    count,
    json_option,
    plain,
    print_json,
    say,
    shown,
    spent,
    workspace_option,
    workspace_place,
)
from polyadic.llm.budget import SpendingBudget
from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.resolution.api import LEAST_WITH_A_MODEL, SHOWN, ResolutionReview
from polyadic.resolution.apply import DecisionOutcome
from polyadic.resolution.candidates import SURE, CandidateEntity, MergeCandidate
from polyadic.resolution.llm_adjudication import LLMAdjudication
from polyadic.workspace import Workspace

_ID_DIGITS = 8
_FACT_SHOWN = 140
_model = click.option("--by-model", is_flag=True, help="Ask the language model about pairs that are not sure.")
_budget = click.option("--budget", type=FiniteFloat(min=0), help="Spend no more money on the model than this.")
_tokens = click.option("--spend-tokens", type=click.IntRange(min=0), help="Spend no more tokens on it than this.")


@click.group("entities")
def command() -> None:
    """Who is who: which names mean one entity, and which name means several.

    Decisions lie over what documents say and change nothing of it; each can be undone.
    """


@command.command("review")
@click.option("--limit", type=click.IntRange(min=1), default=SHOWN, show_default=True, help="Show so many pairs.")
@click.option("--accept", multiple=True, metavar="ID", help="Merge this pair. May be given more than once.")
@click.option("--reject", multiple=True, metavar="ID", help="Keep this pair apart. May be given more than once.")
@click.option("--decided", is_flag=True, help="List the decisions that hold instead.")
@_model
@_budget
@_tokens
@workspace_option
@json_option
@click.pass_context
def review(
    context: click.Context,
    limit: int,
    accept: tuple[str, ...],
    reject: tuple[str, ...],
    decided: bool,
    by_model: bool,
    budget: float | None,
    spend_tokens: int | None,
    workspace: str | None,
    as_json: bool,
) -> int:
    """List pairs of entities that may be one, the likeliest first, and names that may mean several."""
    if decided and (accept or reject or by_model):
        raise click.UsageError("--decided takes no other option but --json", context)
    _check_budget(context, by_model, budget, spend_tokens)
    with Workspace(workspace_place(context, workspace)) as kb:
        if accept or reject:
            _print_outcome(kb.entities.settle(accept, reject), as_json)
            return 0
        if decided:
            _print_decisions(kb.entities.decisions(), _sources(kb), as_json)
            return 0
        found = kb.entities.review(limit, by_model, _most(budget, spend_tokens))
    if as_json:
        print_json(found)
    else:
        _print_review(found)
    return 3 if found.stopped or found.unreadable else 0


@command.command("merge")
@click.argument("names", nargs=-1, metavar="[NAME...]")
@click.option("--into", default="", metavar="NAME", help="What the one is called (default: as most facts call it).")
@click.option("--auto", is_flag=True, help="Without NAME: merge all that are surely one.")
@click.option(
    "--least",
    type=FiniteFloat(0, 1),
    help=f"With --auto: from which score on they are sure (default: {SURE}; docs/quality.md has what that means).",
)
@click.option("--by-model", is_flag=True, help="With --auto: ask the language model as well; a pair needs its yes.")
@_budget
@_tokens
@workspace_option
@json_option
@click.pass_context
def merge(
    context: click.Context,
    names: tuple[str, ...],
    into: str,
    auto: bool,
    least: float | None,
    by_model: bool,
    budget: float | None,
    spend_tokens: int | None,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Have all these names mean one entity.

    With --auto, every two of a group have to be sure: nobody is in it by a friend of a friend. With --by-model as well,
    a pair is asked about from a score of 0.6 on, or from --least.
    """
    _check_merge(context, names, into, auto, least, by_model)
    _check_budget(context, by_model, budget, spend_tokens)
    with Workspace(workspace_place(context, workspace)) as kb:
        if not auto:
            _print_outcome(kb.entities.merge(names, into), as_json)
            return 0
        from_score = least if least is not None else LEAST_WITH_A_MODEL if by_model else SURE
        merged = kb.entities.merge_sure(from_score, by_model, _most(budget, spend_tokens))
    if as_json:
        print_json({**_plain(merged.outcome), "asked": merged.asked})
    else:
        _print_asked(merged.asked)
        _print_outcome(merged.outcome)
    return 3 if merged.asked.stopped or merged.asked.unreadable else 0


@command.command("apart")
@click.argument("names", nargs=2, metavar="NAME NAME")
@workspace_option
@json_option
@click.pass_context
def apart(context: click.Context, names: tuple[str, str], workspace: str | None, as_json: bool) -> None:
    """Keep two entities apart: they are not proposed again, and cannot be merged."""
    with Workspace(workspace_place(context, workspace)) as kb:
        _print_outcome(kb.entities.apart(*names), as_json)


@command.command("split")
@click.argument("name")
@click.option("--as", "into", required=True, metavar="NAME", help='What it means there, such as "Mercury (planet)".')
@click.option("--from", "documents", required=True, multiple=True, metavar="DOC", help="May be given more than once.")
@workspace_option
@json_option
@click.pass_context
def split(
    context: click.Context, name: str, into: str, documents: tuple[str, ...], workspace: str | None, as_json: bool
) -> None:
    """Have NAME mean another entity in some documents: one of its own, or one that is there under another name."""
    with Workspace(workspace_place(context, workspace)) as kb:
        _print_outcome(kb.entities.split(name, into, documents), as_json)


@command.command("undo")
@click.argument("identifiers", nargs=-1, required=True, metavar="ID...")
@workspace_option
@json_option
@click.pass_context
def undo(context: click.Context, identifiers: tuple[str, ...], workspace: str | None, as_json: bool) -> None:
    """Undo decisions: everything is as if they had never been made. review --decided lists them."""
    with Workspace(workspace_place(context, workspace)) as kb:
        _print_outcome(kb.entities.undo(*identifiers), as_json)


def _check_merge(
    context: click.Context, names: tuple[str, ...], into: str, auto: bool, least: float | None, by_model: bool
) -> None:
    if auto and (names or into):
        raise click.UsageError("--auto takes no NAME and no --into", context)
    if not auto and (least is not None or by_model):
        raise click.UsageError("--least and --by-model go with --auto", context)
    if not auto and len(names) < 2:
        raise click.UsageError("missing argument 'NAME NAME...', or --auto", context)


def _check_budget(context: click.Context, by_model: bool, budget: float | None, spend_tokens: int | None) -> None:
    if not by_model and (budget is not None or spend_tokens is not None):
        raise click.UsageError("--budget and --spend-tokens go with --by-model", context)


def _most(money: float | None, tokens: int | None) -> SpendingBudget | None:
    return None if money is None and tokens is None else SpendingBudget(money, tokens)


def _sources(kb: Workspace) -> dict[str, str]:
    return {record.id: shown(record.source) for record in kb.documents()}


def _print_review(found: ResolutionReview) -> None:
    for candidate in found.candidates:
        _print_candidate(candidate)
    for homonym in found.homonyms:
        say(f"{homonym.name} may be several: {homonym.why}", bold=True)
        for sense in homonym.senses:
            say(f"  {sense.name}: {', '.join(map(shown, sense.documents))}")
    pairs = f"{count(found.found, 'pair')} may be one, {found.sure:,} of them surely"
    say(f"{pairs}; {count(len(found.homonyms), 'name')} may be several")
    if found.sure:
        say("polyadic entities merge --auto merges the sure ones, review --accept ID one of these")
    _print_asked(LLMAdjudication({}, found.unreadable, found.usage, found.stopped))


def _print_candidate(candidate: MergeCandidate) -> None:
    say(
        f"{candidate.id[:_ID_DIGITS]}  {candidate.score:.2f}  {candidate.one.name} = {candidate.other.name}?", bold=True
    )
    say(f"  {candidate.why}")
    if candidate.said or candidate.same is not None:
        verdict = {True: "one", False: "two", None: "unsure"}[candidate.same]
        say(f"  the model says: {verdict}{f' ({candidate.said})' if candidate.said else ''}")
    for about in (candidate.one, candidate.other):
        _print_about(about)


def _print_about(about: CandidateEntity) -> None:
    kind = f" ({about.type})" if about.type else ""
    fact = " ".join(about.fact.split())
    cut = fact if len(fact) <= _FACT_SHOWN else f"{fact[:_FACT_SHOWN].rstrip()}…"
    say(f"  {about.name}{kind}, in {count(about.facts, 'fact')}: {cut}")


def _print_asked(asked: LLMAdjudication) -> None:
    if asked.usage.calls:
        say(f"the model was asked: {spent(asked.usage)}", err=True)
    if asked.unreadable:
        say(f"{count(asked.unreadable, 'pair')} got no verdict that can be read", err=True)
    if asked.stopped:
        say(f"stopped: {asked.stopped}", err=True)


def _print_outcome(outcome: DecisionOutcome, as_json: bool = False) -> None:
    if as_json:
        print_json(_plain(outcome))
        return
    for what, decisions in (("decided", outcome.decided), ("undone", outcome.undone), ("held before", outcome.held)):
        for decision in decisions:
            say(f"{what}: {decision.id[:_ID_DIGITS]}  {_told(decision)}")
    if not (outcome.decided or outcome.undone or outcome.held):
        say("nothing to decide")


def _plain(outcome: DecisionOutcome) -> dict[str, list[dict[str, Any]]]:
    """An outcome in terms of JSON, each decision with its identifier."""
    return {
        "decided": [_identified(decision) for decision in outcome.decided],
        "undone": [_identified(decision) for decision in outcome.undone],
        "held": [_identified(decision) for decision in outcome.held],
    }


def _identified(decision: ResolutionDecision) -> dict[str, Any]:
    return {"id": decision.id, **plain(decision)}


def _print_decisions(decisions: list[tuple[ResolutionDecision, str]], sources: dict[str, str], as_json: bool) -> None:
    if as_json:
        print_json([{**_identified(one), "at": at} for one, at in decisions])
        return
    for decision, at in decisions:
        say(f"{decision.id[:_ID_DIGITS]}  {at[:16].replace('T', ' ')}  {_told(decision, sources)}")
    say(f"{count(len(decisions), 'decision')}; polyadic entities undo ID undoes one")


def _told(decision: ResolutionDecision, sources: dict[str, str] | None = None) -> str:
    """A decision in words; documents that are gone are named by their identifiers."""
    names = ", ".join(decision.names)
    if decision.kind is DecisionKind.APART:
        return f"{' and '.join(decision.names)} are two"
    if decision.kind is DecisionKind.MERGE:
        return f"{names} are one: {decision.into}"
    known = sources or {}
    documents = [known.get(document, document[:12]) for document in decision.documents]
    where = ", ".join(documents) if sources is not None else count(len(documents), "document")
    return f"{names} is {decision.into} in {where}"
