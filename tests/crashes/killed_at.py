"""Runs the command ``polyadic`` and kills it at a named point of its writing: ``python -m tests.crashes.killed_at``.

Arguments: the point, the moment, which of the transactions that come to the point is meant (from 1), and then those of
the command. The product knows nothing of this: the connections that it opens tell which statements they run.
"""

import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

POINTS = {
    "making the tables": "PRAGMA user_version = ",
    "naming the embedder": "INSERT INTO meta (key, value) VALUES ('embedder'",
    "staging": "INSERT INTO revision",
    "keeping a reply": "INSERT INTO reply",
    "putting evidence": "UPDATE chunk SET evidence",
    "putting vectors": "INSERT INTO vector",
    "retracting": "DELETE FROM statement",
    "deriving facts": "INSERT INTO fact ",
    "deriving entities": "INSERT INTO attribute_value",
    "making current": "INSERT INTO meta (key, value) VALUES ('generation'",
    "attaching vectors": "UPDATE vector SET uses = uses +",
    "dropping leftovers": "SELECT digest, NULL FROM document WHERE current IS NULL",
}
"""How the statement begins that marks each point; all stand within a transaction."""

POINTS_OF_BUILDING = {"replacing the hierarchy": "INSERT INTO hierarchy_node"}
"""The same of building a hierarchy."""

POINTS_OF_BATCHES = {
    "keeping responses": "INSERT INTO reply",
    "publishing": "INSERT INTO meta (key, value) VALUES ('generation'",
    "forgetting questions": "DELETE FROM pending_question",
}
"""The same of reading the responses to a batch."""

MOMENTS = ("before its commit", "after its commit")


@dataclass
class Watch:
    """Sees every statement before it runs, and dies where it should.

    ``left`` transactions still have to come to the point, which the present one has done if ``reached``; once it is
    over, ``committed`` waits for whatever comes next.
    """

    beginning: str
    moment: str
    left: int
    reached: bool = False
    committed: bool = False

    def see(self, statement: str) -> None:
        if self.committed:
            die()
        if statement.startswith(self.beginning) and not self.reached:
            self.reached, self.left = True, self.left - 1
        if statement == "COMMIT" and self.reached:
            if not self.left and self.moment == "before its commit":
                die()
            self.committed = not self.left
            self.reached = False


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def traced(connect: Callable[..., sqlite3.Connection], watch: Watch) -> Callable[..., sqlite3.Connection]:
    def connected(*arguments: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*arguments, **named)
        connection.set_trace_callback(watch.see)
        return connection

    return connected


def main(point: str, moment: str, which: str, *arguments: str) -> int:
    from polyadic.cli.main import run

    watch = Watch((POINTS | POINTS_OF_BUILDING | POINTS_OF_BATCHES)[point], moment, int(which))
    sqlite3.connect = traced(sqlite3.connect, watch)  # type: ignore[assignment]
    return run([*arguments])


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
