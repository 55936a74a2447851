"""Fetch the documents of questions.tsv from Debian packages: ``python -m benchmarks.ordinary.documents FOLDER``.

The documents are written below FOLDER/documents, a folder for each kind; FOLDER/packages keeps the packages. apt,
dpkg and groff are needed, and a configured package source. Another release than Debian 12 has other versions of the
documents: ``python -m benchmarks.ordinary.check FOLDER`` lists the questions whose answer is no longer there.
"""

import gzip
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ordinary.questions import Split

DOCUMENTS = "documents"
_KINDS = Path(__file__).with_name("kinds.toml")
_COMPRESSED = (".gz", ".dz")
_BINARY = (".pdf", ".epub")
_TERMINAL = re.compile(rb"\x1b\[[0-9;]*m|.\x08")
"""Colours, and what is struck over for bold type or underlines."""
_SECTION = re.compile(r"\.[1-9]$")


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of document: the files of a Debian package that match the patterns.

    Attributes:
        name: Of the folder below FOLDER/documents, and in questions.tsv.
        split: Whether weights and thresholds may be learned on it.
        package: Name of the Debian package.
        patterns: Globs below the package's root.
        suffix: Replaces the file's own suffix; empty to keep it.
    """

    name: str
    split: Split
    package: str
    patterns: tuple[str, ...]
    suffix: str = ""


def load_kinds() -> tuple[Kind, ...]:
    """Read kinds.toml."""
    rows = tomllib.loads(_KINDS.read_text(encoding="utf-8"))["kind"]
    return tuple(
        Kind(row["name"], Split(row["split"]), row["package"], tuple(row["patterns"]), row.get("suffix", ""))
        for row in rows
    )


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.ordinary.documents FOLDER")
    folder = fetched(Path(sys.argv[1]))
    print(f"wrote {sum(path.is_file() for path in folder.rglob('*')):,} documents below {folder}")


def fetched(folder: Path) -> Path:
    """Return the folder of the documents; download the kinds that are not there yet."""
    documents = folder / DOCUMENTS
    missing = [kind for kind in load_kinds() if not (documents / kind.name).is_dir()]
    if missing:
        packages = _downloaded((kind.package for kind in missing), folder / "packages")
        for kind in missing:
            unpack(kind, packages[kind.package], documents / kind.name)
    return documents


def _downloaded(names: Iterable[str], folder: Path) -> dict[str, Path]:
    """Download packages into the folder, and return the file of each by name."""
    for tool in ("apt-get", "dpkg", "groff"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is not installed, but the documents come from Debian packages: run this on Debian")
    folder.mkdir(parents=True, exist_ok=True)
    wanted = sorted(set(names))
    if subprocess.run(["apt-get", "download", *wanted], cwd=folder, check=False).returncode:  # noqa: S607
        sys.exit("apt-get could not download all packages: see above; `apt-get update` as root may be needed")
    return {name: next(folder.glob(f"{name}_*.deb")) for name in wanted}


def unpack(kind: Kind, package: Path, target: Path) -> None:
    """Write the documents of one kind, as a person would read them, from its package into the folder ``target``."""
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        subprocess.run(["dpkg", "-x", str(package), temporary], check=True)  # noqa: S607
        found = list(_matching(root, kind.patterns))
        if not found:
            sys.exit(f"{package.name} has no {' or '.join(kind.patterns)}: this release of Debian keeps them elsewhere")
        contents = {target_name(path.name, kind.suffix): _content(path) for path in found}
    target.mkdir(parents=True)
    for name, content in contents.items():
        (target / name).write_bytes(content)


def _matching(root: Path, patterns: Iterable[str]) -> Iterator[Path]:
    for pattern in patterns:
        yield from sorted(path for path in root.glob(pattern) if path.is_file() and not path.is_symlink())


def target_name(name: str, suffix: str) -> str:
    """Name a document without what says that it is compressed, and with the suffix, if one is given.

    >>> target_name("tcp.7.gz", ".txt"), target_name("VIRTUAL_README.gz", ".txt"), target_name("usr_01.txt", "")
    ('tcp.7.txt', 'VIRTUAL_README.txt', 'usr_01.txt')
    """
    path = Path(name)
    plain = path.stem if path.suffix in _COMPRESSED else name
    return f"{plain.removesuffix('.txt')}{suffix}" if suffix else plain


def _content(path: Path) -> bytes:
    """Read a file as a person would read it: decompressed, manual pages rendered, no bold type."""
    content = gzip.decompress(path.read_bytes()) if path.suffix in _COMPRESSED else path.read_bytes()
    if path.suffix == ".gz" and _SECTION.search(path.stem):
        return _rendered(content)
    return (
        content
        if path.name.endswith((*_BINARY, *(f"{suffix}.gz" for suffix in _BINARY)))
        else _TERMINAL.sub(b"", content)
    )


def _rendered(page: bytes) -> bytes:
    """Render a manual page as plain text of 80 columns."""
    command = ["groff", "-Tutf8", "-P-cbou", "-mandoc", "-t", "-Kutf8", "-rLL=80n"]
    return subprocess.run(command, input=page, capture_output=True, check=True).stdout


if __name__ == "__main__":
    main()
