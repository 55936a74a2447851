"""Write the hierarchy, and mark the clusters and communities that have become stale.

A cluster or community is a row of the table ``hierarchy_node``. It refers to its members and sources by public
identifiers, as row keys are reused. It becomes stale when one of them is deleted, or when the texts of a source from
which it was generated are no longer current.
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
from polyadic.storage.row_changes import Insert, Update
from polyadic.storage.sql.digests import digest_bytes
from polyadic.storage.sql.hierarchy_records import (
    CLUSTER,
    COMMUNITY,
    SERIES,
    dump_memberships,
    dump_report,
    dump_series,
    pack,
    unpack,
)
from polyadic.storage.sql.hierarchy_texts import Words, displayed, existing, holding, pack_words, unpack_words
from polyadic.storage.sql.lists import select_in
from polyadic.storage.sql.meta import put_meta
from polyadic.storage.sql.pending_vectors import PendingVectors, count_uses
from polyadic.storage.sql.tables import HIERARCHY_SOURCE, SUMMARY

GENERATION = "hierarchy"
"""Key in the table meta: random name of the hierarchy's state."""
_SET_VECTOR = Update(SUMMARY, where=("id",), set=("vector",))
_WIPE = "UPDATE hierarchy_node SET stale = TRUE, tokens = 0, basis = '', report = NULL, sources = ? WHERE id = ?"
NodeContent = tuple[bytes, str | frozenset[tuple[bytes, str, str, str]]]
"""The content of a cluster or community: its packed sources, and its report or its summaries."""


@dataclass(slots=True)
class _Removed:
    """Removed rows: summary digests by the layer of their cluster, and the source words of each content."""

    summaries: dict[int, list[bytes]] = field(default_factory=dict)
    words: dict[NodeContent, dict[bytes, Words]] = field(default_factory=dict)


