"""polyadic models: the weights of local models."""

import click

from polyadic.embeddings.minilm.download import fetch


@click.group("models")
def command() -> None:
    """The weights of local models."""


@command.command("fetch")
@click.option("--force", is_flag=True, help="Fetch again even if the weights are there.")
def fetch_weights(force: bool) -> None:
    """Bring the embedding model's weights (about 90 MB) to this machine, checked by their hash."""
    fetch(force=force, report=lambda line: click.echo(line, err=True))
