"""A workspace with two documents, one of them with pages."""

from collections.abc import Iterator

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.model.types import Document
from polyadic.workspace import Workspace

ADA = "Ada Lovelace was born in London. Ada Lovelace met Charles Babbage in London in 1833."
TURIN = "Charles Babbage spoke in Turin in 1840. Luigi Menabrea heard Charles Babbage in Turin."
TEXTS = {"/notes/ada.md": ADA, "/notes/turin.pdf": TURIN}


@pytest.fixture(scope="package")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    settings = Settings(embedding=EmbeddingSettings(model="hashing"))
    with Workspace(tmp_path_factory.mktemp("kb"), settings) as kb:
        turin = Document("/notes/turin.pdf", "A journey", TURIN, {"kind": "journey"}, pages=(0, 40))
        kb.add([Document("/notes/ada.md", "", ADA), turin])
        yield kb
