"""Tables of values that commas, semicolons, tabs or bars separate: a document a record, or a fact."""

import csv
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import chain, islice, zip_longest
from pathlib import Path

from polyadic.config import ReadingSettings
from polyadic.errors import UnreadableDocument
from polyadic.loaders.decoding import has_surrogates, not_utf_8
from polyadic.loaders.file_access import byte_limit, opened, too_large
from polyadic.loaders.line_reader import FileLine, lines_of
from polyadic.loaders.skipped import SkippedInput, skipped
from polyadic.loaders.tables.rows import TableRow, row_documents, sampled, table_document
from polyadic.loaders.tables.table_text import (
    caption,
    column_names,
    named_lines,
    names_columns,
    table_start,
    unnamed_line,
)
from polyadic.loaders.tables.text_column import prose_column
from polyadic.model.types import Document

_DELIMITERS = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS = 100_000
_MOST_RETURNS = 10
# Records, or lines, among which the header stands.
_LOOKED_AT = 50
_Records = Iterator[tuple[int, list[str] | UnreadableDocument]]
_MEND_QUOTES = "close each quotation mark, and double those within a field"


class _Feed(Iterator[str]):
    """Hands lines to the csv module, which asks for as many as a record needs, and knows which those were.

    Lines held back can be handed out again. A record is bounded as a line is.
    """

    def __init__(self, lines: Iterator[FileLine], settings: ReadingSettings) -> None:
        self.taken: list[FileLine] = []
        self.ended = False
        self._lines = lines
        self._again: deque[FileLine] = deque()
        self._max_megabytes = settings.max_megabytes
        self._characters = 0

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines, None)
        if line is None:
            self.ended = True
            raise StopIteration
        self.taken.append(line)
        self._characters += len(line.text)
        if self._characters > byte_limit(self._max_megabytes):
            raise too_large(self._characters, self._max_megabytes)
        # A line that is merely not UTF-8 takes its part in the record, so that this ends where it should.
        if line.fault and not line.text:
            raise line.fault
        return line.text

    def begin_record(self) -> None:
        self.taken = []
        self._characters = 0

    def hand_out_again(self, lines: list[FileLine]) -> None:
        self._again.extendleft(reversed(lines))
        self.ended = False

    def sample(self) -> list[str]:
        """The first lines, which are handed out again."""
        size = 0
        for line in self._lines:
            self._again.append(line)
            size += len(line.text) + 1
            if size > _SAMPLE_CHARACTERS:
                break
        return [line.text for line in self._again]


def read_table(path: Path, settings: ReadingSettings) -> Iterator[Document | SkippedInput]:
    """A document for each record, if a column holds prose; else one document in which each record is a line.

    Lines above the header are the beginning of that one document.

    Raises
    ------
    UnreadableDocument
        The file is not readable, has no header, no rows, looks binary, or was written to meanwhile (documents may
        have come before).
    """
    with opened(path) as file:
        records = _records(_Feed(lines_of(file, settings), settings), settings)
        above, header, records = _header(records)
        before = [line for row in above for line in (caption(row), "")]
        values, rows = sampled(_rows(path, column_names(header), records))
        if text_column := prose_column(values):
            yield from row_documents(path, text_column, rows)
        elif (first := next(rows, None)) is None:
            raise UnreadableDocument("no rows below the header", "name the columns in the first row")
        elif names_columns(header, [[str(value) for value in row.values()] for row in values]):
            yield from table_document(path, chain([first], rows), _named_lines, settings, before)
        else:
            before.append(unnamed_line(header))
            yield from table_document(path, chain([first], rows), _unnamed_lines, settings, before)


def _header(records: _Records) -> tuple[list[list[str]], list[str], _Records]:
    """The records above the header, the header, which is empty where there is no record, and the records below."""
    ahead = list(islice(records, _LOOKED_AT))
    if not ahead:
        return [], [], records
    first = ahead[0][1]
    if isinstance(first, UnreadableDocument):
        raise first
    read = [[] if isinstance(record, UnreadableDocument) else record for _, record in ahead]
    start = table_start(read)
    above = [record for record in read[:start] if any(map(str.strip, record))]
    return above, read[start], chain(ahead[start + 1 :], records)


