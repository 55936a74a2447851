"""Measurements, which processes report as a line of JSON."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """Indexing documents into a new store, including closing it: times in seconds, sizes in bytes."""

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
    """Inserting single-passage documents one by one into a store of a given size; medians per document.

    ``filled`` is the number of seconds for filling the store to this size.
    """

    entities: int
    facts: int
    seconds: float
    processor: float
    written: int
    filled: float


@dataclass(frozen=True, slots=True)
class Sharing:
    """Which processes find an inserted document at the next question: the writing process, another process with the
    store open, and one that opens it afterwards."""

    same: bool
    other: bool
    opened_later: bool


@dataclass(frozen=True, slots=True)
class Asking:
    """Questions in a fresh process.

    Attributes
    ----------
    first
        Seconds from opening the store to the first answer.
    milliseconds
        Durations of the further questions.
    processor
        Their median processor time in milliseconds.
    resident, stored
        Memory of the process and size of the store in bytes.
    answered
        Number of questions with a result.
    """

    first: float
    milliseconds: tuple[float, ...]
    processor: float
    resident: int
    stored: int
    answered: int


@dataclass(frozen=True, slots=True)
class Missing:
    """A missing measurement and its reason."""

    why: str


def percentile(values: tuple[float, ...], share: float) -> float:
    """Return the percentile of values by nearest rank.

    >>> percentile((3.0, 1.0, 2.0), 0.5), percentile((3.0, 1.0, 2.0), 0.95)
    (2.0, 3.0)
    """
    return sorted(values)[round(share * (len(values) - 1))]
