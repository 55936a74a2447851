"""Connections that detect a dead link while they wait for a reply.

The kernel reports a host that is gone, but not a link that stays open and carries nothing. After SILENCE seconds
without data, a second connection therefore asks the server whether it is still working on the statement.
"""

import contextlib
import os
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Self

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from polyadic.storage.postgres.errors import ServerUnreachable

SILENCE = 30.0
"""Seconds without data from the server before its activity is checked."""
# Client and server give up an unresponsive peer within half a minute. Settings in the address take precedence.
_DEFAULTS = {
    # PGAPPNAME and application_name in the address replace it.
    "fallback_application_name": "polyadic",
    "connect_timeout": "10",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "4",
    "tcp_user_timeout": "30000",
}


def parameters_of(database: str) -> str:
    """Return the parameters of a connection: those in the address of a database, and defaults for those it omits.

    Raises
    ------
    psycopg.ProgrammingError
        A parameter is invalid.
    """
    given: dict[str, Any] = conninfo_to_dict(database)
    defaults = _DEFAULTS if "PGCONNECT_TIMEOUT" not in os.environ else {**_DEFAULTS, "connect_timeout": None}
    return make_conninfo("", **{name: value for name, value in (defaults | given).items() if value is not None})


@dataclass(frozen=True, slots=True)
class BackendSession:
    """A session on the server: parameters to reach it, process id and start time, as process ids are reused."""

    parameters: str = field(repr=False)
    process: int
    begun: datetime

    def is_active(self) -> bool:
        """Return whether the server works on a statement of the session."""
        with contextlib.suppress(psycopg.OperationalError):
            return self._select("state = 'active'")
        return False

    def end(self) -> None:
        """Terminate the session, if it is still there, so that its locks are released."""
        self._select("pg_terminate_backend(pid)")

    def _select(self, column: str) -> bool:
        sql = f"SELECT {column} FROM pg_stat_activity WHERE pid = %s AND backend_start = %s"
        with contextlib.closing(KeepaliveConnection.open(self.parameters)) as connection:
            return connection.execute(sql.encode(), (self.process, self.begun)).fetchone() == (True,)


class KeepaliveConnection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that waits for a reply as long as the server works on it; ``session`` is None until it is known."""

    session: BackendSession | None = None

    @classmethod
    def open(cls, parameters: str) -> Self:
        """Open a connection in autocommit mode.

        Raises
        ------
        ServerUnreachable
            The server accepts no connection.
        """
        try:
            return cls.connect(parameters, autocommit=True)
        except psycopg.OperationalError as error:
            raise ServerUnreachable(str(error)) from error

    def identify(self, parameters: str) -> bool:
        """Set the session of the connection; return whether its user bypasses row-level security."""
        ((process, begun, bypasses_rls),) = self.execute(
            "SELECT a.pid, a.backend_start, r.rolsuper OR r.rolbypassrls FROM pg_stat_activity a, pg_roles r"
            " WHERE a.pid = pg_backend_pid() AND r.rolname = current_user"
        ).fetchall()
        self.session = BackendSession(parameters, process, begun)
        return bool(bypasses_rls)

    def wait(self, gen: Generator[Any, Any, Any], *arguments: Any, **named: Any) -> Any:
        return super().wait(self._watched(gen), *arguments, **named)

    def _watched(self, gen: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        last_activity = time.monotonic()
        try:
            state = next(gen)
            while True:
                if ready := (yield state):
                    last_activity = time.monotonic()
                elif time.monotonic() - last_activity > SILENCE:
                    self._check_activity()
                    last_activity = time.monotonic()
                state = gen.send(ready)
        except StopIteration as end:
            return end.value

    def _check_activity(self) -> None:
        """Close the connection unless the server is still working on the statement."""
        if self.session is None or not self.session.is_active():
            self.pgconn.finish()
            raise psycopg.OperationalError("the connection is open, but the server no longer responds over it")
