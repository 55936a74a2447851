"""Writing the hierarchy, and marking what has become stale of it.

What a theme (a cluster or a community) rests on is known by public identifiers: rows of tables are used again. It is
stale once anything that it rests on is gone, or is no longer said to be what the theme was told of it.
"""

import secrets
from collections import ChainMap, Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from polyadic.model import identity
from polyadic.model.aggregation import form
from polyadic.model.hierarchy import Cluster, Community, Rearrangement, Summary
from polyadic.storage.connection import Connection
from polyadic.storage.protocol import StoreChange
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.hierarchy_records import CLUSTER, COMMUNITY, SERIES, dump_report, dump_series, pack, unpack
from polyadic.storage.sql.hierarchy_texts import Words, displayed, existing, holding, pack_words, unpack_words
from polyadic.storage.sql.meta import put_meta
from polyadic.storage.sql.pending_vectors import PendingVectors
from polyadic.storage.sql.sql_in import select_in

GENERATION = "hierarchy"
"""Key in the table meta: a drawn name of the state of the hierarchy."""
_WIPE = "UPDATE theme SET stale = TRUE, tokens = 0, basis = '', report = NULL, sources = ? WHERE id = ?"
Speech = tuple[bytes, str | frozenset[tuple[bytes, str, str, str]]]
"""What a theme says, its report or its summaries, and from which sources."""


@dataclass(slots=True)
class _Removed:
    """What has been taken out: summaries by the layer of their cluster, and what was told to those who had words."""

    summaries: dict[int, list[bytes]] = field(default_factory=dict)
    told: dict[Speech, dict[bytes, Words]] = field(default_factory=dict)


