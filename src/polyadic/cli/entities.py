"""``polyadic entities``: entity resolution: review, merge, rename, cannot-link, keep, split and undo."""

import shlex
from typing import Any

import click

from polyadic.cli.common import (
    FiniteFloat,
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
from polyadic.resolution.apply_decisions import DecisionOutcome
from polyadic.resolution.homonyms import Homonym, HomonymSense
from polyadic.resolution.llm_adjudication import LLMAdjudication
from polyadic.resolution.merge_candidates import CERTAIN, CandidateEntity, MergeCandidate
from polyadic.text.counts import count
from polyadic.workspace import Workspace

_ID_DIGITS = 8
_FACT_SHOWN = 140
_model = click.option("--by-model", is_flag=True, help="Let the language model judge uncertain pairs.")
_budget = click.option("--budget", type=FiniteFloat(min=0), help="Stop before spending more than this on the model.")
_tokens = click.option("--spend-tokens", type=click.IntRange(min=0), help="Stop before using more tokens than this.")


@click.group("entities")
def command() -> None:
    """Resolve entities: merge names of the same entity, and split names that mean several.

    Decisions do not change the evidence from documents; each can be undone.
    """


@command.command("review")
@click.option("--limit", type=click.IntRange(min=1), default=SHOWN, show_default=True, help="Maximum number of pairs.")
@click.option("--accept", multiple=True, metavar="ID", help="Merge this pair; may be repeated.")
@click.option("--reject", multiple=True, metavar="ID", help="Forbid merging this pair (cannot-link); may be repeated.")
@click.option("--decided", is_flag=True, help="List the current decisions instead.")
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
    """List pairs that may be the same entity, most likely first, and ambiguous names."""
    if decided and (accept or reject or by_model):
        raise click.UsageError("--decided can only be combined with --json", context)
    _check_budget(context, by_model, budget, spend_tokens)
    with Workspace(workspace_place(context, workspace)) as kb:
        if accept or reject:
            _print_outcome(kb.entities.decide(accept, reject), as_json)
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
@click.option("--into", default="", metavar="NAME", help="Name of the merged entity (default: the most frequent).")
@click.option("--auto", is_flag=True, help="Without NAME: merge all certain pairs.")
@click.option(
    "--least",
    type=FiniteFloat(0, 1),
    help=f"With --auto: minimum score of a certain pair (default: {CERTAIN}; see docs/quality.md).",
)
@click.option("--by-model", is_flag=True, help="With --auto: merge only pairs that the language model confirms.")
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
    """Merge entities into one.

    With --auto, all pairs within a merged group must be certain (complete linkage). With --by-model as well, the model
    judges pairs with a score of at least 0.6, or --least.
    """
    _check_merge(context, names, into, auto, least, by_model)
    _check_budget(context, by_model, budget, spend_tokens)
    with Workspace(workspace_place(context, workspace)) as kb:
        if not auto:
            _print_outcome(kb.entities.merge(names, into), as_json)
            return 0
        from_score = least if least is not None else LEAST_WITH_A_MODEL if by_model else CERTAIN
        merged = kb.entities.merge_automatically(from_score, by_model, _most(budget, spend_tokens))
    if as_json:
        print_json({**_plain(merged.outcome), "adjudication": merged.adjudication})
    else:
        _print_asked(merged.adjudication)
        _print_outcome(merged.outcome)
    return 3 if merged.adjudication.stopped or merged.adjudication.unreadable else 0


@command.command("rename")
@click.argument("name")
@click.argument("into", metavar="NEW")
@workspace_option
@json_option
@click.pass_context
def rename(context: click.Context, name: str, into: str, workspace: str | None, as_json: bool) -> None:
    """Rename the entity NAME to NEW, which must not be the name of another entity."""
    with Workspace(workspace_place(context, workspace)) as kb:
        _print_outcome(kb.entities.rename(name, into), as_json)


@command.command("cannot-link")
@click.argument("names", nargs=2, metavar="NAME NAME")
@workspace_option
@json_option
@click.pass_context
def cannot_link(context: click.Context, names: tuple[str, str], workspace: str | None, as_json: bool) -> None:
    """Forbid merging two entities; they are not proposed again."""
    with Workspace(workspace_place(context, workspace)) as kb:
        _print_outcome(kb.entities.cannot_link(*names), as_json)


@command.command("keep")
@click.argument("name")
@workspace_option
@json_option
@click.pass_context
def keep(context: click.Context, name: str, workspace: str | None, as_json: bool) -> None:
    """Keep NAME as one entity; it is not listed as ambiguous again."""
    with Workspace(workspace_place(context, workspace)) as kb:
        _print_outcome(kb.entities.keep(name), as_json)


@command.command("split")
@click.argument("name")
@click.option(
    "--as",
    "into",
    required=True,
    metavar="NAME",
    help='Name of the entity in these documents, such as "Mercury (planet)".',
)
@click.option(
    "--from",
    "documents",
    required=True,
    multiple=True,
    metavar="DOC",
    help="Document with this meaning; may be repeated.",
)
@workspace_option
@json_option
@click.pass_context
def split(
    context: click.Context, name: str, into: str, documents: tuple[str, ...], workspace: str | None, as_json: bool
) -> None:
    """Make NAME refer to another entity, new or existing, in some documents."""
    with Workspace(workspace_place(context, workspace)) as kb:
        _print_outcome(kb.entities.split(name, into, documents), as_json)


@command.command("undo")
@click.argument("identifiers", nargs=-1, required=True, metavar="ID...")
@workspace_option
@json_option
@click.pass_context
def undo(context: click.Context, identifiers: tuple[str, ...], workspace: str | None, as_json: bool) -> None:
    """Undo decisions; review --decided lists them."""
    with Workspace(workspace_place(context, workspace)) as kb:
        _print_outcome(kb.entities.undo(*identifiers), as_json)


def _check_merge(
    context: click.Context, names: tuple[str, ...], into: str, auto: bool, least: float | None, by_model: bool
) -> None:
    if auto and (names or into):
        raise click.UsageError("--auto cannot be combined with NAME or --into", context)
    if not auto and (least is not None or by_model):
        raise click.UsageError("--least and --by-model need --auto", context)
    if not auto and len(names) < 2:
        raise click.UsageError("missing argument 'NAME NAME...', or --auto", context)


def _check_budget(context: click.Context, by_model: bool, budget: float | None, spend_tokens: int | None) -> None:
    if not by_model and (budget is not None or spend_tokens is not None):
        raise click.UsageError("--budget and --spend-tokens need --by-model", context)


def _most(money: float | None, tokens: int | None) -> SpendingBudget | None:
    return None if money is None and tokens is None else SpendingBudget(money, tokens)


def _sources(kb: Workspace) -> dict[str, str]:
    return {record.id: shown(record.source) for record in kb.documents()}


def _print_review(found: ResolutionReview) -> None:
    for candidate in found.candidates:
        _print_candidate(candidate)
    for homonym in found.homonyms:
        say(f"{homonym.name} may be ambiguous: {homonym.why}", bold=True)
        for sense in homonym.senses:
            say(f"  {sense.name}: {', '.join(map(shown, sense.documents))}")
            if evidence := "; ".join(filter(None, (sense.description, _shortened(sense.fact)))):
                say(f"    {evidence}")
            if sense.name != homonym.name:
                say(f"    {_split_command(homonym, sense)}")
    pairs = f"{count(found.total, 'candidate pair')}, {found.certain:,} certain"
    say(f"{pairs}; {count(len(found.homonyms), 'name')} possibly ambiguous")
    if found.homonyms:
        say("polyadic entities keep NAME keeps a name as one entity")
    if found.certain:
        say("polyadic entities merge --auto merges the certain ones, review --accept ID merges one of these")
    _print_asked(LLMAdjudication({}, found.unreadable, found.usage, found.stopped))


def _split_command(homonym: Homonym, sense: HomonymSense) -> str:
    """Return the command that gives a name this sense in its documents."""
    documents = [part for document in sense.documents for part in ("--from", shown(document))]
    return shlex.join(["polyadic", "entities", "split", homonym.name, "--as", sense.name, *documents])


def _print_candidate(candidate: MergeCandidate) -> None:
    say(
        f"{candidate.id[:_ID_DIGITS]}  {candidate.score:.2f}  {candidate.one.name} = {candidate.other.name}?", bold=True
    )
    say(f"  {candidate.why}")
    if candidate.reason or candidate.same is not None:
        verdict = {True: "same", False: "different", None: "unsure"}[candidate.same]
        say(f"  the model says: {verdict}{f' ({candidate.reason})' if candidate.reason else ''}")
    for about in (candidate.one, candidate.other):
        _print_about(about)


def _print_about(about: CandidateEntity) -> None:
    kind = f" ({about.type})" if about.type else ""
    say(f"  {about.name}{kind}, in {count(about.facts, 'fact')}: {_shortened(about.fact)}")


def _shortened(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _FACT_SHOWN else f"{flat[:_FACT_SHOWN].rstrip()}…"


def _print_asked(asked: LLMAdjudication) -> None:
    if asked.usage.calls:
        say(f"model: {spent(asked.usage)}", err=True)
    if asked.unreadable:
        say(f"{count(asked.unreadable, 'pair')} without a readable verdict", err=True)
    if asked.stopped:
        say(f"stopped: {asked.stopped}", err=True)


def _print_outcome(outcome: DecisionOutcome, as_json: bool = False) -> None:
    if as_json:
        print_json(_plain(outcome))
        return
    for what, decisions in (
        ("decided", outcome.decided),
        ("undone", outcome.undone),
        ("already decided", outcome.already_applied),
    ):
        for decision in decisions:
            say(f"{what}: {decision.id[:_ID_DIGITS]}  {_describe(decision)}")
    if not (outcome.decided or outcome.undone or outcome.already_applied):
        say("nothing to do")


def _plain(outcome: DecisionOutcome) -> dict[str, list[dict[str, Any]]]:
    """Convert an outcome to JSON types, each decision with its identifier."""
    return {
        "decided": [_identified(decision) for decision in outcome.decided],
        "undone": [_identified(decision) for decision in outcome.undone],
        "already_applied": [_identified(decision) for decision in outcome.already_applied],
    }


def _identified(decision: ResolutionDecision) -> dict[str, Any]:
    return {"id": decision.id, **plain(decision)}


def _print_decisions(decisions: list[tuple[ResolutionDecision, str]], sources: dict[str, str], as_json: bool) -> None:
    if as_json:
        print_json([{**_identified(one), "at": at} for one, at in decisions])
        return
    for decision, at in decisions:
        say(f"{decision.id[:_ID_DIGITS]}  {at[:16].replace('T', ' ')}  {_describe(decision, sources)}")
    say(f"{count(len(decisions), 'decision')}; polyadic entities undo ID undoes one")


def _describe(decision: ResolutionDecision, sources: dict[str, str] | None = None) -> str:
    """Describe a decision in one line; deleted documents are shown by their identifiers."""
    names = ", ".join(decision.names)
    if decision.kind is DecisionKind.CANNOT_LINK:
        return f"{' and '.join(decision.names)} are different entities"
    if decision.kind is DecisionKind.KEEP:
        return f"{names} is one entity"
    if decision.kind is DecisionKind.MERGE and len(decision.names) == 1:
        return f"{names} is called {decision.into}"
    if decision.kind is DecisionKind.MERGE:
        return f"{names} are the same entity: {decision.into}"
    known = sources or {}
    documents = [known.get(document, document[:12]) for document in decision.documents]
    where = ", ".join(documents) if sources is not None else count(len(documents), "document")
    return f"{names} means {decision.into} in {where}"
