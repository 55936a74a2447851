"""The rows of the table, and how much better the one system does than the best of the others."""

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
    """What is shown; ``value`` is what is compared, None where there is nothing to compare."""

    shown: str
    value: float | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """One measurement of all systems; ``better`` says whether less or more of it is."""

    what: str
    cells: Mapping[str, Cell]
    better: Literal["less", "more"] = "less"

    @property
    def ratio(self) -> float | None:
        """How many times better Polyadic does than the best peer; None where either was not measured."""
        own = self.cells[POLYADIC].value if POLYADIC in self.cells else None
        peers = [cell.value for name, cell in self.cells.items() if name != POLYADIC and cell.value is not None]
        if not own or not peers:
            return None
        return min(peers) / own if self.better == "less" else own / max(peers)


def number(value: float) -> str:
    """A number with as many digits as say something.

    >>> [number(value) for value in (1234.5, 57.26, 3.14159, 0.01234)]
    ['1,234', '57.3', '3.14', '0.012']
    """
    if value >= 100:
        return f"{value:,.0f}"
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.2g}"


def lines(rows: Sequence[Row], systems: Sequence[str]) -> list[str]:
    """The table; the last column says how many times better Polyadic does than the best peer."""
    heads = " | ".join(SYSTEMS[name].title for name in systems)
    table = [f"| what | {heads} | best peer / Polyadic |", f"|---|{'---|' * (len(systems) + 1)}"]
    for row in rows:
        shown = " | ".join(row.cells[name].shown for name in systems)
        ratio = row.ratio
        table.append(f"| {row.what} | {shown} | {'' if ratio is None else number(ratio)} |")
    return table


def rows(plan: Plan, results: Results) -> list[Row]:
    return [*_readings(plan, results), *_insertions(results), *_sharing(results), *_questions(results), *_rest(results)]


def _readings(plan: Plan, results: Results) -> Iterator[Row]:
    for (a_document, seconds), told in zip(READINGS, results.readings, strict=True):
        how = f"{plan.passages} passages, {a_document} a document, model at {1_000 * seconds:.0f} ms"
        if seconds:
            what = f"{how}: calls a second, of {AT_ONCE / seconds:.0f}"
            yield Row(what, _cells(told, lambda one: one.calls_a_second), "more")
            yield Row("calls a passage", _cells(_there(told), lambda one: one.calls / one.passages))
        else:
            yield Row(f"read {how}: s", _cells(told, lambda one: one.seconds))
            yield Row("bytes written a byte stored", _cells(_there(told), lambda one: one.written_a_byte))


def _insertions(results: Results) -> Iterator[Row]:
    for told in results.insertions:
        sizes = [one for one in told.values() if isinstance(one, Inserting)]
        about = f"{max(one.entities for one in sizes):,} entities" if sizes else "a store"
        yield Row(f"insert one passage at {about}: ms", _cells(told, lambda one: 1_000 * one.seconds))
    if results.insertions:
        last = results.insertions[-1]
        yield Row("MB written for it there", _cells(_there(last), lambda one: one.written / _MB))


def _sharing(results: Results) -> Iterator[Row]:
    told = results.sharing
    yield Row("the next question finds it: in the same process", _said(told, lambda one: one.same))
    yield Row("in another process that has the store open", _said(told, lambda one: one.other))
    yield Row("in a process that opens the store later", _said(told, lambda one: one.opened_later))


def _questions(results: Results) -> Iterator[Row]:
    for place, method in enumerate(SYSTEMS[POLYADIC].methods):
        told = {name: askings[place if name == POLYADIC else 0] for name, askings in results.questions.items()}
        yield Row(f"retrieve by `{method}` there, p50 / p95: ms", {name: _spread(one) for name, one in told.items()})


def _rest(results: Results) -> Iterator[Row]:
    """What does not depend on the method: the most of those that were asked by."""
    yield Row("open that store and answer, after imports: s", _most(results, lambda one: one.first))
    yield Row("resident with it open, whole process: MB", _most(results, lambda one: one.resident / _MB))
    yield Row("on disk: MB", _most(results, lambda one: one.stored / _MB))


def survival(results: Results, times: int) -> Row:
    """How many stores a killed writer has left usable."""
    cells = {
        name: Cell(f"{results.alive[name]} of {times}" if name in results.alive else "") for name in results.sharing
    }
    return Row("stores that answer after `kill -9` of their writer", cells)


def _cells(told: Mapping[str, T | Missing], value: Callable[[T], float]) -> dict[str, Cell]:
    return {name: Cell(one.why) if isinstance(one, Missing) else _cell(value(one)) for name, one in told.items()}


def _there(told: Mapping[str, T | Missing]) -> dict[str, T | Missing]:
    """Where something is missing, the row before has told why."""
    return {name: Missing("") if isinstance(one, Missing) else one for name, one in told.items()}


def _cell(value: float) -> Cell:
    return Cell(number(value), value)


def _said(told: Mapping[str, Sharing | Missing], value: Callable[[Sharing], bool]) -> dict[str, Cell]:
    return {
        name: Cell(one.why if isinstance(one, Missing) else "yes" if value(one) else "no") for name, one in told.items()
    }


def _spread(one: Asking | Missing) -> Cell:
    if isinstance(one, Missing):
        return Cell(one.why)
    if one.told < len(one.milliseconds):
        return Cell(f"finds something for {one.told} of {len(one.milliseconds)}")
    middle = percentile(one.milliseconds, 0.5)
    return Cell(f"{number(middle)} / {number(percentile(one.milliseconds, 0.95))}", middle)


def _most(results: Results, value: Callable[[Asking], float]) -> dict[str, Cell]:
    cells = dict[str, Cell]()
    for name, askings in results.questions.items():
        values = [value(one) for one in askings if isinstance(one, Asking)]
        cells[name] = _cell(max(values)) if values else Cell("failed")
    return cells
