"""Workspace of 2wiki-101 with recorded facts of a large language model, served over HTTP."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.data import data_folder, load
from polyadic.config import ModelSettings, Settings
from polyadic.workspace import Workspace
from tests.model_server import ModelServer, recorded_model

RECORDED = "2wiki-101"


@contextmanager
def recorded_workspace(folder: Path) -> Iterator[Workspace]:
    """Open the workspace below ``folder``, filled if necessary."""
    with ModelServer([recorded_model(data_folder() / RECORDED)]) as server:
        model = ModelSettings(name="recorded", base_url=server.url, key_variable="", context_tokens=128_000)
        with Workspace(folder / f"{RECORDED}-with-a-model", Settings(model=model)) as workspace:
            workspace.index([load(RECORDED).corpus])
            yield workspace
