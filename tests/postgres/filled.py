"""A workspace that holds something of everything, for what has to keep all of it: ``python -m tests.postgres.filled``.

Run as a program it fills the workspace ``old`` of the database that it is told: this is how ``version_1.sql`` was made,
with the code of that version.
"""

import sys

from polyadic.construction.chunk import chunk_document
from polyadic.knowledge import Document, Usage
from polyadic.overlay import Decision, Kind
from polyadic.settings import ChunkingSettings
from polyadic.store.postgres.address import Address
from polyadic.store.postgres.store import PostgresStore
from polyadic.store.protocol import Call, Stamp, Store
from polyadic.themes import Rearrangement
from tests.store.hierarchies import by_hand, rearrange
from tests.support.store_driver import decide, publish, withdraw
from tests.support.vectors import vectors

NAME = "old"
CALL = Call("extract", "told", Usage(1, 10, 10, 0.0), 1.0, "")


def fill(store: Store) -> None:
    publish(store, "ada", [("Ada Lovelace met Charles Babbage in London.", ["Ada Lovelace", "Charles Babbage"])], "Ada")
    publish(store, "mercury", [("Mercury passed before the Sun.", ["Mercury (planet)", "the Sun"])], "Mercury (planet)")
    gone = publish(store, "gone", [("Luigi Menabrea heard Charles Babbage.", ["Luigi Menabrea", "Charles Babbage"])])
    decide(store, [Decision(Kind.MERGE, ("Ada Lovelace", "Charles Babbage"), "Ada Lovelace")])
    withdraw(store, gone)
    with store.read() as reader:
        themes = by_hand(reader)
    rearrange(store, Rearrangement([themes[0]], [themes[1]], (), [0.5], 4, 0))
    unread = Document("memory:unread", "", "Nobody could read this.")
    (chunk,) = chunk_document(unread, ChunkingSettings())
    with store.write() as writer:
        writer.stage([(unread, Stamp(unread.content, "r", "by hand"), [chunk])])
        writer.put_failure(unread.id, chunk.id, "no reply")
    store.note_calls([(CALL, ("aa" * 16, "Ada met Bolt.", True))])
    with store.gathering("another model") as gathering:
        gathering.put(["Ada"], vectors(["Ada"]), Call("embed", "another model", Usage(), 0.0, ""))


if __name__ == "__main__":
    fill(PostgresStore(Address(sys.argv[1], NAME), "test vectors"))
