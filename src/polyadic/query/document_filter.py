"""Which documents a filter lets be heard."""

from pathlib import PurePath

from polyadic.errors import NotFound
from polyadic.model.types import Filter
from polyadic.query import lookup
from polyadic.storage.protocol import Reader

_LISTED = "polyadic status --documents lists them"


def filter_documents(reader: Reader, only: Filter) -> frozenset[str]:
    """The documents, by identifier, that a filter lets be heard.

    Raises
    ------
    NotFound
        A source of the filter is none of a document, or no document has the metadata: an answer from nothing would
        look like one that was not found.
    """
    sources = [_sources(reader, reference) for reference in only.sources]
    found: frozenset[str] = frozenset()
    if sources or not only.documents:
        found = reader.select([source for of_one in sources for source in of_one], only.where)
    if only.documents:
        found |= reader.select((), only.where) & frozenset(only.documents)
    if not found:
        raise NotFound(_nothing(only), _LISTED)
    return found


def _nothing(only: Filter) -> str:
    """What to say where no document is left."""
    if not only.where:
        return "none of the documents that were chosen is there any more"
    wanted = " and ".join(f"{key}={value}" for key, value in only.where.items())
    among = f" from {', '.join(only.sources)}" if only.sources else " that was chosen" if only.documents else ""
    return f"no document{among} has the metadata {wanted}"


def _sources(reader: Reader, reference: str) -> list[str]:
    """What a person typed, as sources: a path or the beginning of a URI, else a title or an identifier."""
    if not reference.strip():
        raise NotFound("an empty name is no document's", _LISTED)
    either = list(dict.fromkeys([reference, lookup.real_path(reference)]))
    if reader.select(either, {}):
        return either
    if named := _with_file_name(reader, reference):
        return [named]
    return [lookup.document(reader, reference, exact=True).source]


def _with_file_name(reader: Reader, name: str) -> str | None:
    """The source of the one document whose file has this name; None where there is none, or more than one."""
    if PurePath(name).name != name or not PurePath(name).suffix:
        return None
    found = [record.source for record in reader.documents() if PurePath(record.source).name == name]
    return found[0] if len(found) == 1 else None
