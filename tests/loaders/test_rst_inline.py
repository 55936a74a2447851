"""Inline markup of reStructuredText: it reads as its text, and ends no sentence within."""

from pathlib import Path

import pytest

from polyadic.config import ReadingSettings
from polyadic.loaders.loader import read_documents
from polyadic.model.types import Document
from polyadic.text.markup import plain
from polyadic.text.sentences import sentences


def read(path: Path, content: str) -> Document:
    path.write_text(content)
    (found,) = read_documents([path], ReadingSettings())
    assert isinstance(found, Document)
    return found


def sentences_of(path: Path, content: str) -> list[str]:
    text = read(path, content).text
    return [plain(text[span.start : span.end]) for span in sentences(text, "en")]


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("Its class :class:`relay.core.Server.Pool` is new.", "Its class relay.core.Server.Pool is new."),
        ("Call :meth:`~relay.Server.Close` last.", "Call relay.Server.Close last."),
        ("Set :code:`a. Max` to 3.", "Set a. Max to 3."),
        ("It is ``start(). Then`` of old.", "It is start(). Then of old."),
        ("A span of ``one\nor two`` lines, ``_x`` and ``_y``.", "A span of one or two lines, _x and _y."),
        ("See :title:`Relays. A History` on it.", "See Relays. A History on it."),
        ("See :ref:`Relays. A History <relays>` on it.", "See Relays. A History on it."),
        ("See `Relays. A History <https://example.org>`__ on it.", "See Relays. A History on it."),
        ("The delay :math:`t_i. T` grows.", "The delay t_i. T grows."),
        ("The function `relay.Run`:func: starts it.", "The function relay.Run starts it."),
        ("Read :rfc:`2822#section-3` and :pep:`8`.", "Read RFC 2822 and PEP 8."),
    ],
)
def test_markup_reads_as_its_text_in_one_sentence(tmp_path: Path, source: str, shown: str) -> None:
    assert sentences_of(tmp_path / "a.rst", f"{source} Then stop.\n") == [shown, "Then stop."]


def test_markup_is_read_across_the_lines_of_a_list_item(tmp_path: Path) -> None:
    found = sentences_of(
        tmp_path / "a.rst", "- See :ref:`the\n  list <x>` and `its\n  site <https://example.org>`_.\n- End.\n"
    )
    assert found == ["See the list and its site.", "End."]


def test_a_stop_after_markup_ends_a_sentence(tmp_path: Path) -> None:
    found = sentences_of(tmp_path / "a.rst", "Call :func:`Open`. Then :ref:`read <x>`. ``Close`` it.\n")
    assert found == ["Call Open.", "Then read.", "Close it."]


def test_code_in_a_heading_is_plain_in_the_title(tmp_path: Path) -> None:
    assert read(tmp_path / "a.rst", "The :mod:`relay` package\n=========================\n\nIt is new.\n").title == (
        "The relay package"
    )
