"""Documents and a provider of batches for them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.model_server import ModelServer, ready
from tests.support.with_a_model import write_letters


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


@pytest.fixture
def letters(tmp_path: Path) -> Path:
    """A folder with three documents, of four chunks each if they are small."""
    return write_letters(tmp_path / "letters", 3, 16)
