"""polyadic query: ask a question."""

import click

from polyadic.cli.common import count, json_option, print_json, say, shown, workspace_folder, workspace_option
from polyadic.knowledge import Answer, Kind, Knowledge, Step
from polyadic.settings import METHODS
from polyadic.workspace import Workspace


@click.command("query")
@click.argument("question")
@click.option("--method", type=click.Choice(METHODS), help="How knowledge is found (default: as set, else auto).")
@click.option("--context-tokens", type=click.IntRange(min=1), help="How many tokens of knowledge to bring.")
@click.option("--context-only", is_flag=True, help="Print the knowledge found, without an answer.")
@click.option("--trace", is_flag=True, help="Print each step, and why each item was found.")
@workspace_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    question: str,
    method: str | None,
    context_tokens: int | None,
    context_only: bool,
    trace: bool,
    workspace: str | None,
    as_json: bool,
) -> None:
    """Answer QUESTION from the documents of the workspace, with citations."""
    if not question.strip():
        raise click.UsageError("the question is empty", context)
    with Workspace(workspace_folder(context, workspace)) as kb:
        if context_only:
            knowledge = kb.retrieve(question, method, context_tokens)
            print_json(knowledge) if as_json else _print_context(knowledge)
            steps = knowledge.trace
        else:
            answer = kb.query(question, method, context_tokens)
            print_json(answer) if as_json else _print_answer(answer)
            knowledge, steps = answer.knowledge, answer.trace
    if trace and not as_json:
        _print_trace(knowledge, steps)


def _print_answer(answer: Answer) -> None:
    say(answer.text)
    if answer.note:
        say(f"({answer.note})")
    say()
    for citation in answer.citations:
        span = citation.place.span
        say(f" [{citation.marker}] {shown(citation.place.source)}, characters {span.start}–{span.end}")
    knowledge = answer.knowledge
    say(
        f" {knowledge.method} · {count(len(knowledge.facts), 'fact')}, {count(len(knowledge.chunks), 'passage')}"
        f" · {answer.usage.tokens:,} model tokens · {answer.seconds:.1f} s        (why these: polyadic query --trace)"
    )


def _print_context(knowledge: Knowledge) -> None:
    for number, item in enumerate(knowledge.items, 1):
        where = "; ".join(f"{shown(p.source)}:{p.span.start}-{p.span.end}" for p in item.places[:1])
        say(f"[{number}] {item.kind}{f'  ({where})' if where else ''}\n{item.text}\n")
    say(f"{knowledge.method} · {count(len(knowledge.items), 'item')}, {count(knowledge.tokens, 'token')}")


def _print_trace(knowledge: Knowledge, steps: tuple[Step, ...]) -> None:
    say("\nsteps")
    for step in steps:
        say(f"  {step.seconds * 1000:7.1f} ms  {step.name}: {step.detail}")
    say("\nfound")
    for item in knowledge.items:
        words = " ".join(item.text.split())
        short = words if item.kind is not Kind.CHUNK or len(words) <= 100 else f"{words[:100]}…"
        say(f"  {item.score:6.3f}  {item.kind:6} {item.id[:12]}  {short}\n{' ' * 30}{item.why}")
