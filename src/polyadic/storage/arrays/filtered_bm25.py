"""BM25 over a subset of documents, with the statistics of that subset."""

import sqlite3
from collections.abc import Iterable

import numpy as np

from polyadic.model.types import SourceSpan
from polyadic.storage.arrays.top_k import best_of
from polyadic.storage.records import Hits
from polyadic.storage.sql.full_text import DIGITS, fts5_query, searchable, terms_of


class FilteredBM25:
    """In-memory full-text index of chunks, by row."""

    def __init__(self, chunks: Iterable[tuple[int, SourceSpan]]) -> None:
        self._connection = sqlite3.connect(":memory:", check_same_thread=False)
        self._connection.execute(
            "CREATE VIRTUAL TABLE passage_fts USING fts5"
            " (title, text, content = '', tokenize = 'unicode61 remove_diacritics 2')"
        )
        self._connection.executemany(
            "INSERT INTO passage_fts (rowid, title, text) VALUES (?, ?, ?)",
            ((row, searchable(place.title), searchable(place.quote)) for row, place in chunks),
        )

    def search(self, text: str, k: int) -> Hits:
        """Return the k best rows; ties are ordered by row."""
        query = fts5_query(terms_of(text))
        sql = (
            f"SELECT rowid, round(-bm25(passage_fts), {DIGITS}) FROM passage_fts WHERE passage_fts MATCH ?"
            f" ORDER BY rowid"
        )
        hits = self._connection.execute(sql, (query,)).fetchall() if query else []
        rows = np.array([row for row, _ in hits], dtype=np.int64)
        return best_of(rows, np.array([score for _, score in hits], dtype=np.float32), k)