class HierarchyTables:
    """Keeps clusters, communities and summaries within the transaction of a connection."""

    def __init__(self, connection: Connection, needs: PendingVectors) -> None:
        self._connection = connection
        self._needs = needs

    # changes of the hypergraph

    def touched(self, change: StoreChange) -> list[bytes]:
        """Return the digests of entities and facts that a change may alter and on which the hierarchy depends."""
        if self._connection.execute("SELECT 1 FROM hierarchy_source LIMIT 1").fetchone() is None:
            return []
        decided = (key for decision in (*change.decided, *change.undone) for key in decision.touched)
        entities = [identity.entity_id(key) for key in {*change.tallies.entities, *decided}]
        digests = [digest_bytes(one) for one in (*entities, *change.tallies.facts)]
        sources = select_in(
            self._connection, "SELECT DISTINCT source FROM hierarchy_source WHERE source {any_of}", digests
        )
        return [digest for (digest,) in sources]

    def mark(self, touched: Sequence[bytes]) -> None:
        """Mark as stale, and clear, the rows whose sources among ``touched`` are gone or have changed their texts."""
        while touched:
            touched = [digest for node in sorted(self._outdated(touched)) for digest in self._wipe(node)]

    # changes of the hierarchy

    def update_hierarchy(self, change: Rearrangement) -> None:
        """Apply a change of the hierarchy.

        Works layer by layer from the bottom: nodes that depend on a removed or changed summary are marked before the
        nodes of their layer are inserted.
        """
        clusters = (cluster.id for cluster in change.clusters)
        removed = self._remove([*change.removed, *clusters, *(community.id for community in change.communities)])
        for layer in sorted({*removed.summaries, *(cluster.layer for cluster in change.clusters)}):
            self._insert([cluster for cluster in change.clusters if cluster.layer == layer], removed)
            self.mark(removed.summaries.get(layer, []))
        self._insert(change.communities, removed)
        put_meta(self._connection, GENERATION, secrets.token_hex(8))
        put_meta(self._connection, SERIES, dump_series(change.sparsities, change.settled, change.since))

    # steps of the above

    def _outdated(self, touched: Sequence[bytes]) -> set[int]:
        """Return the keys of rows whose sources among ``touched`` are gone or have changed their texts."""
        notes = [
            (node, source, unpack_words(words))
            for node, source, words in select_in(
                self._connection,
                "SELECT s.node, s.source, s.text_digests FROM hierarchy_source s JOIN hierarchy_node t ON t.id = s.node"
                " WHERE NOT t.stale AND s.source {any_of}",
                touched,
            )
        ]
        recorded: dict[bytes, Words] = {}
        for _, source, words in notes:
            recorded[source] = words | recorded.get(source, frozenset())
        now = holding(self._connection, recorded)
        return {node for node, source, words in notes if source not in now or not words <= now[source]}

    def _wipe(self, node: int) -> list[bytes]:
        """Mark a row as stale and delete all but its members; return the digests of its deleted summaries."""
        row = self._connection.execute("SELECT members, sources FROM hierarchy_node WHERE id = ?", (node,)).fetchone()
        self._delete_source_rows(node, row)
        self._connection.execute(_WIPE, (b"", node))
        return [digest for digest, *_ in self._remove_summaries(node)]

    def _delete_source_rows(self, node: int, packed_ids: Iterable[bytes]) -> dict[bytes, Words]:
        """Delete the rows of ``hierarchy_source`` for a row's packed members and sources; return their words."""
        sources = {one for packed in packed_ids for one in unpack(packed)}
        deleted = select_in(
            self._connection,
            "DELETE FROM hierarchy_source WHERE node = ? AND source {any_of} RETURNING source, text_digests",
            [digest_bytes(one) for one in sources],
            (node,),
        )
        return {source: unpack_words(words) for source, words in deleted}

    def _remove_summaries(self, node: int) -> frozenset[tuple[bytes, str, str, str]]:
        removed = self._connection.execute(
            "DELETE FROM summary WHERE node = ? RETURNING digest, name, type, description, vector", (node,)
        ).fetchall()
        released = Counter(vector for *_, vector in removed if vector is not None)
        count_uses(self._connection, {vector: -uses for vector, uses in released.items()})
        return frozenset((digest, name, type_, description) for digest, name, type_, description, _ in removed)

    def _remove(self, ids: Sequence[str]) -> _Removed:
        removed = _Removed()
        rows = select_in(
            self._connection,
            "SELECT id, level, members, sources, report FROM hierarchy_node WHERE digest {any_of}",
            [digest_bytes(one) for one in dict.fromkeys(ids)],
        )
        for node, level, members, sources, report in list(rows):
            summaries = self._remove_summaries(node)
            removed.summaries.setdefault(level, []).extend(digest for digest, *_ in summaries)
            # Nodes with equal content may have been generated from different words: a successor depends on both.
            words_of = removed.words.setdefault((sources, report or summaries), {})
            for source, words in self._delete_source_rows(node, (members, sources)).items():
                words_of[source] = words | words_of.get(source, frozenset())
            self._connection.execute("DELETE FROM hierarchy_node WHERE id = ?", (node,))
        return removed

    def _insert(self, nodes: Sequence[Cluster | Community], removed: _Removed) -> None:
        """Insert clusters of one layer, or communities; one with missing members or sources is stale from the start.

        A cluster or community whose content equals that of a removed one keeps the recorded words of its entities, as
        it was not generated again. The words of summaries are always the current ones.
        """
        ids = {digest_bytes(one) for node in nodes for one in (*node.members, *node.sources)}
        known = existing(self._connection, list(ids))
        summaries = displayed(self._connection, "summary", list(ids))
        rows = []
        for node in sorted(nodes, key=lambda node: node.id):
            sources, members = ({digest_bytes(one) for one in those} for those in (node.sources, node.members))
            stale = node.stale or not known.keys() >= sources | members
            key = self._insert_node(node, stale)
            if not stale:
                words = ChainMap(summaries, removed.words.get(_content(node), {}), known)
                rows += [(one, key, pack_words(words[one])) for one in sources]
                rows += [(one, key, b"") for one in members - sources]
        self._connection.change(Insert(HIERARCHY_SOURCE, HIERARCHY_SOURCE.names), sorted(rows))

    def _insert_node(self, node: Cluster | Community, stale: bool) -> int:
        (key,) = self._connection.execute(
            "INSERT INTO hierarchy_node (digest, stale, members, sources, kind, level, primary_members,"
            " parent, basis, tokens, report)"
            f" VALUES ({', '.join('?' * 11)}) RETURNING id",
            (
                digest_bytes(node.id),
                stale,
                pack(node.members),
                b"" if stale else pack(node.sources),
                *(_of_cluster(node) if isinstance(node, Cluster) else _of_community(node, stale)),
            ),
        ).fetchone()
        if isinstance(node, Cluster) and not stale:
            for summary in node.summaries:
                self._insert_summary(key, summary)
        return int(key)

    def _insert_summary(self, node: int, summary: Summary) -> None:
        key = self._connection.execute(
            "INSERT INTO summary (digest, node, name, type, description, author, members, memberships)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
            (
                digest_bytes(summary.id),
                node,
                summary.name,
                summary.type,
                summary.description,
                summary.by,
                pack(summary.members),
                dump_memberships(summary.memberships),
            ),
        ).fetchone()
        self._needs.add(_SET_VECTOR, key, form(summary.name, summary.description))


def _of_cluster(cluster: Cluster) -> tuple[object, ...]:
    return CLUSTER, cluster.layer, pack(cluster.own), b"", "", 0, None


def _of_community(community: Community, stale: bool) -> tuple[object, ...]:
    parent = bytes.fromhex(community.parent)
    if stale or community.report is None:
        return COMMUNITY, community.level, b"", parent, "" if stale else community.basis, 0, None
    report = dump_report(community.report)
    return COMMUNITY, community.level, b"", parent, community.basis, community.tokens, report


def _content(node: Cluster | Community) -> NodeContent:
    if isinstance(node, Cluster):
        summaries = ((digest_bytes(one.id), one.name, one.type, one.description) for one in node.summaries)
        return pack(node.sources), frozenset(summaries)
    return pack(node.sources), dump_report(node.report) if node.report else frozenset()
