"""API keys: which workspaces a key opens, to read or to write, which documents it shows, and when it expires.

A key is random and shown once; the file holds a salted digest. Keys have 256 bits of entropy, so they cannot be guessed
and a fast hash suffices.
"""

import hashlib
import hmac
import json
import os
import secrets
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock

from polyadic.errors import NotFound, PolyadicError, SettingsError

Access = Literal["read", "write"]
ALL = "*"
OWN_FOLDER = ".server"
"""Folder of the server's own files beside the workspaces; no workspace can have this name."""
_PREFIX = "poly"
_SECRET_BYTES = 32
_MAX_LENGTH = 200
_VERSION = 2


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key.

    Parameters
    ----------
    id, name
        Identifier, and what the operator calls it.
    access
        ``write`` includes reading.
    workspaces
        Names of the workspaces that it opens, or ``*`` for all.
    created, expires
        Times (ISO 8601, UTC); ``expires`` is empty if it does not expire.
    where
        Metadata of the documents that it shows; all documents if empty. A key with a filter only reads.
    """

    id: str
    name: str
    access: Access
    workspaces: tuple[str, ...]
    created: str = ""
    expires: str = ""
    where: Mapping[str, str] = field(default_factory=dict)

    @property
    def opens_all(self) -> bool:
        return ALL in self.workspaces

    @property
    def may_write(self) -> bool:
        return self.access == "write" and not self.where

    @property
    def has_expired(self) -> bool:
        return bool(self.expires) and datetime.fromisoformat(self.expires) <= datetime.now(UTC)

    def opens(self, workspace: str) -> bool:
        """Return whether the key opens a workspace, at least for reading.

        >>> ApiKey("1", "ada", "read", ("letters",)).opens("letters"), ApiKey("1", "ada", "read", ("letters",
        ... )).opens("*")
        (True, False)
        """
        return self.opens_all or (workspace != ALL and workspace in self.workspaces)


LOCAL = ApiKey("local", "local user", "write", (ALL,))
"""The key used when the server requires none."""


@dataclass(frozen=True, slots=True)
class _StoredKey:
    """A key as stored in the file."""

    key: ApiKey
    salt: bytes
    digest: bytes


# Compared against when no key has the id, so that both cases take the same time.
_DUMMY = _StoredKey(ApiKey("", "", "read", ()), secrets.token_bytes(16), secrets.token_bytes(32))


class KeyRing:
    """The keys in a file, which is read again when it changes.

    Parameters
    ----------
    file
        Key file; a missing file means that there are no keys.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ring = KeyRing(Path(folder) / "keys.json")
    ...     key, secret = ring.add("ada", "read", ["letters"])
    ...     ring.key_of(secret) == key, ring.key_of(secret + "x")
    (True, None)
    """

    def __init__(self, file: Path) -> None:
        self.file = file
        self._loaded_stamp: tuple[int, int, int] | None = None
        self._keys_by_id: dict[str, _StoredKey] = {}
        self._load_lock = threading.Lock()

    def keys(self) -> list[ApiKey]:
        """Return all keys in order of creation.

        Raises
        ------
        SettingsError
            The file exists but is not a valid key file.
        """
        return [kept.key for kept in self._load().values()]

    def key_of(self, presented: str) -> ApiKey | None:
        """Return the key that matches a presented secret and has not expired, or None.

        The time it takes does not depend on whether the secret matches.
        """
        prefix, _, rest = presented[:_MAX_LENGTH].partition("-")
        identifier, _, secret = rest.partition("-")
        known = self._load().get(identifier) if prefix == _PREFIX else None
        kept = known or _DUMMY
        same = hmac.compare_digest(_digest(kept.salt, secret), kept.digest)
        is_valid = known is not None and same and len(presented) <= _MAX_LENGTH
        return kept.key if is_valid and not kept.key.has_expired else None

    def add(
        self,
        name: str,
        access: Access,
        workspaces: Sequence[str],
        where: Mapping[str, str] | None = None,
        expires: datetime | None = None,
    ) -> tuple[ApiKey, str]:
        """Create a key. Return it with the secret to present, which is not stored anywhere.

        Parameters
        ----------
        name, access, workspaces, where
            As in :class:`ApiKey`.
        expires
            Time from which the key is refused, with a time zone; None: never.

        Raises
        ------
        PolyadicError
            No workspace is given, or a key with a filter is given write access.
        """
        if not workspaces:
            raise PolyadicError("no workspace was given for the key", "name a workspace, or choose all")
        if where and access == "write":
            raise PolyadicError("a key with a document filter cannot write", "omit the filter or the write access")
        secret, salt = secrets.token_urlsafe(_SECRET_BYTES), secrets.token_bytes(16)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        until = expires.astimezone(UTC).isoformat(timespec="seconds") if expires else ""
        key = ApiKey(secrets.token_hex(4), name, access, tuple(dict.fromkeys(workspaces)), now, until, where or {})
        with self._locked():
            self._write([*self._load().values(), _StoredKey(key, salt, _digest(salt, secret))])
        return key, f"{_PREFIX}-{key.id}-{secret}"

    def remove(self, identifier: str) -> ApiKey:
        """Revoke a key.

        Raises
        ------
        NotFound
            There is no key with this identifier.
        """
        with self._locked():
            keys = dict(self._load())
            removed = keys.pop(identifier, None)
            if removed is None:
                raise NotFound(f"no key has the identifier {identifier!r}", "list the keys with polyadic keys list")
            self._write(keys.values())
        return removed.key

    def _locked(self) -> FileLock:
        self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        return FileLock(self.file.with_name(f"{self.file.name}.lock"), thread_local=False)

    def _load(self) -> dict[str, _StoredKey]:
        """Return the keys as they are in the file now."""
        try:
            stat = self.file.stat()
        except FileNotFoundError:
            return {}
        stamp = (stat.st_mtime_ns, stat.st_size, stat.st_ino)
        with self._load_lock:
            if stamp != self._loaded_stamp:
                self._keys_by_id = _read(self.file)
                self._loaded_stamp = stamp
            return self._keys_by_id

    def _write(self, kept: Iterable[_StoredKey]) -> None:
        rows = [asdict(one.key) | {"salt": one.salt.hex(), "digest": one.digest.hex()} for one in kept]
        temporary = self.file.with_name(f".{self.file.name}.{secrets.token_hex(4)}")
        # Created with owner-only permissions, so that no one else can read it at any moment.
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            json.dump({"version": _VERSION, "keys": rows}, file, indent=2)
        temporary.replace(self.file)


def keys_file(folder: Path) -> Path:
    """Return the default key file of a served folder."""
    return folder / OWN_FOLDER / "keys.json"


def _digest(salt: bytes, secret: str) -> bytes:
    return hashlib.sha256(salt + secret.encode("utf-8", "surrogatepass")).digest()


def _read(file: Path) -> dict[str, _StoredKey]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
        if content["version"] != _VERSION:
            raise ValueError("it was written by a different version")
        rows = [_stored_key(row) for row in content["keys"]]
    except (ValueError, KeyError, TypeError) as error:
        raise SettingsError(
            f"{file} is not a valid key file ({error})", "restore it, or delete it and create new keys"
        ) from error
    return {row.key.id: row for row in rows}


def _stored_key(row: Mapping[str, Any]) -> _StoredKey:
    access: Access = "write" if row["access"] == "write" else "read"
    workspaces, where = tuple(row["workspaces"]), dict(row["where"])
    key = ApiKey(row["id"], row["name"], access, workspaces, row["created"], row["expires"], where)
    # Fail now rather than at the first request if the time is invalid.
    _ = key.has_expired
    return _StoredKey(key, bytes.fromhex(row["salt"]), bytes.fromhex(row["digest"]))
