"""What a row of a table says, without a model: its cells are the participants, their columns the roles.

A quantity or a date tells little of what a row is about, so its score is low; a cell that says yes or no stands for
its column; of a cell that holds prose the names in it take part.
"""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum

from polyadic.model.identity import entity_key
from polyadic.model.types import Participation
from polyadic.text.named_entities import NameKind, Vocabulary, names
from polyadic.text.stopwords import words
from polyadic.text.table_rows import TextCell

LARGE = 3_000_000
"""Characters from which on a document is a large table."""

SCORE = 8.0
"""Of the statement that a row makes: its columns' names make it complete."""

_KEY_SCORE, _NAME_SCORE, _TERM_SCORE, _DATE_SCORE, _NUMBER_SCORE, _FLAG_SCORE = 80.0, 60.0, 45.0, 30.0, 15.0, 10.0
_CODE_SCORE = 5.0
_FULL_NAME_BONUS = 15.0
_SUBJECT_SCORE = 50.0
_FEWEST = 2
_LONGEST_TERM, _LONGEST_NAME = 6, 12
_LONGEST_ITEM = 4
_LONGEST = 120

# A number and its unit or currency: "2 GB", "90 km/h", "12 years", "EUR 5".
_QUANTITY = re.compile(
    r"[^\w\s]?\s?\d[\d.,'’ ]*\s?(?:[^\W\d_]{1,3}|[a-zß-öø-ÿ]{4,12})(?:/[^\W\d_]{1,6})?[.²³]?|[A-Z]{3}\s?\d[\d.,'’ ]*"
)
_DATE = re.compile(
    r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}(?:[T ]\d{1,2}:\d{2}\S*)?"
    r"|(?:\d{1,2}\.? )?[^\W\d_]{3,12}\.? (?:\d{1,2}(?:st|nd|rd|th)?,? )?\d{4}|[12]\d{3}"
)
_SEPARATOR = re.compile(r"[,;]\s*")
_ADDRESS = re.compile(r"https?://\S+|www\.\S+|[^\s@]+@[^\s@]+\.\w+")
# A small integer or a single letter, which other tables hold as well and mean something else by.
_CODE = re.compile(r"\d{1,3}|[A-Za-z]")
_NOTHING = words("n/a na none null nil nan unknown tbd tba k.a. keine ninguno aucun -- --- ?")
_FLAGS = words("yes no true false y n x ja nein sí si no oui non sim não on off wahr falsch ✓ ✔ ✗ ✘ ☑ ☐ 是 否")
_SENTENCE_END = re.compile(r"[.!?]\s+\S|[。！？]")
_LETTER = re.compile(r"[^\W\d_]")
_DIGIT = re.compile(r"\d")
_LETTER_OR_DIGIT = re.compile(r"[^\W_]")


class _Sort(StrEnum):
    """What a cell holds."""

    NOTHING = "nothing"
    FLAG = "flag"
    CODE = "code"
    NUMBER = "number"
    DATE = "date"
    NAME = "name"
    TERM = "term"
    PROSE = "prose"


def row_text(cells: Sequence[TextCell]) -> str:
    """A row as people read it: the name of each column before its value.

    >>> row_text([TextCell("Article", "garden hose"), TextCell("Price", "19.99")])
    'Article: garden hose; Price: 19.99'
    """
    return "; ".join(f"{cell.name}: {cell.text}" if cell.name else cell.text for cell in cells)


