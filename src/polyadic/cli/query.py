"""polyadic query: ask a question."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

import click

from polyadic.cli.common import (
    count,
    filter_of,
    filter_options,
    json_option,
    method_option,
    print_json,
    say,
    shown,
    workspace_option,
    workspace_place,
)
from polyadic.config import AnswerSettings, Settings
from polyadic.errors import SettingsError
from polyadic.generation.extractive_answerer import quotation
from polyadic.model.types import Answer, Item, ItemKind, Knowledge, TraceStep, Turn
from polyadic.query.engine import NO_MODEL
from polyadic.text.headings import heading_line
from polyadic.workspace import Workspace

# Characters of a quotation that is only to be recognised.
_LONGEST = 100


@click.command("query")
@click.argument("question")
@method_option("How knowledge is found")
@click.option("--context-tokens", type=click.IntRange(min=1), help="How many tokens of knowledge to bring.")
@filter_options
@click.option("--context-only", is_flag=True, help="Print the knowledge found, without an answer.")
@click.option("--by", type=click.Choice(["model", "quotes"]), help="Who answers (default: the model, if one is set).")
@click.option("--style", help='What kind of answer is wanted, such as "three bullet points".')
@click.option("--think", is_flag=True, help="Let the model reason first; --trace shows its reasoning.")
@click.option(
    "--history",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help='The conversation so far: a line {"question": "...", "answer": "..."} a turn.',
)
@click.option("--trace", is_flag=True, help="Print each step, and why each item was found.")
@workspace_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    question: str,
    method: str | None,
    context_tokens: int | None,
    sources: tuple[str, ...],
    metadata: tuple[str, ...],
    context_only: bool,
    by: Literal["model", "quotes"] | None,
    style: str | None,
    think: bool,
    history: Path | None,
    trace: bool,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Answer QUESTION from the documents of the workspace, with citations.

    With --from and --where, which may be given several times, all is as if there were no other documents: from any of
    DOC (path, title or identifier; a folder or a file of rows means all in it), and with every KEY=VALUE.
    """
    if not question.strip():
        raise click.UsageError("the question is empty", context)
    _check_together(context, context_only, by)
    only = filter_of(sources, metadata, context)
    with Workspace(workspace_place(context, workspace)) as kb:
        if context_only:
            knowledge = kb.retrieve(question, method, context_tokens, only)
            print_json(knowledge) if as_json else _print_context(knowledge)
            steps = knowledge.trace
        else:
            how = how_to_answer(context, kb.settings, by, style, think)
            pieces = kb.stream(question, method, context_tokens, _turns(history), how, only)
            answer = _answered(pieces, question, as_json)
            knowledge, steps = answer.knowledge, answer.trace
    if trace and not as_json:
        if not context_only and answer.reasoning:
            say(f"\nreasoning\n{answer.reasoning}")
        _print_trace(knowledge, steps)


def _check_together(context: click.Context, context_only: bool, by: str | None) -> None:
    """A wish that nothing would come of is a mistake, which is said rather than passed over."""
    if context_only:
        what, given = "--context-only, which gives no answer", _given(context, "by", "style", "think", "history")
    elif by == "quotes":
        what, given = "--by quotes, which asks no language model", _given(context, "style", "think")
    else:
        return
    if given:
        raise click.UsageError(f"{' and '.join(given)} cannot go with {what}", context)


def how_to_answer(
    context: click.Context,
    settings: Settings,
    by: Literal["model", "quotes"] | None,
    style: str | None,
    think: bool,
) -> AnswerSettings:
    """How to answer: as the settings say, but for what the options change.

    Raises
    ------
    SettingsError
        --style or --think is given, and the answer would be quoted, which neither changes.
    """
    changed = {"by": by, "style": style, "format": "think" if think else None}
    how = settings.answer.model_copy(update={name: value for name, value in changed.items() if value})
    given = _given(context, "style", "think")
    if not given or how.by == "model" or (how.by == "auto" and settings.model.name):
        return how
    needing = f"{' and '.join(given)} {'need' if len(given) > 1 else 'needs'} a language model"
    if settings.model.name:
        raise SettingsError(f"{needing}, and [answer] sets by = {how.by}", "add --by model")
    raise SettingsError(f"{needing}, and none is named", NO_MODEL.next_step)


def _given(context: click.Context, *names: str) -> list[str]:
    """Those of the options that the command was called with."""
    return [f"--{name}" for name in names if context.params[name] not in (None, False)]


