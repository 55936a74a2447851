"""Write the hierarchy, and mark the clusters and communities that have become stale.

A cluster or community is a row of the table ``hierarchy_node``. It refers to its members and sources by public
identifiers, as row keys are reused. It becomes stale when one of them is deleted, or when the texts of a source from
which it was generated are no longer current.
"""

import secrets
from collections import ChainMap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from polyadic.model import identity
from polyadic.model.aggregation import form
from polyadic.model.hierarchy import Cluster, Community, Rearrangement, Summary
from polyadic.storage.connection import Connection, keys_of, select_in
from polyadic.storage.records import StoreChange
from polyadic.storage.sql.encoding import pack, to_json, unpack
from polyadic.storage.sql.hierarchy_records import (
    CLUSTER,
    COMMUNITY,
    COMMUNITY_FIELDS,
    SUMMARY_FIELDS,
    Words,
    current_words,
    displayed,
    existing,
    put_series,
    unpack_words,
)
from polyadic.storage.sql.meta import put_meta
from polyadic.storage.sql.tables import HIERARCHY_NODE, HIERARCHY_SOURCE, SUMMARY
from polyadic.storage.sql.vectors import PendingVectors
from polyadic.storage.table import Insert, Table, Update

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

    def __init__(self, connection: Connection, vectors: PendingVectors) -> None:
        self._connection = connection
        self._vectors = vectors

    # changes of the hypergraph

    def touched(self, change: StoreChange) -> list[bytes]:
        """Return the digests of entities and facts that a change may alter and on which the hierarchy depends."""
        if self._connection.execute("SELECT 1 FROM hierarchy_source LIMIT 1").fetchone() is None:
            return []
        decided = (key for decision in (*change.decided, *change.undone) for key in decision.touched)
        entities = [identity.entity_id(key) for key in {*change.tallies.entities, *decided}]
        digests = [bytes.fromhex(one) for one in (*entities, *change.tallies.facts)]
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
        put_series(self._connection, change.sparsities, change.settled, change.since)

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
        now = current_words(self._connection, [(source, words) for _, source, words in notes])
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
            [bytes.fromhex(one) for one in sources],
            (node,),
        )
        return {source: unpack_words(words) for source, words in deleted}

    def _remove_summaries(self, node: int) -> frozenset[tuple[bytes, str, str, str]]:
        removed = self._connection.execute(
            "DELETE FROM summary WHERE node = ? RETURNING digest, name, type, description, vector", (node,)
        ).fetchall()
        self._vectors.release(vector for *_, vector in removed)
        return frozenset((digest, name, type_, description) for digest, name, type_, description, _ in removed)

    def _remove(self, ids: Sequence[str]) -> _Removed:
        removed = _Removed()
        rows = select_in(
            self._connection,
            "SELECT id, level, members, sources, report FROM hierarchy_node WHERE digest {any_of}",
            [bytes.fromhex(one) for one in dict.fromkeys(ids)],
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
        ids = {bytes.fromhex(one) for node in nodes for one in (*node.members, *node.sources)}
        known = existing(self._connection, list(ids))
        summaries = displayed(self._connection, "summary", list(ids))
        current, columns = [], []
        for node in sorted(nodes, key=lambda node: node.id):
            sources, members = ({bytes.fromhex(one) for one in those} for those in (node.sources, node.members))
            if node.stale or not known.keys() >= sources | members:
                columns.append(_columns(_cleared(node)))
                continue
            columns.append(_columns(node))
            words = ChainMap(summaries, removed.words.get(_content(node), {}), known)
            current.append((node, {one: words[one] if one in sources else () for one in sources | members}))
        keys = self._insert_rows(HIERARCHY_NODE, HIERARCHY_NODE.names[1:], columns)
        self._connection.change(
            Insert(HIERARCHY_SOURCE),
            sorted(
                (source, keys[node.id], b"".join(sorted(words)))
                for node, words_of in current
                for source, words in words_of.items()
            ),
        )
        self._insert_summaries(
            [(keys[node.id], one) for node, _ in current if isinstance(node, Cluster) for one in node.summaries]
        )

    def _insert_summaries(self, summaries: Sequence[tuple[int, Summary]]) -> None:
        """Insert summaries, each with the key of its cluster."""
        columns = [
            {"digest": bytes.fromhex(one.id), "node": node, "author": one.by, **SUMMARY_FIELDS.dump(one)}
            for node, one in summaries
        ]
        keys = self._insert_rows(SUMMARY, SUMMARY.names[1:-1], columns)
        for _, one in summaries:
            self._vectors.add(_SET_VECTOR, (keys[one.id],), form(one.name, one.description))

    def _insert_rows(self, table: Table, names: tuple[str, ...], rows: Sequence[dict[str, Any]]) -> dict[str, int]:
        """Insert rows and return their keys by public identifier."""
        insert = Insert(table, names)
        self._connection.change(insert, [insert.row(row) for row in rows])
        keys = keys_of(self._connection, table, [row["digest"] for row in rows])
        return {digest.hex(): key for digest, key in keys.items()}


def _cleared(node: Cluster | Community) -> Cluster | Community:
    """Return a node without all that a stale one does not keep."""
    if isinstance(node, Cluster):
        return replace(node, sources=(), stale=True)
    return replace(node, sources=(), basis="", report=None, stale=True)


def _columns(node: Cluster | Community) -> dict[str, Any]:
    """Return the columns of a node by name."""
    if isinstance(node, Community):
        own = {"kind": COMMUNITY, "primary_members": b"", **COMMUNITY_FIELDS.dump(node)}
        return {"digest": bytes.fromhex(node.id), **own, "tokens": node.tokens if node.report else 0}
    texts = {"parent": b"", "basis": "", "tokens": 0, "report": None}
    members = {"members": pack(node.members), "primary_members": pack(node.own), "sources": pack(node.sources)}
    own = {"kind": CLUSTER, "level": node.layer, "stale": node.stale}
    return {"digest": bytes.fromhex(node.id), **own, **members, **texts}


def _content(node: Cluster | Community) -> NodeContent:
    if isinstance(node, Cluster):
        summaries = ((bytes.fromhex(one.id), one.name, one.type, one.description) for one in node.summaries)
        return pack(node.sources), frozenset(summaries)
    return pack(node.sources), to_json(node.report) if node.report else frozenset()
