"""Watch whether a database answers, so that requests fail at once while it does not."""

import contextlib
import threading
import time

import psycopg

from polyadic.errors import StoreError
from polyadic.storage.postgres.errors import translate_errors
from polyadic.storage.postgres.keepalive import parameters_of

_SECONDS_BETWEEN_PROBES = 1.0
_SECONDS_TO_ANSWER = 5.0
"""Without an answer for as long, the database counts as unavailable."""
# Of a probe only: other connections may wait longer for their answers.
_BOUNDS = {"connect_timeout": 3, "tcp_user_timeout": 3_000}


class DatabaseMonitor:
    """Asks a database once a second, in a thread of its own and over its own connection.

    Parameters
    ----------
    database
        Database URL; the database has just answered.
    called
        Its name in messages.
    """

    def __init__(self, database: str, called: str) -> None:
        self._parameters = parameters_of(database)
        self._called = called
        self._failure: StoreError | None = None
        self._answered = time.monotonic()
        self.seconds = 0.0
        """Duration of the last probe that was answered."""
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="polyadic-database-monitor", daemon=True)
        self._thread.start()

    def failure(self) -> StoreError | None:
        """Return why the database cannot be used now; None if it answers."""
        if self._failure is not None:
            return self._failure
        if time.monotonic() - self._answered > _SECONDS_BETWEEN_PROBES + _SECONDS_TO_ANSWER:
            what = f"{self._called} has not answered for {_SECONDS_TO_ANSWER:.0f} seconds"
            return StoreError(what, "check the server and the network")
        return None

    def close(self) -> None:
        self._closing.set()
        self._thread.join(_SECONDS_TO_ANSWER)

    def _watch(self) -> None:
        raw: psycopg.Connection | None = None
        while not self._closing.is_set():
            begun = time.monotonic()
            try:
                with translate_errors(self._called):
                    raw = raw or psycopg.connect(self._parameters, autocommit=True, **_BOUNDS)  # type: ignore[arg-type]
                    raw.execute("SELECT 1")
            except StoreError as error:
                self._failure = error
                _close(raw)
                raw = None
            else:
                self._failure, self._answered = None, time.monotonic()
                self.seconds = self._answered - begun
            self._closing.wait(_SECONDS_BETWEEN_PROBES)
        _close(raw)


def _close(raw: psycopg.Connection | None) -> None:
    if raw is not None:
        with contextlib.suppress(psycopg.Error):
            raw.close()
