"""``polyadic eval QUESTIONS.csv``: check answers of a workspace against a table of expected answers."""

from collections.abc import Sequence
from pathlib import Path

import click

from polyadic.cli.common import print_json, say
from polyadic.cli.progress import shown_live
from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.config import METHODS
from polyadic.errors import NO_MODEL, NotFound, SettingsError
from polyadic.evaluation.plan import AnswersBy
from polyadic.evaluation.question_table import TableAnswer, ask_table, drawn, load_rows
from polyadic.retrieval.hierarchy_search import is_built
from polyadic.retrieval.methods.hierarchy import HierarchyWithoutIndex, check_no_layers
from polyadic.retrieval.registry import needs_hierarchy, needs_model
from polyadic.text.counts import count
from polyadic.workspace import Workspace

_WRONG_SHOWN = 50
_SHORTENED = 200
_COLUMNS = (
    "right: share of answers that contain the expected one, or refuse if none is expected; F1: word overlap with it,"
    " lower for answers that say more; ms: time per answer"
)


def evaluate_table(
    kb: Workspace,
    path: Path,
    methods: Sequence[str],
    answers: AnswersBy | None,
    limit: int | None,
    seed: int,
    context_tokens: int | None,
    as_json: bool,
) -> int:
    """Answer the questions of a table and print the correct share; return the exit code: 3 if some failed."""
    if any(needs_model(method) for method in methods) and not kb.settings.model.of_role("answers").name:
        raise NO_MODEL
    if unknown := [method for method in methods if method not in METHODS]:
        raise SettingsError(f"there is no method {unknown[0]!r}", f"use some of {', '.join(METHODS)}, or all")
    rows = drawn(load_rows(path), limit, seed)
    _check_hierarchy(kb, methods)
    # Only the text of answers is compared.
    how = kb.settings.answer.overridden(by=answers, check_claims=False)
    with shown_live("evaluating", str) as say_progress:
        asked = async_to_sync(ask_table)(kb, rows, methods, how, context_tokens, say_progress)
    if as_json:
        print_json(asked)
    else:
        _print(asked, methods)
    return 3 if any(one.problem for one in asked) else 0


def _check_hierarchy(kb: Workspace, methods: Sequence[str]) -> None:
    """Raise if a method needs a hierarchy that the workspace does not have: the workspace is not changed here."""
    needing = [method for method in methods if needs_hierarchy(method)]
    with kb.store().read() as reader:
        if needing and not is_built(reader.hierarchy_reader()):
            what = f"the method {needing[0]} needs a hierarchy, and the workspace has none"
            raise NotFound(what, "build it with polyadic hierarchy build")
        if HierarchyWithoutIndex.name in methods:
            check_no_layers(reader.hierarchy_reader())


def _print(asked: Sequence[TableAnswer], methods: Sequence[str]) -> None:
    width = max(map(len, ("method", *methods)))
    say(f"{'method':{width}}  questions  right    F1  refused  ms", bold=True)
    for method in methods:
        of_method = [one for one in asked if one.method == method]
        scores = [one.f1 for one in of_method if one.f1 is not None]
        score = f"{sum(scores) / len(scores):.2f}" if scores else "–"
        right = sum(one.correct for one in of_method) / len(of_method)
        refused = sum(not one.answered and not one.problem for one in of_method)
        each = 1000 * sum(one.seconds for one in of_method) / len(of_method)
        say(f"{method:{width}}  {len(of_method):9,}  {right:5.2f}  {score:>4}  {refused:7,}  {each:,.0f}")
    say(_COLUMNS)
    wrong = [one for one in asked if not one.correct]
    if wrong:
        say(f"\n{count(len(wrong), 'answer')} not right:", bold=True)
    for one in wrong[:_WRONG_SHOWN]:
        say(f"\n{one.method} · {one.row.id} · {_short(one.row.question)}")
        say(f"  expected: {_short(one.row.expected) or '(no answer)'}")
        say(f"  failed:   {one.problem}" if one.problem else f"  answered: {_short(one.answer)}")
    if len(wrong) > _WRONG_SHOWN:
        say(f"\nand {len(wrong) - _WRONG_SHOWN:,} more (--json lists all)")


def check_options(context: click.Context) -> None:
    """Raise a usage error for options of ``polyadic eval`` that do not apply to a table of questions."""
    names = (
        "variants",
        "measures",
        "out",
        "budgets",
        "judge_model",
        "at_once",
        "batch_write",
        "batch_read",
        "overwrite",
    )
    options = {parameter.name: parameter.opts[0] for parameter in context.command.params}
    if given := [options[name] for name in names if context.params[name]]:
        raise click.UsageError(f"{' and '.join(given)} cannot be combined with a table of questions", context)
    if context.params["answers"] == "none":
        raise click.UsageError(
            "--answers none cannot be combined with a table of questions, because the answers are checked", context
        )


def _short(text: str) -> str:
    folded = " ".join(text.split())
    return folded if len(folded) <= _SHORTENED else f"{folded[: _SHORTENED - 1]}…"
