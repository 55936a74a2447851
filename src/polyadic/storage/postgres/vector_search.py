"""Nearest-neighbour search over vectors: exhaustive for few vectors, by an HNSW index for many.

The database compares with the query vector in half precision. So more candidates are taken from it than requested, and
those that could be among the best are compared again in single precision.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from polyadic.storage.arrays.matmul import multiply
from polyadic.storage.incidence import Floats, Integers, firsts_of
from polyadic.storage.postgres.adapters import EF_SEARCH
from polyadic.storage.postgres.query_batch import FOUND, CommonTableExpression, QueryBatch, Records, parsed
from polyadic.storage.postgres.row_cache import ROWS, RowCache
from polyadic.storage.postgres.row_reader import WorkspaceStats
from polyadic.storage.protocol import NodeType, Rows, Vectors
from polyadic.storage.sql.half_precision import HalfVector, widened
from polyadic.storage.sql.meta import other_vectors

MOST_INDEXED = 4_000
"""Highest dimension of vectors that the index takes."""
COSINE_ERROR = 0.001
"""Error bound of cosines computed by the database: rounding the query vector to half precision has a relative error of
at most 2^-11 per component, so a product of unit vectors is off by at most 2^-11."""
ONE_SEEN_OF, MOST_SEEN = 256, 4_096
"""Minimum number of vectors taken from an index: one of ONE_SEEN_OF, at most MOST_SEEN. A larger index has to be
scanned further: with ef_construction = 64, of the 60 nearest among a million facts, 0.883 were among the first thousand
that it returned, 0.956 among the first four thousand."""
_MAX_SCAN_TUPLES = 20_000
"""Vectors, of all workspaces, after which pgvector stops an iterative scan (default of hnsw.max_scan_tuples)."""
MOST_COMPARED, _SAMPLE = 4_096, 1_000
_HIT = np.dtype([("row", ">i8"), ("away", ">f8"), ("place", ">i8")])
_COLUMNS = ", ".join(_HIT.names or ())
_FACT = np.dtype([("fact", ">i8")])
_NO_HITS = parsed(b"", _HIT)
_MOST_SEARCHES = 8
"""Searches whose results are cached: a retrieval method repeats the same search in several ways."""


@dataclass(frozen=True, slots=True)
class ApproximateHits:
    """Distinct rows, nearest first, with cosines exact to COSINE_ERROR; ``are_all``: the node type has no others."""

    rows: Rows
    cosines: Floats
    are_all: bool


class PostgresVectorSearch:
    """Searches and compares vectors within the open transaction of a connection."""

    def __init__(self, batch: QueryBatch, stats: WorkspaceStats) -> None:
        self._batch = batch
        self._stats = stats
        self._table = f"search_vector_{stats.dimension}"
        self._caches: dict[NodeType, RowCache] = {}
        self._searches: dict[tuple[NodeType, bytes, int, bool], list[Records]] = {}
        """Hits of each search: none until it has run."""

    def prefetch(self, node_type: NodeType, vector: Vectors, count: int, also: Sequence[RowCache]) -> None:
        """Run this search with the next statement; ``also`` are caches that read the rows found in the same one."""
        if self._stats.dimension:
            self._search(node_type, vector, count, also, not self._index_pays(node_type, count))

    def roughly(self, node_type: NodeType, vector: Vectors, count: int, also: Sequence[RowCache]) -> ApproximateHits:
        """Find the rows of the ``count`` nearest vectors, with approximate cosines."""
        if not self._stats.dimension:
            return ApproximateHits(_NO_HITS["row"], _NO_HITS["away"].astype(np.float32), are_all=True)
        by_all = not self._index_pays(node_type, count)
        hits = self._hits(self._search(node_type, vector, count, also, by_all))
        if not by_all and len(hits) < count // 2:
            # There are few vectors, or few of those that the index returned belong to this workspace.
            by_all = True
            hits = self._hits(self._search(node_type, vector, count, also, by_all))
        # Iterative scans return hits in relaxed order: later ones may be nearer.
        hits = hits[np.lexsort((hits["row"], hits["away"]))]
        firsts = np.sort(np.unique(hits["row"], return_index=True)[1])
        cosines = -hits["away"][firsts].astype(np.float32)
        return ApproximateHits(hits["row"][firsts], cosines, by_all and len(hits) < count)

    def cosines(self, node_type: NodeType, rows: Rows, vectors: Vectors) -> Vectors:
        """Return the cosines of m vectors, shape (m, d), with the nearest vector of each of n rows; shape (m, n)."""
        for vector in vectors[:1]:
            self._check_dimension(vector)
        if not len(rows):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        known, owners = self.vectors(node_type, rows)
        nearest = np.maximum.reduceat(multiply(vectors, known), firsts_of(owners), axis=1)
        return np.asarray(nearest, dtype=np.float32)

    def vectors(self, node_type: NodeType, rows: Rows) -> tuple[Floats, Integers]:
        """Return the vectors of all rows, row by row, and for each vector the index of its row in ``rows``."""
        records, owners = self.cache(node_type).of(rows)
        return widened(records["data"]), owners

    def cache(self, node_type: NodeType) -> RowCache:
        """Return the cache of a node type's vectors."""
        if node_type not in self._caches:
            columns = [("vector", ">i8"), ("head", ">i4"), ("data", ">f2", (self._stats.dimension,))]
            sql = (
                "SELECT string_agg(int8send(row) || int8send(vector) || halfvec_send(data), '')"
                f" FROM {self._table} WHERE node_type = '{node_type}' AND row = ANY({ROWS})"
            )
            self._caches[node_type] = RowCache(self._batch, columns, sql, then="vector")
        return self._caches[node_type]

    def nearest_of_hubs(self, hubs: Rows, vectors: Vectors, k: int, also: Sequence[RowCache]) -> list[Rows]:
        """Find, for each of n hubs, the k facts nearest to its own of ``vectors``, shape (n, d)."""
        if not len(hubs):
            return []
        targets = enumerate(zip(hubs.tolist(), HalfVector.each(vectors), strict=True))
        query = CommonTableExpression(
            _COLUMNS,
            f"SELECT n.row, n.away, o.place FROM (VALUES {', '.join(['(?::bigint, ?, ?::bigint)'] * len(hubs))})"
            " o (hub, toward, place), LATERAL (SELECT v.row, v.data <#> o.toward AS away FROM participation p"
            f" JOIN {self._table} v ON v.node_type = 'fact' AND v.row = p.fact WHERE p.entity = o.hub"
            " ORDER BY 2, 1 LIMIT ?) n",
            (*(one for place, (hub, vector) in targets for one in (hub, vector, place)), k),
        )
        hits = self._hits(self._queued(query, also))
        return [hits["row"][hits["place"] == place] for place in range(len(hubs))]

    def among(self, hub: int, vector: Vectors, k: int) -> Rows:
        """Return candidates among the very many facts of a hub: those that the index finds, and a thousand others."""
        near = self.roughly("fact", vector, MOST_COMPARED, ()).rows
        sql = (
            "SELECT fact FROM participation WHERE entity = ? AND fact = ANY(?) UNION"
            " (SELECT fact FROM participation WHERE entity = ? ORDER BY fact LIMIT ?)"
        )
        facts = f"SELECT string_agg(int8send(fact), '' ORDER BY fact) FROM ({sql}) t"
        found = parsed(self._batch.read(facts, (hub, near, hub, max(k, _SAMPLE))), _FACT)
        return np.ascontiguousarray(found["fact"])

    # steps of the above

    def _index_pays(self, node_type: NodeType, count: int) -> bool:
        """Return whether enough of the vectors that an index scan visits can be expected to be of this workspace."""
        stats = self._stats.of(node_type)
        if not stats.indexed or self._stats.dimension > MOST_INDEXED:
            return False
        visited = _MAX_SCAN_TUPLES if self._stats.scans_on else EF_SEARCH
        return stats.indexed * visited >= count // 2 * stats.of_all

    def _search(
        self, node_type: NodeType, vector: Vectors, count: int, also: Sequence[RowCache], by_all: bool
    ) -> list[Records]:
        """Return the hits of a search; queue it if it is new."""
        key = (node_type, vector.tobytes(), count, by_all)
        if key not in self._searches:
            self._check_dimension(vector)
            query = self._by_all(node_type, vector, count) if by_all else self._by_index(node_type, vector, count)
            self._searches[key] = self._queued(query, also)
            for evicted in list(self._searches)[:-_MOST_SEARCHES]:
                del self._searches[evicted]
        return self._searches[key]

    def _queued(self, query: CommonTableExpression, also: Sequence[RowCache]) -> list[Records]:
        """Queue a query for hits, and the records that caches have of them; the hits are appended when it has run."""
        hits: list[Records] = []
        sql = f"SELECT string_agg(int8send(row) || float8send(away) || int8send(place), '') FROM {FOUND}"
        self._batch.later(sql, (), lambda data: hits.append(parsed(data, _HIT)), query)
        for cache in also:
            cache.prefetch_found(f"SELECT row FROM {FOUND}", source=query)
        return hits

    def _hits(self, hits: list[Records]) -> Records:
        if not hits:
            self._batch.run()
        return hits[0]

    def _by_index(self, node_type: NodeType, vector: Vectors, k: int) -> CommonTableExpression:
        # Must match the index definition literally: the planner uses the index only if it can prove the match.
        away = f"data::halfvec({self._stats.dimension}) <#> ?"
        seen = (
            f"SELECT row, {away} FROM {self._table} WHERE node_type = '{node_type}' AND indexed ORDER BY {away} LIMIT ?"
        )
        most = min(MOST_SEEN, self._stats.of(node_type).indexed // ONE_SEEN_OF)
        return CommonTableExpression(
            _COLUMNS,
            f"SELECT row, away, 0 FROM ({seen}) seen (row, away) ORDER BY away LIMIT ?",
            (*HalfVector.each(np.stack([vector, vector])), max(k, most), k),
        )

    def _by_all(self, node_type: NodeType, vector: Vectors, k: int) -> CommonTableExpression:
        return CommonTableExpression(
            _COLUMNS,
            f"SELECT row, min(data <#> ?), 0 FROM {self._table} WHERE node_type = ? GROUP BY row ORDER BY 2 LIMIT ?",
            (*HalfVector.each(vector[None, :]), node_type, k),
        )

    def _check_dimension(self, vector: Vectors) -> None:
        if self._stats.dimension and len(vector) != self._stats.dimension:
            raise other_vectors(len(vector), self._stats.dimension)
