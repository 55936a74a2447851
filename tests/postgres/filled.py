"""A workspace that holds something of everything, for what has to keep all of it: ``python -m tests.postgres.filled``.

Run as a program it fills the workspace ``old`` of the database that it is told: this is how ``version_1.sql`` was made,
with the code of that version.
"""

import sys

from polyadic.chunking.chunker import chunk_document
from polyadic.config import ChunkingSettings
from polyadic.model.hierarchy import Rearrangement
from polyadic.model.resolution import DecisionKind, ResolutionDecision
from polyadic.model.types import Document, Usage
from polyadic.storage.postgres.dsn import PostgresDsn
from polyadic.storage.postgres.store import PostgresStore
from polyadic.storage.protocol import Fingerprint, LedgerCall, Store
from tests.storage.hierarchies import by_hand, rearrange
from tests.support.store_driver import decide, publish, withdraw
from tests.support.vectors import vectors

NAME = "old"
CALL = LedgerCall("extract", "told", Usage(1, 10, 10, 0.0), 1.0, "")


def fill(store: Store) -> None:
    publish(store, "ada", [("Ada Lovelace met Charles Babbage in London.", ["Ada Lovelace", "Charles Babbage"])], "Ada")
    publish(store, "mercury", [("Mercury passed before the Sun.", ["Mercury (planet)", "the Sun"])], "Mercury (planet)")
    gone = publish(store, "gone", [("Luigi Menabrea heard Charles Babbage.", ["Luigi Menabrea", "Charles Babbage"])])
    decide(store, [ResolutionDecision(DecisionKind.MERGE, ("Ada Lovelace", "Charles Babbage"), "Ada Lovelace")])
    withdraw(store, gone)
    with store.read() as reader:
        nodes = by_hand(reader)
    rearrange(store, Rearrangement([nodes[0]], [nodes[1]], (), [0.5], 4, 0))
    unread = Document("memory:unread", "", "Nobody could read this.")
    (chunk,) = chunk_document(unread, ChunkingSettings())
    with store.write() as writer:
        writer.stage([(unread, Fingerprint(unread.content, "r", "by hand"), [chunk])])
        writer.put_failure(unread.id, chunk.id, "no reply")
    store.record_calls([(CALL, ("aa" * 16, "Ada met Bolt.", True))])
    with store.reembedding_session("another model") as gathering:
        gathering.put(["Ada"], vectors(["Ada"]), LedgerCall("embed", "another model", Usage(), 0.0, ""))


if __name__ == "__main__":
    fill(PostgresStore(PostgresDsn(sys.argv[1], NAME), "test vectors"))
