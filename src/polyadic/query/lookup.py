"""From what a person types to documents, chunks, facts and entities, with their surroundings."""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np

from polyadic.config import expanded
from polyadic.errors import NotFound
from polyadic.loaders.formats.csv import read_table
from polyadic.loaders.formats.json import read_json
from polyadic.loaders.formats.json_lines import read_json_lines
from polyadic.loaders.loader import READERS
from polyadic.model.identity import document_id, entity_key, loose_name
from polyadic.model.types import Chunk, Document, Entity, Fact, SourceSpan, Span
from polyadic.storage.protocol import DocumentRecord, Reader, Rows, Side
from polyadic.text.glob_patterns import is_pattern, matches

_IDENTIFIER = re.compile(r"[0-9a-f]{4,32}")
_SURE_DIGITS = 8
_PLACE = re.compile(r"(?P<document>.+):(?P<start>\d{1,15})[-–](?P<end>\d{1,15})")
_SURROUNDINGS = 200
_NAMES_SHOWN = 3
# Of the documents whose title holds some words, those that may have no others.
_TITLES = 100
_FACTS_SHOWN = 20
# Hypergraphs in other formats, whose edges are documents.
_IMPORTED = (".hif", ".json", ".ndjson", ".mbox")
_LISTED = "polyadic status --documents lists them"

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class DocumentView:
    """A document, and the place in it that was asked for (``span``) with what surrounds it."""

    document: Document
    record: DocumentRecord
    span: Span
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ChunkView:
    """A chunk with what surrounds it in its document, which has so many ``characters``."""

    chunk: Chunk
    place: SourceSpan
    facts: tuple[Fact, ...]
    before: str
    after: str
    characters: int


@dataclass(frozen=True, slots=True)
class FactView:
    fact: Fact
    entities: tuple[Entity, ...]
    places: tuple[SourceSpan, ...]


@dataclass(frozen=True, slots=True)
class EntityView:
    entity: Entity
    facts: tuple[Fact, ...]


def document(reader: Reader, reference: str, exact: bool = False) -> DocumentRecord:
    """The document with this source, this end of a source, this title or this beginning of an identifier.

    A path is taken as from the current folder, with its links resolved. What is there can be nothing else: no
    document of another folder, and no title, answers to the path of a file that was never indexed.

    Parameters
    ----------
    reader
        Where to look.
    reference
        What a person typed.
    exact
        Leave no room for guesses: the end of a source is not enough, nor fewer than 8 digits of an identifier.

    Raises
    ------
    NotFound
        There is none, or more than one.
    """
    if not reference.strip():
        raise NotFound("no document is named", f"name a document, {_LISTED}")
    found = _with_source(reader, reference)
    if found:
        return found
    records = reader.documents()
    rows = _rows_of(records, reference)
    if len(rows) == 1:
        return rows[0]
    if rows:
        raise NotFound(f"{reference} holds {len(rows):,} documents", f"name one of them, such as {rows[0].source}")
    if os.path.lexists(real_path(reference)):
        raise NotFound(f"{reference} is no document of this workspace", _LISTED)
    for guessed in _guesses(records, reference, exact):
        if guessed:
            return _only(guessed, f"document {reference!r}", [r.source for r in guessed])
    raise NotFound(f"no document matches {reference!r}", _meant(records, reference) if exact else _LISTED)


def documents(reader: Reader, reference: str) -> list[DocumentRecord]:
    """The documents to delete by this name: one that is surely named, or all of a file, a folder or a pattern.

    Parameters
    ----------
    reader
        Where to look.
    reference
        As for :func:`document`; or the path of a file of rows, that of a folder, or a pattern of paths, which need not
        be there any more.

    Raises
    ------
    NotFound
        There is none, or a title or identifier fits more than one.
    """
    if found := _with_source(reader, reference):
        return [found]
    records = reader.documents() if reference.strip() else []
    if several := _rows_of(records, reference) or _below(records, reference) or _matching(records, reference):
        return several
    try:
        return [document(reader, reference, exact=True)]
    except NotFound as error:
        if is_pattern(reference):
            raise NotFound(
                f"no document matches {reference!r}", "** stands for any folders, as in '**/*.md'"
            ) from error
        raise


