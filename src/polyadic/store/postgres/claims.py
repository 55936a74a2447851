"""Documents that runs take for themselves: locks of a session, which end with it, however it ends."""

import hashlib
from collections.abc import Iterable

from polyadic.store.postgres.connecting import Raw


class SessionClaims:
    """Implements :class:`polyadic.store.claims.Claims` as long as a connection is held."""

    def __init__(self, raw: Raw, workspace: int) -> None:
        self._raw = raw
        self._workspace = workspace

    def take(self, document_ids: Iterable[str]) -> frozenset[str]:
        keys = {self._key(document): document for document in document_ids}
        sql = "SELECT key, pg_try_advisory_lock(key) FROM unnest(%s::bigint[]) key"
        return frozenset(keys[key] for key, is_mine in self._raw.execute(sql, (sorted(keys),)) if is_mine)

    def let_go(self, document_ids: Iterable[str]) -> None:
        keys = sorted(self._key(document) for document in document_ids)
        self._raw.execute("SELECT pg_advisory_unlock(key) FROM unnest(%s::bigint[]) key", (keys,))

    def _key(self, document_id: str) -> int:
        """Below 0, where no other lock of ours is."""
        digest = hashlib.blake2b(f"{self._workspace} {document_id}".encode(), digest_size=8).digest()
        return -1 - (int.from_bytes(digest) >> 1)
