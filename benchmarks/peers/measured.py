"""What the processes tell of what they measured; it travels as a line of JSON."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """Reading documents into a new store: times in seconds, ``written`` and ``stored`` in bytes, closing included."""

    passages: int
    entities: int
    facts: int
    calls: int
    seconds: float
    processor: float
    written: int
    stored: int

    @property
    def calls_a_second(self) -> float:
        return self.calls / self.seconds

    @property
    def written_a_byte(self) -> float:
        return self.written / self.stored


@dataclass(frozen=True, slots=True)
class Inserting:
    """Inserting documents of one passage, one after the other, into a store of some size; medians a document.

    ``filled`` is how many seconds it took to bring the store to this size.
    """

    entities: int
    facts: int
    seconds: float
    processor: float
    written: int
    filled: float


@dataclass(frozen=True, slots=True)
class Sharing:
    """Who finds a document that was inserted, at the next question: the process that did so, another that has the
    store open, and one that opens it afterwards."""

    same: bool
    other: bool
    opened_later: bool


@dataclass(frozen=True, slots=True)
class Asking:
    """Questions in a fresh process: seconds from opening to the first answer, milliseconds of each further question and
    the median of their processor time, and bytes that the process holds and that lie on disk.

    ``told`` is how many of the questions found anything.
    """

    first: float
    milliseconds: tuple[float, ...]
    processor: float
    resident: int
    stored: int
    told: int


@dataclass(frozen=True, slots=True)
class Missing:
    """Why there is no measurement."""

    why: str


def percentile(values: tuple[float, ...], share: float) -> float:
    """The value that a share of all do not exceed, the nearest there is.

    >>> percentile((3.0, 1.0, 2.0), 0.5), percentile((3.0, 1.0, 2.0), 0.95)
    (2.0, 3.0)
    """
    return sorted(values)[round(share * (len(values) - 1))]
