"""Plot the times and sizes measured by benchmarks/scale.py over the size of the store."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullFormatter

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIMES = {
    "hypergraph, p50: ms": "hypergraph, p50",
    "walk, p50: ms": "walk, p50",
    "walk, p95: ms": "walk, p95",
    "insert a document, p50: ms": "insert a document",
    "delete a document, p50: ms": "delete a document",
    "fact, similarity, exact search: ms": "comparing all facts with a question",
}
ROOM = {
    "on disk: MB": "on disk",
    "memory of the whole process: MB": "memory of the process",
}
_STYLE: Any = {
    "font.size": 9,
    "svg.fonttype": "none",
    "svg.hashsalt": "polyadic",
    "axes.grid": True,
    "grid.color": "#dddddd",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
}
_WIDTH, _HEIGHT = 9.0, 3.6


def draw(file: Path, sizes: Sequence[int], columns: Sequence[Mapping[str, float]]) -> None:
    """Write an SVG of two plots over the number of facts, with logarithmic axes.

    Parameters
    ----------
    file
        Output file.
    sizes, columns
        Number of facts of each store, and its measurements by name.
    """
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, _HEIGHT), layout="constrained")
        times, room = figure.subplots(1, 2)
        _lines(times, sizes, columns, TIMES, "ms")
        _lines(room, sizes, columns, ROOM, "MB")
        figure.savefig(file, format="svg", metadata={"Date": None, "Creator": None})


def _lines(
    axes: "Axes", sizes: Sequence[int], columns: Sequence[Mapping[str, float]], shown: Mapping[str, str], unit: str
) -> None:
    for (what, label), marker in zip(shown.items(), "osD^vX", strict=False):
        axes.plot(sizes, [column[what] for column in columns], marker=marker, label=label)
    axes.set(xscale="log", yscale="log", xlabel="facts", ylabel=unit)
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}" if value >= 1 else f"{value:g}"))
        axis.set_minor_formatter(NullFormatter())
    axes.legend(fontsize=8)
