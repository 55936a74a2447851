"""Topic entities of an incrementally updated state: the base's, except where changes may affect them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from polyadic.storage.arrays.base_segment import BaseSegment
from polyadic.storage.arrays.delta_segment import DeltaSegment
from polyadic.storage.arrays.protocol import Arrays
from polyadic.storage.arrays.row_map import RowMap, find
from polyadic.storage.arrays.topic_entities import shared
from polyadic.storage.incidence import DIGEST, Integers, limited, matches
from polyadic.storage.protocol import NodeType


@dataclass(frozen=True)
class DeltaTopics:
    """Topic entities of a state. ``rows`` are the recomputed chunks, sorted; ``subjects`` their topics, -1 if none.

    Recomputed are the chunks of the delta, and those for which a changed entity is a contender.
    """

    base: BaseSegment
    delta: DeltaSegment
    entities: RowMap
    chunks: RowMap
    rows: Integers
    subjects: Integers

    @classmethod
    def of(
        cls,
        state: Arrays,
        base: BaseSegment,
        deltas: Mapping[NodeType, DeltaSegment],
        row_maps: Mapping[NodeType, RowMap],
    ) -> Self:
        chunks, delta = row_maps["chunk"], deltas["chunk"]
        contested, _ = base.contested.neighbours(deltas["entity"].dead)
        if chunks.dead is not None:
            contested = contested[~chunks.dead[contested]]
        rows = np.concatenate([chunks.rows_of_delta, chunks.rows_of_base(np.unique(contested))])
        subjects = np.full(len(rows), -1, dtype=np.int64)
        titled = np.flatnonzero(delta.rows["title"] >= 0)
        subjects[titled] = state.rows("entity", delta.rows["title"][titled])
        untitled = np.flatnonzero(subjects < 0)
        subjects[untitled] = shared(state, rows[untitled])
        order = np.argsort(rows)
        return cls(base, delta, row_maps["entity"], chunks, rows[order], subjects[order])

    def about(self, chunks: Integers) -> Integers:
        """Return the topic entity of each chunk, -1 if there is none."""
        if self._is_unchanged:
            return self.base.snapshot.about(chunks)
        recomputed = find(self.rows, chunks)
        bases, _ = self.chunks.locate(chunks)
        topics = np.full(len(chunks), -1, dtype=np.int64)
        inherited = (recomputed < 0).nonzero()[0]
        named = self.base.snapshot.about(bases[inherited])
        inherited, named = inherited[named >= 0], named[named >= 0]
        topics[inherited] = self.entities.rows_of_base(named)
        updated = (recomputed >= 0).nonzero()[0]
        topics[updated] = self.subjects[recomputed[updated]]
        return topics

    def chunks_about(self, entities: Integers, limit: int | None) -> tuple[Integers, Integers]:
        """Return the chunks about each entity in document order, at most ``limit`` each."""
        if self._is_unchanged:
            return self.base.snapshot.chunks_about(entities, limit)
        inherited, owners = self._base_chunks_about(entities, limit)
        updated, others = self._recomputed_chunks_about(entities)
        chunks, owners = np.concatenate([inherited, updated]), np.concatenate([owners, others])
        if len(updated):
            order = np.lexsort((*self.sort_keys(chunks), owners))
            chunks, owners = chunks[order], owners[order]
        if limit is None:
            return chunks, owners
        kept = limited(owners, limit)
        return chunks[kept], owners[kept]

    def titles(self, chunks: Integers) -> Integers:
        """Return the entity that the title of each chunk's document names, -1 if there is none."""
        titles = self.about(chunks)
        bases, delta = self.chunks.locate(chunks)
        in_base, in_delta = (delta < 0).nonzero()[0], (delta >= 0).nonzero()[0]
        titles[in_base[self.base.snapshot.titles[bases[in_base]] < 0]] = -1
        titles[in_delta[self.delta.rows["title"][delta[in_delta]] < 0]] = -1
        return titles

    def sort_keys(self, chunks: Integers) -> tuple[Integers, NDArray[np.uint64], NDArray[np.uint64]]:
        """Return sort keys of chunks in document order, the primary key last (as np.lexsort expects)."""
        bases, delta = self.chunks.locate(chunks)
        in_base, in_delta = (delta < 0).nonzero()[0], (delta >= 0).nonzero()[0]
        documents, offsets = np.empty(len(chunks), dtype=DIGEST), np.empty(len(chunks), dtype=np.int64)
        documents[in_base], offsets[in_base] = (
            self.base.chunk_documents[bases[in_base]],
            self.base.chunk_offsets[bases[in_base]],
        )
        documents[in_delta] = self.delta.rows["document"][delta[in_delta]]
        offsets[in_delta] = self.delta.rows["offset"][delta[in_delta]]
        halves = documents.view(">u8").astype(np.uint64).reshape(-1, 2)
        return offsets, halves[:, 1], halves[:, 0]

    @property
    def _is_unchanged(self) -> bool:
        """Whether the base's arrays apply unchanged."""
        return not len(self.rows) and self.chunks.dead is None and self.entities.dead is None

    def _base_chunks_about(self, entities: Integers, limit: int | None) -> tuple[Integers, Integers]:
        """Return the base's chunks about each entity, without recomputed and deleted ones."""
        bases, _ = self.entities.locate(entities)
        in_base = (bases >= 0).nonzero()[0]
        # At most this many hidden chunks can precede the visible ones.
        enough = None if limit is None else limit + len(self.rows) + len(self.chunks.removed)
        chunks, owners = self.base.snapshot.chunks_about(bases[in_base], enough)
        if self.chunks.dead is not None:
            chunks, owners = chunks[~self.chunks.dead[chunks]], owners[~self.chunks.dead[chunks]]
        rows = self.chunks.rows_of_base(chunks)
        same = find(self.rows, rows) < 0
        return rows[same], in_base[owners[same]]

    def _recomputed_chunks_about(self, entities: Integers) -> tuple[Integers, Integers]:
        topics, rows = self._by_topic
        places, owners = matches(topics, entities)
        return rows[places], owners

    @cached_property
    def _by_topic(self) -> tuple[Integers, Integers]:
        """The subjects in ascending order, and the row of each."""
        order = np.argsort(self.subjects, kind="stable")
        return self.subjects[order], self.rows[order]
