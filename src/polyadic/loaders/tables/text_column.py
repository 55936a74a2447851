"""Which column of a table holds the text of its rows, by what its values look like."""

import re
from collections.abc import Collection, Mapping, Sequence
from statistics import median

TEXT_COLUMNS = ("text", "body", "content", "contents", "passage", "document", "article")
TITLE_COLUMNS = ("title", "name", "heading", "headline", "question", "subject")
ID_COLUMNS = ("id", "_id", "doc_id", "docid", "document_id", "uuid")
"""Names that are looked for, whatever their case; the first that is there counts."""

SAMPLE_ROWS = 200
SAMPLE_CHARACTERS = 2_000_000
"""Rows that are looked at, and their characters."""

# Words of a value by which a column is told from labels; between columns of facts it takes a paragraph.
_FEWEST_WORDS, _WORDS_OF_A_SENTENCE, _WORDS_OF_A_PARAGRAPH = 3, 8, 15
_LONG = 200
_MOST_CHARACTERS = 2_000
# Characters that stand for a word in scripts without spaces.
_CHARACTERS_OF_A_WORD = 2
_IDEOGRAPH = re.compile("[\u3040-\u9fff\uac00-\ud7a3\u0e00-\u0eff]")
_WORD = re.compile(r"[^\W\d_]+")
_ENDS_A_SENTENCE = re.compile(r"[.!?…][\"'”’»)\]]*(?:\s|$)|[。！？]")
_FEWEST_SMALL = 0.4


def prose_column(rows: Sequence[Mapping[str, object]]) -> str:
    """The name of the column that holds prose; empty where none does, so that a row is no document.

    A column named as in :data:`TEXT_COLUMNS` must hold a sentence in most rows (a word is enough beside nothing but
    title and identifier), any other one a paragraph (a sentence beside nothing but these). Of several such columns the
    one with most text counts.

    Parameters
    ----------
    rows
        A sample of rows: values by column.

    >>> prose_column([{"id": 7, "name": "Ada", "story": "She wrote the first program."}])
    'story'
    >>> prose_column([{"article": "Garden hose", "price": "19.99"}, {"article": "Ladder", "price": "89.00"}])
    ''
    """
    columns = [*dict.fromkeys(name for row in rows for name in row)]
    described = [name for name in columns if _folded(name) not in (*TITLE_COLUMNS, *ID_COLUMNS)]
    for wanted in TEXT_COLUMNS:
        for name in described:
            if _folded(name) == wanted and _holds_words(_texts(rows, name), is_all=described == [name]):
                return name
    shortest = _FEWEST_WORDS if len(described) == 1 else _WORDS_OF_A_PARAGRAPH
    prose = {name: texts for name in described if _holds_sentences(texts := _texts(rows, name), len(rows), shortest)}
    return max(prose, key=lambda name: sum(map(len, prose[name])), default="")


def column_named(names: Collection[str], wanted: Sequence[str]) -> str:
    """The first column that has one of the wanted names, whatever its case; empty where none has.

    >>> column_named(["ID", "Title "], ("heading", "title"))
    'Title '
    """
    by_name = {_folded(name): name for name in reversed([*names])}
    return next((by_name[name] for name in wanted if name in by_name), "")


def _folded(name: str) -> str:
    return name.strip().casefold()


def _texts(rows: Sequence[Mapping[str, object]], name: str) -> list[str]:
    """The values of a column that are not empty, each cut; what is no string counts as empty text."""
    values = (row.get(name) for row in rows)
    return [value[:_MOST_CHARACTERS] if isinstance(value, str) else "" for value in values if _is_said(value)]


def _is_said(value: object) -> bool:
    return value is not None and not (isinstance(value, str) and not value.strip())


def _holds_words(texts: Sequence[str], is_all: bool) -> bool:
    """Whether most values are words, and, unless there ``is_all`` of a row in them, no mere names or labels."""
    if is_all:
        return sum(_words(text) >= 1 for text in texts) * 2 > len(texts)
    return sum(_is_said_in_words(text) for text in texts) * 2 > len(texts)


def _is_said_in_words(text: str) -> bool:
    ends = bool(_words(text) and _ENDS_A_SENTENCE.search(text))
    return ends or len(text) >= _LONG or (_words(text) >= _WORDS_OF_A_SENTENCE and _is_flowing(text))


def _holds_sentences(texts: Sequence[str], rows: int, shortest: int) -> bool:
    """Whether most rows have a value, most values end like sentences, and they are as long as prose is."""
    if len(texts) * 2 < rows or not texts:
        return False
    sentences = [text for text in texts if _ENDS_A_SENTENCE.search(text) and _is_flowing(text)]
    return len(sentences) * 2 > len(texts) and median(map(_words, texts)) >= shortest


def _words(text: str) -> float:
    ideographs = len(_IDEOGRAPH.findall(text))
    spaced = _IDEOGRAPH.sub(" ", text) if ideographs else text
    return len(_WORD.findall(spaced)) + ideographs / _CHARACTERS_OF_A_WORD


def _is_flowing(text: str) -> bool:
    """Whether small letters begin the words, as in sentences, unlike in lists of names; other scripts do not tell."""
    cased = [word for word in _WORD.findall(text) if word[0].isupper() or word[0].islower()]
    return not cased or sum(word[0].islower() for word in cased) >= _FEWEST_SMALL * len(cased)
