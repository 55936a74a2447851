"""A virtual environment for each peer, made when it is first measured: what they depend on does not go together."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.peers.systems import SYSTEMS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".bench"
# What this folder's own code needs there.
_OURS = ("bpe-openai==0.1.4", "numpy")


def interpreters(names: Iterable[str], folder: Path) -> dict[str, Path]:
    """By system the Python to run it with; environments that are not there yet are made below the folder."""
    return {name: _made(name, folder) if SYSTEMS[name].packages else Path(sys.executable) for name in names}


def _made(name: str, folder: Path) -> Path:
    packages = (*SYSTEMS[name].packages, *_OURS)
    environment = folder / name
    python, done = environment / "bin" / "python", environment / "installed.txt"
    if done.exists() and done.read_text(encoding="utf-8").split() == list(packages):
        return python
    shutil.rmtree(environment, ignore_errors=True)
    print(f"setting up {packages[0]} in {environment}", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    # What is imported is compiled now, and not while something is measured.
    imported = f"import benchmarks.peers.systems.{name}_system"
    subprocess.run([str(python), "-W", "ignore", "-c", imported], check=True, cwd=ROOT)
    done.write_text("\n".join(packages), encoding="utf-8")
    return python
