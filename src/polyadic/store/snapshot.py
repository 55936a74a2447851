"""Vectors and incidence of one committed state as arrays, kept in files that can always be made again.

Positions in these arrays are the rows of the store protocol. They follow the order of public identifiers, so that
ties are broken alike whatever the history of a store.
"""

import contextlib
import os
import shutil
import sqlite3
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.derivation import SCORE_UNIT
from polyadic.errors import EmbedderMismatch
from polyadic.store.incidence import Integers, grouped
from polyadic.store.protocol import Side
from polyadic.store.records import overlay_of
from polyadic.store.titles import title_entities, titled_documents

LAYOUT = 2
"""Changes when the same tables would give other arrays: those of before are then made again."""

_LEFT_OVER_SECONDS = 60
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Snapshot:
    """Arrays of one state; n entities, m facts, c chunks, vectors of d numbers.

    ``*_ids`` are keys of the tables. A pair ``x_starts`` (one longer than the rows) and ``x`` lists, row by row,
    the neighbours ``x[x_starts[i]:x_starts[i + 1]]`` or, for vectors, the rows of a matrix. ``chunk_order`` goes
    document by document; ``title_entity`` is -1 where no entity names the document. What each chunk is
    about (``about_*``) follows from all others: see subjects.py.
    """

    entity_ids: Integers
    entity_scores: Floats
    entity_chunk_counts: Integers
    form_starts: Integers
    form_vectors: Floats
    fact_ids: Integers
    fact_scores: Floats
    fact_vectors: Floats
    chunk_ids: Integers
    chunk_order: Integers
    window_starts: Integers
    window_vectors: Floats
    title_entity: Integers
    about_entity: Integers
    about_starts: Integers
    about_chunks: Integers
    fact_entity_starts: Integers
    fact_entities: Integers
    entity_fact_starts: Integers
    entity_facts: Integers
    fact_chunk_starts: Integers
    fact_chunks: Integers
    chunk_fact_starts: Integers
    chunk_facts: Integers

    @classmethod
    def build(cls, connection: sqlite3.Connection) -> Self:
        """Read the arrays out of the tables, within the transaction that the connection is in."""
        entity = _columns(connection, "SELECT id, score, evidence, chunks FROM entity ORDER BY digest", 4)
        fact = _columns(connection, "SELECT id, score, evidence FROM fact ORDER BY digest", 3)
        chunk = _columns(
            connection,
            "SELECT c.id, coalesce(e.id, -1), row_number() OVER (ORDER BY d.digest, c.start) FROM document d"
            " JOIN revision r ON r.id = d.current JOIN chunk c ON c.revision = r.id"
            # "John Ince (actor)" is about John Ince, unless something knows him by the whole of his title.
            " LEFT JOIN entity e ON e.id = coalesce((SELECT id FROM entity WHERE key = r.title_key),"
            " (SELECT id FROM entity WHERE key = r.title_bare)) ORDER BY c.digest",
            3,
        )
        participation = _columns(connection, "SELECT fact, entity FROM participation", 2)
        statement = _columns(connection, "SELECT DISTINCT fact, chunk FROM statement", 2)
        facts = _positions(fact[0], participation[0])
        entities = _positions(entity[0], participation[1])
        stated = _positions(fact[0], statement[0])
        stating = _positions(chunk[0], statement[1])
        forms, form_vectors = _vectors(
            connection,
            "SELECT s.entity, v.data FROM said s JOIN vector v ON v.id = s.vector ORDER BY s.entity, s.value",
        )
        fact_rows, fact_vectors = _vectors(
            connection, "SELECT f.id, v.data FROM fact f JOIN vector v ON v.id = f.vector ORDER BY f.id"
        )
        windows, window_vectors = _vectors(
            connection,
            "SELECT w.chunk, v.data FROM passage_window w JOIN vector v ON v.id = w.vector ORDER BY w.chunk, w.ordinal",
        )
        titles = _titles(connection, entity[0], chunk[0], chunk[1])
        form_starts, form_order = grouped(_positions(entity[0], forms), len(entity[0]))
        window_starts, window_order = grouped(_positions(chunk[0], windows), len(chunk[0]))
        return cls(
            entity_ids=entity[0],
            entity_scores=_means(entity[1], entity[2]),
            entity_chunk_counts=entity[3],
            form_starts=form_starts,
            form_vectors=form_vectors[form_order],
            fact_ids=fact[0],
            fact_scores=_means(fact[1], fact[2]),
            fact_vectors=fact_vectors[np.argsort(_positions(fact[0], fact_rows), kind="stable")],
            chunk_ids=chunk[0],
            chunk_order=chunk[2],
            window_starts=window_starts,
            window_vectors=window_vectors[window_order],
            title_entity=titles,
            about_entity=titles,
            about_starts=np.zeros(len(entity[0]) + 1, dtype=np.int64),
            about_chunks=np.zeros(0, dtype=np.int64),
            **_both_ways(
                "fact_entity", "fact_entities", "entity_fact", "entity_facts", facts, entities, fact[0], entity[0]
            ),
            **_both_ways("fact_chunk", "fact_chunks", "chunk_fact", "chunk_facts", stated, stating, fact[0], chunk[0]),
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Map the arrays of a folder into memory.

        Raises
        ------
        OSError, ValueError
            The folder is not there, or not whole.
        """
        # A plain view of the mapping: indexing a memmap object itself costs several times as much.
        mapped = {f.name: np.load(folder / f"{f.name}.npy", mmap_mode="r", allow_pickle=False) for f in fields(cls)}
        return cls(**{name: array.view(np.ndarray) for name, array in mapped.items()})

    def ids(self, side: Side) -> Integers:
        """Keys of the tables, by position."""
        return self._orders[side][0]

    def rows(self, side: Side, ids: Sequence[int]) -> Integers:
        """Positions of keys of the tables, each of which must be there."""
        known, order = self._orders[side]
        return np.asarray(order[np.searchsorted(known, np.array(ids, dtype=np.int64), sorter=order)], dtype=np.int64)

    @cached_property
    def _orders(self) -> dict[Side, tuple[Integers, Integers]]:
        """Keys of each side, and the order that sorts them."""
        sides: dict[Side, Integers] = {"entity": self.entity_ids, "fact": self.fact_ids, "chunk": self.chunk_ids}
        return {side: (known, np.argsort(known)) for side, known in sides.items()}

    def save(self, folder: Path) -> None:
        """Write the arrays aside, sync them and rename them into place; an older sibling of the folder goes."""
        folder.parent.mkdir(parents=True, exist_ok=True)
        aside = Path(tempfile.mkdtemp(prefix="writing-", dir=folder.parent))
        try:
            for field in fields(self):
                with (aside / f"{field.name}.npy").open("wb") as file:
                    np.save(file, getattr(self, field.name), allow_pickle=False)
                    file.flush()
                    os.fsync(file.fileno())
            # Another process may have put the same state into place meanwhile, which is as good.
            with contextlib.suppress(OSError):
                aside.rename(folder)
        finally:
            shutil.rmtree(aside, ignore_errors=True)
        _remove_others(folder)


def _remove_others(folder: Path) -> None:
    """Older states, and what killed processes left; what another process writes at this moment stays."""
    for sibling in folder.parent.iterdir():
        with contextlib.suppress(OSError):
            if sibling != folder and time.time() - sibling.stat().st_mtime > _LEFT_OVER_SECONDS:
                shutil.rmtree(sibling, ignore_errors=True)


def dimension_of(connection: sqlite3.Connection) -> int:
    """How many numbers the vectors of a store have; 0 where it holds none."""
    row = connection.execute("SELECT length(data) / 4 FROM vector LIMIT 1").fetchone()
    return int(row[0]) if row else 0


def other_vectors(given: int, kept: int) -> EmbedderMismatch:
    """The refusal of vectors of another length than those of the store."""
    return EmbedderMismatch(
        f"the embedding model gives vectors of {given} numbers, the store holds vectors of {kept}",
        "set [embedding] back to the model that filled it, or polyadic reembed --force brings all to the new one",
    )


def _columns(connection: sqlite3.Connection, sql: str, width: int) -> Integers:
    rows = connection.execute(sql).fetchall()
    return np.array(rows, dtype=np.int64).reshape(len(rows), width).T.copy()


def _vectors(connection: sqlite3.Connection, sql: str) -> tuple[Integers, Floats]:
    dimension = dimension_of(connection)
    owners, data = [], bytearray()
    for owner, vector in connection.execute(sql):
        owners.append(owner)
        data += vector
    return np.array(owners, dtype=np.int64), np.frombuffer(data, dtype="<f4").reshape(len(owners), dimension)


def _positions(ids: Integers, wanted: Integers) -> Integers:
    """Where each wanted id stands in ids (which holds them all, in any order)."""
    if not len(ids):
        return np.full(len(wanted), -1, dtype=np.int64)
    order = np.argsort(ids)
    return order[np.minimum(np.searchsorted(ids, wanted, sorter=order), len(ids) - 1)].astype(np.int64)


def _titles(connection: sqlite3.Connection, entities: Integers, chunks: Integers, named: Integers) -> Integers:
    """The position of the entity that names each chunk's document, -1 where none does.

    ``named`` has the entities that bear the titles; what decisions say of a title comes before that.
    """
    overlay = overlay_of(connection)
    touched = {key for decision in overlay.decisions for key in decision.touched}
    if touched:
        given = dict(zip(chunks.tolist(), named.tolist(), strict=True))
        given |= title_entities(connection, overlay, titled_documents(connection, touched))
        named = np.array([given[chunk] for chunk in chunks.tolist()], dtype=np.int64)
    return np.where(named < 0, -1, _positions(entities, np.maximum(named, 0)))


def _means(totals: Integers, evidence: Integers) -> Floats:
    means: Floats = (totals / (np.maximum(evidence, 1) * SCORE_UNIT)).astype(np.float32)
    return means


def _both_ways(
    name: str, targets: str, back: str, sources: str, left: Integers, right: Integers, lefts: Integers, rights: Integers
) -> dict[str, Integers]:
    order = np.lexsort((right, left))
    left, right = left[order], right[order]
    forward_starts, forward = grouped(left, len(lefts))
    backward_starts, backward = grouped(right, len(rights))
    return {
        f"{name}_starts": forward_starts,
        targets: right[forward],
        f"{back}_starts": backward_starts,
        sources: left[backward],
    }
