"""Whether the hierarchy of a store is sound: each count says of how many clusters, communities or summaries it is not.

A cluster or community that is not stale rests on what is there, and what it rests on is noted; one that is stale has no
words left.
"""

import sqlite3
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from polyadic import identity
from polyadic.derivation import form
from polyadic.store.derived import vector_digest
from polyadic.store.theme_records import CLUSTER, load_report, unpack

_THERE = "SELECT lower(hex(digest)) FROM entity UNION SELECT lower(hex(digest)) FROM fact"
_NOTED = "SELECT theme, lower(hex(source)), worded FROM theme_source"


@dataclass(frozen=True, slots=True)
class _Theme:
    """A row; ``grounds`` are pairs of what it rests on, and whether by its words; ``worded`` says that it has words."""

    key: int
    digest: str
    kind: str
    level: int
    stale: bool
    members: tuple[str, ...]
    grounds: frozenset[tuple[str, int]]
    worded: bool
    report: str | None


def theme_problems(connection: sqlite3.Connection) -> Iterator[str]:
    """What is wrong, in a few words each."""
    themes = list(_themes(connection))
    for what, count in _CHECKS.items():
        if wrong := count(connection, themes):
            yield f"{wrong:,} {what}"


def _themes(connection: sqlite3.Connection) -> Iterator[_Theme]:
    rows = connection.execute(
        "SELECT id, lower(hex(digest)), kind, level, stale, members, sources, basis != '' OR tokens > 0,"
        " EXISTS (SELECT 1 FROM summary s WHERE s.theme = t.id), report FROM theme t"
    )
    for key, digest, kind, level, stale, members, sources, has_numbers, has_summaries, report in rows:
        by_words, held = unpack(sources), unpack(members)
        grounds = {(one, 1) for one in by_words} | {(one, 0) for one in set(held).difference(by_words)}
        worded = bool(has_numbers or has_summaries) or report is not None
        yield _Theme(key, digest, kind, level, bool(stale), held, frozenset(grounds), worded, report)


def _misnamed(connection: sqlite3.Connection, themes: list[_Theme]) -> int:
    return sum(theme.digest != identity.digest(theme.kind, str(theme.level), *theme.members) for theme in themes)


def _groundless(connection: sqlite3.Connection, themes: list[_Theme]) -> int:
    """A summary is there if its cluster is not stale, which is looked at for itself."""
    there = {digest for (digest,) in connection.execute(_THERE)}
    there |= {digest for (digest,) in connection.execute("SELECT lower(hex(digest)) FROM summary")}
    return sum(not theme.stale and any(one not in there for one, _ in theme.grounds) for theme in themes)


def _wrongly_noted(connection: sqlite3.Connection, themes: list[_Theme]) -> int:
    """What is stale need not be noted any more; notes of what is gone count as well."""
    noted: dict[int, set[tuple[str, int]]] = defaultdict(set)
    for theme, source, worded in connection.execute(_NOTED):
        noted[theme].add((source, worded))
    wrong = 0
    for one in themes:
        mine = noted.pop(one.key, set())
        wrong += not mine <= one.grounds if one.stale else mine != one.grounds
    return wrong + len(noted)


def _told_though_stale(connection: sqlite3.Connection, themes: list[_Theme]) -> int:
    return sum(theme.stale and theme.worded for theme in themes)


def _unreadable(connection: sqlite3.Connection, themes: list[_Theme]) -> int:
    wrong = 0
    for report in (theme.report for theme in themes if theme.report is not None):
        try:
            load_report(report)
        except (ValueError, TypeError):
            wrong += 1
    return wrong


def _stray_summaries(connection: sqlite3.Connection, themes: list[_Theme]) -> int:
    """Each has a cluster, whose members alone it covers, is named after it, and has the vector of its form."""
    clusters = {theme.key: theme for theme in themes if theme.kind == CLUSTER}
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


_CHECKS: Mapping[str, Callable[[sqlite3.Connection, list[_Theme]], int]] = {
    "clusters or communities are not those of their members": _misnamed,
    "clusters or communities rest on what is not there": _groundless,
    "clusters or communities rest on other things than noted": _wrongly_noted,
    "clusters or communities are told though they are stale": _told_though_stale,
    "reports cannot be read": _unreadable,
    "summaries differ from what their cluster says": _stray_summaries,
}