def titled(reader: Reader, title: str) -> str | None:
    """The identifier of the one document with this title or file name (with or without suffix); None where none is."""
    wanted = title.casefold()
    records = reader.listed(None, _TITLES, title).documents
    named = [
        record.id
        for record in records
        if wanted in (record.title.casefold(), *(name.casefold() for name in _file_names(record.source)))
    ]
    return named[0] if len(named) == 1 else None


def _file_names(source: str) -> tuple[str, str]:
    """
    >>> _file_names("/docs/notes on ada.md")
    ('notes on ada.md', 'notes on ada')
    """
    path = Path(source)
    return path.name, path.stem


def row(reader: Reader, side: Side, reference: str) -> int:
    """The row of a chunk, fact or entity by the beginning of its identifier (4 digits or more)."""
    rows = reader.identified(side, reference, 2) if _IDENTIFIER.fullmatch(reference) else np.zeros(0, dtype=np.int64)
    if not len(rows):
        raise NotFound(f"no {side} matches {reference!r}", "identifiers are shown by polyadic query --trace")
    return int(_only(rows.tolist(), f"{side} {reference!r}", ["more than one identifier begins like this"]))


def entity_row(reader: Reader, reference: str) -> int:
    """The row of an entity by name, else by the loose form of a name, else by identifier."""
    # Half of a surrogate pair, as an undecodable argument has it, is in no name.
    reference = reference.encode("utf-8", "replace").decode("utf-8")
    exact = reader.keyed([entity_key(reference)])
    if exact:
        return next(iter(exact.values()))
    loose = reader.named([loose_name(reference)])
    if loose:
        rows = next(iter(loose.values()))
        return int(_only(rows, f"entity {reference!r}", [e.name for e in reader.entities(np.array(rows))]))
    if _IDENTIFIER.fullmatch(reference):
        return row(reader, "entity", reference)
    next_step = "say a name as documents have it, which polyadic show document DOC shows"
    raise NotFound(f"no entity matches {reference!r}", next_step)


def facts_of_all(reader: Reader, entities: Sequence[int], limit: int) -> Rows:
    """Facts that contain all of these entities, best score first, at most ``limit``; ties by identifier."""
    distinct = np.unique(np.array(entities, dtype=np.int64))
    # All of them are ranked, and there can be no more than the rarest entity has.
    most = int(reader.degrees("entity", distinct).min(initial=reader.size("fact")))
    rows = reader.containing(distinct, most)
    best = np.argsort(-reader.scores("fact", rows), kind="stable")
    return rows[best[: max(0, limit)]]


def document_view(reader: Reader, reference: str) -> DocumentView:
    found = None if _with_source(reader, reference) else _PLACE.fullmatch(reference)
    record = document(reader, found["document"] if found else reference)
    whole = reader.document(record.id)
    span = Span(0, len(whole.text))
    if found:
        start, end = int(found["start"]), int(found["end"])
        if not start <= end <= len(whole.text):
            raise NotFound(f"{record.source} has {len(whole.text):,} characters, so no place {start}-{end}")
        span = Span(start, end)
    return DocumentView(whole, record, span, *_around(whole.text, span))


def chunk_view(reader: Reader, reference: str) -> ChunkView:
    rows = np.array([row(reader, "chunk", reference)])
    stated = reader.facts_in(rows, int(reader.degrees("chunk", rows)[0])).targets
    chunk, place = reader.chunks(rows)[0], reader.chunk_places(rows)[0]
    text = reader.document(chunk.document_id).text
    return ChunkView(chunk, place, tuple(reader.facts(stated)), *_around(text, chunk.span), len(text))


def fact_view(reader: Reader, reference: str) -> FactView:
    rows = np.array([row(reader, "fact", reference)])
    entities = reader.entities(reader.entities_of(rows).targets)
    return FactView(reader.facts(rows)[0], tuple(entities), reader.fact_places(rows)[0])


