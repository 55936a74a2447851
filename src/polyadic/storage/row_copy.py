"""Copy the rows of one store to another, of any engine."""

from collections.abc import Iterator

from polyadic.storage.transfer import CopySource, CopyTarget


def copy_rows(original: CopySource, duplicate: CopyTarget) -> Iterator[int]:
    """Copy the rows that the duplicate lacks, table by table; yields the number of rows of each batch."""
    for table in original.counts():
        last = duplicate.last(table)
        while rows := original.following(table, last):
            duplicate.put(table, rows)
            last = rows[-1]
            yield len(rows)
