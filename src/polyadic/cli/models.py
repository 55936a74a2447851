"""``polyadic models``: download the weights of local models."""

import click

from polyadic.embeddings.minilm.download import fetch


@click.group("models")
def command() -> None:
    """Download the weights of local models."""


@command.command("fetch")
@click.option("--force", is_flag=True, help="Download again even if the weights exist.")
def fetch_weights(force: bool) -> None:
    """Download the weights of the embedding model (about 90 MB) and verify their hash."""
    fetch(force=force, report=lambda line: click.echo(line, err=True))
