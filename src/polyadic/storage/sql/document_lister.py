"""List and select the published documents of a store."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from polyadic.model.metadata_conditions import parse_key
from polyadic.storage.connection import Connection, select_in
from polyadic.storage.records import DocumentListing, DocumentRecord, contains
from polyadic.storage.sql.tables import REVISION
from polyadic.storage.table import Selection

_SHOWN = Selection(REVISION, "title", "characters", "metadata", "extractor")
"""Fields of a document's record that are columns of its revision."""
PUBLISHED_DOCUMENTS = "document d JOIN revision r ON r.id = d.current"
"""Documents that readers see, with their revisions."""
_RECORDS = (
    "SELECT d.digest, d.source, (SELECT count(*) FROM chunk c WHERE c.revision = r.id),"
    " (SELECT count(DISTINCT s.fact) FROM chunk c JOIN statement s ON s.chunk = c.id WHERE c.revision = r.id),"
    " (SELECT count(*) FROM chunk c WHERE c.revision = r.id AND c.evidence IS NULL),"
    f" {_SHOWN.of('r')} FROM {PUBLISHED_DOCUMENTS}"
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
# The source itself, the rows of a file ("path#row"), or the files of a folder.
_BELOW = " AND (d.source = ? OR substr(d.source, 1, ?) = ? OR substr(d.source, 1, ?) = ?)"


class DocumentLister:
    """Lists documents in the open transaction of a connection.

    Parameters
    ----------
    only
        Identifiers of the documents to list; all if None.
    """

    _IN_ORDER = "source"
    """Sort key of document listings."""
    _COLLATION = ""
    """How metadata is compared by code points, if the engine does otherwise by default."""

    def __init__(self, connection: Connection, only: frozenset[str] | None = None) -> None:
        self._connection = connection
        self._only = only

    def documents(self) -> list[DocumentRecord]:
        """Return all published documents, ordered by source."""
        return _sorted_records(self._of_documents(_RECORDS))

    def listed(
        self, after: str | None, limit: int, words: str = "", name_of: Callable[[str], str] = str
    ) -> DocumentListing:
        """List at most ``limit`` published documents by source; the cost does not grow with the documents skipped.

        Parameters
        ----------
        after
            Pagination cursor: the source to start after, which need not exist any more; None for the first page.
        words
            Only documents whose name or title contains this, ignoring case; all if it is empty. This scans the
            sources and titles of all documents.
        name_of
            Returns the name of a source; the source itself by default.
        """
        if self._only is not None:
            return DocumentListing.of(self.documents(), after, limit, words, name_of)
        total, following = self._holding(after, words, name_of) if words else self._following(after, limit + 1)
        rows = select_in(self._connection, f"{_RECORDS} WHERE d.id {{any_of}}", following[:limit])
        return DocumentListing(_sorted_records(rows), total, len(following) > limit)

    def select(self, sources: Sequence[str], where: Mapping[str, str]) -> frozenset[str]:
        """Return identifiers of documents by source and metadata.

        Parameters
        ----------
        sources
            Each selects the document with this source, the rows of the file with this path, and everything below this
            folder. All documents if empty.
        where
            Conditions on metadata, all of which a document must meet (see :mod:`polyadic.model.metadata_conditions`).
        """
        fields = [self._field(*condition) for condition in where.items()]
        has_fields, pairs = "".join(sql for sql, _ in fields), [part for _, pair in fields for part in pair]
        selected: set[str] = set()
        conditions: list[tuple[str, tuple[str | int, ...]]] = [(_BELOW, _below(source)) for source in sources]
        for below, values in conditions or [("", ())]:
            sql = f"SELECT d.digest FROM {PUBLISHED_DOCUMENTS} WHERE TRUE{below}{has_fields}"
            selected.update(digest.hex() for (digest,) in self._connection.execute(sql, (*values, *pairs)))
        return frozenset(selected) if self._only is None else self._only.intersection(selected)

    def extractors(self) -> dict[str, int]:
        """Count documents by the name of their extractor."""
        counts = Counter[str]()
        sql = f"SELECT r.extractor, count(*) FROM {PUBLISHED_DOCUMENTS}"
        for extractor, count in self._of_documents(sql, " GROUP BY r.extractor"):
            counts[extractor] += count
        return dict(sorted(counts.items()))

    def record(self, document_id: str) -> DocumentRecord | None:
        """Return a published document without its text; None if there is none."""
        digests = [*map(bytes.fromhex, self._seen(document_id))]
        rows = select_in(self._connection, f"{_RECORDS} WHERE d.digest {{any_of}}", digests)
        return next(map(_record, rows), None)

    def _sees(self, document_id: str) -> bool:
        return self._only is None or document_id in self._only

    def _seen(self, document_id: str) -> list[str]:
        """Return the identifier in a list, which is empty if the document is excluded."""
        return [document_id] if self._sees(document_id) else []

    def _of_documents(self, sql: str, rest: str = "") -> Iterator[tuple[Any, ...]]:
        """Run a query on the visible documents ``d``; ``rest`` follows the condition on them."""
        if self._only is None:
            return iter(self._connection.execute(f"{sql}{rest}"))
        digests = [bytes.fromhex(document) for document in sorted(self._only)]
        return select_in(self._connection, f"{sql} WHERE d.digest {{any_of}}{rest}", digests)

    def _field(self, key: str, value: str) -> tuple[str, tuple[str, str]]:
        """Return the SQL condition on the metadata of a revision ``r``, and its parameters."""
        name, operator = parse_key(key)
        compared = f"substr(m.value, 1, {len(value)})" if operator == "<=" else "m.value"
        field = f"m.key = ? AND {compared}{self._COLLATION} {operator} ?"
        return f" AND EXISTS (SELECT 1 FROM json_each(r.metadata) m WHERE {field})", (name, value)

    def _following(self, after: str | None, limit: int) -> tuple[int, list[int]]:
        """Return the number of documents, and the keys of those after a source."""
        (total,) = self._connection.execute("SELECT count(*) FROM document WHERE current IS NOT NULL").fetchone()
        comparison, bound = ("", "") if after is None else _after(after)
        later, values = self._later(comparison, bound) if comparison else ("", [])
        sql = f"SELECT id FROM document WHERE current IS NOT NULL{later} ORDER BY {self._IN_ORDER} LIMIT ?"
        return total, [key for (key,) in self._connection.execute(sql, (*values, limit))]

    def _later(self, comparison: str, bound: str) -> tuple[str, list[str]]:
        """Return the SQL condition that compares a document's source with a bound, and its parameters."""
        return f" AND source {comparison} ?", [bound]

    def _holding(self, after: str | None, words: str, name_of: Callable[[str], str]) -> tuple[int, list[int]]:
        """Return the number of documents with a text in their name or title, and the keys of those after a source."""
        needle = words.casefold()
        rows = self._connection.execute(f"SELECT d.id, d.source, r.title FROM {PUBLISHED_DOCUMENTS} ORDER BY d.source")
        # Filtered here, as SQLite folds the case of ASCII only.
        matches = [(key, at) for key, at, title in rows if contains(name_of(at), title, needle)]
        return len(matches), [key for key, at in matches if after is None or at > after]


def _below(source: str) -> tuple[str | int, ...]:
    rows, folder = f"{source}#", f"{source.rstrip('/')}/"
    return source, len(rows), rows, len(folder), folder


def _after(source: str) -> tuple[str, str]:
    """Return the comparison operator and the bound that select sources after this one.

    A pagination cursor from a client may contain a lone surrogate, which no engine accepts and no source contains. It
    is replaced by U+E000, the first character after all surrogates.

    >>> _after("a"), _after("a\\ud800b") == (">=", "a\\ue000")
    (('>', 'a'), True)
    """
    half = _LONE_SURROGATE.search(source)
    return (">", source) if half is None else (">=", f"{source[: half.start()]}\ue000")


def _record(row: Sequence[Any]) -> DocumentRecord:
    """Make a record of the columns of _RECORDS."""
    digest, source, chunks, facts, failed, *shown = row
    return DocumentRecord(
        id=digest.hex(), source=source, chunks=chunks, facts=facts, failed=failed, **_SHOWN.load(shown)
    )


def _sorted_records(rows: Iterator[tuple[Any, ...]]) -> list[DocumentRecord]:
    return sorted(map(_record, rows), key=lambda record: record.source)
