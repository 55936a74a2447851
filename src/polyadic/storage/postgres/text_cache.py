"""Facts and the source spans of facts and passages, each read once per transaction."""

from dataclasses import fields

from polyadic.model.aggregation import mean_score
from polyadic.model.types import Fact, SourceSpan
from polyadic.storage.incidence import Integers
from polyadic.storage.postgres.query_batch import FOUND, CommonTableExpression, QueryBatch, SubQuery, listed, parse_rows
from polyadic.storage.postgres.row_cache import ROWS, ValueCache
from polyadic.storage.sql.revisions import MOST_SEGMENTS, PLACED, TEXTS, cut
from polyadic.storage.sql.spans import FROM_THE_FIRST, PLACES_SHOWN, STANDS, SpanRow, placed

_FACTS_SQL = listed(
    "f.id, encode(f.digest, 'hex'), f.text, f.tokens, f.evidence, f.score,"
    " ARRAY(SELECT e.name FROM participation p JOIN entity e ON e.id = p.entity WHERE p.fact = f.id ORDER BY e.key)",
    f"FROM fact f WHERE f.id = ANY({ROWS})",
)
_NAMES = [field.name for field in fields(SpanRow)]
_COLUMNS = ", ".join(("row", *_NAMES))
_FACT_SPANS = (
    f"SELECT o.fact, p.* FROM unnest({ROWS}) o (fact), LATERAL (SELECT {STANDS}, s.start, s.stop"
    f" FROM statement s CROSS JOIN {PLACED} WHERE c.id = s.chunk AND s.fact = o.fact"
    f" ORDER BY {FROM_THE_FIRST} LIMIT {PLACES_SHOWN}) p"
)
_CHUNK_SPANS = f"SELECT c.id, {STANDS}, c.start, c.stop FROM {PLACED} WHERE c.id = ANY({ROWS})"
_SPANS_SQL = listed(
    ", ".join(("row", *(f"encode({name}, 'hex')" if name in ("document", "chunk_id") else name for name in _NAMES))),
    f"FROM {FOUND}",
    "row, source, start, chunk, stop",
)
_PIECES_SQL = listed(
    "id, text",
    f"FROM text_segment WHERE id = ANY(ARRAY(SELECT DISTINCT revision * {MOST_SEGMENTS} + number FROM {FOUND},"
    f" generate_series(start / {TEXTS.size}, greatest(start, stop - 1) / {TEXTS.size}) number))",
)


class TextCache:
    """Reads and caches facts and source spans; the quotes of spans are cut from the documents' texts."""

    def __init__(self, asking: QueryBatch) -> None:
        self._facts = ValueCache[Fact](asking, lambda rows: [SubQuery(_FACTS_SQL, (rows,), self._take_facts)])
        self._fact_spans = ValueCache[tuple[SourceSpan, ...]](asking, self._fact_span_parts)
        self._chunk_spans = ValueCache[tuple[SourceSpan, ...]](asking, self._chunk_span_parts)

    def prefetch(self, facts: Integers, chunks: Integers) -> None:
        """Read these facts and the spans of facts and chunks with the next statement."""
        self._facts.prefetch(facts)
        self._fact_spans.prefetch(facts)
        self._chunk_spans.prefetch(chunks)

    def facts(self, rows: Integers) -> list[Fact]:
        return self._facts.of(rows)

    def fact_places(self, facts: Integers) -> list[tuple[SourceSpan, ...]]:
        return self._fact_spans.of(facts)

    def chunk_places(self, chunks: Integers) -> list[SourceSpan]:
        return [place for (place,) in self._chunk_spans.of(chunks)]

    # steps of the above

    def _take_facts(self, value: str | None) -> None:
        self._facts.learn(
            {
                row: Fact(digest, text, mean_score(score, evidence), tuple(names), evidence, tokens)
                for row, digest, text, tokens, evidence, score, names in parse_rows(value)
            }
        )

    def _fact_span_parts(self, facts: Integers) -> list[SubQuery]:
        return _span_parts(_FACT_SPANS, facts, self._fact_spans)

    def _chunk_span_parts(self, chunks: Integers) -> list[SubQuery]:
        return _span_parts(_CHUNK_SPANS, chunks, self._chunk_spans)


def _span_parts(sql: str, rows: Integers, places: ValueCache[tuple[SourceSpan, ...]]) -> list[SubQuery]:
    """Make the subqueries that read the spans of rows, and the text pieces of all spans, each piece once."""
    query, span_rows = CommonTableExpression(_COLUMNS, sql, (rows,)), list[tuple[int, SpanRow]]()

    def take_standing(value: str | None) -> None:
        span_rows.extend((row, SpanRow(*columns)) for row, *columns in parse_rows(value))

    def take_pieces(value: str | None) -> None:
        quotes = cut(dict(parse_rows(value)), [one.stretch for _, one in span_rows])
        spans: dict[int, list[SourceSpan]] = {row: [] for row in rows.tolist()}
        for (row, _), span in zip(span_rows, placed([one for _, one in span_rows], quotes), strict=True):
            spans[row].append(span)
        places.learn({row: tuple(of_row) for row, of_row in spans.items()})

    return [SubQuery(_SPANS_SQL, (), take_standing, query), SubQuery(_PIECES_SQL, (), take_pieces, query)]
