"""The report page: one file, safe whatever documents say, bounded."""

import base64
import hashlib
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from polyadic.evaluation import report
from polyadic.evaluation.report import page, write_report
from polyadic.evaluation.results import EvaluationResults
from tests.evaluation.tiny_dataset import PASSAGES, evaluated, undrawn, write_beir

pytestmark = pytest.mark.slow

EVIL = "</script><img src=x onerror=alert(1)><!-- Ada Lovelace {{data}} &lt; \u2028 \"'>"


class Seen(HTMLParser):
    """Elements with their attributes, and the text of scripts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data: str) -> None:
        if self.cdata_elem == "script":
            self.scripts[-1] += data


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> EvaluationResults:
    """Of a data set of which every text is hostile."""
    tmp_path = tmp_path_factory.mktemp("report")
    passages = {"<b>evil</b>": (f"Ada Lovelace {EVIL}", f"Ada Lovelace met Babbage {EVIL}."), **PASSAGES}
    asked = [
        {
            "id": f"q{n}{EVIL}",
            "text": f"Whom did Ada Lovelace meet {n}? {EVIL}",
            "answers": [EVIL],
            "kind": kind,
            "gold": ["ada"],
        }
        for n, kind in enumerate(["<i>$x$", "bridge"])
    ]
    data = write_beir(tmp_path / "little <img src=x onerror=alert(1)> {{data}}", passages, asked)
    return evaluated(data, tmp_path / "out", methods=("chunks", "walk", "none"), budgets=(50, 500))


@pytest.fixture(scope="module")
def text(results: EvaluationResults) -> str:
    return page(results)


def data_of(text: str) -> dict[str, Any]:
    held: dict[str, Any] = json.loads(Seen(text).scripts[0])
    return held


def test_report_escapes_all_text(text: str) -> None:
    seen = Seen(text)
    names = [name for name, _ in seen.elements]
    assert names.count("script") == 2 and "img" not in names and "i" not in names
    assert not [name for _, attributes in seen.elements for name in attributes if name.startswith("on")]
    held = json.loads(seen.scripts[0])
    assert held["questions"][0]["text"].endswith(EVIL)
    assert any(EVIL in text for _, text, *_ in held["items"])
    assert ".innerHTML" not in seen.scripts[1] and "insertAdjacentHTML" not in seen.scripts[1]


def test_report_is_self_contained_and_runs_only_its_script(text: str) -> None:
    seen = Seen(text)
    for name, attributes in seen.elements:
        assert "src" not in attributes and name != "link"
        link = attributes.get("href") or attributes.get("xlink:href") or "#"
        assert link.startswith("#")
    policy = next(a["content"] for n, a in seen.elements if n == "meta" and "http-equiv" in a)
    digest = base64.b64encode(hashlib.sha256(seen.scripts[1].encode()).digest()).decode()
    assert policy is not None and "default-src 'none'" in policy and f"script-src 'sha256-{digest}'" in policy


def test_report_element_ids_are_unique(text: str) -> None:
    ids = [attributes["id"] for _, attributes in Seen(text).elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) | set(re.findall(r"url\(#([^)]+)\)", text)) <= set(ids)


def test_plots_use_the_page_colours(text: str) -> None:
    for title in (
        "Recall of gold passages",
        "Coverage within a token limit",
        "f1 by budget",
        "Quality by tokens: recall@5",
        "By kind: f1",
    ):
        assert f"<h3>{title}</h3>" in text
    for title in ("Time per question", "Context tokens", "Index size", "Arity of facts"):
        assert f"<h3>{title}</h3>" in text
    assert "#fe00" not in text and "var(--series-2)" in text
    assert "$x$" in text, "what looks like a formula is a text"


def test_report_is_deterministic(results: EvaluationResults, text: str, tmp_path: Path) -> None:
    assert write_report(results, tmp_path).read_text(encoding="utf-8") == text
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


def test_report_lists_every_question_with_retrieved_items(text: str) -> None:
    held = data_of(text)
    assert held["methods"] == ["chunks", "walk", "none"]
    for question in held["questions"]:
        assert [len(one["scores"]) for one in question["results"]] == [len(held["columns"])] * 3
        for one in question["results"]:
            assert all(place < len(held["items"]) for place in one["items"])
    assert len(held["questions"]) == 2


def test_report_size_is_bounded(results: EvaluationResults, monkeypatch: pytest.MonkeyPatch) -> None:
    undrawn(monkeypatch)
    monkeypatch.setattr(report, "_MOST_CHARACTERS", 10)
    text = page(results)
    assert len(data_of(text)["questions"]) == 1
    assert "1 of 2 questions; results.json contains all" in text


def test_long_texts_are_cut(results: EvaluationResults, monkeypatch: pytest.MonkeyPatch) -> None:
    undrawn(monkeypatch)
    question = replace(results.questions[0], text="a" * 5000)
    held = data_of(page(replace(results, questions=(question, results.questions[1]))))
    assert held["questions"][0]["text"] == "a" * 1000 + "…"
