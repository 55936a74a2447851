"""polyadic eval make-questions: a question set about what a workspace holds."""

from pathlib import Path
from typing import get_args

import click

from polyadic.cli.common import count, json_option, print_json, say, shown, workspace_option, workspace_place
from polyadic.cli.eval_batch import BatchFileOptions, batch_options, print_round, rounds
from polyadic.cli.progress import shown_live
from polyadic.concurrency.sync import run_sync
from polyadic.evaluation.question_generation.acceptance import AcceptedQuestions, accept
from polyadic.evaluation.question_generation.generator import QuestionGenerationReport, QuestionQuota, make_questions
from polyadic.evaluation.question_generation.sampling import Arity, FactSampling
from polyadic.llm.batch_model import ReplyPending
from polyadic.workspace import Workspace

DEFAULT_OUT = Path("polyadic-questions")


@click.command("make-questions")
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for the question set.")
@click.option(
    "--count", "number", type=click.IntRange(min=1), default=512, show_default=True, help="How many to ask for."
)
@click.option(
    "--kind",
    "kinds",
    multiple=True,
    type=click.Choice(get_args(Arity)),
    help="Facts of two entities, or of more (default: both).",
)
@click.option("--hops", default="1,2,3", show_default=True, help="How many facts a question is made from.")
@click.option(
    "--sampling",
    type=click.Choice([str(one) for one in FactSampling]),
    default=str(FactSampling.CHAIN),
    show_default=True,
    help="How the facts of a question belong together.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Another one draws other facts.")
@click.option(
    "--accept", "review", type=click.Path(dir_okay=False, path_type=Path), help="A review file: write what is accepted."
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
    """Have the language model write questions about what the workspace holds, for a person to review.

    Facts are drawn from the workspace, and the model writes a question and its answer from each draw. What can be
    used goes to OUT/review.jsonl (default OUT: polyadic-questions), the texts of all documents to OUT/contexts.json.
    Set "accept" to true or false there; then --accept OUT/review.jsonl writes OUT/questions.json, and
    polyadic eval OUT puts the questions to methods. The same command goes on where it was stopped.
    """
    if review is not None:
        accepted = accept(review, out)
        print_json(accepted) if as_json else _print_accepted(accepted)
        return 3 if accepted.undecided else 0
    folder = out or DEFAULT_OUT
    wanted = QuestionQuota(number, kinds or get_args(Arity), _hops(context, hops), FactSampling(sampling), seed)
    with Workspace(workspace_place(context, workspace)) as kb:
        kb.store()  # Where there is no workspace, none is made for the batch files.
        by_files = rounds(kb, folder, BatchFileOptions(batch_write, batch_read, overwrite))
        try:
            with shown_live("writing questions", str):
                making = run_sync(make_questions)(kb, wanted, folder, by_files.by_file if by_files else None)
        except ReplyPending:
            if by_files is None:
                raise
            return print_round(by_files.wait(), as_json)
        if by_files:
            by_files.by_file.done()
    print_json(making) if as_json else _print_making(making)
    return 0


def _hops(context: click.Context, given: str) -> tuple[int, ...]:
    listed = [number.strip() for number in given.split(",")]
    if not all(number.isdecimal() for number in listed):
        raise click.UsageError(f"--hops are numbers after a comma, not {given}", context)
    return tuple(int(number) for number in listed)


def _print_making(making: QuestionGenerationReport) -> None:
    for one in making.drawn:
        few = "" if one.samples == one.stratum.wanted else f" of {one.stratum.wanted:,}: the workspace has no more"
        say(f"{one.stratum.arity}, {count(one.stratum.hops, 'fact')} a question: {one.samples:,} drawn{few}")
    for why, number in sorted(making.dropped.items()):
        say(f"left out, because {why}: {number:,}")
    already = f", {making.kept:,} of them there already and left as they were" if making.kept else ""
    say(f"{count(making.made, 'question')} to review in {shown(str(making.review.absolute()))}{already}")


def _print_accepted(accepted: AcceptedQuestions) -> None:
    if accepted.undecided:
        say(f'not decided yet: {accepted.undecided:,} ("accept" stands at null)', err=True)
    where = shown(str(accepted.questions.absolute()))
    say(f"{count(accepted.accepted, 'question')} accepted, {accepted.rejected:,} rejected: written to {where}")
