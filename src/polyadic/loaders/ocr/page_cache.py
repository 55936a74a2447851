"""Cache of recognized texts in the store of a workspace, so that no page is recognized twice."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from polyadic.storage.protocol import Store
from polyadic.storage.retry import with_retries


class PageCache(Protocol):
    """A cache of the texts of pages, by key."""

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        """Return the cached texts; keys without one are absent."""

    def put(self, key: str, text: str) -> None:
        """Cache a text."""


class StorePageCache:
    """A PageCache among the cached replies of a store; ``open_store`` creates the store if it does not exist."""

    def __init__(self, exists: Callable[[], bool], open_store: Callable[[], Store]) -> None:
        self._exists = exists
        self._open_store = open_store

    def get(self, keys: Sequence[str]) -> Mapping[str, str]:
        if not self._exists():
            return {}
        return {key: text for key, (text, _) in with_retries(self._open_store().replies, keys).items()}

    def put(self, key: str, text: str) -> None:
        self._open_store().record_calls([(None, (key, text, True))])
