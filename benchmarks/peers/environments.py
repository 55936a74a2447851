"""Create a virtual environment for each peer when it is first measured, because their dependencies conflict."""

import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from benchmarks.peers.systems import SYSTEMS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / ".bench"
# Dependencies of the benchmark code.
_BENCHMARK_PACKAGES = ("bpe-openai==0.1.4", "numpy")


def interpreters(names: Iterable[str], folder: Path) -> dict[str, Path]:
    """Return the Python interpreter of each system; missing environments are created below the folder."""
    return {name: _environment(name, folder) if SYSTEMS[name].packages else Path(sys.executable) for name in names}


def _environment(name: str, folder: Path) -> Path:
    packages = (*SYSTEMS[name].packages, *_BENCHMARK_PACKAGES)
    environment = folder / name
    python, marker = environment / "bin" / "python", environment / "installed.txt"
    if marker.exists() and marker.read_text(encoding="utf-8").split() == list(packages):
        return python
    shutil.rmtree(environment, ignore_errors=True)
    print(f"setting up {packages[0]} in {environment}", file=sys.stderr, flush=True)
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *packages], check=True)
    # Compile imported modules now rather than during a measurement.
    import_statement = f"import benchmarks.peers.systems.{name}_system"
    subprocess.run([str(python), "-W", "ignore", "-c", import_statement], check=True, cwd=ROOT)
    marker.write_text("\n".join(packages), encoding="utf-8")
    return python
