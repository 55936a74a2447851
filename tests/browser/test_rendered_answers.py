"""Answers of models as Markdown: tables, lists, code, quotations and links; hostile text; and text that grows."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import PHONE, WIDE, Opened, Seen, ask, served
from tests.model_server import Asked, ModelServer
from tests.server.running_server import Running, make

CABIN = "Who stayed in the cabin of Shenzhou 7 during the spacewalk?"
HOSTILE = """<script>document.title = "owned"</script><img src=x onerror="document.title = 'owned'">

[run](javascript:document.title='owned') ![picture](https://evil.example/pixel.png)
[data](data:text/html,owned) <iframe src="https://evil.example"></iframe> [web](https://a.example/page)

<style>body { display: none }</style>
"""


def markdown(asked: Asked) -> str:
    """An answer in Markdown that cites the passage about Shenzhou 7."""
    before = asked.text[: asked.text.rindex("with Liu Boming and Jing Haipeng")]
    number = re.findall(r"^\s*\[(\d+)\]", before, re.MULTILINE)[-1]
    return f"""### The crew 🚀

Shenzhou 7 had **three** astronauts:

| Astronaut | Task | Order of the names in the report of the agency |
|:--|:-:|--:|
| Zhai Zhigang | commander [{number}] | 1 |
| Jing Haipeng | stayed in the *cabin* [{number}] | 3 |

1. Launch
   - on 25 September
     - in the evening
2. Spacewalk

> Jing Haipeng stayed in the cabin [{number}].

```python
crew = ["Zhai Zhigang", "Liu Boming", "Jing Haipeng"]
assert crew[0] == "Zhai Zhigang" and crew[1] == "Liu Boming" and crew[2] == "Jing Haipeng", "a long line"
```

See `crew` and [the agency](https://www.cmse.gov.cn/).
"""


@pytest.mark.parametrize(("size", "scheme"), [(WIDE, "light"), (PHONE, "dark")], ids=["wide", "phone"])
def test_markdown_of_a_model_is_rendered(
    answering: Running,
    opened: Opened,
    model: ModelServer,
    seen: Seen,
    monkeypatch: pytest.MonkeyPatch,
    size: tuple[int, int],
    scheme: str,
) -> None:
    monkeypatch.setattr(model, "responders", [markdown])
    monkeypatch.setattr(model, "tokens_per_second", 2000)
    page = opened(f"{answering.url}/#/spaceflight/ask", size, scheme)
    ask(page, CABIN)
    answer = page.locator(".answer-text")
    expect(answer.get_by_role("heading", name="The crew")).to_be_visible()
    expect(answer.get_by_role("columnheader")).to_have_count(3)
    expect(answer.locator("ol > li > ul > li > ul > li")).to_have_text("in the evening")
    expect(answer.locator("pre code")).to_contain_text('crew = ["Zhai Zhigang", "Liu Boming", "Jing Haipeng"]\nassert')
    expect(answer.locator("strong")).to_have_text("three")
    link = answer.get_by_role("link", name="the agency")
    expect(link).to_have_attribute("href", "https://www.cmse.gov.cn/")
    expect(link).to_have_attribute("rel", "noopener noreferrer")
    expect(answer.locator("blockquote button.citation")).to_have_count(1)
    seen(f"markdown-{size[0]}-{scheme}", page)
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    answer.get_by_role("row").filter(has_text="cabin").locator("button.citation").click()
    expect(page.get_by_role("dialog").locator("mark")).to_contain_text("Jing Haipeng stayed in the cabin.")


def test_hostile_markdown_loads_and_runs_nothing(
    answering: Running, opened: Opened, model: ModelServer, seen: Seen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "responders", [lambda asked: HOSTILE])
    page = opened(f"{answering.url}/#/spaceflight/ask")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    ask(page, CABIN)
    answer = page.locator(".answer-text")
    expect(answer).to_contain_text('<script>document.title = "owned"</script>')
    expect(answer).to_contain_text("[run](javascript:document.title='owned')")
    hrefs = [link.get_attribute("href") for link in answer.get_by_role("link").all()]
    assert hrefs == ["https://evil.example/pixel.png", "https://a.example/page"]
    assert answer.locator("img, script, iframe, style").count() == 0
    assert page.title() == "Ask · spaceflight · Polyadic"
    assert [url for url in requested if not url.startswith(answering.url)] == []
    seen("markdown-hostile", page)


def test_markdown_is_rendered_while_it_comes(
    answering: Running, opened: Opened, model: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "responders", [markdown])
    # On a busy machine, rows would else reach the page together.
    monkeypatch.setattr(model, "tokens_per_second", 20)
    page = opened(f"{answering.url}/#/spaceflight/ask")
    page.evaluate(_RECORD)
    ask(page, CABIN)
    rows, lists, raw = page.evaluate("[window.rows, window.lists, window.raw]")
    assert rows[0] == 0 and {2, 3} <= set(rows), "rows of the table come one after the other"
    assert 1 in lists and 2 in lists
    assert not raw, "what is complete is never shown as it was written"


_RECORD = """() => {
  Object.assign(window, { rows: [], lists: [], raw: [] });
  new MutationObserver(() => {
    const answer = document.querySelector(".answer-text");
    if (!answer || document.querySelector(".turn").getAttribute("aria-busy") !== "true") return;
    window.rows.push(answer.querySelectorAll("tr").length);
    window.lists.push(answer.querySelectorAll("ol > li").length);
    window.raw.push(...(answer.textContent.match(/###|\\*\\*three\\*\\*|\\| 3 \\|/g) ?? []));
  }).observe(document.querySelector("#view"), { subtree: true, childList: true, characterData: true });
}"""


def test_quotations_are_shown_without_markup_but_with_all_words(opened: Opened, tmp_path: Path) -> None:
    with served(tmp_path / "code") as server, server.client() as client:
        make(client, "code", "Ada Lovelace wrote __init__ and *args for Charles Babbage [see](https://a.example).")
        page = opened(f"{server.url}/#/code/ask")
        ask(page, "What did Ada Lovelace write for Charles Babbage?")
        quoted = '"Ada Lovelace wrote __init__ and *args for Charles Babbage see."'
        expect(page.locator(".answer-text p").first).to_have_text(f"{quoted} 1")
