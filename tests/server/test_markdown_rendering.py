"""Markdown as elements: what is rendered, what hostile text becomes, and that growing text is rendered alike."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic_core import to_jsonable_python

from polyadic.server.markdown_rendering import Element, IncrementalRendering, Node, render_markdown, render_quotations

TAGS = {"a", "blockquote", "br", "citation", "code", "em", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre", "s"}
TAGS |= {"strong", "table", "tbody", "td", "th", "thead", "tr", "ul"}
PARTS = (
    *("# ", "- ", "  - ", "1. ", "> ", "```\n", "| a | b |\n|-|-|\n", "|", "**", "_", "`", "[1]", "[2]", "\n", "\n\n"),
    *(
        "word ",
        "🚀",
        "\r\n",
        "    ",
        "[x](http://y)",
        "![z](http://y)",
        "<b>",
        "---",
        "===",
        "\\",
        "&lt;",
        "\t",
        "\ue000",
    ),
)


def markup(nodes: tuple[Node, ...] | list[Element]) -> str:
    """The elements as HTML has them, without escapes."""
    return "".join(node if isinstance(node, str) else _tagged(node) for node in nodes)


def _tagged(element: Element) -> str:
    said = "".join(f" {name}={value}" for name, value in element.attributes.items())
    return f"<{element.tag}{said}>{markup(element.children)}</{element.tag}>"


def rendered(text: str) -> str:
    return markup([block.element for block in render_markdown(text)])


def walk(nodes: tuple[Node, ...] | list[Element]) -> Iterator[Element]:
    for node in nodes:
        if isinstance(node, Element):
            yield node
            yield from walk(node.children)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada.\nBabbage.", "<p>Ada.</p><p>Babbage.</p>"),
        ("## Life\n3. three\n4. four", "<h4>Life</h4><ol start=3><li>three</li><li>four</li></ol>"),
        ("- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("> She **wrote** it.", "<blockquote><p>She <strong>wrote</strong> it.</p></blockquote>"),
        ("```py\nx = [1]\n```", "<pre><code>x = [1]\n</code></pre>"),
        (
            "|a|b|\n|-|-:|\n|1|`2`|",
            "<table><thead><tr><th>a</th><th align=right>b</th></tr></thead>"
            "<tbody><tr><td>1</td><td align=right><code>2</code></td></tr></tbody></table>",
        ),
        ("[site](https://a.example/b)", "<p><a href=https://a.example/b>site</a></p>"),
        ("**not closed", "<p>**not closed</p>"),
        ("\n\n", ""),
    ],
)
def test_markdown_is_rendered(text: str, expected: str) -> None:
    assert rendered(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Ada [1].", "<p>Ada <citation marker=1 at=4></citation>.</p>"),
        ("🚀 **Ada.**[2]", "<p>🚀 <strong>Ada.</strong><citation marker=2 at=10></citation></p>"),
        ("a `[1]` [1]", "<p>a <code>[1]</code> <citation marker=1 at=8></citation></p>"),
        ("[1]: https://a.example [1]", None),
        ("[x [1]](https://a.example/[2])", "<p><a href=https://a.example/%5B2%5D>x [1]</a></p>"),
        ("\ue0000 [3]", "<p>\ufffd0 <citation marker=3 at=3></citation></p>"),
    ],
)
def test_citation_markers_keep_their_position(text: str, expected: str | None) -> None:
    assert expected is None or rendered(text) == expected
    for element in walk([block.element for block in render_markdown(text)]):
        if element.tag == "citation":
            at = int(element.attributes["at"])
            assert text[at:].startswith(f"[{element.attributes['marker']}]")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html,1)",
        "[x](vbscript:1)",
        "[x](/v1/workspaces)",
        "[x](//evil.example)",
        "<javascript:alert(1)>",
    ],
)
def test_hostile_markdown_is_shown_as_text(text: str) -> None:
    assert rendered(text) == f"<p>{text}</p>"


def test_images_become_links() -> None:
    assert rendered("![a [1]](https://evil.example/x.png)") == "<p><a href=https://evil.example/x.png>a [1]</a></p>"
    assert rendered("![](data:image/png;base64,AA==)") == "<p>![](data:image/png;base64,AA==)</p>"


def test_quotations_are_rendered_word_for_word() -> None:
    text = '"# def __init__(*args): `x` **bold** [y](http://z)" [1]\n    "two\\_three" [2]'
    assert markup([block.element for block in render_quotations(text)]) == (
        '<p>"# def __init__(*args): <code>x</code> <strong>bold</strong> [y](http://z)" '
        '<citation marker=1 at=52></citation></p><p>    "two\\_three" <citation marker=2 at=73></citation></p>'
    )


@example(["| a | b |\n|-|-|\n", "---", "# "])
@given(st.lists(st.sampled_from(PARTS), max_size=40))
def test_growing_text_is_rendered_as_complete_text(parts: list[str]) -> None:
    rendering = IncrementalRendering(render_markdown)
    text, blocks = "", list[Element]()
    for part in parts:
        text += part
        start, changed = rendering.update(text)
        blocks[start:] = changed
    assert blocks == [block.element for block in render_markdown(text)]
    assert {element.tag for element in walk(blocks)} <= TAGS


@pytest.mark.parametrize("text", ["> " * 2000 + "deep", "- " * 500 + "deep", "*" * 2000 + "deep" + "*" * 2000])
def test_deeply_nested_text_is_rendered(text: str) -> None:
    assert json.dumps(to_jsonable_python(render_markdown(text)))
    assert "deep" in json.dumps(to_jsonable_python(render_quotations(text)))


@pytest.mark.parametrize("text", ["http://x/%EE%80%809", "`%EE%80%80" + "9" * 5000 + "`", "![%EE%80%801](http://y)"])
def test_text_may_contain_what_stands_for_markers(text: str) -> None:
    assert render_markdown(text) and render_markdown(f"{text} [1]")
