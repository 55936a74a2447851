"""Nested data, as of JSON, YAML and TOML, as lines of ``path.to.key: value``, records in it as rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from polyadic.loaders.tables.record_rows import record_rows
from polyadic.text.code_fences import without_headings

_MOST_LINES = 1_000_000
_LONGEST_LIST_ON_A_LINE = 50
_LONGEST_PATH = 1_000


def nested_text(value: object) -> str:
    """The values in nested mappings and lists, each after the path of keys that leads to it.

    Items of lists are numbered from 1; lists of plain values stand on one line. Between the entries of the outermost
    mapping or list there are blank lines where these are nested themselves. Records are rows, below the path of
    their list. At most a million values are written.

    >>> print(nested_text({"name": "relay", "ports": [80, 443], "limits": {"users": 5, "log": None, "tls": True}}))
    - name: relay
    - ports: 80, 443
    <BLANKLINE>
    - limits.users: 5
    - limits.tls: true
    >>> print(nested_text({"name": "Acme", "people": [{"name": "Ada", "role": "boss"}]}))
    - name: Acme
    <BLANKLINE>
    people:
    <BLANKLINE>
    - name: Ada; role: boss.
    """
    if rows := record_rows(value):
        return "\n".join(line for row in rows for line in row)
    blocks: list[str] = []
    lines: list[str] = []
    written = 0
    for key, inner in _entries(value):
        part = []
        for line in _lines(key, inner):
            part.append(line)
            written += 1
            if written >= _MOST_LINES:
                break
        if _is_nested(inner):
            blocks += ["\n".join(lines), "\n".join(part)]
            lines = []
        else:
            lines += part
        if written >= _MOST_LINES:
            break
    return "\n\n".join(filter(None, (block.strip() for block in [*blocks, "\n".join(lines)])))


def entry(path: str, value: str) -> str:
    """The line of a value; one of several lines stands below its path as it is.

    >>> entry("server.host", "localhost"), entry("", "alone")
    ('- server.host: localhost', '- alone')
    """
    text = value.strip()
    if "\n" in text:
        text = without_headings(text)
        return f"\n{path}:\n\n{text}\n" if path else text
    return f"- {path}: {text}" if path else f"- {text}"


def heading(path: str) -> str:
    """The line above the rows of a list."""
    return f"\n{path}:\n"


def joined_path(path: str, key: object) -> str:
    """A path with one more key; what is nested beyond all reason has the path of what it is in."""
    if len(path) > _LONGEST_PATH:
        return path
    name = " ".join(str(key).split())
    return f"{path}.{name}" if path else name


def _lines(path: str, value: object) -> Iterator[str]:
    """The lines of a value, however deeply nested, without recursion."""
    ahead: list[Iterator[tuple[str, object]]] = [iter([(path, value)])]
    while ahead:
        here = next(ahead[-1], None)
        if here is None:
            ahead.pop()
            continue
        place, inner = here
        if rows := record_rows(inner):
            yield from [heading(place)] if place else []
            yield from (line for row in rows for line in row)
        elif _is_nested(inner):
            ahead.append(_below(place, inner))
        elif text := _text(inner):
            yield entry(place, text)


def _below(path: str, value: object) -> Iterator[tuple[str, object]]:
    return ((joined_path(path, key), inner) for key, inner in _entries(value))


def _entries(value: object) -> Iterable[tuple[str, object]]:
    if isinstance(value, Mapping):
        return ((str(key), inner) for key, inner in value.items())
    if _is_nested(value) and isinstance(value, Sequence):
        return ((str(number), inner) for number, inner in enumerate(value, start=1))
    return [("", value)]


def _is_nested(value: object) -> bool:
    if isinstance(value, Mapping):
        return True
    if not _is_list(value):
        return False
    items = value if isinstance(value, Sequence) else ()
    return len(items) > _LONGEST_LIST_ON_A_LINE or any(isinstance(item, Mapping) or _is_list(item) for item in items)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return ", ".join(text for item in value if (text := _text(item)))
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