def entity_view(reader: Reader, reference: str) -> EntityView:
    entity = entity_row(reader, reference)
    facts = reader.facts(facts_of_all(reader, [entity], _FACTS_SHOWN))
    return EntityView(reader.entities(np.array([entity]))[0], tuple(facts))


def _with_source(reader: Reader, reference: str) -> DocumentRecord | None:
    """The document that has this source, or whose path this is; finding it costs the same in any workspace."""
    for source in _sources(reference):
        record = reader.record(document_id(source))
        if record:
            return record
    return None


def _sources(reference: str) -> Iterator[str]:
    """The sources that a reference may stand for; the disk is looked at only after it has been taken as it is."""
    yield reference
    yield real_path(reference)
    # A row is named after its file: links are resolved before the #.
    for found in re.finditer("#", reference):
        yield real_path(reference[: found.start()]) + reference[found.start() :]


def _guesses(records: Sequence[DocumentRecord], reference: str, exact: bool) -> list[list[DocumentRecord]]:
    """What else the reference may mean, the likelier first."""
    digits = bool(_IDENTIFIER.fullmatch(reference)) and (not exact or len(reference) >= _SURE_DIGITS)
    return [
        [] if exact else _ending(records, reference),
        [r for r in records if r.title.casefold() == reference.casefold()],
        [r for r in records if digits and r.id.startswith(reference)],
    ]


def _ending(records: Sequence[DocumentRecord], reference: str) -> list[DocumentRecord]:
    return [r for r in records if r.source.endswith(("/" + reference.removeprefix("./"), "#" + reference))]


def _meant(records: Sequence[DocumentRecord], reference: str) -> str:
    """What to do where only guesses are left, and guesses are not wanted."""
    likely = _ending(records, reference)
    return f"if you mean {likely[0].source}, give the full path" if likely else _LISTED


def _rows_of(records: Sequence[DocumentRecord], reference: str) -> list[DocumentRecord]:
    """The rows of a file, if that is what the reference is the path of."""
    start = f"{real_path(reference)}#"
    return [record for record in records if _holds_rows(reference) and record.source.startswith(start)]


def _below(records: Sequence[DocumentRecord], reference: str) -> list[DocumentRecord]:
    """The documents below a folder, also one of other storage."""
    starts = tuple(f"{folder.rstrip('/')}/" for folder in (reference, real_path(reference)))
    return [record for record in records if record.source.startswith(starts)]


def _matching(records: Sequence[DocumentRecord], reference: str) -> list[DocumentRecord]:
    """The documents whose source, or the file of whose row, matches a pattern."""
    if not is_pattern(reference):
        return []
    patterns = (reference, real_path(reference))
    return [r for r in records if any(matches(pattern, path) for path in _paths_of(r.source) for pattern in patterns)]


def _paths_of(source: str) -> Iterator[str]:
    """A source, and the file of rows that it may be a row of."""
    yield source
    for found in re.finditer("#", source):
        if _holds_rows(file := source[: found.start()]):
            yield file


def _holds_rows(reference: str) -> bool:
    suffix = Path(reference).suffix.lower()
    return suffix in _IMPORTED or READERS.get(suffix) in (read_json, read_json_lines, read_table)


def real_path(reference: str) -> str:
    """The path as sources have it: absolute, with all links resolved; it need not exist."""
    try:
        return os.path.realpath(expanded(reference))
    except (OSError, ValueError):
        # No path at all, so no document's either.
        return reference


def _around(text: str, span: Span) -> tuple[str, str]:
    return text[max(0, span.start - _SURROUNDINGS) : span.start], text[span.end : span.end + _SURROUNDINGS]


def _only(matches: Sequence[Found], what: str, shown: Sequence[str]) -> Found:
    if len(matches) > 1:
        names = [*shown[:_NAMES_SHOWN], *(["..."] if len(shown) > _NAMES_SHOWN else [])]
        raise NotFound(f"{what} is ambiguous ({', '.join(names)})", "say more of it")
    return matches[0]
