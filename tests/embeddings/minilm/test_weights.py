"""Where weights are looked for, and whether they are genuine."""

import hashlib
import importlib.metadata
import os
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import EmbeddingSettings
from polyadic.embeddings.loading import load_embedder
from polyadic.embeddings.minilm.checksums import read_verified, verify_checksums
from polyadic.embeddings.minilm.weights import MODEL, find_weights
from polyadic.errors import WeightsAltered, WeightsMissing
from tests.embeddings.conftest import model_folder, place


def test_weight_locations_are_searched_in_order(
    cache: Path, tiny: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed = place(tmp_path / "site" / "pack" / "model", tiny)
    listed = [importlib.metadata.PackagePath("pack/model") / name for name in ("tokenizer.json", "model.safetensors")]
    distribution = importlib.metadata.PathDistribution(tmp_path / "site" / "pack-1.dist-info")
    for file in listed:
        file.dist = distribution
    monkeypatch.setattr(importlib.metadata, "files", lambda name: listed)
    assert find_weights().folder == installed

    cached = place(model_folder(cache), tiny)
    assert find_weights().folder == cached

    named = place(tmp_path / "named" / MODEL, tiny)
    monkeypatch.setenv("POLYADIC_MODELS", str(tmp_path / "named"))
    assert find_weights().folder == named

    chosen = place(tmp_path / "chosen", tiny)
    assert find_weights(chosen).folder == chosen
    assert find_weights(tmp_path / "nowhere").folder == named


def test_weight_folder_needs_tokenizer_and_network(cache: Path, tiny: dict[str, bytes], tmp_path: Path) -> None:
    place(tmp_path / "half", {"model.safetensors": tiny["model.safetensors"]})
    with pytest.raises(WeightsMissing):
        find_weights(tmp_path / "half")


@pytest.mark.parametrize("name", ["onnx/model.onnx", "model.onnx"])
def test_onnx_file_is_accepted(cache: Path, tmp_path: Path, name: str) -> None:
    folder = place(tmp_path / "hub", {"tokenizer.json": b"{}", name: b"graph"})
    assert find_weights(folder).network == folder / name


def test_missing_weights_name_the_fetch_command(cache: Path, tmp_path: Path) -> None:
    with pytest.raises(WeightsMissing) as problem:
        load_embedder(EmbeddingSettings(folder=tmp_path / "empty"))
    assert "polyadic models fetch" in str(problem.value)
    assert str(tmp_path / "empty") in str(problem.value)
    assert "\n" not in str(problem.value)


def test_altered_weights_name_the_file_and_the_command(cache: Path, tmp_path: Path) -> None:
    file = place(tmp_path, {"model.safetensors": b"other"}) / "model.safetensors"
    for check in (verify_checksums, read_verified):
        with pytest.raises(WeightsAltered) as problem:
            check(file, hashlib.sha256(b"genuine").hexdigest())
        assert str(file) in str(problem.value)
        assert "polyadic models fetch --force" in str(problem.value)


def test_unchanged_files_are_not_hashed_again(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = place(tmp_path, {"model.safetensors": b"genuine"}) / "model.safetensors"
    sha256 = hashlib.sha256(b"genuine").hexdigest()
    hashed = []
    original = hashlib.file_digest

    def counted(file: Any, name: str) -> Any:
        hashed.append(name)
        return original(file, name)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    verify_checksums(file, sha256)
    verify_checksums(file, sha256)
    assert len(hashed) == 1

    verify_checksums(file, sha256, thorough=True)
    assert len(hashed) == 2

    os.utime(file, ns=(1, 1))
    verify_checksums(file, sha256)
    assert len(hashed) == 3

    file.write_bytes(b"genuinely other")
    with pytest.raises(WeightsAltered):
        verify_checksums(file, sha256)


@pytest.mark.parametrize("damage", [b"", b"{", b"[1]", b"\xff"])
def test_damaged_checksum_cache_only_costs_a_hash(cache: Path, tmp_path: Path, damage: bytes) -> None:
    file = place(tmp_path, {"model.safetensors": b"genuine"}) / "model.safetensors"
    sha256 = hashlib.sha256(b"genuine").hexdigest()
    verify_checksums(file, sha256)
    (stamp,) = (cache / "verified").iterdir()
    stamp.write_bytes(damage)
    verify_checksums(file, sha256)
    assert len(stamp.read_bytes()) > len(damage)


def test_unwritable_checksum_cache_is_ignored(cache: Path, tmp_path: Path) -> None:
    cache.parent.mkdir()
    cache.write_bytes(b"a file where the folder should be")
    file = place(tmp_path, {"model.safetensors": b"genuine"}) / "model.safetensors"
    verify_checksums(file, hashlib.sha256(b"genuine").hexdigest())
