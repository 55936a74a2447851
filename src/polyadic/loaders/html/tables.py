"""Tables of HTML: which are tables of values, and what names their columns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyadic.loaders.tables.table_text import names_above_numbers, row_lines
from polyadic.text.code_fences import unfenced

_MOST_HEADERS = 3
_WIDEST_SPAN, _HIGHEST_SPAN = 100, 1_000
_MOST_REPEATED = 10_000
# Characters of a cell: one that holds more, or lines of code, is part of a page's layout.
_LONGEST_CELL = 1_000


@dataclass(slots=True)
class HtmlCell:
    """A cell with the blocks of text in it: whether it is a heading, and over how many columns and rows it goes.

    ``bold`` are those of its ``characters`` that are printed so.
    """

    is_heading: bool
    columns: int = 1
    rows: int = 1
    blocks: list[str] = field(default_factory=list)
    characters: int = 0
    bold: int = 0

    @classmethod
    def opened(cls, tag: str, attributes: Mapping[str, str]) -> "HtmlCell":
        """The cell that a tag opens."""
        columns = _span(attributes.get("colspan", ""), _WIDEST_SPAN)
        return cls(tag == "th", columns, _span(attributes.get("rowspan", ""), _HIGHEST_SPAN))

    @property
    def is_bold(self) -> bool:
        return 0 < self.characters == self.bold

    @property
    def text(self) -> str:
        return " ".join(map(unfenced, self.blocks))


@dataclass(slots=True)
class HtmlTable:
    """The rows of a table as its tags tell them."""

    rows: list[list[HtmlCell]] = field(default_factory=list)


def table_blocks(table: HtmlTable) -> list[str]:
    """The rows as lines, or the blocks of the cells one after the other where the table only lays out the page."""
    rows = [row for row in table.rows if any(cell.blocks for cell in row)]
    if _is_layout(rows):
        return [block for row in rows for cell in row for block in cell.blocks]
    if all(_is_pair(row) for row in rows):
        return [f"- {row[0].text.rstrip(':')}: {row[1].text}" for row in rows]
    # A row of one cell parts the table into sections; above the first row it is a caption.
    return [block for section in _sections(_full(table)) for block in _section_blocks(section)]


def _span(value: str, most: int) -> int:
    bare = value.strip()
    return min(most, max(1, int(bare))) if bare.isascii() and bare.isdigit() and len(bare) < 6 else 1


def _is_pair(row: Sequence[HtmlCell]) -> bool:
    return [cell.is_heading for cell in row] == [True, False]


def _is_layout(rows: Sequence[Sequence[HtmlCell]]) -> bool:
    """Whether cells hold parts of a page: listings, or several blocks, unless headings say that these are values.

    So they do where no row has two cells with text, as in a box that has an icon beside its title and text.
    """
    if all(sum(bool(cell.blocks) for cell in row) < 2 for row in rows) or any(
        _has_listing(cell) for row in rows for cell in row
    ):
        return True
    if not any(len(cell.blocks) > 1 for row in rows for cell in row):
        return False
    is_headed = len(rows[0]) > 1 and all(cell.is_heading for cell in rows[0])
    return not is_headed or any(_is_page(cell) for row in rows for cell in row)


def _has_listing(cell: HtmlCell) -> bool:
    """Whether a cell holds code of several lines."""
    return any(block.endswith("`") and (code := unfenced(block)) != block and "\n" in code for block in cell.blocks)


def _is_page(cell: HtmlCell) -> bool:
    is_long = len(cell.text) > _LONGEST_CELL
    return is_long or any("\n" in unfenced(block) or block.startswith("#") for block in cell.blocks)


def _full(table: HtmlTable) -> list[list[HtmlCell]]:
    """The rows with each cell repeated wherever it reaches; a row of one cell stays that."""
    full: list[list[HtmlCell]] = []
    reaching: dict[int, tuple[int, HtmlCell]] = {}
    repeated = 0
    for row in table.rows:
        if len(row) == 1 and not reaching:
            full.append(row)
            continue
        cells: list[HtmlCell] = []
        for cell in row:
            _take_reaching(cells, reaching)
            for _ in range(cell.columns):
                if cell.rows > 1:
                    reaching[len(cells)] = (cell.rows - 1, cell)
                cells.append(cell)
        _take_reaching(cells, reaching)
        repeated += len(cells) - len(row)
        if repeated > _MOST_REPEATED:
            return [*table.rows]
        full.append(cells)
    return [row for row in full if any(cell.blocks for cell in row)]


def _take_reaching(cells: list[HtmlCell], reaching: dict[int, tuple[int, HtmlCell]]) -> None:
    """Add the cells that reach down to the next places of a row."""
    while len(cells) in reaching:
        left, cell = reaching.pop(len(cells))
        if left > 1:
            reaching[len(cells)] = (left - 1, cell)
        cells.append(cell)


def _sections(rows: Sequence[list[HtmlCell]]) -> Iterator[list[list[HtmlCell]]]:
    """The rows between those of one cell; each section without headings of its own has those of the one before."""
    section: list[list[HtmlCell]] = []
    headings: list[list[HtmlCell]] = []
    is_new = False
    for row in rows:
        if len(row) > 1:
            section += [*headings, row] if is_new and not _is_headings(row) else [row]
            is_new = False
            continue
        if section:
            headings = section[: _count_headings(section)]
            if len(headings) < len(section):
                yield section
        yield [row]
        section, is_new = [], True
    if section:
        yield section


def _count_headings(rows: Sequence[Sequence[HtmlCell]]) -> int:
    """How many rows at the top hold nothing but headings; the first cell of all may be an empty corner."""
    count = 0
    while count < min(_MOST_HEADERS, len(rows)) and _is_headings(rows[count]):
        count += 1
    return count


def _is_headings(row: Sequence[HtmlCell]) -> bool:
    return all(cell.is_heading for cell in row) or (
        not row[0].blocks and len(row) > 2 and all(cell.is_heading for cell in row[1:])
    )


def _section_blocks(rows: Sequence[Sequence[HtmlCell]]) -> list[str]:
    if len(rows[0]) == 1:
        return [*rows[0][0].blocks]
    headings = _count_headings(rows)
    texts = [[cell.text for cell in row] for row in rows]
    if not headings and _is_turned(rows):
        return list(row_lines(map(list, zip(*texts, strict=True)), headers=1))
    if not headings and not any(cell.is_heading for row in rows for cell in row):
        return list(row_lines(texts, headers=int(_has_names(rows, texts))))
    return list(row_lines(texts, headers=headings if headings < len(rows) else 0))


def _has_names(rows: Sequence[Sequence[HtmlCell]], texts: Sequence[Sequence[str]]) -> bool:
    """Whether the first row of a table without any heading names the columns: by what it says, or in bold."""
    is_bold = all(cell.is_bold for cell in rows[0]) and not all(row[0].is_bold for row in rows)
    return len(rows) > 1 and (is_bold or names_above_numbers(texts))


def _is_turned(rows: Sequence[Sequence[HtmlCell]]) -> bool:
    """Whether the first column names what stands in its row, and each other column is about one thing."""
    if len(rows) < 2 or len({len(row) for row in rows}) > 1 or len(rows[0]) < 3:
        return False
    return all([cell.is_heading for cell in row] == [True, *[False] * (len(row) - 1)] for row in rows)
