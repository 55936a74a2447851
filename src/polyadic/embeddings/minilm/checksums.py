"""Whether the files of all-MiniLM-L6-v2 are the genuine ones.

Hashing 90 MB takes a tenth of a second or more, too long for every start. So a file that was found genuine is
remembered by its size and time of modification, and hashed again only when these have changed.
"""

import hashlib
import json
from pathlib import Path

from polyadic.embeddings.cache_folder import cache_folder, write_whole
from polyadic.errors import WeightsAltered

SAFETENSORS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


def verify_checksums(path: Path, sha256: str, *, thorough: bool = False) -> None:
    """Make sure that a large file has this hash; ``thorough`` hashes it even if it was found genuine before.

    Raises
    ------
    WeightsAltered
        It has another one.
    """
    state = {"path": str(path.resolve()), "size": path.stat().st_size, "mtime_ns": path.stat().st_mtime_ns}
    stamp = _stamp(path)
    if not thorough and _remembered(stamp) == {**state, "sha256": sha256}:
        return
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    if found != sha256:
        raise altered_files(path)
    try:
        write_whole(stamp, json.dumps({**state, "sha256": sha256}).encode())
    except OSError:
        # A read-only cache costs the next start another hash, nothing else.
        return


def read_verified(path: Path, sha256: str) -> bytes:
    """The content of a small file that must have this hash.

    Raises
    ------
    WeightsAltered
        It has another one.
    """
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise altered_files(path)
    return data


def altered_files(path: Path) -> WeightsAltered:
    """The error that says that this file is not what it should be, and how to get the one that is."""
    return WeightsAltered(
        f"{path} is not the genuine file of all-MiniLM-L6-v2",
        "delete it and run `polyadic models fetch --force`",
    )


def _stamp(path: Path) -> Path:
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache_folder() / "verified" / f"{name}.json"


def _remembered(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_bytes())
    except (OSError, ValueError):
        return None
