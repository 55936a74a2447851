"""Consistency check of the hierarchy: count the clusters, communities and summaries with each kind of problem.

A current (not stale) cluster or community refers only to existing members and sources, and the source words recorded
for it are current. A stale one has no texts.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from polyadic.model import identity
from polyadic.model.aggregation import form
from polyadic.storage.connection import Connection
from polyadic.storage.sql.digests import vector_digest
from polyadic.storage.sql.hierarchy_records import CLUSTER, load_report, unpack
from polyadic.storage.sql.hierarchy_texts import Words, holding, unpack_words

_EXISTING = "SELECT lower(hex(digest)) FROM entity UNION SELECT lower(hex(digest)) FROM fact"
_SOURCE_RECORDS = "SELECT theme, source, words FROM theme_source"


@dataclass(frozen=True, slots=True)
class _Theme:
    """A cluster or community; ``notes`` are the recorded words by member or source; ``worded`` if it has any text."""

    digest: str
    kind: str
    level: int
    stale: bool
    members: tuple[str, ...]
    sources: tuple[str, ...]
    notes: Mapping[str, Words]
    worded: bool
    report: str | None


@dataclass(frozen=True, slots=True)
class _Themes:
    """All rows by key; ``notes`` are orphaned source records, ``now`` are the current words of all recorded sources."""

    rows: Mapping[int, _Theme]
    notes: Mapping[int, Mapping[str, Words]]
    now: Mapping[str, Words]


def theme_problems(connection: Connection) -> Iterator[str]:
    """Yield one short message per kind of problem found."""
    themes = _themes(connection)
    for what, count in _CHECKS.items():
        if wrong := count(connection, themes):
            yield f"{wrong:,} {what}"


def _themes(connection: Connection) -> _Themes:
    notes: dict[int, dict[str, Words]] = defaultdict(dict)
    recorded: dict[bytes, Words] = {}
    for theme, source, data in connection.execute(_SOURCE_RECORDS):
        words = notes[theme][source.hex()] = unpack_words(data)
        recorded[source] = words | recorded.get(source, frozenset())
    rows = connection.execute(
        "SELECT id, lower(hex(digest)), kind, level, stale, members, sources,"
        " basis != '' OR tokens > 0 OR stale AND sources != ?,"
        " EXISTS (SELECT 1 FROM summary s WHERE s.theme = t.id), report FROM theme t",
        (b"",),
    )
    themes = {}
    for key, digest, kind, level, stale, members, sources, has_numbers, has_summaries, report in rows:
        worded = bool(has_numbers or has_summaries) or report is not None
        own = notes.pop(key, {})
        themes[key] = _Theme(digest, kind, level, bool(stale), unpack(members), unpack(sources), own, worded, report)
    return _Themes(themes, notes, {source.hex(): words for source, words in holding(connection, recorded).items()})


def _wrong_identifiers(connection: Connection, themes: _Themes) -> int:
    rows = themes.rows.values()
    return sum(theme.digest != identity.digest(theme.kind, str(theme.level), *theme.members) for theme in rows)


def _missing_references(connection: Connection, themes: _Themes) -> int:
    """Count current themes with missing members or sources; that stale clusters have no summaries is checked apart."""
    existing = {digest for (digest,) in connection.execute(_EXISTING)}
    existing |= {digest for (digest,) in connection.execute("SELECT lower(hex(digest)) FROM summary")}
    return sum(
        not theme.stale and not existing.issuperset((*theme.members, *theme.sources)) for theme in themes.rows.values()
    )


def _wrong_source_records(connection: Connection, themes: _Themes) -> int:
    """Count themes with wrong source records, and records of deleted themes. Stale themes must have none."""
    return sum(not _is_recorded(theme, themes.now) for theme in themes.rows.values()) + len(themes.notes)


def _is_recorded(theme: _Theme, now: Mapping[str, Words]) -> bool:
    """Return whether all members and sources of a theme are recorded, with words exactly for sources that have any."""
    sources = frozenset(theme.sources)
    if theme.notes.keys() != (set() if theme.stale else sources.union(theme.members)):
        return False
    return all(bool(words) == (one in sources and bool(now[one])) for one, words in theme.notes.items() if one in now)


def _outdated(connection: Connection, themes: _Themes) -> int:
    """Count themes whose recorded words are no longer current. Deleted sources are checked elsewhere."""
    now = themes.now
    return sum(
        any(not words <= now.get(one, words) for one, words in theme.notes.items()) for theme in themes.rows.values()
    )


def _stale_with_texts(connection: Connection, themes: _Themes) -> int:
    return sum(theme.stale and theme.worded for theme in themes.rows.values())


def _unreadable_reports(connection: Connection, themes: _Themes) -> int:
    wrong = 0
    for report in (theme.report for theme in themes.rows.values() if theme.report is not None):
        try:
            load_report(report)
        except (ValueError, TypeError):
            wrong += 1
    return wrong


def _wrong_summaries(connection: Connection, themes: _Themes) -> int:
    """Count summaries without a cluster, or whose members, identifier or vector do not match it."""
    clusters = {key: theme for key, theme in themes.rows.items() if theme.kind == CLUSTER}
    wrong = 0
    for digest, cluster, name, description, members, vector in connection.execute(
        "SELECT lower(hex(s.digest)), s.theme, s.name, s.description, s.members, v.digest FROM summary s"
        " LEFT JOIN vector v ON v.id = s.vector"
    ):
        of = clusters.get(cluster)
        is_named = of is not None and digest == identity.digest("summary", of.digest, identity.entity_key(name))
        covers = of is not None and set(unpack(members)) <= set(of.members)
        wrong += not (is_named and covers and vector == vector_digest(form(name, description)))
    return wrong


_CHECKS: Mapping[str, Callable[[Connection, _Themes], int]] = {
    "clusters or communities have identifiers that do not match their members": _wrong_identifiers,
    "clusters or communities have missing members or sources": _missing_references,
    "clusters or communities have wrong source records": _wrong_source_records,
    "clusters or communities are based on outdated texts": _outdated,
    "clusters or communities are stale but still have texts": _stale_with_texts,
    "reports cannot be read": _unreadable_reports,
    "summaries do not match their clusters": _wrong_summaries,
}
