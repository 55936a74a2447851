"""What facts say, and where facts and passages stand, each read once in a transaction."""

from polyadic.derivation import mean_score
from polyadic.knowledge import Fact, Place
from polyadic.store.incidence import Integers
from polyadic.store.postgres.asking import FOUND, Asking, Part, Query, listed, told
from polyadic.store.postgres.known import ROWS, Values
from polyadic.store.tables.places import FROM_THE_FIRST, PLACED, PLACES_SHOWN, STANDS, Standing, placed
from polyadic.store.tables.texts import MOST_PIECES, PIECE, cut

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


class Told:
    """Reads them; what they say is quoted from the texts of documents."""

    def __init__(self, asking: Asking) -> None:
        self._facts = Values[Fact](asking, lambda rows: [Part(_SAYS, (rows,), self._take_facts)])
        self._of_facts = Values[tuple[Place, ...]](asking, self._places_of_facts)
        self._of_chunks = Values[tuple[Place, ...]](asking, self._places_of_chunks)

    def expect(self, facts: Integers, chunks: Integers) -> None:
        """Read what these say and where they stand together with what is read next."""
        self._facts.expect(facts)
        self._of_facts.expect(facts)
        self._of_chunks.expect(chunks)

    def facts(self, rows: Integers) -> list[Fact]:
        return self._facts.of(rows)

    def fact_places(self, facts: Integers) -> list[tuple[Place, ...]]:
        return self._of_facts.of(facts)

    def chunk_places(self, chunks: Integers) -> list[Place]:
        return [place for (place,) in self._of_chunks.of(chunks)]

    # steps of the above

    def _take_facts(self, value: str | None) -> None:
        self._facts.learn(
            {
                row: Fact(digest, text, mean_score(score, evidence), tuple(names), evidence, tokens)
                for row, digest, text, tokens, evidence, score, names in told(value)
            }
        )

    def _places_of_facts(self, facts: Integers) -> list[Part]:
        return _places(_OF_FACTS, facts, self._of_facts)

    def _places_of_chunks(self, chunks: Integers) -> list[Part]:
        return _places(_OF_CHUNKS, chunks, self._of_chunks)


def _places(sql: str, rows: Integers, places: Values[tuple[Place, ...]]) -> list[Part]:
    """What reads where rows stand, first that, then the words there: by its own, so that each piece is read once."""
    query, standing = Query(_COLUMNS, sql, (rows,)), list[tuple[int, Standing]]()

    def take_standing(value: str | None) -> None:
        standing.extend((row, Standing(*columns)) for row, *columns in told(value))

    def take_pieces(value: str | None) -> None:
        said = cut(dict(told(value)), [one.stretch for _, one in standing])
        found: dict[int, list[Place]] = {row: [] for row in rows.tolist()}
        for (row, _), place in zip(standing, placed([one for _, one in standing], said), strict=True):
            found[row].append(place)
        places.learn({row: tuple(of_row) for row, of_row in found.items()})

    return [Part(_STANDING, (), take_standing, query), Part(_PIECES, (), take_pieces, query)]
