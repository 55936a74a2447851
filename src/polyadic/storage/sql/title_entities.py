"""Find entities by key, and the entity that a document's title names."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from polyadic.model.identity import entity_key, without_qualifier
from polyadic.model.resolution import EntityResolution
from polyadic.storage.connection import Connection, keys_of, select_in
from polyadic.storage.sql.change_log import TouchedRows
from polyadic.storage.sql.encoding import entity_digest
from polyadic.storage.sql.revisions import PUBLISHED
from polyadic.storage.sql.tables import ENTITY


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


_TITLED = f"SELECT c.id, lower(hex(d.digest)), r.title FROM {PUBLISHED} WHERE {{}} {{{{any_of}}}}"


def entity_rows(connection: Connection, keys: Iterable[str]) -> dict[str, int]:
    """Return the table keys of entities by entity key; entities that do not exist are absent."""
    by_digest = {entity_digest(key): key for key in keys}
    return {by_digest[digest]: row for digest, row in keys_of(connection, ENTITY, list(by_digest)).items()}


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


def titled_by(connection: Connection, touched: TouchedRows, resolution: EntityResolution) -> set[int]:
    """Return the chunks (table keys) of documents whose titles may now name another entity."""
    keys = set(touched.names).union(*(decision.touched for decision in touched.decisions))
    before = -1
    # Extended by all names that current decisions connect with these, transitively.
    while before != (before := len(keys)):
        keys.update(*(one.touched for one in resolution.decisions if not one.touched.isdisjoint(keys)))
    return {titled.chunk for titled in titled_documents(connection, keys)}
