"""Writing the hierarchy of the SQLite store, and marking what has become stale of it.

What a theme (a cluster or a community) rests on is known by public identifiers: rows of tables are used again.
"""

import secrets
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from polyadic import identity
from polyadic.derivation import form
from polyadic.store.database import select_in
from polyadic.store.derived import VectorNeeds, digest_bytes
from polyadic.store.protocol import Change
from polyadic.store.theme_records import CLUSTER, COMMUNITY, SERIES, dump_report, dump_series, pack, unpack
from polyadic.themes import Cluster, Community, Rearrangement, Summary

GENERATION = "hierarchy"
"""Key in the table meta: a drawn name of the state of the hierarchy."""
_WIPE = "UPDATE theme SET stale = 1, tokens = 0, basis = '', report = NULL WHERE id = ?"
Words = Mapping[bytes, tuple[str, ...]]
"""By digest what an entity or a summary says of itself; facts are what they say, so of them nothing."""


class ThemeTables:
    """Keeps clusters, communities and summaries within the transaction of a connection."""

    def __init__(self, connection: sqlite3.Connection, needs: VectorNeeds) -> None:
        self._connection = connection
        self._needs = needs

    # what changes in the hypergraph

    def touched(self, change: Change) -> Words:
        """The words, as they are, of all that a change may alter and a theme rests on."""
        if self._connection.execute("SELECT 1 FROM theme_source LIMIT 1").fetchone() is None:
            return {}
        decided = (key for decision in (*change.decided, *change.undone) for key in decision.touched)
        entities = [identity.entity_id(key) for key in {*change.tallies.entities, *decided}]
        digests = [digest_bytes(one) for one in (*entities, *change.tallies.facts)]
        rested_on = select_in(
            self._connection, "SELECT DISTINCT source FROM theme_source WHERE source IN ({})", digests
        )
        return self._words([digest for (digest,) in rested_on])

    def mark(self, before: Words) -> None:
        """Make stale what rests on anything that no longer has these words, and wipe it."""
        after = self._words(list(before))
        self._mark(*_differing(before, after))

    # what changes in the hierarchy

    def rearrange(self, change: Rearrangement) -> None:
        """Take the hierarchy to its next state.

        From the ground up: what rests on a summary is marked by what became of it before what replaces it comes in.
        """
        clusters = (cluster.id for cluster in change.clusters)
        before = self._remove([*change.gone, *clusters, *(community.id for community in change.communities)])
        for layer in sorted({*before, *(cluster.layer for cluster in change.clusters)}):
            self._insert([cluster for cluster in change.clusters if cluster.layer == layer])
            words = before.get(layer, {})
            self._mark(*_differing(words, self._words(list(words))))
        self._insert(change.communities)
        self._connection.executemany(
            "INSERT OR REPLACE INTO meta VALUES (?, ?)",
            [
                (GENERATION, secrets.token_hex(8)),
                (SERIES, dump_series(change.sparsities, change.settled, change.since)),
            ],
        )

    # steps of the above

    def _words(self, digests: Sequence[bytes]) -> Words:
        """Of those that are there."""
        words: dict[bytes, tuple[str, ...]] = {}
        for table in ("entity", "summary"):
            sql = f"SELECT digest, name, type, description FROM {table} WHERE digest IN ({{}})"
            words |= {digest: tuple(said) for digest, *said in select_in(self._connection, sql, digests)}
        facts = select_in(self._connection, "SELECT digest FROM fact WHERE digest IN ({})", digests)
        return words | {digest: () for (digest,) in facts}

    def _mark(self, reworded: Iterable[bytes], gone: Iterable[bytes]) -> None:
        resting = {*self._resting_on(list(reworded), "AND s.worded"), *self._resting_on(list(gone), "")}
        while resting:
            vanished = [digest for theme in sorted(resting) for digest in self._wipe(theme)]
            resting = set(self._resting_on(vanished, ""))

    def _resting_on(self, digests: Sequence[bytes], how: str) -> Iterator[int]:
        sql = (
            "SELECT s.theme FROM theme_source s JOIN theme t ON t.id = s.theme"
            f" WHERE NOT t.stale {how} AND s.source IN ({{}})"
        )
        return (theme for (theme,) in select_in(self._connection, sql, digests))

    def _wipe(self, theme: int) -> list[bytes]:
        """Leave nothing of a theme but its members; returns the digests of its summaries, which are no more."""
        self._connection.execute(_WIPE, (theme,))
        return list(self._remove_summaries(theme))

    def _remove_summaries(self, theme: int) -> Words:
        removed = self._connection.execute(
            "DELETE FROM summary WHERE theme = ? RETURNING digest, name, type, description, vector", (theme,)
        ).fetchall()
        released = Counter(vector for *_, vector in removed if vector is not None)
        self._connection.executemany(
            "UPDATE vector SET uses = uses - ? WHERE id = ?", [(n, vector) for vector, n in released.items()]
        )
        return {digest: tuple(said) for digest, *said, _ in removed}

    def _remove(self, ids: Sequence[str]) -> dict[int, Words]:
        """Remove themes; returns by layer the words of the summaries that clusters had."""
        words: dict[int, Words] = {}
        found = select_in(
            self._connection,
            "SELECT id, level, members, sources FROM theme WHERE digest IN ({})",
            [digest_bytes(one) for one in dict.fromkeys(ids)],
        )
        for theme, level, *grounds in list(found):
            words[level] = {**words.get(level, {}), **self._remove_summaries(theme)}
            self._connection.executemany(
                "DELETE FROM theme_source WHERE source = ? AND theme = ?",
                [(digest_bytes(one), theme) for one in {one for ground in grounds for one in unpack(ground)}],
            )
            self._connection.execute("DELETE FROM theme WHERE id = ?", (theme,))
        return words

    def _insert(self, themes: Sequence[Cluster | Community]) -> None:
        """Insert themes of one layer, or communities; one that rests on what is not there is stale from the start."""
        grounds = {one for theme in themes for one in (*theme.members, *theme.sources)}
        known = {digest.hex() for digest in self._words([digest_bytes(one) for one in grounds])}
        rows = []
        for theme in sorted(themes, key=lambda theme: theme.id):
            stale = theme.stale or not known.issuperset((*theme.members, *theme.sources))
            key = self._insert_theme(theme, stale)
            if not stale:
                rows += [(digest_bytes(one), key, 1) for one in set(theme.sources)]
                rows += [(digest_bytes(one), key, 0) for one in set(theme.members).difference(theme.sources)]
        self._connection.executemany("INSERT INTO theme_source VALUES (?, ?, ?)", sorted(rows))

    def _insert_theme(self, theme: Cluster | Community, stale: bool) -> int:
        cursor = self._connection.execute(
            "INSERT INTO theme (digest, stale, members, sources, kind, level, own, parent, basis, tokens, report)"
            f" VALUES ({', '.join('?' * 11)})",
            (
                digest_bytes(theme.id),
                stale,
                pack(theme.members),
                b"" if stale else pack(theme.sources),
                *(_of_cluster(theme) if isinstance(theme, Cluster) else _of_community(theme, stale)),
            ),
        )
        key = cursor.lastrowid or 0
        if isinstance(theme, Cluster) and not stale:
            for summary in theme.summaries:
                self._insert_summary(key, summary)
        return key

    def _insert_summary(self, theme: int, summary: Summary) -> None:
        cursor = self._connection.execute(
            "INSERT INTO summary (digest, theme, name, type, description, author, members)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                digest_bytes(summary.id),
                theme,
                summary.name,
                summary.type,
                summary.description,
                summary.by,
                pack(summary.members),
            ),
        )
        self._needs.add(
            "UPDATE summary SET vector = ? WHERE id = ?",
            (cursor.lastrowid or 0,),
            form(summary.name, summary.description),
        )


def _of_cluster(cluster: Cluster) -> tuple[object, ...]:
    return CLUSTER, cluster.layer, pack(cluster.own), b"", "", 0, None


def _of_community(community: Community, stale: bool) -> tuple[object, ...]:
    parent = bytes.fromhex(community.parent)
    if stale or community.report is None:
        return COMMUNITY, community.level, b"", parent, "" if stale else community.basis, 0, None
    report = dump_report(community.report)
    return COMMUNITY, community.level, b"", parent, community.basis, community.tokens, report


def _differing(before: Words, after: Words) -> tuple[list[bytes], list[bytes]]:
    """What has other words now, and what is no more."""
    reworded = [digest for digest, words in before.items() if digest in after and after[digest] != words]
    return reworded, [digest for digest in before if digest not in after]
