"""What is near to a vector: compared one by one where there are few, found by HNSW where there are many.

The database compares with the question in half precision. So more is taken from it than is asked for, and what could be
among the best is compared again as everywhere else.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from polyadic.storage.incidence import Floats, Integers
from polyadic.storage.memory.matmul import multiply
from polyadic.storage.postgres.connection import IN_VIEW
from polyadic.storage.postgres.query_batch import FOUND, CommonTableExpression, QueryBatch, SubQuery, parsed
from polyadic.storage.postgres.row_cache import ROWS, RowCache
from polyadic.storage.postgres.stats import WorkspaceStats
from polyadic.storage.protocol import Rows, Side, Vectors
from polyadic.storage.sql.dimension import other_vectors
from polyadic.storage.sql.half_precision import HalfVector, widened

MOST_INDEXED = 4_000
"""Numbers of a vector that the index takes."""
DOUBT = 0.001
"""Cosines that the database tells are as near as that to the true ones: with the numbers of the question in half
precision, which are off by at most 2^-11 of themselves, a product of unit vectors is off by at most 2^-11."""
ONE_SEEN_OF, MOST_SEEN = 256, 4_096
"""The larger an index, the further it has to be scanned to come by what is nearest: so many vectors are seen of it, be
it for few. Of the 60 nearest among a million facts 0.883 are among the first thousand that it comes by, 0.956 among
the first four thousand."""
_SCANNED = 20_000
"""Vectors after which pgvector gives up, whosever they are (hnsw.max_scan_tuples, unless the server has another)."""
MOST_COMPARED, _SAMPLE = 4_096, 1_000
_FOUND = np.dtype([("row", ">i8"), ("away", ">f8"), ("place", ">i8")])
_COLUMNS = ", ".join(_FOUND.names or ())
_FACT = np.dtype([("fact", ">i8")])
_NOTHING = parsed(b"", _FOUND)
_MOST_SEARCHES = 8
"""Searches of which it is known what they have found: a method asks for the same in several ways."""

Also = Callable[[str, CommonTableExpression], Iterable[SubQuery]]
"""What is to be read of rows in the statement that finds them: given a query for these, and what that stands on."""


@dataclass(frozen=True, slots=True)
class ApproximateHits:
    """Rows, each once, the nearest first, with their cosines but for DOUBT; whether there are no others."""

    rows: Rows
    cosines: Floats
    are_all: bool


@dataclass(slots=True)
class _Search:
    """What asks for it, and once that has been read: pairs of a row and how far it is away.

    ``by_all`` if all vectors are looked at.
    """

    by_all: bool
    parts: list[SubQuery]
    found: Any = None


class PostgresVectorSearch:
    """Compares vectors within the open transaction of a connection."""

    def __init__(self, asking: QueryBatch, there: WorkspaceStats) -> None:
        self._asking = asking
        self._there = there
        self._known: dict[Side, RowCache] = {}
        self._searches: dict[tuple[Side, bytes, int, bool], _Search] = {}

    def expect(self, side: Side, vector: Vectors, count: int, also: Also) -> None:
        """Look for what is near together with what is read next."""
        if self._there.dimension:
            search = self._searched(side, vector, count, also)
            if search.found is None:
                self._asking.later(*search.parts)

    def roughly(self, side: Side, vector: Vectors, count: int, also: Also) -> ApproximateHits:
        """The rows of so many of the nearest vectors."""
        if not self._there.dimension:
            return ApproximateHits(_NOTHING["row"], _NOTHING["away"].astype(np.float32), are_all=True)
        search = self._searched(side, vector, count, also)
        found = self._done(search)
        if not search.by_all and len(found) < count // 2:
            # Few there are, or few of those that the index came by belong to this workspace.
            search = self._searched(side, vector, count, also, by_all=True)
            found = self._done(search)
        # What the index comes by when it searches further may be nearer than what it found before.
        found = found[np.lexsort((found["row"], found["away"]))]
        firsts = np.sort(np.unique(found["row"], return_index=True)[1])
        cosines = -found["away"][firsts].astype(np.float32)
        return ApproximateHits(found["row"][firsts], cosines, search.by_all and len(found) < count)

    def cosines(self, side: Side, rows: Rows, vectors: Vectors) -> Vectors:
        """Cosine of each of m vectors, shape (m, d), with the nearest vector of each of n rows: shape (m, n)."""
        for vector in vectors[:1]:
            self._check(vector)
        if not len(rows):
            return np.zeros((len(vectors), 0), dtype=np.float32)
        known, owners = self.vectors(side, rows)
        firsts = np.flatnonzero(np.diff(owners, prepend=-1))
        return np.asarray(np.maximum.reduceat(multiply(vectors, known), firsts, axis=1), dtype=np.float32)

    def vectors(self, side: Side, rows: Rows) -> tuple[Floats, Integers]:
        """The vectors of each row, one row after the other, and to which place among these each belongs."""
        self._asking.read(self.part(side, rows))
        records, owners = self._vectors(side).of(rows)
        return widened(records["data"]), owners

    def part(self, side: Side, rows: Rows) -> SubQuery | None:
        """What reads the vectors of rows."""
        return self._vectors(side).part(rows)

    def part_of(self, side: Side, rows: str, ground: CommonTableExpression) -> SubQuery:
        """What reads the vectors of the rows that a query finds."""
        return self._vectors(side).part_of(rows, ground=ground)

    def nearest_of_hubs(self, hubs: Rows, vectors: Vectors, k: int, also: Also) -> list[Rows]:
        """Of the facts of each hub those of the k vectors that are nearest to its own of ``vectors``, shape (n, d)."""
        if not len(hubs):
            return []
        asked = enumerate(zip(hubs.tolist(), HalfVector.each(vectors), strict=True))
        query = CommonTableExpression(
            _COLUMNS,
            f"SELECT n.row, n.away, o.place FROM (VALUES {', '.join(['(?::bigint, ?, ?::bigint)'] * len(hubs))})"
            " o (hub, toward, place), LATERAL (SELECT v.row, v.data <#> o.toward AS away FROM participation p"
            f" JOIN {self._table} v ON v.side = 'fact' AND v.row = p.fact WHERE p.entity = o.hub"
            " ORDER BY 2, 1 LIMIT ?) n",
            (*(one for place, (hub, vector) in asked for one in (hub, vector, place)), k),
        )
        found = self._done(_search(query, also))
        return [found["row"][found["place"] == place] for place in range(len(hubs))]

    def among(self, hub: int, vector: Vectors, k: int) -> Rows:
        """Of the very many facts of an entity those that the index finds near, and a thousand others."""
        near = self.roughly("fact", vector, MOST_COMPARED, lambda rows, ground: ()).rows
        sql = (
            "SELECT fact FROM participation WHERE entity = ? AND fact = ANY(?) UNION"
            " (SELECT fact FROM participation WHERE entity = ? ORDER BY fact LIMIT ?)"
        )
        found: list[Any] = []
        self._asking.read(
            SubQuery(
                f"SELECT string_agg(int8send(fact), '' ORDER BY fact) FROM ({sql}) t",
                (hub, near, hub, max(k, _SAMPLE)),
                lambda data: found.append(parsed(data, _FACT)["fact"]),
            )
        )
        return np.ascontiguousarray(found[0])

    # steps of the above

    def _vectors(self, side: Side) -> RowCache:
        if side not in self._known:
            columns = [("vector", ">i8"), ("head", ">i4"), ("data", ">f2", (self._there.dimension,))]
            sql = (
                "SELECT string_agg(int8send(row) || int8send(vector) || halfvec_send(data), '')"
                f" FROM {self._table} WHERE side = '{side}' AND row = ANY({ROWS})"
            )
            self._known[side] = RowCache(columns, sql, then="vector")
        return self._known[side]

    def _index_pays(self, side: Side, count: int) -> bool:
        """Whether enough of what the index comes by can be expected to belong to this workspace."""
        indexed = self._there.indexed.get(side, 0)
        if not indexed or self._there.dimension > MOST_INDEXED:
            return False
        looked_at = _SCANNED if self._there.scans_on else IN_VIEW
        return indexed * looked_at >= count // 2 * self._there.of_all.get(side, 0.0)

    @property
    def _table(self) -> str:
        return f"near_{self._there.dimension}"

    def _searched(self, side: Side, vector: Vectors, count: int, also: Also, by_all: bool = False) -> _Search:
        """The search for this, which may have been done; where the index does not pay, by all vectors."""
        by_all = by_all or not self._index_pays(side, count)
        asked = (side, vector.tobytes(), count, by_all)
        if asked not in self._searches:
            self._check(vector)
            query = self._by_all(side, vector, count) if by_all else self._by_index(side, vector, count)
            self._searches[asked] = _search(query, also, by_all)
            for given_up in list(self._searches)[:-_MOST_SEARCHES]:
                del self._searches[given_up]
        return self._searches[asked]

    def _done(self, search: _Search) -> Any:
        """What a search finds, as records."""
        if search.found is None:
            self._asking.read(*search.parts)
        return search.found

    def _by_index(self, side: Side, vector: Vectors, k: int) -> CommonTableExpression:
        # As the index has it: it is taken only where that is known when the statement is planned.
        away = f"data::halfvec({self._there.dimension}) <#> ?"
        seen = f"SELECT row, {away} FROM {self._table} WHERE side = '{side}' AND indexed ORDER BY {away} LIMIT ?"
        most = min(MOST_SEEN, self._there.indexed[side] // ONE_SEEN_OF)
        return CommonTableExpression(
            _COLUMNS,
            f"SELECT row, away, 0 FROM ({seen}) seen (row, away) ORDER BY away LIMIT ?",
            (*HalfVector.each(np.stack([vector, vector])), max(k, most), k),
        )

    def _by_all(self, side: Side, vector: Vectors, k: int) -> CommonTableExpression:
        return CommonTableExpression(
            _COLUMNS,
            f"SELECT row, min(data <#> ?), 0 FROM {self._table} WHERE side = ? GROUP BY row ORDER BY 2 LIMIT ?",
            (*HalfVector.each(vector[None, :]), side, k),
        )

    def _check(self, vector: Vectors) -> None:
        if self._there.dimension and len(vector) != self._there.dimension:
            raise other_vectors(len(vector), self._there.dimension)


def _search(query: CommonTableExpression, also: Also, by_all: bool = False) -> _Search:
    search = _Search(by_all, [])
    pairs = SubQuery(
        f"SELECT string_agg(int8send(row) || float8send(away) || int8send(place), '') FROM {FOUND}",
        (),
        lambda data: setattr(search, "found", parsed(data, _FOUND)),
        query,
    )
    search.parts += [pairs, *also(f"SELECT row FROM {FOUND}", query)]
    return search
