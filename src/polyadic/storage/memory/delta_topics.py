"""What chunks are about in a state that is brought forward: as the base has it, but where changes may bear on it."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.incidence import DIGEST, Integers, limited, neighbours, stretches
from polyadic.storage.memory.base_segment import BaseSegment
from polyadic.storage.memory.delta_segment import DeltaSegment
from polyadic.storage.memory.protocol import Arrays
from polyadic.storage.memory.row_map import RowMap, find
from polyadic.storage.memory.topic_entities import shared
from polyadic.storage.protocol import Side


@dataclass(frozen=True)
class DeltaTopics:
    """``rows`` are the chunks that were looked at anew, sorted, ``subjects`` the entity of each, -1 where none is.

    These are the chunks of the tail, and those of which an entity that has changed may be the subject by its numbers.
    """

    base: BaseSegment
    tail: DeltaSegment
    entities: RowMap
    chunks: RowMap
    rows: Integers
    subjects: Integers

    @classmethod
    def of(
        cls, state: Arrays, base: BaseSegment, tails: Mapping[Side, DeltaSegment], placements: Mapping[Side, RowMap]
    ) -> Self:
        chunks, tail = placements["chunk"], tails["chunk"]
        contested, _ = neighbours(base.contested_starts, base.contested, tails["entity"].dead)
        if chunks.dead is not None:
            contested = contested[~chunks.dead[contested]]
        rows = np.concatenate([chunks.rows_of_tail, chunks.rows_of_base(np.unique(contested))])
        subjects = np.full(len(rows), -1, dtype=np.int64)
        titled = np.flatnonzero(tail.rows["title"] >= 0)
        subjects[titled] = state.rows("entity", tail.rows["title"][titled])
        untitled = np.flatnonzero(subjects < 0)
        subjects[untitled] = shared(state, rows[untitled])
        order = np.argsort(rows)
        return cls(base, tail, placements["entity"], chunks, rows[order], subjects[order])

    def about(self, chunks: Integers) -> Integers:
        """The entity that each chunk is about, -1 where there is none."""
        if self._as_in_base:
            return self.base.snapshot.about(chunks)
        anew = find(self.rows, chunks)
        bases, _ = self.chunks.locate(chunks)
        found = np.full(len(chunks), -1, dtype=np.int64)
        here = (anew < 0).nonzero()[0]
        named = self.base.snapshot.about(bases[here])
        here, named = here[named >= 0], named[named >= 0]
        found[here] = self.entities.rows_of_base(named)
        there = (anew >= 0).nonzero()[0]
        found[there] = self.subjects[anew[there]]
        return found

    def chunks_about(self, entities: Integers, limit: int) -> tuple[Integers, Integers]:
        """Chunks that are about each entity in the order of documents, at most ``limit`` each."""
        if self._as_in_base:
            return self.base.snapshot.chunks_about(entities, limit)
        (here, owners), (there, others) = self._as_before(entities, limit), self._as_now(entities)
        chunks, owners = np.concatenate([here, there]), np.concatenate([owners, others])
        if len(there):
            order = np.lexsort((*self.standing(chunks), owners))
            chunks, owners = chunks[order], owners[order]
        kept = limited(owners, limit)
        return chunks[kept], owners[kept]

    def titles(self, chunks: Integers) -> Integers:
        """The entity that names each chunk's document, -1 where none does."""
        found = self.about(chunks)
        bases, tail = self.chunks.locate(chunks)
        here, there = (tail < 0).nonzero()[0], (tail >= 0).nonzero()[0]
        found[here[self.base.snapshot.title_entity[bases[here]] < 0]] = -1
        found[there[self.tail.rows["title"][tail[there]] < 0]] = -1
        return found

    def standing(self, chunks: Integers) -> tuple[Integers, NDArray[np.uint64], NDArray[np.uint64]]:
        """Keys that sort chunks in the order of documents, the last one first."""
        bases, tail = self.chunks.locate(chunks)
        here, there = (tail < 0).nonzero()[0], (tail >= 0).nonzero()[0]
        documents, offsets = np.empty(len(chunks), dtype=DIGEST), np.empty(len(chunks), dtype=np.int64)
        documents[here], offsets[here] = self.base.chunk_documents[bases[here]], self.base.chunk_offsets[bases[here]]
        documents[there] = self.tail.rows["document"][tail[there]]
        offsets[there] = self.tail.rows["offset"][tail[there]]
        halves = documents.view(">u8").astype(np.uint64).reshape(-1, 2)
        return offsets, halves[:, 1], halves[:, 0]

    @property
    def _as_in_base(self) -> bool:
        """Whether all rows are those of the base, and nothing was looked at anew."""
        return not len(self.rows) and self.chunks.dead is None and self.entities.dead is None

    def _as_before(self, entities: Integers, limit: int) -> tuple[Integers, Integers]:
        """Those that were not looked at anew, and are there."""
        bases, _ = self.entities.locate(entities)
        here = (bases >= 0).nonzero()[0]
        s = self.base.snapshot
        # No more than what is hidden can stand before what is not.
        enough = limit + len(self.rows) + len(self.chunks.removed)
        chunks, owners = neighbours(s.about_starts, s.about_chunks, bases[here], enough)
        if self.chunks.dead is not None:
            chunks, owners = chunks[~self.chunks.dead[chunks]], owners[~self.chunks.dead[chunks]]
        rows = self.chunks.rows_of_base(chunks)
        same = find(self.rows, rows) < 0
        return rows[same], here[owners[same]]

    def _as_now(self, entities: Integers) -> tuple[Integers, Integers]:
        known, rows = self._by_subject
        firsts = known.searchsorted(entities)
        places, owners = stretches(firsts, known.searchsorted(entities, side="right") - firsts)
        return rows[places], owners

    @cached_property
    def _by_subject(self) -> tuple[Integers, Integers]:
        """The subjects in ascending order, and the row of each."""
        order = np.argsort(self.subjects, kind="stable")
        return self.subjects[order], self.rows[order]
