"""Detect the text column of a table from the names and values of its columns."""

import re
from collections.abc import Collection, Mapping, Sequence
from statistics import median

TEXT_COLUMNS = ("text", "body", "content", "contents", "passage", "document", "article")
TITLE_COLUMNS = ("title", "name", "heading", "headline", "question", "subject")
ID_COLUMNS = ("id", "_id", "doc_id", "docid", "document_id", "uuid")
"""Known column names, matched without regard to case; the first one present is used."""

SAMPLE_ROWS = 200
SAMPLE_CHARACTERS = 2_000_000
"""Limits of the sample: number of rows, and total number of characters."""

# Minimum number of words that distinguishes prose from labels; next to other data columns it takes a whole paragraph.
_MIN_WORDS, _MIN_SENTENCE_WORDS, _MIN_PARAGRAPH_WORDS = 3, 8, 15
_LONG_TEXT_CHARACTERS = 200
_MAX_CHARACTERS = 2_000
# Mean number of characters per word in scripts without spaces.
_CHARACTERS_PER_WORD = 2
_IDEOGRAPH = re.compile("[\u3040-\u9fff\uac00-\ud7a3\u0e00-\u0eff]")
_WORD = re.compile(r"[^\W\d_]+")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*(?:\s|$)|[。！？]")
_MIN_LOWERCASE_SHARE = 0.4


def prose_column(rows: Sequence[Mapping[str, object]]) -> str:
    """Return the name of the column that holds prose; empty if there is none, so that rows are not documents.

    A column named as in :data:`TEXT_COLUMNS` must contain a sentence in most rows; any other column must contain a
    paragraph. If the table has no other columns except title and id, a word or a sentence is enough. Of several
    matching columns, the one with the most text is chosen.

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
    shortest = _MIN_WORDS if len(described) == 1 else _MIN_PARAGRAPH_WORDS
    prose = {name: texts for name in described if _holds_sentences(texts := _texts(rows, name), len(rows), shortest)}
    return max(prose, key=lambda name: sum(map(len, prose[name])), default="")


def column_named(names: Collection[str], wanted: Sequence[str]) -> str:
    """Return the first column with one of the wanted names, ignoring case; empty if there is none.

    >>> column_named(["ID", "Title "], ("heading", "title"))
    'Title '
    """
    by_name = {_folded(name): name for name in reversed([*names])}
    return next((by_name[name] for name in wanted if name in by_name), "")


def _folded(name: str) -> str:
    return name.strip().casefold()


def _texts(rows: Sequence[Mapping[str, object]], name: str) -> list[str]:
    """Return the non-empty values of a column, truncated; a value that is not a string counts as an empty text."""
    values = (row.get(name) for row in rows)
    return [value[:_MAX_CHARACTERS] if isinstance(value, str) else "" for value in values if _is_present(value)]


def _is_present(value: object) -> bool:
    return value is not None and not (isinstance(value, str) and not value.strip())


def _holds_words(texts: Sequence[str], is_all: bool) -> bool:
    """Return whether most values contain words; unless this column ``is_all`` there is, they must also be prose."""
    if is_all:
        return sum(_words(text) >= 1 for text in texts) * 2 > len(texts)
    return sum(_is_prose(text) for text in texts) * 2 > len(texts)


def _is_prose(text: str) -> bool:
    ends = bool(_words(text) and _SENTENCE_END.search(text))
    return ends or len(text) >= _LONG_TEXT_CHARACTERS or (_words(text) >= _MIN_SENTENCE_WORDS and _is_flowing(text))


def _holds_sentences(texts: Sequence[str], rows: int, shortest: int) -> bool:
    """Return whether most rows have a value, most values are sentences, and their median length is sufficient."""
    if len(texts) * 2 < rows or not texts:
        return False
    sentences = [text for text in texts if _SENTENCE_END.search(text) and _is_flowing(text)]
    return len(sentences) * 2 > len(texts) and median(map(_words, texts)) >= shortest


def _words(text: str) -> float:
    ideographs = len(_IDEOGRAPH.findall(text))
    spaced = _IDEOGRAPH.sub(" ", text) if ideographs else text
    return len(_WORD.findall(spaced)) + ideographs / _CHARACTERS_PER_WORD


def _is_flowing(text: str) -> bool:
    """Return whether enough words begin in lower case, as in sentences but not in lists of names.

    Scripts without case always pass.
    """
    cased = [word for word in _WORD.findall(text) if word[0].isupper() or word[0].islower()]
    return not cased or sum(word[0].islower() for word in cased) >= _MIN_LOWERCASE_SHARE * len(cased)
