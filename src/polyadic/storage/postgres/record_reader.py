"""Reader of records in PostgreSQL, which lists documents by an indexed prefix of their sources."""

from polyadic.storage.sql.record_reader import SqlRecordReader


class PostgresRecordReader(SqlRecordReader):
    """Implements :class:`polyadic.storage.record_reader.RecordReader`."""

    _IN_ORDER = "source_prefix, source"
    _COLLATION = ' COLLATE "C"'

    def _later(self, comparison: str, bound: str) -> tuple[str, list[str]]:
        # The index covers the first 500 characters of a source.
        return f" AND source_prefix >= left(?, 500) AND source {comparison} ?", [bound, bound]
