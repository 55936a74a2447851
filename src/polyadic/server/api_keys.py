"""Keys: to which workspaces, and whether to read or to write.

A key is drawn at random and shown once; the file holds a salted digest of it. It has 256 bits of chance, so there is
nothing to guess and a fast digest will do.
"""

import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from filelock import FileLock

from polyadic.errors import NotFound, PolyadicError, SettingsError

Access = Literal["read", "write"]
ALL = "*"
OWN_FOLDER = ".server"
"""What the server keeps beside the workspaces; no workspace can have this name."""
_PREFIX = "poly"
_SECRET_BYTES = 32
_LONGEST = 200
_VERSION = 1


@dataclass(frozen=True, slots=True)
class ApiKey:
    """What a key opens: ``workspaces`` by name, all of them where one is ``*``; ``write`` includes reading."""

    id: str
    name: str
    access: Access
    workspaces: tuple[str, ...]
    created: str = ""

    @property
    def opens_all(self) -> bool:
        return ALL in self.workspaces

    def opens(self, workspace: str) -> bool:
        """Whether it opens a workspace, to read at least.

        >>> ApiKey("1", "ada", "read", ("letters",)).opens("letters"), ApiKey("1", "ada", "read", ("letters",
        ... )).opens("*")
        (True, False)
        """
        return self.opens_all or (workspace != ALL and workspace in self.workspaces)


LOCAL = ApiKey("local", "whoever is on this machine", "write", (ALL,))
"""Where no key is asked for."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """A key as it stands in the file."""

    key: ApiKey
    salt: bytes
    digest: bytes


# Compared with where no key has the id, so that both cases take the same time.
_NOBODY = _Kept(ApiKey("", "", "read", ()), secrets.token_bytes(16), secrets.token_bytes(32))


class KeyRing:
    """The keys in a file, which is read again when it changes.

    Parameters
    ----------
    file
        Need not exist: then there are no keys.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ring = KeyRing(Path(folder) / "keys.json")
    ...     key, secret = ring.add("ada", "read", ["letters"])
    ...     ring.key_of(secret) == key, ring.key_of(secret + "x")
    (True, None)
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._read_from: tuple[int, int, int] | None = None
        self._kept: dict[str, _Kept] = {}
        self._reading = threading.Lock()

    def keys(self) -> list[ApiKey]:
        """All keys, the first made first.

        Raises
        ------
        SettingsError
            The file is there and holds no keys.
        """
        return [kept.key for kept in self._fresh().values()]

    def key_of(self, presented: str) -> ApiKey | None:
        """The key that somebody presented, if it is one; takes the same time whether it is or not."""
        prefix, _, rest = presented[:_LONGEST].partition("-")
        identifier, _, secret = rest.partition("-")
        known = self._fresh().get(identifier) if prefix == _PREFIX else None
        kept = known or _NOBODY
        same = hmac.compare_digest(_digest(kept.salt, secret), kept.digest)
        return kept.key if known and same and len(presented) <= _LONGEST else None

    def add(self, name: str, access: Access, workspaces: Sequence[str]) -> tuple[ApiKey, str]:
        """Make a key; returns it with what is to be presented, which is kept nowhere."""
        if not workspaces:
            raise PolyadicError("the key would open no workspace", "name one, or all")
        secret, salt = secrets.token_urlsafe(_SECRET_BYTES), secrets.token_bytes(16)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        key = ApiKey(secrets.token_hex(4), name, access, tuple(dict.fromkeys(workspaces)), now)
        with self._changing():
            self._write([*self._fresh().values(), _Kept(key, salt, _digest(salt, secret))])
        return key, f"{_PREFIX}-{key.id}-{secret}"

    def remove(self, identifier: str) -> ApiKey:
        """Make a key open nothing from now on.

        Raises
        ------
        NotFound
            There is no key with this identifier.
        """
        with self._changing():
            kept = dict(self._fresh())
            gone = kept.pop(identifier, None)
            if gone is None:
                raise NotFound(f"no key has the identifier {identifier!r}", "polyadic keys list shows them")
            self._write(kept.values())
        return gone.key

    def _changing(self) -> FileLock:
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return FileLock(self.file.with_name(f"{self.file.name}.lock"), thread_local=False)

    def _fresh(self) -> dict[str, _Kept]:
        """The keys as the file has them now."""
        try:
            told = self.file.stat()
        except FileNotFoundError:
            return {}
        stamp = (told.st_mtime_ns, told.st_size, told.st_ino)
        with self._reading:
            if stamp != self._read_from:
                self._kept = _read(self.file)
                self._read_from = stamp
            return self._kept

    def _write(self, kept: Iterable[_Kept]) -> None:
        rows = [asdict(one.key) | {"salt": one.salt.hex(), "digest": one.digest.hex()} for one in kept]
        aside = self.file.with_name(f".{self.file.name}.{secrets.token_hex(4)}")
        # Readable for its owner alone from the beginning.
        with os.fdopen(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump({"version": _VERSION, "keys": rows}, file, indent=2)
        aside.replace(self.file)


def keys_file(folder: Path) -> Path:
    """Where the keys of a served folder are, if not said otherwise."""
    return folder / OWN_FOLDER / "keys.json"


def _digest(salt: bytes, secret: str) -> bytes:
    return hashlib.sha256(salt + secret.encode("utf-8", "surrogatepass")).digest()


def _read(file: Path) -> dict[str, _Kept]:
    try:
        held = json.loads(file.read_text(encoding="utf-8"))
        if held["version"] != _VERSION:
            raise ValueError("it was written by another version")
        rows = [_kept(row) for row in held["keys"]]
    except (ValueError, KeyError, TypeError) as error:
        raise SettingsError(f"{file} holds no keys ({error})", "restore it, or remove it and make keys anew") from error
    return {row.key.id: row for row in rows}


def _kept(row: dict[str, str]) -> _Kept:
    access: Access = "write" if row["access"] == "write" else "read"
    key = ApiKey(row["id"], row["name"], access, tuple(row["workspaces"]), row["created"])
    return _Kept(key, bytes.fromhex(row["salt"]), bytes.fromhex(row["digest"]))
