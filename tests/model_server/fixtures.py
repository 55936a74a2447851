"""Fixtures for tests that need a language model: import them where they are used, or in a conftest.py."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.model_server.recorded import recorded_model
from tests.model_server.responders import ready
from tests.model_server.server import ModelServer


@pytest.fixture
def model_server() -> Iterator[ModelServer]:
    """A server for any text in any language, without a key."""
    with ModelServer(ready()) as server:
        yield server


@pytest.fixture(scope="module")
def recorded_server() -> Iterator[ModelServer]:
    """A server with the recorded facts of 2wiki-101; tests of a module share it, so ``reset()`` it first."""
    folder = os.environ.get("POLYADIC_DATA")
    if not folder:
        pytest.skip("POLYADIC_DATA is not set: it names the folder with 2wiki-101")
    with ModelServer([recorded_model(Path(folder) / "2wiki-101"), *ready()]) as server:
        yield server
