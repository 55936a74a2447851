"""Render nested data (JSON, YAML, TOML) as lines of ``path.to.key: value``, and lists of records as table rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from polyadic.loaders.tables.record_rows import record_rows
from polyadic.text.code_fences import without_headings

_MAX_LINES = 1_000_000
_MAX_INLINE_ITEMS = 50
_MAX_PATH_CHARACTERS = 1_000


def nested_text(value: object) -> str:
    """Render the values in nested mappings and lists, each after its path of keys.

    List items are numbered from 1; a list of plain values takes one line. Nested entries of the outermost mapping or
    list are separated by blank lines. Records become rows below the path of their list. At most a million values are
    written.

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
            if written >= _MAX_LINES:
                break
        if _is_nested(inner):
            blocks += ["\n".join(lines), "\n".join(part)]
            lines = []
        else:
            lines += part
        if written >= _MAX_LINES:
            break
    return "\n\n".join(filter(None, (block.strip() for block in [*blocks, "\n".join(lines)])))


def entry(path: str, value: str) -> str:
    """Format a value as a line; a multi-line value follows its path unchanged.

    >>> entry("server.host", "localhost"), entry("", "alone")
    ('- server.host: localhost', '- alone')
    """
    text = value.strip()
    if "\n" in text:
        text = without_headings(text)
        return f"\n{path}:\n\n{text}\n" if path else text
    return f"- {path}: {text}" if path else f"- {text}"


def heading(path: str) -> str:
    """Format the line above the rows of a list."""
    return f"\n{path}:\n"


def joined_path(path: str, key: object) -> str:
    """Append a key to a path; a path that is already very long is returned unchanged."""
    if len(path) > _MAX_PATH_CHARACTERS:
        return path
    name = " ".join(str(key).split())
    return f"{path}.{name}" if path else name


def _lines(path: str, value: object) -> Iterator[str]:
    """Yield the lines of a value, nested to any depth, without recursion."""
    stack: list[Iterator[tuple[str, object]]] = [iter([(path, value)])]
    while stack:
        current = next(stack[-1], None)
        if current is None:
            stack.pop()
            continue
        inner_path, inner = current
        if rows := record_rows(inner):
            yield from [heading(inner_path)] if inner_path else []
            yield from (line for row in rows for line in row)
        elif _is_nested(inner):
            stack.append(_below(inner_path, inner))
        elif text := _text(inner):
            yield entry(inner_path, text)


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
    return len(items) > _MAX_INLINE_ITEMS or any(isinstance(item, Mapping) or _is_list(item) for item in items)


def _is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str | bytes)


def _text(value: object) -> str:
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return ", ".join(text for item in value if (text := _text(item)))
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
