"""Markdown documents with a span marked, and the route that returns them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.model.types import Span
from polyadic.server.markdown_rendering import Element, Node
from polyadic.server.span_highlighting import render_document
from tests.server.running_server import make, running
from tests.server.test_markdown_rendering import PARTS

TEXT = "# Ada *L*\n\nShe **wrote\nit.** [1] And\n- item one.\n- two\n\n"
TEXT += "| a | b |\n|--|--|\n| c d | e |\n\n```py\nx = 1\n```\n"


def marked(nodes: tuple[Node, ...] | list[Element], inside: bool = False) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Element):
            yield from marked(node.children, inside or node.tag == "mark")
        elif inside:
            yield node


def unmarked(nodes: tuple[Node, ...] | list[Element]) -> str:
    return "".join(node if isinstance(node, str) else unmarked(node.children) for node in nodes)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("# Ada *L*", "Ada L"),
        ("She **wrote\nit.**", "She wrote it."),
        ("it.** [1] And\n- item one.", "it. [1] Anditem one."),
        ("- two", "two"),
        ("| c d | e |", "c de"),
        ("```py\nx = 1\n```", "x = 1"),
        ("|--|--|", ""),
    ],
)
def test_span_is_marked_without_its_syntax(quote: str, expected: str) -> None:
    start = TEXT.index(quote)
    blocks, is_marked = render_document(TEXT, Span(start, start + len(quote)))
    assert "".join(marked(blocks)) == expected and is_marked == bool(expected)


@given(st.lists(st.sampled_from(PARTS), max_size=30), st.integers(0, 99), st.integers(0, 99))
def test_marks_do_not_change_the_text(parts: list[str], start: int, length: int) -> None:
    text = "".join(parts)
    start = min(start, len(text))
    blocks, is_marked = render_document(text, Span(start, min(len(text), start + length)))
    plain, _ = render_document(text, Span(0, 0))
    assert unmarked(blocks) == unmarked(plain)
    assert is_marked or not list(marked(blocks))


def test_document_is_returned_as_elements(tmp_path: Path) -> None:
    (tmp_path / "polyadic.toml").write_text('[embedding]\nmodel = "hashing"\n')
    with running(tmp_path) as server, server.client() as client:
        make(client, "letters")
        (document,) = server.fill("letters", "# Engines\n\nAda Lovelace wrote notes.")
        path = f"/v1/workspaces/letters/documents/{document}/rendered"
        reply = client.get(path, params={"start": 11, "end": 14}).json()
        assert reply["marked"] and reply["blocks"][1]["children"][0]["children"] == ["Ada"]
        assert client.get(path, params={"start": 11, "end": 1000}).status_code == 422
        assert client.get(path.replace(document, "0" * 32)).status_code == 404
