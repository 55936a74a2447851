"""Whether the hierarchy of a store is sound: each count says of how many clusters, communities or summaries it is not.

A cluster or community that is not stale rests on what is there, and what it rests on is noted with the words that it
was told, which hold; one that is stale has no words left.
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

_THERE = "SELECT lower(hex(digest)) FROM entity UNION SELECT lower(hex(digest)) FROM fact"
_NOTED = "SELECT theme, source, words FROM theme_source"


@dataclass(frozen=True, slots=True)
class _Theme:
    """A row; ``notes`` are what it was told, by what it rests on; ``worded`` says that it has words."""

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
    """All rows by key; ``notes`` are those of no row, ``now`` says what holds of all that notes are about."""

    rows: Mapping[int, _Theme]
    notes: Mapping[int, Mapping[str, Words]]
    now: Mapping[str, Words]


def theme_problems(connection: Connection) -> Iterator[str]:
    """What is wrong, in a few words each."""
    themes = _themes(connection)
    for what, count in _CHECKS.items():
        if wrong := count(connection, themes):
            yield f"{wrong:,} {what}"


def _themes(connection: Connection) -> _Themes:
    notes: dict[int, dict[str, Words]] = defaultdict(dict)
    told: dict[bytes, Words] = {}
    for theme, source, data in connection.execute(_NOTED):
        words = notes[theme][source.hex()] = unpack_words(data)
        told[source] = words | told.get(source, frozenset())
    rows = connection.execute(
        "SELECT id, lower(hex(digest)), kind, level, stale, members, sources,"
        " basis != '' OR tokens > 0 OR stale AND sources != ?,"
        " EXISTS (SELECT 1 FROM summary s WHERE s.theme = t.id), report FROM theme t",
        (b"",),
    )
    themes = {}
    for key, digest, kind, level, stale, members, sources, has_numbers, has_summaries, report in rows:
        worded = bool(has_numbers or has_summaries) or report is not None
        mine = notes.pop(key, {})
        themes[key] = _Theme(digest, kind, level, bool(stale), unpack(members), unpack(sources), mine, worded, report)
    return _Themes(themes, notes, {source.hex(): words for source, words in holding(connection, told).items()})


def _misnamed(connection: Connection, themes: _Themes) -> int:
    rows = themes.rows.values()
    return sum(theme.digest != identity.digest(theme.kind, str(theme.level), *theme.members) for theme in rows)


def _groundless(connection: Connection, themes: _Themes) -> int:
    """A summary is there if its cluster is not stale, which is looked at for itself."""
    there = {digest for (digest,) in connection.execute(_THERE)}
    there |= {digest for (digest,) in connection.execute("SELECT lower(hex(digest)) FROM summary")}
    return sum(
        not theme.stale and not there.issuperset((*theme.members, *theme.sources)) for theme in themes.rows.values()
    )


def _wrongly_noted(connection: Connection, themes: _Themes) -> int:
    """What is stale is noted no more; notes of what is gone count as well."""
    return sum(not _is_noted(theme, themes.now) for theme in themes.rows.values()) + len(themes.notes)


def _is_noted(theme: _Theme, now: Mapping[str, Words]) -> bool:
    """All that a theme rests on, with words where its sources have any; of members that are no sources none."""
    sources = frozenset(theme.sources)
    if theme.notes.keys() != (set() if theme.stale else sources.union(theme.members)):
        return False
    return all(bool(words) == (one in sources and bool(now[one])) for one, words in theme.notes.items() if one in now)


def _unsaid(connection: Connection, themes: _Themes) -> int:
    """What is gone is looked at for itself."""
    now = themes.now
    return sum(
        any(not words <= now.get(one, words) for one, words in theme.notes.items()) for theme in themes.rows.values()
    )


def _told_though_stale(connection: Connection, themes: _Themes) -> int:
    return sum(theme.stale and theme.worded for theme in themes.rows.values())


def _unreadable(connection: Connection, themes: _Themes) -> int:
    wrong = 0
    for report in (theme.report for theme in themes.rows.values() if theme.report is not None):
        try:
            load_report(report)
        except (ValueError, TypeError):
            wrong += 1
    return wrong


def _stray_summaries(connection: Connection, themes: _Themes) -> int:
    """Each has a cluster, whose members alone it covers, is named after it, and has the vector of its form."""
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
    "clusters or communities are not those of their members": _misnamed,
    "clusters or communities rest on what is not there": _groundless,
    "clusters or communities rest on other things than noted": _wrongly_noted,
    "clusters or communities tell what nothing says any more": _unsaid,
    "clusters or communities are told though they are stale": _told_though_stale,
    "reports cannot be read": _unreadable,
    "summaries differ from what their cluster says": _stray_summaries,
}