def row_participants(
    cells: Sequence[TextCell], subject: str, known: Vocabulary, is_large: bool = False
) -> tuple[Participation, ...]:
    """What takes part in a row, each entity once, with the name of its column as its type.

    What the table is about takes part only where the row alone names fewer than two things: it is no part of each row.
    Small integers and single letters take none unless nothing else does, nor do quantities and flags in a document
    that ``is_large``: thousands of rows have the same ones, which would join what has nothing to do with each other.

    >>> row = [TextCell("City", "Ulm"), TextCell("Founded", "1181")]
    >>> [(p.name, p.type) for p in row_participants(row, "Cities", Vocabulary("en"))]
    [('Ulm', 'City'), ('1181', 'Founded')]
    """
    found: dict[str, Participation] = {}
    has_key = False
    for cell in cells:
        sort = _sort(cell.text)
        is_key = not has_key and sort in {_Sort.NAME, _Sort.TERM} and not _DIGIT.search(cell.text)
        for one in _participations(cell, sort, known, is_key):
            found.setdefault(entity_key(one.name), one)
        has_key = has_key or is_key
    found.pop("", None)
    of_table = {entity_key(subject): Participation(subject, score=_SUBJECT_SCORE)} if subject else {}
    if is_large:
        telling = {key: one for key, one in found.items() if one.score > _NUMBER_SCORE}
        with_table = telling if len(telling) >= _FEWEST else {**of_table, **telling}
        found = with_table if len(with_table) >= _FEWEST else found
    telling = {key: one for key, one in found.items() if one.score > _CODE_SCORE}
    with_table = telling if len(telling) >= _FEWEST else {**telling, **of_table}
    found = with_table if len(with_table) >= _FEWEST else {**found, **of_table}
    return tuple(found.values())


def _participations(cell: TextCell, sort: _Sort, known: Vocabulary, is_key: bool) -> Iterator[Participation]:
    if sort is _Sort.PROSE:
        for name in names(cell.text, known):
            if name.sort in {NameKind.NAME, NameKind.TERM}:
                yield Participation(name.text, score=_NAME_SCORE if name.sort is NameKind.NAME else _TERM_SCORE)
    elif sort is _Sort.FLAG:
        if cell.name:
            yield Participation(cell.name, score=_FLAG_SCORE)
    elif sort is not _Sort.NOTHING:
        is_list = sort in {_Sort.NAME, _Sort.TERM} and not is_key
        for item in _items(cell.text) if is_list else [cell.text]:
            yield Participation(item, cell.name, score=_score(item, sort, is_key))


def _items(text: str) -> list[str]:
    """What a cell lists; the cell itself where it is no list of short items, as two with a comma between often are not.

    >>> _items("red, green, blue"), _items("ES,FR"), _items("Garden hose, 25 m")
    (['red', 'green', 'blue'], ['ES', 'FR'], ['Garden hose, 25 m'])
    """
    items = [item for item in _SEPARATOR.split(text) if item]
    is_list = len(items) > 1 and (len(items) > 2 or " " not in text)
    return items if is_list and all(len(item.split()) <= _LONGEST_ITEM for item in items) else [text]


def _score(text: str, sort: _Sort, is_key: bool) -> float:
    """How much a cell tells; the first that names something, and is no code, is what the row is about."""
    if sort is _Sort.CODE:
        return _CODE_SCORE
    if sort is _Sort.NUMBER:
        return _NUMBER_SCORE
    if sort is _Sort.DATE:
        return _DATE_SCORE
    if is_key:
        return _KEY_SCORE
    if sort is _Sort.TERM:
        return _TERM_SCORE
    return _NAME_SCORE + (_FULL_NAME_BONUS if " " in text else 0.0)


def _sort(text: str) -> _Sort:
    folded = text.casefold()
    if (not _LETTER_OR_DIGIT.search(text) and folded not in _FLAGS) or folded in _NOTHING:
        return _Sort.NOTHING
    if folded in _FLAGS:
        return _Sort.FLAG
    if _CODE.fullmatch(text):
        return _Sort.CODE
    if len(text) > _LONGEST:
        return _Sort.PROSE
    if _DATE.fullmatch(text):
        return _Sort.DATE
    if _QUANTITY.fullmatch(text) or not _LETTER.search(text):
        return _Sort.NUMBER
    if _ADDRESS.fullmatch(text):
        return _Sort.NOTHING
    if _SENTENCE_END.search(text):
        return _Sort.PROSE
    said = text.split()
    capitals = sum(not word[0].islower() for word in said)
    if len(said) <= _LONGEST_TERM:
        return _Sort.NAME if capitals * 2 > len(said) else _Sort.TERM
    return _Sort.NAME if len(said) <= _LONGEST_NAME and capitals * 3 > len(said) * 2 else _Sort.PROSE
