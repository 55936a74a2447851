"""What this process, or another, has written and holds in memory, and what lies in a folder."""

from pathlib import Path


def written(process: int | str = "self") -> int:
    """Bytes that a process has handed to the system to write."""
    return _told(process, "io", "wchar")


def resident(process: int | str = "self") -> int:
    """Bytes of memory that a process holds (its resident set)."""
    return 1024 * _told(process, "status", "VmRSS")


def stored(folder: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _told(process: int | str, file: str, what: str) -> int:
    lines = Path(f"/proc/{process}/{file}").read_text(encoding="ascii", errors="replace").splitlines()
    return int(next(line for line in lines if line.startswith(f"{what}:")).split()[1])
