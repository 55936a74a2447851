"""Format the table of results, with the ratio of the best peer to Polyadic."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from benchmarks.peers.measured import Asking, Inserting, Missing, Sharing, percentile
from benchmarks.peers.plan import READINGS, Plan, Results
from benchmarks.peers.stand_in import AT_ONCE
from benchmarks.peers.systems import POLYADIC, SYSTEMS

T = TypeVar("T")
_MB = 1e6


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a cell and the value to compare, None if there is none."""

    shown: str
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement of all systems; ``better`` says whether less or more is better."""

    what: str
    cells: Mapping[str, Cell]
    better: Literal["less", "more"] = "less"

    @property
    def ratio(self) -> float | None:
        """How many times better Polyadic is than the best peer; None if either was not measured."""
        own = self.cells[POLYADIC].value if POLYADIC in self.cells else None
        peers = [cell.value for name, cell in self.cells.items() if name != POLYADIC and cell.value is not None]
        if not own or not peers:
            return None
        return min(peers) / own if self.better == "less" else own / max(peers)


def number(value: float) -> str:
    """Format a number with its significant digits.

    >>> [number(value) for value in (1234.5, 57.26, 3.14159, 0.01234)]
    ['1,234', '57.3', '3.14', '0.012']
    """
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.2g}"


def lines(rows: Sequence[Row], systems: Sequence[str]) -> list[str]:
    """Format the table; the last column says how many times better Polyadic is than the best peer."""
    heads = " | ".join(SYSTEMS[name].title for name in systems)
    table = [f"| what | {heads} | best other system / Polyadic |", f"|---|{'---|' * (len(systems) + 1)}"]
    for row in rows:
        shown = " | ".join(row.cells[name].shown for name in systems)
        ratio = row.ratio
        table.append(f"| {row.what} | {shown} | {'' if ratio is None else number(ratio)} |")
    return table


def rows(plan: Plan, results: Results) -> list[Row]:
    return [
        *_readings(plan, results),
        *_insertions(results),
        *_sharing(results),
        *_questions(results),
        *_other_rows(results),
    ]


def _readings(plan: Plan, results: Results) -> Iterator[Row]:
    for (a_document, seconds), results_by_system in zip(READINGS, results.readings, strict=True):
        workload = f"{plan.passages} passages, {a_document} per document, model at {1_000 * seconds:.0f} ms"
        if seconds:
            what = f"{workload}: calls per second, of {AT_ONCE / seconds:.0f}"
            yield Row(what, _cells(results_by_system, lambda reading: reading.calls_a_second), "more")
            yield Row(
                "calls per passage",
                _cells(_without_reasons(results_by_system), lambda reading: reading.calls / reading.passages),
            )
        else:
            yield Row(f"index {workload}: s", _cells(results_by_system, lambda reading: reading.seconds))
            yield Row(
                "bytes written per byte stored",
                _cells(_without_reasons(results_by_system), lambda reading: reading.written_a_byte),
            )


def _insertions(results: Results) -> Iterator[Row]:
    for results_by_system in results.insertions:
        sizes = [inserting for inserting in results_by_system.values() if isinstance(inserting, Inserting)]
        size_label = f"a store of {max(inserting.entities for inserting in sizes):,} entities" if sizes else "a store"
        yield Row(
            f"insert one passage into {size_label}: ms",
            _cells(results_by_system, lambda inserting: 1_000 * inserting.seconds),
        )
    if results.insertions:
        last = results.insertions[-1]
        yield Row(
            "written by it to the largest store: MB",
            _cells(_without_reasons(last), lambda inserting: inserting.written / _MB),
        )


def _sharing(results: Results) -> Iterator[Row]:
    results_by_system = results.sharing
    yield Row(
        "the next question finds the inserted passage: in the same process",
        _yes_or_no(results_by_system, lambda sharing: sharing.same),
    )
    yield Row(
        "in another process that has the store open", _yes_or_no(results_by_system, lambda sharing: sharing.other)
    )
    yield Row(
        "in a process that opens the store later", _yes_or_no(results_by_system, lambda sharing: sharing.opened_later)
    )


def _questions(results: Results) -> Iterator[Row]:
    for place, method in enumerate(SYSTEMS[POLYADIC].methods):
        askings_by_system = {
            name: askings[place if name == POLYADIC else 0] for name, askings in results.questions.items()
        }
        yield Row(
            f"retrieve by `{method}` from the largest store, p50 / p95: ms",
            {name: _spread(asking) for name, asking in askings_by_system.items()},
        )


def _other_rows(results: Results) -> Iterator[Row]:
    """Yield values that do not depend on the method; the maximum over methods is used."""
    yield Row("open the largest store and answer, after imports: s", _maximum(results, lambda asking: asking.first))
    yield Row(
        "resident memory of the process with it open: MB", _maximum(results, lambda asking: asking.resident / _MB)
    )
    yield Row("size of the largest store on disk: MB", _maximum(results, lambda asking: asking.stored / _MB))


def survival(results: Results, times: int) -> Row:
    """Return the row of stores that are usable after their writer was killed."""
    cells = {
        name: Cell(f"{results.alive[name]} of {times}" if name in results.alive else "") for name in results.sharing
    }
    return Row("stores that answer after `kill -9` of their writer", cells)


def _cells(results_by_system: Mapping[str, T | Missing], value: Callable[[T], float]) -> dict[str, Cell]:
    return {
        name: Cell(result.why) if isinstance(result, Missing) else _cell(value(result))
        for name, result in results_by_system.items()
    }


def _without_reasons(results_by_system: Mapping[str, T | Missing]) -> dict[str, T | Missing]:
    """Clear the reasons of missing values, which the previous row has shown."""
    return {name: Missing("") if isinstance(result, Missing) else result for name, result in results_by_system.items()}


def _cell(value: float) -> Cell:
    return Cell(number(value), value)


def _yes_or_no(results_by_system: Mapping[str, Sharing | Missing], value: Callable[[Sharing], bool]) -> dict[str, Cell]:
    return {
        name: Cell(sharing.why if isinstance(sharing, Missing) else "yes" if value(sharing) else "no")
        for name, sharing in results_by_system.items()
    }


def _spread(asking: Asking | Missing) -> Cell:
    if isinstance(asking, Missing):
        return Cell(asking.why)
    if asking.answered < len(asking.milliseconds):
        return Cell(f"finds something for {asking.answered} of {len(asking.milliseconds)}")
    median = percentile(asking.milliseconds, 0.5)
    return Cell(f"{number(median)} / {number(percentile(asking.milliseconds, 0.95))}", median)


def _maximum(results: Results, value: Callable[[Asking], float]) -> dict[str, Cell]:
    cells = dict[str, Cell]()
    for name, askings in results.questions.items():
        values = [value(asking) for asking in askings if isinstance(asking, Asking)]
        cells[name] = _cell(max(values)) if values else Cell("failed")
    return cells
