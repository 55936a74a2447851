"""polyadic reembed: bring the workspace to another embedding model."""

from pathlib import Path
from typing import get_args

import click

from polyadic.cli.common import count, json_option, print_json, say, shown, spent, workspace_option, workspace_place
from polyadic.cli.config_editor import read_text, with_setting, write_setting
from polyadic.cli.progress import shown_live
from polyadic.config import FILE_NAME, EmbeddingModel, variable_that_sets
from polyadic.errors import SettingsError
from polyadic.indexing.reembedding import ReembeddingProgress, ReembeddingReport
from polyadic.workspace import Workspace

_SETTING = ("embedding", "model")


@click.command("reembed")
@click.option(
    "--model",
    type=click.Choice(get_args(EmbeddingModel)),
    help="Bring it to this one, and set it in polyadic.toml after the switch; else to what that file names already.",
)
@click.option(
    "--force", is_flag=True, help="Also where it has vectors of that name: another model may stand behind it."
)
@workspace_option
@json_option
@click.pass_context
def command(
    context: click.Context, model: EmbeddingModel | None, force: bool, workspace: str | None, as_json: bool
) -> None:
    """Embed all that the workspace holds with another model, and switch to it.

    Until the switch questions are answered from the old vectors, by what runs with the old settings, and documents can
    be indexed and deleted. Stopped or killed, the same command goes on from there.
    """
    with Workspace(workspace_place(context, workspace)) as kb:
        file, embedding = kb.folder / FILE_NAME, kb.settings.embedding
        to_be_set = model if model != embedding.model else None
        if to_be_set:
            _check_changeable(file, to_be_set)
            embedding = embedding.model_copy(update={"model": to_be_set})
        with shown_live("embedding", _line) as report_progress:
            report = kb.reembed(embedding, report_progress, force)
    if to_be_set:
        write_setting(file, *_SETTING, to_be_set)
        say(f'set model = "{to_be_set}" under [embedding] in {shown(str(file.absolute()))}', err=True)
    print_json(report) if as_json else _print(report)


def _check_changeable(file: Path, model: EmbeddingModel) -> None:
    """Nothing is embedded where the setting could not be changed after it, or would not count."""
    if variable := variable_that_sets(_SETTING):
        what = f"the environment variable {variable} sets the embedding model, so polyadic.toml would not count"
        raise SettingsError(what, "change it there, then run polyadic reembed without --model")
    with_setting(read_text(file), *_SETTING, model, file)


def _line(progress: ReembeddingProgress) -> str:
    paid = f", {spent(progress.usage)}" if progress.usage.calls else ""
    if progress.waiting:
        return f"embedding: done{paid}; waiting for another process to stop writing"
    return f"embedding: {progress.gathered:,} of about {count(progress.texts, 'text')}{paid}"


def _print(report: ReembeddingReport) -> None:
    if not report.switched:
        say(f"nothing to do: the workspace has the vectors of {report.after}")
        return
    before = f"from {report.before} to " if report.before else "to "
    say(f"changed {before}{report.after}: {count(report.texts, 'vector')}")
    earlier = f", {report.taken_up:,} taken up from a run before" if report.taken_up else ""
    say(f"{count(report.texts_embedded, 'text')} embedded in {report.embedding_seconds:.1f} s{earlier}")
    if report.embedding_usage.calls:
        say(f"embedding: {spent(report.embedding_usage)}")
