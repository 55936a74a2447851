"""``polyadic eval make-questions``: generate a question set from a workspace."""

from functools import partial
from pathlib import Path
from typing import get_args

import click

from polyadic.cli.common import json_option, print_json, say, shown, workspace_option, workspace_place
from polyadic.cli.eval_batch import (
    BatchFileOptions,
    BatchRoundReport,
    batch_options,
    done_by_files,
    print_round,
    rounds,
)
from polyadic.cli.progress import shown_live
from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.evaluation.question_generation.fact_sampling import Arity, FactSampling
from polyadic.evaluation.question_generation.generator import QuestionGenerationReport, QuestionQuota, make_questions
from polyadic.evaluation.question_generation.review_file import AcceptedQuestions, accept
from polyadic.text.counts import count
from polyadic.workspace import Workspace

DEFAULT_OUT = Path("polyadic-questions")


@click.command("make-questions")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the question set.")
@click.option(
    "--count",
    "number",
    type=click.IntRange(min=1),
    default=512,
    show_default=True,
    help="Number of questions to generate.",
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(get_args(Arity)),
    help="Facts with two entities, or with more (default: both).",
)
@click.option("--hops", default="1,2,3", show_default=True, help="Numbers of facts per question.")
@click.option(
    "--sampling",
    type=click.Choice([str(one) for one in FactSampling]),
    default=str(FactSampling.CHAIN),
    show_default=True,
    help="How the facts of a question are connected.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed for sampling facts.")
@click.option(
    "--accept",
    "review",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the accepted questions of this review file.",
)
@batch_options
@workspace_option
@json_option
@click.pass_context
def command(
    context: click.Context,
    out: Path | None,
    number: int,
    kinds: tuple[Arity, ...],
    hops: str,
    sampling: str,
    seed: int,
    review: Path | None,
    batch_write: Path | None,
    batch_read: tuple[Path, ...],
    overwrite: bool,
    workspace: str | None,
    as_json: bool,
) -> int:
    """Generate questions from the facts of the workspace with the language model, for review by a person.

    Facts are sampled from the workspace, and the model writes a question and its answer from each sample. Valid ones
    are written to OUT/review.jsonl (default OUT: polyadic-questions), the texts of all documents to
    OUT/contexts.json. Set "accept" to true or false in the review file; then --accept OUT/review.jsonl writes
    OUT/questions.json for polyadic eval OUT. Run the same command again to resume.
    """
    if review is not None:
        accepted = accept(review, out)
        print_json(accepted) if as_json else _print_accepted(accepted)
        return 3 if accepted.undecided else 0
    folder = out or DEFAULT_OUT
    wanted = QuestionQuota(number, kinds or get_args(Arity), _hops(context, hops), FactSampling(sampling), seed)
    with Workspace(workspace_place(context, workspace)) as kb:
        kb.store()  # Fail early: do not create a workspace for the batch files.
        by_files = rounds(kb, folder, BatchFileOptions(batch_write, batch_read, overwrite))
        with shown_live("writing questions", str):
            making = done_by_files(by_files, partial(async_to_sync(make_questions), kb, wanted, folder))
    if isinstance(making, BatchRoundReport):
        return print_round(making, as_json)
    print_json(making) if as_json else _print_making(making)
    return 0


def _hops(context: click.Context, given: str) -> tuple[int, ...]:
    listed = [number.strip() for number in given.split(",")]
    if not all(number.isdecimal() for number in listed):
        raise click.UsageError(f"--hops must be comma-separated numbers, not {given}", context)
    return tuple(int(number) for number in listed)


def _print_making(making: QuestionGenerationReport) -> None:
    for one in making.drawn:
        few = "" if one.samples == one.stratum.wanted else f" of {one.stratum.wanted:,}: the workspace has no more"
        say(f"{one.stratum.arity}, {count(one.stratum.hops, 'fact')} per question: {one.samples:,} sampled{few}")
    for why, number in sorted(making.dropped.items()):
        say(f"dropped, because {why}: {number:,}")
    already = f", {making.kept:,} of them kept from an earlier run" if making.kept else ""
    say(f"{count(making.made, 'question')} to review in {shown(str(making.review.absolute()))}{already}")


def _print_accepted(accepted: AcceptedQuestions) -> None:
    if accepted.undecided:
        say(f'not reviewed yet: {accepted.undecided:,} ("accept" is null)', err=True)
    where = shown(str(accepted.questions.absolute()))
    say(f"{count(accepted.accepted, 'question')} accepted, {accepted.rejected:,} rejected: written to {where}")
