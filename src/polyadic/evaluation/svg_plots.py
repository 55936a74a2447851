"""Draw plots as SVG that adopts the colours and font of a page, light or dark."""

import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from polyadic.errors import SettingsError, install_command
from polyadic.evaluation.bootstrap import Interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

COLOURS = 8
"""Number of series colours in the style sheet; further series repeat them, dashed and with hollow marks."""
MARKS = "●■▲◆▼✚✖★○□△◇▽✛✕☆"

_MARKERS = "os^DvPX*"
# Placeholder colours, replaced with CSS values of the page in the SVG.
_INK, _GRID = "#fe0001", "#fe0002"
_SERIES = [f"#fe00{number:02x}" for number in range(0x10, 0x10 + COLOURS)]
_FOR_PAGE = {_INK: "currentColor", _GRID: "var(--line)"} | {
    colour: f"var(--series-{number})" for number, colour in enumerate(_SERIES)
}
_STYLE: Any = {
    "text.parse_math": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "polyadic",
    "font.size": 9,
    "axes.edgecolor": _GRID,
    "axes.labelcolor": _INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.grid": True,
    "grid.color": _GRID,
    "grid.linewidth": 0.6,
    "text.color": _INK,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "xtick.major.size": 0,
    "ytick.major.size": 0,
    "xtick.minor.size": 0,
    "ytick.minor.size": 0,
    "lines.linewidth": 1.6,
    "lines.markersize": 4,
}
_WIDTH, _HEIGHT, _LINE_HEIGHT = 4.4, 2.7, 0.26
_NAME = re.compile(r'(?<=\bid=")|(?<=href="#)|(?<=url\(#)')
_PREAMBLE = re.compile(r"^.*?(?=<svg)", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_FAMILY = re.compile(r"font-family: [^;\"]*")
_SHORT_FONT = re.compile(r"font: ([\d.]+px) '[^;\"]*")
_RULES = re.compile(r"\s*<style .*?</style>", re.DOTALL)
_SIZE = re.compile(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Plot:
    """A plot as SVG, with a title and a caption."""

    title: str
    caption: str
    svg: str


def require_plots() -> None:
    """Check that plots can be drawn, before starting long work.

    Raises
    ------
    SettingsError
        matplotlib is not installed.
    """
    if find_spec("matplotlib") is None:
        raise SettingsError("plots need matplotlib, which is not installed", install_command("eval"))


def lines(
    title: str, caption: str, x: Sequence[float], rows: NDArray[np.float64], x_label: str, y_label: str, top: float = 0
) -> Plot:
    """Plot a line per series over x, with gaps at NaN. ``top`` is the end of the y axis, 0 for automatic."""

    def draw(axes: "Axes") -> None:
        for number, row in enumerate(rows):
            axes.plot(x, row, **_line_style(number), markevery=max(1, len(x) // 10))
        axes.set_ylim(0, top * 1.02 if top else None)
        axes.locator_params(axis="x", integer=True)
        axes.set(xlabel=x_label, ylabel=y_label)

    return _plot(title, caption, draw)


def points(
    title: str, caption: str, x: Sequence[float], found: Sequence[Interval | None], x_label: str, y_label: str
) -> Plot:
    """Plot a point per series, with its interval as a vertical error bar."""

    def draw(axes: "Axes") -> None:
        for number, (position, score) in enumerate(zip(x, found, strict=True)):
            if score is not None:
                errors = [[max(0.0, score.mean - score.low)], [max(0.0, score.high - score.mean)]]
                style = _line_style(number) | {"linestyle": "none", "markersize": 7}
                axes.errorbar([position], [score.mean], yerr=errors, elinewidth=1, **style)
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.set(xlabel=x_label, ylabel=y_label)

    return _plot(title, caption, draw)


def groups(
    title: str, caption: str, names: Sequence[str], rows: NDArray[np.float64], y_label: str, top: float = 0
) -> Plot:
    """Plot the values of all series side by side in each group; ``rows[series, group]``."""

    def draw(axes: "Axes") -> None:
        offsets = np.linspace(-0.3, 0.3, len(rows)) if len(rows) > 1 else np.zeros(1)
        for number, row in enumerate(rows):
            style = _line_style(number) | {"linestyle": "none", "markersize": 6}
            axes.plot(np.arange(len(names)) + offsets[number], row, **style)
        axes.set_xticks(range(len(names)), names)
        axes.set_xlim(-0.5, len(names) - 0.5)
        for place in range(1, len(names)):
            axes.axvline(place - 0.5, color=_GRID, linewidth=0.6)
        axes.grid(visible=False, axis="x")
        axes.set_ylim(0, top * 1.02 if top else None)
        axes.set_ylabel(y_label)

    return _plot(title, caption, draw)


def profile(title: str, caption: str, names: Sequence[str], rows: NDArray[np.float64], x_label: str) -> Plot:
    """Plot the values of each series on one horizontal line per name; ``rows[series, name]``."""

    def draw(axes: "Axes") -> None:
        for number, row in enumerate(rows):
            axes.plot(row, range(len(names)), **(_line_style(number) | {"linewidth": 0.8, "markersize": 5}))
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.set_xlim(0, 100)
        axes.set_xlabel(x_label)

    return _plot(title, caption, draw, _HEIGHT + 0.4)


def bars(
    title: str,
    caption: str,
    names: Sequence[str],
    parts: Sequence[Sequence[float]],
    x_label: str,
    part_names: Sequence[str] = (),
    log: bool = False,
) -> Plot:
    """Plot a horizontal bar per name, labelled with its value; ``parts`` are stacked, each in its own colour."""

    def draw(axes: "Axes") -> None:
        left = np.zeros(len(names))
        for number, part in enumerate(parts):
            axes.barh(range(len(names)), part, 0.62, left=left, color=_SERIES[number])
            left += np.asarray(part)
        for place, value in enumerate(left.tolist()):
            axes.annotate(_short(value), (value, place), (3, 0), textcoords="offset points", va="center", fontsize=8)
        axes.set_yticks(range(len(names)), names)
        axes.invert_yaxis()
        axes.grid(visible=False, axis="y")
        axes.set_xlim(0.5 if log else 0, (left.max() * (8 if log else 1.18)) or 1)
        if log:
            axes.set_xscale("log")
            _plain_numbers(axes.xaxis)
        axes.set_xlabel(x_label)
        if part_names:
            handles = [_swatch(number) for number in range(len(part_names))]
            where: dict[str, Any] = {"loc": "lower right", "bbox_to_anchor": (1, 1), "borderpad": 0}
            axes.legend(handles, part_names, frameon=False, fontsize=8, ncols=len(handles), **where)

    return _plot(title, caption, draw, max(1.4, 0.75 + _LINE_HEIGHT * len(names)))


def distribution(
    title: str, caption: str, counts: Sequence[tuple[int, int]], x_label: str, y_label: str, log: bool = False
) -> Plot:
    """Plot a frequency distribution as bars, or as points on logarithmic axes if ``log`` is set."""

    def draw(axes: "Axes") -> None:
        numbers, frequencies = zip(*counts, strict=True) if counts else ((), ())
        if log:
            axes.plot(numbers, frequencies, linestyle="none", marker="o", markersize=3.5, color=_SERIES[0])
            axes.set_xscale("log")
            axes.set_yscale("log")
            _plain_numbers(axes.xaxis)
            _plain_numbers(axes.yaxis)
        else:
            axes.bar(numbers, frequencies, 0.8, color=_SERIES[0])
            axes.locator_params(integer=True)
            axes.grid(visible=False, axis="x")
        axes.set(xlabel=x_label, ylabel=y_label)

    return _plot(title, caption, draw)


def _plot(title: str, caption: str, draw: Callable[["Axes"], None], height: float = _HEIGHT) -> Plot:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(_WIDTH, height), layout="constrained")
        draw(figure.add_subplot())
        output = io.StringIO()
        figure.savefig(output, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    return Plot(title, caption, _for_page(output.getvalue(), re.sub(r"\W+", "-", title).lower()))


def _for_page(svg: str, name: str) -> str:
    """Prepare SVG for embedding: without preamble and metadata, with the page's colours and font and unique ids."""
    svg = _METADATA.sub("", _PREAMBLE.sub("", svg, count=1))
    svg = _NAME.sub(f"{name}-", svg)
    for colour, page_colour in _FOR_PAGE.items():
        svg = svg.replace(colour, page_colour)
    svg = _SHORT_FONT.sub(r"font-size: \1", _FAMILY.sub("font-family: inherit", _RULES.sub("", svg)))
    return _SIZE.sub(r'<svg viewBox="\1" aria-hidden="true">', svg, count=1).strip()


def _line_style(number: int) -> dict[str, Any]:
    return {
        "color": _SERIES[number % COLOURS],
        "marker": _MARKERS[number % COLOURS],
        "markerfacecolor": _SERIES[number % COLOURS] if number < COLOURS else "none",
        "linestyle": "-" if number < COLOURS else "--",
    }


def _plain_numbers(axis: "Axis") -> None:
    """Label powers of ten as plain numbers, because SVG text cannot typeset exponents."""
    from matplotlib.ticker import LogLocator, NullLocator

    axis.set_major_locator(LogLocator(numticks=6))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(lambda value, _: _short(value))


def _swatch(number: int) -> Any:
    from matplotlib.patches import Patch

    return Patch(color=_SERIES[number])


def _short(value: float) -> str:
    """
    >>> _short(12345), _short(0.1234), _short(17.3), _short(0)
    ('12,345', '0.123', '17', '0')
    """
    return f"{value:,.0f}" if value >= 10 or value == int(value) else f"{value:.3g}"
