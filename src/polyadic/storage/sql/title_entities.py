"""Find the entity that a document's title names."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from polyadic.model.identity import entity_key, without_qualifier
from polyadic.model.resolution import EntityResolution
from polyadic.storage.connection import Connection
from polyadic.storage.sql.digests import entity_digest, entity_rows
from polyadic.storage.sql.lists import select_in


@dataclass(frozen=True, slots=True)
class TitledChunk:
    """A chunk (table key) and the title of its document."""

    chunk: int
    document_id: str
    title: str

    @property
    def keys(self) -> tuple[str, str]:
        """Entity keys of the title, with and without its qualifier."""
        return entity_key(self.title), entity_key(without_qualifier(self.title))


_TITLED = (
    "SELECT c.id, lower(hex(d.digest)), r.title FROM revision r"
    " JOIN document d ON d.id = r.document AND d.current = r.id JOIN chunk c ON c.revision = r.id WHERE {} {{any_of}}"
)


def titled_documents(connection: Connection, keys: Collection[str]) -> list[TitledChunk]:
    """Return the chunks of documents whose titles have one of these entity keys."""
    digests = sorted(map(entity_digest, keys))
    columns = ("r.title_entity", "r.bare_title_entity")
    rows = {row for column in columns for row in select_in(connection, _TITLED.format(column), digests)}
    return [TitledChunk(*row) for row in sorted(rows)]


def titles_of_chunks(connection: Connection, chunks: Sequence[int]) -> list[TitledChunk]:
    """Return chunks (table keys) with the titles of their documents."""
    return [TitledChunk(*row) for row in select_in(connection, _TITLED.format("c.id"), chunks)]


def title_entities(
    connection: Connection,
    resolution: EntityResolution,
    chunks: Sequence[TitledChunk],
    is_seen: Callable[[int], bool] = lambda entity: True,
) -> dict[int, int]:
    """Return, by chunk, the entity (table key) that its document's title names under the decisions; -1 if none."""
    meant = {one: [resolution.key(key, one.document_id) for key in one.keys] for one in chunks}
    keys = sorted({key for either in meant.values() for key in either})
    known = {key: row for key, row in entity_rows(connection, keys).items() if is_seen(row)}
    return {one.chunk: next((known[key] for key in either if key in known), -1) for one, either in meant.items()}
