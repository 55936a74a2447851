"""Blocking: select pairs of names to compare by shared keys, so that the cost grows with the number of names."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np

from polyadic.resolution.name_similarity import SHORTEST_WITH_A_SLIP
from polyadic.resolution.parsed_name import ParsedName
from polyadic.storage.protocol import Vectors

Pair = tuple[int, int]
"""Indices of two names, the smaller one first."""

# Keys shared by more names are ignored: their pairs would be noise.
MOST_IN_A_BLOCK = 24
_MAX_PART_WORDS = 5
_NEIGHBOURS = 3
_ITERATIONS = 4


def by_name(names: Sequence[ParsedName]) -> set[Pair]:
    """Return pairs of names that may refer to one entity, by their spelling.

    >>> by_name([ParsedName.of("Ada Lovelace"), ParsedName.of("Lovelace"), ParsedName.of("Turing")])
    {(0, 1)}
    """
    blocks: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        for key in dict.fromkeys(_keys(name)):
            blocks[key].append(place)
    pairs = set(_within(blocks))
    pairs.update(_across(_full_names(names), ((place, _parts(name)) for place, name in enumerate(names))))
    pairs.update(_across(_abbreviations(names), ((place, name.acronyms) for place, name in enumerate(names))))
    return pairs


def by_vector(vectors: Vectors, least: float) -> set[Pair]:
    """Return pairs of rows with sufficient cosine similarity: for each row, its nearest rows within its own cell.

    Parameters
    ----------
    vectors
        Unit vectors, shape (n, d).
    least
        Minimum cosine similarity.
    """
    pairs: set[Pair] = set()
    for cell in _cells(vectors):
        for start in range(0, len(cell), 512):
            mine = cell[start : start + 512]
            cosines = vectors[mine] @ vectors[cell].T
            cosines[np.arange(len(mine)), np.arange(start, start + len(mine))] = -1.0
            nearest = np.argpartition(-cosines, min(_NEIGHBOURS, len(cell) - 1), axis=1)[:, :_NEIGHBOURS]
            rows, ranks = np.nonzero(np.take_along_axis(cosines, nearest, axis=1) >= least)
            ones, others = mine[rows], cell[nearest[rows, ranks]]
            pairs.update(zip(np.minimum(ones, others).tolist(), np.maximum(ones, others).tolist(), strict=True))
    return pairs


def _keys(name: ParsedName) -> Iterator[str]:
    letters, words = name.squeezed, name.words
    if not letters or name.is_value:
        return
    yield f"all {letters}"
    yield f"core {' '.join(name.core)}"
    yield f"american {' '.join(name.american)}"
    if len(words) > 1:
        yield f"order {' '.join(sorted(words))}"
        yield f"ends {words[0][0]} {words[-1]}"
        yield f"ends {words[0]} {words[-1]}"
    if len(letters) >= SHORTEST_WITH_A_SLIP:
        # A single edit lies in one half and leaves the other half unchanged.
        for half in {len(letters) // 2, (len(letters) + 1) // 2}:
            yield f"begins {letters[:half]}"
            yield f"closes {letters[half:]}"


def _within(blocks: Mapping[str, Sequence[int]]) -> Iterator[Pair]:
    for places in blocks.values():
        if len(places) <= MOST_IN_A_BLOCK:
            yield from combinations(places, 2)


def _across(known: Mapping[str, Sequence[int]], candidates: Iterable[tuple[int, Iterable[str]]]) -> Iterator[Pair]:
    """Pair each short form with the long forms that contain it, unless they are too many."""
    found: dict[str, list[int]] = defaultdict(list)
    for place, parts in candidates:
        for part in parts:
            if part in known and len(found[part]) <= MOST_IN_A_BLOCK:
                found[part].append(place)
    for part, long_forms in found.items():
        if len(long_forms) <= MOST_IN_A_BLOCK >= len(known[part]):
            yield from ((min(s, long), max(s, long)) for s in known[part] for long in long_forms if s != long)


def _full_names(names: Sequence[ParsedName]) -> Mapping[str, Sequence[int]]:
    known: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        if not name.is_value:
            known[" ".join(name.words)].append(place)
    return known


def _abbreviations(names: Sequence[ParsedName]) -> Mapping[str, Sequence[int]]:
    known: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(names):
        if name.is_acronym:
            known[name.squeezed].append(place)
    return known


def _parts(name: ParsedName) -> Iterator[str]:
    """Word prefixes and suffixes of a name."""
    words = name.words
    for count in range(1, min(len(words), _MAX_PART_WORDS + 1)):
        yield " ".join(words[:count])
        yield " ".join(words[-count:])


def _cells(vectors: Vectors) -> Iterator[np.ndarray]:
    """Partition the rows by k-means into about sqrt(n) / 2 cells, with a fixed seed."""
    rows = len(vectors)
    count = max(1, round(rows**0.5 / 2))
    if count == 1:
        yield np.arange(rows)
        return
    drawn = np.random.default_rng(0)
    centres = vectors[np.sort(drawn.choice(rows, count, replace=False))].copy()
    nearest = np.zeros(rows, dtype=np.int64)
    for _ in range(_ITERATIONS):
        for start in range(0, rows, 4096):
            nearest[start : start + 4096] = np.argmax(vectors[start : start + 4096] @ centres.T, axis=1)
        for cell in range(count):
            mean = vectors[nearest == cell].sum(axis=0)
            if length := float(np.linalg.norm(mean)):
                centres[cell] = mean / length
    order = np.argsort(nearest, kind="stable")
    yield from (cell for cell in np.split(order, np.cumsum(np.bincount(nearest, minlength=count))[:-1]) if len(cell))