class HierarchyTables:
    """Keeps clusters, communities and summaries within the transaction of a connection."""

    def __init__(self, connection: Connection, needs: PendingVectors) -> None:
        self._connection = connection
        self._needs = needs

    # what changes in the hypergraph

    def touched(self, change: StoreChange) -> list[bytes]:
        """Digests of all that a change may alter and a theme rests on."""
        if self._connection.execute("SELECT 1 FROM theme_source LIMIT 1").fetchone() is None:
            return []
        decided = (key for decision in (*change.decided, *change.undone) for key in decision.touched)
        entities = [identity.entity_id(key) for key in {*change.tallies.entities, *decided}]
        digests = [digest_bytes(one) for one in (*entities, *change.tallies.facts)]
        rested_on = select_in(
            self._connection, "SELECT DISTINCT source FROM theme_source WHERE source IN ({})", digests
        )
        return [digest for (digest,) in rested_on]

    def mark(self, touched: Sequence[bytes]) -> None:
        """Make stale, and wipe, what rests on any of these that is gone, or was told what holds of it no longer."""
        while touched:
            touched = [digest for theme in sorted(self._fallen(touched)) for digest in self._wipe(theme)]

    # what changes in the hierarchy

    def rearrange(self, change: Rearrangement) -> None:
        """Take the hierarchy to its next state.

        From the ground up: what rests on a summary is marked by what became of it before what replaces it comes in.
        """
        clusters = (cluster.id for cluster in change.clusters)
        removed = self._remove([*change.gone, *clusters, *(community.id for community in change.communities)])
        for layer in sorted({*removed.summaries, *(cluster.layer for cluster in change.clusters)}):
            self._insert([cluster for cluster in change.clusters if cluster.layer == layer], removed)
            self.mark(removed.summaries.get(layer, []))
        self._insert(change.communities, removed)
        put_meta(self._connection, GENERATION, secrets.token_hex(8))
        put_meta(self._connection, SERIES, dump_series(change.sparsities, change.settled, change.since))

    # steps of the above

    def _fallen(self, touched: Sequence[bytes]) -> set[int]:
        notes = [
            (theme, source, unpack_words(words))
            for theme, source, words in select_in(
                self._connection,
                "SELECT s.theme, s.source, s.words FROM theme_source s JOIN theme t ON t.id = s.theme"
                " WHERE NOT t.stale AND s.source IN ({})",
                touched,
            )
        ]
        told: dict[bytes, Words] = {}
        for _, source, words in notes:
            told[source] = words | told.get(source, frozenset())
        now = holding(self._connection, told)
        return {theme for theme, source, words in notes if source not in now or not words <= now[source]}

    def _wipe(self, theme: int) -> list[bytes]:
        """Leave nothing of a theme but its members; returns the digests of its summaries, which are no more."""
        grounds = self._connection.execute("SELECT members, sources FROM theme WHERE id = ?", (theme,)).fetchone()
        self._forget_notes(theme, grounds)
        self._connection.execute(_WIPE, (b"", theme))
        return [digest for digest, *_ in self._remove_summaries(theme)]

    def _forget_notes(self, theme: int, grounds: Iterable[bytes]) -> dict[bytes, Words]:
        """Returns what the theme was told, by source; ``grounds`` is all that it rests on."""
        sources = {one for ground in grounds for one in unpack(ground)}
        forgotten = select_in(
            self._connection,
            "DELETE FROM theme_source WHERE theme = ? AND source IN ({}) RETURNING source, words",
            [digest_bytes(one) for one in sources],
            (theme,),
        )
        return {source: unpack_words(words) for source, words in forgotten}

    def _remove_summaries(self, theme: int) -> frozenset[tuple[bytes, str, str, str]]:
        removed = self._connection.execute(
            "DELETE FROM summary WHERE theme = ? RETURNING digest, name, type, description, vector", (theme,)
        ).fetchall()
        released = Counter(vector for *_, vector in removed if vector is not None)
        self._connection.executemany(
            "UPDATE vector SET uses = uses - ? WHERE id = ?", [(n, vector) for vector, n in released.items()]
        )
        return frozenset((digest, name, type_, description) for digest, name, type_, description, _ in removed)

    def _remove(self, ids: Sequence[str]) -> _Removed:
        removed = _Removed()
        found = select_in(
            self._connection,
            "SELECT id, level, members, sources, report FROM theme WHERE digest IN ({})",
            [digest_bytes(one) for one in dict.fromkeys(ids)],
        )
        for theme, level, members, sources, report in list(found):
            summaries = self._remove_summaries(theme)
            removed.summaries.setdefault(level, []).extend(digest for digest, *_ in summaries)
            # Two that said the same may have been told different words: what says it from now on rests on both.
            told = removed.told.setdefault((sources, report or summaries), {})
            for source, words in self._forget_notes(theme, (members, sources)).items():
                told[source] = words | told.get(source, frozenset())
            self._connection.execute("DELETE FROM theme WHERE id = ?", (theme,))
        return removed

    def _insert(self, themes: Sequence[Cluster | Community], removed: _Removed) -> None:
        """Insert themes of one layer, or communities; one that rests on what is not there is stale from the start.

        One that says what it said before, with other members or in another place, was told no other words of entities
        than before. Of a summary it says what the summary says now.
        """
        grounds = {digest_bytes(one) for theme in themes for one in (*theme.members, *theme.sources)}
        known = existing(self._connection, list(grounds))
        summaries = displayed(self._connection, "summary", list(grounds))
        rows = []
        for theme in sorted(themes, key=lambda theme: theme.id):
            sources, members = ({digest_bytes(one) for one in ids} for ids in (theme.sources, theme.members))
            stale = theme.stale or not known.keys() >= sources | members
            key = self._insert_theme(theme, stale)
            if not stale:
                told = ChainMap(summaries, removed.told.get(_speech(theme), {}), known)
                rows += [(one, key, pack_words(told[one])) for one in sources]
                rows += [(one, key, b"") for one in members - sources]
        self._connection.executemany("INSERT INTO theme_source (source, theme, words) VALUES (?, ?, ?)", sorted(rows))

    def _insert_theme(self, theme: Cluster | Community, stale: bool) -> int:
        (key,) = self._connection.execute(
            "INSERT INTO theme (digest, stale, members, sources, kind, level, own, parent, basis, tokens, report)"
            f" VALUES ({', '.join('?' * 11)}) RETURNING id",
            (
                digest_bytes(theme.id),
                stale,
                pack(theme.members),
                b"" if stale else pack(theme.sources),
                *(_of_cluster(theme) if isinstance(theme, Cluster) else _of_community(theme, stale)),
            ),
        ).fetchone()
        if isinstance(theme, Cluster) and not stale:
            for summary in theme.summaries:
                self._insert_summary(key, summary)
        return int(key)

    def _insert_summary(self, theme: int, summary: Summary) -> None:
        key = self._connection.execute(
            "INSERT INTO summary (digest, theme, name, type, description, author, members)"
            " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (
                digest_bytes(summary.id),
                theme,
                summary.name,
                summary.type,
                summary.description,
                summary.by,
                pack(summary.members),
            ),
        ).fetchone()
        self._needs.add("UPDATE summary SET vector = ? WHERE id = ?", key, form(summary.name, summary.description))


def _of_cluster(cluster: Cluster) -> tuple[object, ...]:
    return CLUSTER, cluster.layer, pack(cluster.own), b"", "", 0, None


def _of_community(community: Community, stale: bool) -> tuple[object, ...]:
    parent = bytes.fromhex(community.parent)
    if stale or community.report is None:
        return COMMUNITY, community.level, b"", parent, "" if stale else community.basis, 0, None
    report = dump_report(community.report)
    return COMMUNITY, community.level, b"", parent, community.basis, community.tokens, report


def _speech(theme: Cluster | Community) -> Speech:
    if isinstance(theme, Cluster):
        summaries = ((digest_bytes(one.id), one.name, one.type, one.description) for one in theme.summaries)
        return pack(theme.sources), frozenset(summaries)
    return pack(theme.sources), dump_report(theme.report) if theme.report else frozenset()