def _rows(path: Path, names: list[str], records: _Records) -> Iterator[TableRow | SkippedInput]:
    number = 0
    for line, record in records:
        try:
            if isinstance(record, UnreadableDocument):
                raise record
            row = _row(names, record)
        except UnreadableDocument as problem:
            yield skipped(str(path), problem, line)
        else:
            number += 1
            yield TableRow(line, number, row)


def _named_lines(row: TableRow) -> Iterator[str]:
    return named_lines([(name, str(value)) for name, value in row.values.items()])


def _unnamed_lines(row: TableRow) -> Iterator[str]:
    yield unnamed_line([str(value) for value in row.values.values()])


def _records(feed: _Feed, settings: ReadingSettings) -> _Records:
    """Records that are not blank, and problems in place of records, each with the line at which it begins."""
    reader = _reader(feed, settings)
    returns = 0
    while True:
        feed.begin_record()
        record: list[str] | UnreadableDocument
        try:
            record = next(reader)
        except StopIteration:
            return
        except UnreadableDocument as problem:
            record = problem
        except csv.Error:
            record = _bad_quotes(feed)
            # A mark that is never closed swallows all that follows. Bounded, as each return reads to the end.
            if feed.ended and returns < _MOST_RETURNS:
                feed.hand_out_again(feed.taken[1:])
                returns += 1
        if record:
            yield feed.taken[0].number, _decodable(record)


def _reader(feed: _Feed, settings: ReadingSettings) -> Iterator[list[str]]:
    """A reader of the dialect that the first lines speak."""
    # The module's own limit of 131,072 characters is less than a document; it holds for the whole process.
    csv.field_size_limit(max(csv.field_size_limit(), byte_limit(settings.max_megabytes)))
    sample = feed.sample()
    delimiter = _delimiter(sample)
    if delimiter == "\t" and not _is_quoted(sample):
        return csv.reader(feed, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(feed, delimiter=delimiter, strict=True)


def _delimiter(sample: list[str]) -> str:
    """The one that makes most columns of the first line; of another line, where no other has as many columns."""
    lines = [line for line in sample if line.strip()][:_LOOKED_AT]
    widths = {delimiter: [_fields(line, delimiter) for line in lines] for delimiter in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda delimiter: widths[delimiter][:1])
    first, *others = widths[best] or [1]
    if others and (first == 1 or max(others) > 2 * first):
        return max(_DELIMITERS, key=lambda delimiter: _agreement(widths[delimiter]))
    return best


def _fields(line: str, delimiter: str) -> int:
    return len(next(csv.reader([line], delimiter=delimiter), []))


def _agreement(widths: Sequence[int]) -> tuple[int, int]:
    """How many lines have as many columns as most, and how many these are; none for lines of one column."""
    counts = Counter(width for width in widths if width > 1)
    return max(((count, width) for width, count in counts.items()), default=(0, 0))


def _is_quoted(sample: list[str]) -> bool:
    """Whether quotation marks belong to the table; in tab-separated text they often belong to the text."""
    records = csv.reader(sample, delimiter="\t", strict=True)
    try:
        for _ in records:
            pass
    except csv.Error:
        # A sample shorter than the file may end within a record.
        is_cut = sum(len(line) + 1 for line in sample) > _SAMPLE_CHARACTERS
        return is_cut and records.line_num == len(sample)
    return True


def _bad_quotes(feed: _Feed) -> UnreadableDocument:
    first, last = feed.taken[0].number, feed.taken[-1].number
    if feed.ended:
        return UnreadableDocument("a quotation mark is never closed", _MEND_QUOTES)
    lines = "" if first == last else f" (lines {first} to {last} are left out)"
    return UnreadableDocument(f"quotation marks do not match{lines}", _MEND_QUOTES)


def _decodable(record: list[str] | UnreadableDocument) -> list[str] | UnreadableDocument:
    """The record, unless a field of it is not UTF-8."""
    if isinstance(record, UnreadableDocument):
        return record
    bad = next((field for field in record if has_surrogates(field)), None)
    return record if bad is None else not_utf_8(bad)


def _row(names: list[str], record: list[str]) -> dict[str, object]:
    """Values by column; fields missing at the end are empty, and empty ones after the last column are dropped."""
    while len(record) > len(names) and not record[-1].strip():
        record.pop()
    if len(record) > len(names):
        what = f"{len(record)} fields where the header has {len(names)}"
        raise UnreadableDocument(what, "put fields that hold the separator in quotation marks")
    return dict(zip_longest(names, record, fillvalue=""))
