"""Sample chunks from a stream of any length, and texts from a list, at equal distances."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from polyadic.model.types import Chunk, Document

_SAMPLE_SIZE, _RUN_LENGTH = 192, 4


@dataclass(slots=True)
class ChunkSample:
    """A sample of 192 to 384 chunks (or all, if fewer), in runs at equal distances from a stream of any length.

    Runs, because neighbouring chunks share names: isolated chunks would overestimate the number of distinct names.
    """

    kept: list[tuple[Document, Chunk]] = field(default_factory=list)
    _runs: list[int] = field(default_factory=list)
    _added: int = 0
    _stride: int = 1

    def add(self, one: tuple[Document, Chunk]) -> None:
        run = self._added // _RUN_LENGTH
        if run % self._stride == 0:
            self.kept.append(one)
            self._runs.append(run)
            if len(self.kept) > 2 * _SAMPLE_SIZE:
                self._stride *= 2
                kept = [(one, of) for one, of in zip(self.kept, self._runs, strict=True) if of % self._stride == 0]
                self.kept, self._runs = [one for one, _ in kept], [of for _, of in kept]
        self._added += 1

    def in_halves(self) -> tuple[list[tuple[Document, Chunk]], list[tuple[Document, Chunk]]]:
        """Split the sample into odd and even runs."""
        numbered = list(zip(self.kept, self._runs, strict=True))
        first = [one for one, run in numbered if run // self._stride % 2 == 0]
        return first, [one for one, run in numbered if run // self._stride % 2]


def evenly_spaced(texts: Sequence[str], number: int) -> list[str]:
    """Pick a number of texts at equal distances.

    >>> evenly_spaced("abcdefgh", 4), evenly_spaced("ab", 4)
    (['b', 'd', 'f', 'h'], ['a', 'b'])
    """
    number = min(number, len(texts))
    return [texts[(2 * place + 1) * len(texts) // (2 * number)] for place in range(number)]
