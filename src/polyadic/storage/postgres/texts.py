"""Facts, and the source spans of facts and passages, as one query each: the quotes of spans are cut from documents."""

from collections.abc import Sequence
from typing import Any

from polyadic.model.aggregation import mean_score
from polyadic.model.types import Fact, SourceSpan
from polyadic.storage.postgres.query_batch import listed
from polyadic.storage.postgres.row_cache import ROWS
from polyadic.storage.sql.revisions import MOST_SEGMENTS, PLACED, TEXTS, cut
from polyadic.storage.sql.spans import FROM_THE_FIRST, PLACES_SHOWN, STANDS, SpanRow, placed

FACTS = listed(
    "f.id, encode(f.digest, 'hex'), f.text, f.tokens, f.evidence, f.score,"
    " ARRAY(SELECT e.name FROM participation p JOIN entity e ON e.id = p.entity WHERE p.fact = f.id ORDER BY e.key)",
    f"FROM fact f WHERE f.id = ANY({ROWS})",
)
_COLUMNS = SpanRow._fields
_SPANS = listed(
    ", ".join(("row", *(f"encode({name}, 'hex')" if name in ("document", "chunk_id") else name for name in _COLUMNS))),
    "FROM span",
    "row, source, start, chunk, stop",
)
_SEGMENTS = listed(
    "id, text",
    f"FROM text_segment WHERE id = ANY(ARRAY(SELECT DISTINCT revision * {MOST_SEGMENTS} + number FROM span,"
    f" generate_series(start / {TEXTS.size}, greatest(start, stop - 1) / {TEXTS.size}) number))",
)


def _with_segments(spans: str) -> str:
    """Make a query for spans and, each once, the segments of the texts that they quote, as a JSON array of both."""
    return (
        f"WITH span (row, {', '.join(_COLUMNS)}) AS MATERIALIZED ({spans})"
        f" SELECT '[' || ({_SPANS}) || ',' || ({_SEGMENTS}) || ']'"
    )


FACT_SPANS = _with_segments(
    f"SELECT o.fact, p.* FROM unnest({ROWS}) o (fact), LATERAL (SELECT {STANDS}, s.start, s.stop"
    f" FROM statement s CROSS JOIN {PLACED} WHERE c.id = s.chunk AND s.fact = o.fact"
    f" ORDER BY {FROM_THE_FIRST} LIMIT {PLACES_SHOWN}) p"
)
CHUNK_SPANS = _with_segments(f"SELECT c.id, {STANDS}, c.start, c.stop FROM {PLACED} WHERE c.id = ANY({ROWS})")


def facts(rows: Sequence[Sequence[Any]]) -> dict[int, Fact]:
    """Make facts, by row, from the result of FACTS."""
    return {
        row: Fact(digest, text, mean_score(score, evidence), tuple(names), evidence, tokens)
        for row, digest, text, tokens, evidence, score, names in rows
    }


def spans(result: Sequence[Sequence[Any]]) -> dict[int, tuple[SourceSpan, ...]]:
    """Make the source spans of each row from the result of FACT_SPANS or CHUNK_SPANS."""
    records, segments = result
    rows = [SpanRow(*columns) for _, *columns in records]
    by_row: dict[int, tuple[SourceSpan, ...]] = {}
    quotes = cut(dict(segments), [row.stretch for row in rows])
    for (row, *_), span in zip(records, placed(rows, quotes), strict=True):
        by_row[row] = (*by_row.get(row, ()), span)
    return by_row
