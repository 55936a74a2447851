"""What facts say, and where facts and passages stand, each read once in a transaction."""

from polyadic.model.aggregation import mean_score
from polyadic.model.types import Fact, SourceSpan
from polyadic.storage.incidence import Integers
from polyadic.storage.postgres.query_batch import FOUND, CommonTableExpression, QueryBatch, SubQuery, listed, told
from polyadic.storage.postgres.row_cache import ROWS, ValueCache
from polyadic.storage.sql.spans import FROM_THE_FIRST, PLACED, PLACES_SHOWN, STANDS, SpanRow, placed
from polyadic.storage.sql.texts import MOST_PIECES, PIECE, cut

_SAYS = listed(
    "f.id, encode(f.digest, 'hex'), f.text, f.tokens, f.evidence, f.score,"
    " ARRAY(SELECT e.name FROM participation p JOIN entity e ON e.id = p.entity WHERE p.fact = f.id ORDER BY e.key)",
    f"FROM fact f WHERE f.id = ANY({ROWS})",
)
_COLUMNS = "row, revision, document, source, title, pages, extractor, chunk, digest, headings, start, stop"
_OF_FACTS = (
    f"SELECT o.fact, p.* FROM unnest({ROWS}) o (fact), LATERAL (SELECT {STANDS}, s.start, s.stop"
    f" FROM statement s CROSS JOIN {PLACED} WHERE c.id = s.chunk AND s.fact = o.fact"
    f" ORDER BY {FROM_THE_FIRST} LIMIT {PLACES_SHOWN}) p"
)
_OF_CHUNKS = f"SELECT c.id, {STANDS}, c.start, c.stop FROM {PLACED} WHERE c.id = ANY({ROWS})"
_STANDING = listed(
    "row, revision, encode(document, 'hex'), source, title, pages, extractor,"
    " chunk, encode(digest, 'hex'), headings, start, stop",
    f"FROM {FOUND}",
    "row, source, start, chunk, stop",
)
_PIECES = listed(
    "id, text",
    f"FROM piece WHERE id = ANY(ARRAY(SELECT DISTINCT revision * {MOST_PIECES} + number FROM {FOUND},"
    f" generate_series(start / {PIECE}, greatest(start, stop - 1) / {PIECE}) number))",
)


class TextCache:
    """Reads them; what they say is quoted from the texts of documents."""

    def __init__(self, asking: QueryBatch) -> None:
        self._facts = ValueCache[Fact](asking, lambda rows: [SubQuery(_SAYS, (rows,), self._take_facts)])
        self._of_facts = ValueCache[tuple[SourceSpan, ...]](asking, self._places_of_facts)
        self._of_chunks = ValueCache[tuple[SourceSpan, ...]](asking, self._places_of_chunks)

    def expect(self, facts: Integers, chunks: Integers) -> None:
        """Read what these say and where they stand together with what is read next."""
        self._facts.expect(facts)
        self._of_facts.expect(facts)
        self._of_chunks.expect(chunks)

    def facts(self, rows: Integers) -> list[Fact]:
        return self._facts.of(rows)

    def fact_places(self, facts: Integers) -> list[tuple[SourceSpan, ...]]:
        return self._of_facts.of(facts)

    def chunk_places(self, chunks: Integers) -> list[SourceSpan]:
        return [place for (place,) in self._of_chunks.of(chunks)]

    # steps of the above

    def _take_facts(self, value: str | None) -> None:
        self._facts.learn(
            {
                row: Fact(digest, text, mean_score(score, evidence), tuple(names), evidence, tokens)
                for row, digest, text, tokens, evidence, score, names in told(value)
            }
        )

    def _places_of_facts(self, facts: Integers) -> list[SubQuery]:
        return _places(_OF_FACTS, facts, self._of_facts)

    def _places_of_chunks(self, chunks: Integers) -> list[SubQuery]:
        return _places(_OF_CHUNKS, chunks, self._of_chunks)


def _places(sql: str, rows: Integers, places: ValueCache[tuple[SourceSpan, ...]]) -> list[SubQuery]:
    """What reads where rows stand, first that, then the words there: by its own, so that each piece is read once."""
    query, standing = CommonTableExpression(_COLUMNS, sql, (rows,)), list[tuple[int, SpanRow]]()

    def take_standing(value: str | None) -> None:
        standing.extend((row, SpanRow(*columns)) for row, *columns in told(value))

    def take_pieces(value: str | None) -> None:
        said = cut(dict(told(value)), [one.stretch for _, one in standing])
        found: dict[int, list[SourceSpan]] = {row: [] for row in rows.tolist()}
        for (row, _), place in zip(standing, placed([one for _, one in standing], said), strict=True):
            found[row].append(place)
        places.learn({row: tuple(of_row) for row, of_row in found.items()})

    return [SubQuery(_STANDING, (), take_standing, query), SubQuery(_PIECES, (), take_pieces, query)]
