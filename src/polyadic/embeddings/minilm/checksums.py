"""Verify the checksums of the files of all-MiniLM-L6-v2.

Hashing 90 MB takes a tenth of a second or more, too long for every start. A verified file is therefore recorded with
its size and modification time, and hashed again only when these have changed.
"""

import hashlib
import json
from pathlib import Path

from polyadic.embeddings.cache_folder import cache_folder, write_whole
from polyadic.errors import WeightsAltered

SAFETENSORS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"


def verify_checksums(path: Path, sha256: str, *, thorough: bool = False) -> None:
    """Verify the hash of a large file; ``thorough`` hashes it even if it was verified before.

    Raises
    ------
    WeightsAltered
        The hash differs.
    """
    state = {"path": str(path.resolve()), "size": path.stat().st_size, "mtime_ns": path.stat().st_mtime_ns}
    stamp = _stamp(path)
    if not thorough and _verified_state(stamp) == {**state, "sha256": sha256}:
        return
    with path.open("rb") as file:
        actual = hashlib.file_digest(file, "sha256").hexdigest()
    if actual != sha256:
        raise altered_files(path)
    try:
        write_whole(stamp, json.dumps({**state, "sha256": sha256}).encode())
    except OSError:
        # With a read-only cache the next start hashes the file again.
        return


def read_verified(path: Path, sha256: str) -> bytes:
    """Read a small file and verify its hash.

    Raises
    ------
    WeightsAltered
        The hash differs.
    """
    data = path.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        raise altered_files(path)
    return data


def altered_files(path: Path) -> WeightsAltered:
    """Create the error for a file that does not match its checksum."""
    return WeightsAltered(
        f"{path} is not the genuine file of all-MiniLM-L6-v2",
        "delete it and run `polyadic models fetch --force`",
    )


def _stamp(path: Path) -> Path:
    name = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return cache_folder() / "verified" / f"{name}.json"


def _verified_state(stamp: Path) -> object:
    try:
        return json.loads(stamp.read_bytes())
    except (OSError, ValueError):
        return None
