"""The workspace of 2wiki-101 with the facts of a large language model, recorded and asked for over HTTP."""

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
    """The workspace below ``folder``, filled now if it is not yet."""
    with ModelServer([recorded_model(data_folder() / RECORDED)]) as server:
        model = ModelSettings(name="recorded", base_url=server.url, key_variable="", context_tokens=128_000)
        with Workspace(folder / f"{RECORDED}-with-a-model", Settings(model=model)) as workspace:
            workspace.index([load(RECORDED).corpus])
            yield workspace
