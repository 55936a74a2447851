"""What the page's scripts make of texts: of answers, of spans, of events."""

from typing import Any

import pytest
from playwright.sync_api import Page

_PROSE = """async (text) => {
  const { prose } = await import("/page/prose.js");
  const { el } = await import("/page/dom.js");
  const root = el("div", {}, prose(text, (marker) => marker > 3 ? null : el("i", {}, marker)));
  return root.innerHTML;
}"""
_UNITS = 'async ([text, place]) => (await import("/page/spans.js")).unitsOf(text, place)'
_EVENTS = """async (pieces) => {
  const { eventsIn } = await import("/page/events.js");
  const bytes = pieces.map((piece) => Uint8Array.from(piece));
  const stream = new ReadableStream({ start(c) { for (const one of bytes) c.enqueue(one); c.close(); } });
  const found = [];
  for await (const { event, data } of eventsIn(stream)) found.push([event, data]);
  return found;
}"""


@pytest.mark.parametrize(
    ("text", "drawn"),
    [
        ("Ada [1].\nBabbage [2][9].", "<p>Ada <i>1</i>.</p><p>Babbage <i>2</i>[9].</p>"),
        ("- one\n- **two**\n\nthree", "<ul><li>one</li><li><strong>two</strong></li></ul><p>three</p>"),
        ("3. three\n4. four", '<ol start="3"><li>three</li><li>four</li></ol>'),
        ("## Life\nBorn in `1815`.", '<h3>Life</h3><p>Born in <code class="mono">1815</code>.</p>'),
        ("<b>x</b> & [link](javascript:1)", "<p>&lt;b&gt;x&lt;/b&gt; &amp; [link](javascript:1)</p>"),
        ("**not closed", "<p>**not closed</p>"),
        ("\n\n", ""),
    ],
)
def test_answer_is_rendered_as_paragraphs_and_lists(page: Page, text: str, drawn: str) -> None:
    assert page.evaluate(_PROSE, text) == drawn


@pytest.mark.parametrize("before", ["", "x", "🚀", "é🚀x🚀", "\ufeff", "漢𠀀", "a" * 500 + "🚀"])
def test_spans_count_code_points(page: Page, before: str) -> None:
    text = f"{before}Ada 🎩 Lovelace{before}"
    place = {"span": {"start": len(before), "end": len(before) + 14}, "quote": "Ada 🎩 Lovelace"}
    units: dict[str, int] = page.evaluate(_UNITS, [text, place])
    encoded = text.encode("utf-16-le")
    assert encoded[units["start"] * 2 : units["end"] * 2].decode("utf-16-le") == place["quote"]


@pytest.mark.parametrize(("text", "found"), [("Oh. Ada met.", {"start": 4, "end": 7}), ("Gone.", None)])
def test_moved_words_are_found_again(page: Page, text: str, found: Any) -> None:
    assert page.evaluate(_UNITS, [text, {"span": {"start": 0, "end": 3}, "quote": "Ada"}]) == found


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
def test_events_are_parsed_however_they_are_split(page: Page, size: int) -> None:
    said = ': still here\n\nevent: token\ndata: {"text": "né 🚀\\n"}\n\nevent: answer\ndata: {"text": "b"}\n\n'.encode()
    pieces = [list(said[at : at + size]) for at in range(0, len(said), size)]
    assert page.evaluate(_EVENTS, pieces) == [["token", {"text": "né 🚀\n"}], ["answer", {"text": "b"}]]