def _turns(file: Path | None) -> list[Turn]:
    """The conversation in a file of JSON lines."""
    if file is None:
        return []
    try:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        return [Turn(_said(row, "question"), _said(row, "answer")) for row in rows]
    except (ValueError, KeyError, TypeError) as error:
        reason = f"{file} is no conversation ({error})"
        raise click.ClickException(f'{reason}: write a line {{"question": "...", "answer": "..."}} a turn') from error


def _said(row: Mapping[str, object], name: str) -> str:
    said = row[name]
    if not isinstance(said, str):
        raise TypeError(f"{json.dumps(name)} is {_short(json.dumps(said))}, not a text")
    return said


def _answered(pieces: Iterator[str | Answer], question: str, as_json: bool) -> Answer:
    """Print the answer as it comes; returns it when it is whole."""
    begun = False
    try:
        for piece in pieces:
            if isinstance(piece, Answer):
                begun = False
                print_json(piece) if as_json else _print_rest(piece, question)
                return piece
            if not as_json:
                say(piece, nl=False)
                begun = True
    finally:
        # An error in the middle has a line of its own.
        if begun:
            say()
    raise RuntimeError("the answer did not end")


def _print_rest(answer: Answer, question: str) -> None:
    """All of an answer but its text."""
    say()
    if answer.question != question:
        say(f"(understood as: {answer.question})")
    sure = f"confidence {answer.confidence:.0%}" if answer.answered and answer.confidence is not None else ""
    notes = "; ".join(filter(None, (sure, answer.note)))
    say(f"({notes})\n" if notes else "")
    print_citations(answer)
    knowledge = answer.knowledge
    money = f", {answer.usage.money:.4f} $" if answer.usage.money else ""
    say(
        f" {knowledge.method} · {_kinds(knowledge)}"
        f" · {answer.usage.tokens:,} model tokens{money} · {answer.seconds:.1f} s"
        "        (why these: polyadic query --trace)"
    )


def print_citations(answer: Answer) -> None:
    """Where what an answer says stands, a line each."""
    for citation in answer.citations:
        place = citation.place
        page = f"page {place.page}, " if place.page else ""
        quote = quotation(place)
        # Where the answer quotes it, it need not be said again.
        said = "" if f'"{quote}"' in answer.text else f'\n     "{_short(quote)}"'
        where = f"{page}characters {place.span.start}–{place.span.end}"
        above = f" · {heading_line(place.headings)}" if place.headings else ""
        say(f" [{citation.marker}] {shown(place.source)}, {where}{above}{said}")


def _kinds(knowledge: Knowledge) -> str:
    """How many of each kind there are; entities and reports only where there are any."""
    kinds = [count(len(knowledge.facts), "fact"), count(len(knowledge.chunks), "passage")]
    for kind, one, more in ((ItemKind.ENTITY, "entity", "entities"), (ItemKind.REPORT, "report", "reports")):
        found = len(knowledge.of(kind))
        kinds += [f"{found:,} {one if found == 1 else more}"] if found else []
    return ", ".join(kinds)


def _print_context(knowledge: Knowledge) -> None:
    for number, item in enumerate(knowledge.items, 1):
        where = "; ".join(f"{shown(p.source)}:{p.span.start}-{p.span.end}" for p in item.places[:1])
        say(f"[{number}] {_kind(item)}{f'  ({where})' if where else ''}\n{item.text}\n")
    say(f"{knowledge.method} · {count(len(knowledge.items), 'item')}, {count(knowledge.tokens, 'token')}")
    if knowledge.note:
        say(f"({knowledge.note})")


def _print_trace(knowledge: Knowledge, steps: tuple[TraceStep, ...]) -> None:
    say("\nsteps")
    for step in steps:
        say(f"  {step.seconds * 1000:7.1f} ms  {step.name}: {step.detail}")
    say("\nfound")
    for item in knowledge.items:
        words = " ".join(item.text.split())
        short = _short(words) if item.kind is ItemKind.CHUNK else words
        section = f"{item.section}: " if item.section else ""
        say(f"  {item.score:6.3f}  {item.kind:6} {item.id[:12]}  {short}\n{' ' * 30}{section}{item.why}")


def _kind(item: Item) -> str:
    return f"{item.kind}, {item.section}" if item.section else str(item.kind)


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]}…"
