"""Nearest-neighbour search over vectors: exhaustive for few vectors, by an HNSW index for many.

The database compares with the query vector in half precision. So more candidates are taken from it than requested, and
those that could be among the best are compared again in single precision.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyadic.storage.arrays.matmul import multiply
from polyadic.storage.incidence import Floats, Integers, firsts_of
from polyadic.storage.postgres.connection import IN_VIEW
from polyadic.storage.postgres.query_batch import FOUND, CommonTableExpression, QueryBatch, SubQuery, parsed
from polyadic.storage.postgres.row_cache import ROWS, RowCache
from polyadic.storage.postgres.stats import WorkspaceStats
from polyadic.storage.protocol import NodeType, Rows, Vectors
from polyadic.storage.sql.half_precision import HalfVector, widened
from polyadic.storage.sql.meta import other_vectors

MOST_INDEXED = 4_000
"""Highest dimension of vectors that the index takes."""
DOUBT = 0.001
"""Error bound of cosines computed by the database: rounding the query vector to half precision has a relative error of
at most 2^-11 per component, so a product of unit vectors is off by at most 2^-11."""
ONE_SEEN_OF, MOST_SEEN = 256, 4_096
"""Minimum number of vectors taken from an index: one of ONE_SEEN_OF, at most MOST_SEEN. A larger index has to be
scanned further: with ef_construction = 64, of the 60 nearest among a million facts, 0.883 were among the first thousand
that it returned, 0.956 among the first four thousand."""
_SCANNED = 20_000
"""Vectors, of all workspaces, after which pgvector stops an iterative scan (default of hnsw.max_scan_tuples)."""
MOST_COMPARED, _SAMPLE = 4_096, 1_000
_HIT = np.dtype([("row", ">i8"), ("away", ">f8"), ("place", ">i8")])
_COLUMNS = ", ".join(_HIT.names or ())
_FACT = np.dtype([("fact", ">i8")])
_NO_HITS = parsed(b"", _HIT)
_MOST_SEARCHES = 8
"""Searches whose results are cached: a retrieval method repeats the same search in several ways."""

Also = Callable[[str, CommonTableExpression], Iterable[SubQuery]]
"""Makes the subqueries to run in the same statement as a search, from a query for the rows found and its CTE."""


@dataclass(frozen=True, slots=True)
class ApproximateHits:
    """Distinct rows, nearest first, with cosines exact to DOUBT; ``are_all`` if the node type has no other rows."""

    rows: Rows
    cosines: Floats
    are_all: bool


@dataclass(slots=True)
class _Search:
    """The subqueries of a search and, once they have run, its hits: rows with distances.

    ``by_all`` if the search is exhaustive.
    """

    by_all: bool
    parts: list[SubQuery]
    found: Any = None


class PostgresVectorSearch:
    """Searches and compares vectors within the open transaction of a connection."""

    def __init__(self, asking: QueryBatch, there: WorkspaceStats) -> None:
        self._asking = asking
        self._stats = there
        self._caches: dict[NodeType, RowCache] = {}
        self._searches: dict[tuple[NodeType, bytes, int, bool], _Search] = {}

    def prefetch(self, node_type: NodeType, vector: Vectors, count: int, also: Also) -> None:
        """Run this search with the next statement."""
        if self._stats.dimension:
            search = self._search_for(node_type, vector, count, also)
            if search.found is None:
                self._asking.later(*search.parts)

    def roughly(self, node_type: NodeType, vector: Vectors, count: int, also: Also) -> ApproximateHits:
        """Find the rows of the ``count`` nearest vectors, with approximate cosines."""
        if not self._stats.dimension:
            return ApproximateHits(_NO_HITS["row"], _NO_HITS["away"].astype(np.float32), are_all=True)
        search = self._search_for(node_type, vector, count, also)
        hits = self._hits(search)
        if not search.by_all and len(hits) < count // 2:
            # There are few vectors, or few of those that the index returned belong to this workspace.
            search = self._search_for(node_type, vector, count, also, by_all=True)
            hits = self._hits(search)
        # Iterative scans return hits in relaxed order: later ones may be nearer.
        hits = hits[np.lexsort((hits["row"], hits["away"]))]
        firsts = np.sort(np.unique(hits["row"], return_index=True)[1])
        cosines = -hits["away"][firsts].astype(np.float32)
        return ApproximateHits(hits["row"][firsts], cosines, search.by_all and len(hits) < count)

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
        self._asking.read(self.part(node_type, rows))
        records, owners = self._vectors(node_type).of(rows)
        return widened(records["data"]), owners

    def part(self, node_type: NodeType, rows: Rows) -> SubQuery | None:
        """Make the subquery that reads the vectors of rows; None if all are cached."""
        return self._vectors(node_type).part(rows)

    def part_of(self, node_type: NodeType, rows: str, ground: CommonTableExpression) -> SubQuery:
        """Make the subquery that reads the vectors of the rows that a query finds."""
        return self._vectors(node_type).part_of(rows, ground=ground)

    def nearest_of_hubs(self, hubs: Rows, vectors: Vectors, k: int, also: Also) -> list[Rows]:
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
        hits = self._hits(_make_search(query, also))
        return [hits["row"][hits["place"] == place] for place in range(len(hubs))]

    def among(self, hub: int, vector: Vectors, k: int) -> Rows:
        """Return candidates among the very many facts of a hub: those that the index finds, and a thousand others."""
        near = self.roughly("fact", vector, MOST_COMPARED, lambda rows, ground: ()).rows
        sql = (
            "SELECT fact FROM participation WHERE entity = ? AND fact = ANY(?) UNION"
            " (SELECT fact FROM participation WHERE entity = ? ORDER BY fact LIMIT ?)"
        )
        facts: list[Any] = []
        self._asking.read(
            SubQuery(
                f"SELECT string_agg(int8send(fact), '' ORDER BY fact) FROM ({sql}) t",
                (hub, near, hub, max(k, _SAMPLE)),
                lambda data: facts.append(parsed(data, _FACT)["fact"]),
            )
        )
        return np.ascontiguousarray(facts[0])

    # steps of the above

    def _vectors(self, node_type: NodeType) -> RowCache:
        if node_type not in self._caches:
            columns = [("vector", ">i8"), ("head", ">i4"), ("data", ">f2", (self._stats.dimension,))]
            sql = (
                "SELECT string_agg(int8send(row) || int8send(vector) || halfvec_send(data), '')"
                f" FROM {self._table} WHERE node_type = '{node_type}' AND row = ANY({ROWS})"
            )
            self._caches[node_type] = RowCache(columns, sql, then="vector")
        return self._caches[node_type]

    def _index_pays(self, node_type: NodeType, count: int) -> bool:
        """Return whether enough of the vectors that an index scan visits can be expected to be of this workspace."""
        indexed = self._stats.indexed.get(node_type, 0)
        if not indexed or self._stats.dimension > MOST_INDEXED:
            return False
        visited = _SCANNED if self._stats.scans_on else IN_VIEW
        return indexed * visited >= count // 2 * self._stats.of_all.get(node_type, 0.0)

    @property
    def _table(self) -> str:
        return f"search_vector_{self._stats.dimension}"

    def _search_for(
        self, node_type: NodeType, vector: Vectors, count: int, also: Also, by_all: bool = False
    ) -> _Search:
        """Return the search for these arguments, cached or new; exhaustive where the index does not pay."""
        by_all = by_all or not self._index_pays(node_type, count)
        key = (node_type, vector.tobytes(), count, by_all)
        if key not in self._searches:
            self._check_dimension(vector)
            query = self._by_all(node_type, vector, count) if by_all else self._by_index(node_type, vector, count)
            self._searches[key] = _make_search(query, also, by_all)
            for evicted in list(self._searches)[:-_MOST_SEARCHES]:
                del self._searches[evicted]
        return self._searches[key]

    def _hits(self, search: _Search) -> Any:
        """Run a search unless it has run; return its hits as records."""
        if search.found is None:
            self._asking.read(*search.parts)
        return search.found

    def _by_index(self, node_type: NodeType, vector: Vectors, k: int) -> CommonTableExpression:
        # Must match the index definition literally: the planner uses the index only if it can prove the match.
        away = f"data::halfvec({self._stats.dimension}) <#> ?"
        seen = (
            f"SELECT row, {away} FROM {self._table} WHERE node_type = '{node_type}' AND indexed ORDER BY {away} LIMIT ?"
        )
        most = min(MOST_SEEN, self._stats.indexed[node_type] // ONE_SEEN_OF)
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


def _make_search(query: CommonTableExpression, also: Also, by_all: bool = False) -> _Search:
    search = _Search(by_all, [])
    pairs = SubQuery(
        f"SELECT string_agg(int8send(row) || float8send(away) || int8send(place), '') FROM {FOUND}",
        (),
        lambda data: setattr(search, "found", parsed(data, _HIT)),
        query,
    )
    search.parts += [pairs, *also(f"SELECT row FROM {FOUND}", query)]
    return search
