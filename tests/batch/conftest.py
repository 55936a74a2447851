"""Documents and a provider of batches for them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.model_server import ModelServer, ready
from tests.support.with_a_model import story


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """A folder with three documents, of four chunks each if they are small."""
    folder = tmp_path / "letters"
    folder.mkdir()
    for part in range(3):
        (folder / f"{part}.txt").write_text(story(part, 16))
    return folder
