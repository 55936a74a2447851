"""Measure bytes written and memory of processes, and the size of folders."""

from pathlib import Path


def written(process: int | str = "self") -> int:
    """Return the bytes that a process has passed to write calls."""
    return _read_proc(process, "io", "wchar")


def resident(process: int | str = "self") -> int:
    """Return the resident memory of a process in bytes."""
    return 1024 * _read_proc(process, "status", "VmRSS")


def stored(folder: Path) -> int:
    """Return the size of all files below a folder in bytes."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _read_proc(process: int | str, file: str, what: str) -> int:
    lines = Path(f"/proc/{process}/{file}").read_text(encoding="ascii", errors="replace").splitlines()
    return int(next(line for line in lines if line.startswith(f"{what}:")).split()[1])
