"""Resolve a document filter to document identifiers."""

from collections.abc import Callable
from functools import partial
from pathlib import PurePath

from polyadic.errors import NotFound
from polyadic.model.metadata_conditions import condition_text
from polyadic.model.types import Filter
from polyadic.query import lookup
from polyadic.storage.protocol import Reader

_LISTED = "polyadic status --documents lists them"


def document_filter(only: Filter | None) -> Callable[[Reader], frozenset[str]] | None:
    """Return the filter function for ``Store.read``; None reads all documents."""
    return None if only is None else partial(filter_documents, only=only)


def filter_documents(reader: Reader, only: Filter) -> frozenset[str]:
    """Return the identifiers of the documents that match a filter.

    Raises
    ------
    NotFound
        A source of the filter matches no document, or no document has the metadata. Without this error, an empty
        selection would look like a question without an answer.
    """
    sources = [_sources(reader, reference) for reference in only.sources]
    found: frozenset[str] = frozenset()
    if sources or not only.documents:
        found = reader.records.select([source for group in sources for source in group], only.where)
    if only.documents:
        found |= reader.records.select((), only.where) & frozenset(only.documents)
    if not found:
        raise NotFound(_no_match(only), _LISTED)
    return found


def _no_match(only: Filter) -> str:
    """Explain why a filter matches no document."""
    if not only.where:
        return "none of the selected documents exists any more"
    wanted = " and ".join(condition_text(key, value) for key, value in only.where.items())
    among = f" from {', '.join(only.sources)}" if only.sources else " in the selection" if only.documents else ""
    return f"no document{among} has the metadata {wanted}"


def _sources(reader: Reader, reference: str) -> list[str]:
    """Resolve a reference to sources: a path or the beginning of a URI, else a title or an identifier."""
    if not reference.strip():
        raise NotFound("a document name is empty", _LISTED)
    candidates = list(dict.fromkeys([reference, lookup.real_path(reference)]))
    if reader.records.select(candidates, {}):
        return candidates
    if named := _with_file_name(reader, reference):
        return [named]
    return [lookup.document(reader, reference, exact=True).source]


def _with_file_name(reader: Reader, name: str) -> str | None:
    """Return the source of the only document with this file name; None if there is none, or more than one."""
    if PurePath(name).name != name or not PurePath(name).suffix:
        return None
    found = [record.source for record in reader.records.documents() if PurePath(record.source).name == name]
    return found[0] if len(found) == 1 else None
