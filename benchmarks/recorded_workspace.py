"""Workspaces with recorded facts of a large language model, served over HTTP."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.data import data_folder, load
from benchmarks.kept_workspaces import kept_for
from polyadic.config import ModelSettings, Settings
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer, recorded_model

RECORDED = "2wiki-101"
SPACEFLIGHT_EXTRACTIONS = Path(__file__).parent / "spaceflight_extractions.jsonl"
_TITLE = re.compile(r"Document: (.*)\n")


@contextmanager
def recorded_workspace(folder: Path) -> Iterator[Workspace]:
    """Open the workspace below ``folder``, filled if necessary."""
    with ModelServer([recorded_model(data_folder() / RECORDED)]) as server:
        model = ModelSettings(name="recorded", base_url=server.url, key_variable="", context_tokens=128_000)
        with Workspace(folder / f"{RECORDED}-with-a-model", Settings(model=model)) as workspace:
            workspace.index([load(RECORDED).corpus])
            yield workspace


@contextmanager
def extracted_workspace(extractions: Path, documents: Path, folder: Path) -> Iterator[Workspace]:
    """Open a workspace in ``folder`` with the recorded replies to extraction requests, filled if necessary.

    Each line of ``extractions`` has the title of a document and the ``reply`` to the request for it.
    """
    rows = map(json.loads, extractions.read_text(encoding="utf-8").splitlines())
    replies = {row["title"]: json.dumps(row["reply"], ensure_ascii=False) for row in rows}

    def respond(asked: Asked) -> str | None:
        title = _TITLE.match(asked.last_user_text)
        return replies.get(title[1]) if title else None

    with ModelServer([respond]) as server:
        model = ModelSettings(name="recorded", base_url=server.url, key_variable="", context_tokens=128_000)
        with Workspace(kept_for(documents, folder), Settings(model=model)) as workspace:
            if failed := workspace.index([documents]).failed:
                raise LookupError(f"no recorded reply: {failed[0].reason}")
            yield workspace
