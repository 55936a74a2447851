"""What the page's scripts make of texts: of spans, of events."""

from typing import Any

import pytest
from playwright.sync_api import Page

_UNITS = 'async ([text, place]) => (await import("/page/spans.js")).unitsOf(text, place)'
_EVENTS = """async (pieces) => {
  const { eventsIn } = await import("/page/events.js");
  const bytes = pieces.map((piece) => Uint8Array.from(piece));
  const stream = new ReadableStream({ start(c) { for (const one of bytes) c.enqueue(one); c.close(); } });
  const found = [];
  for await (const { event, data } of eventsIn(stream)) found.push([event, data]);
  return found;
}"""


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
