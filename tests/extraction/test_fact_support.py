"""Which facts of a model count as supported by their text: their sentences, numbers and names."""

import json
from pathlib import Path

import pytest

from polyadic.config import ChunkingSettings, ExtractionSettings
from polyadic.interchange.export import export_file
from polyadic.model.types import Document
from tests.extraction.test_llm_extractor import ADA
from tests.model_server import Asked, ModelServer, ready
from tests.model_server.facts import FactRow
from tests.model_server.reading import numbered
from tests.support.with_a_model import evidence, fact, replies, serving, story, workspace

UNCITED = "it cites no sentence of the text"


@pytest.mark.parametrize(
    ("stated", "sentences", "reason"),
    [
        ("Ada Lovelace met Charles Babbage in 1844.", [1], "the text does not contain the number 1844"),
        ("Ada Lovelace met Napoleon.", [1], "the text does not contain the name Napoleon"),
        ("Ada Lovelace met Charles Babbage.", [9], UNCITED),
        ("Ada Lovelace met Charles Babbage in London.", [1], ""),
        ("Ada Lovelace met Charles Babbage 15 times.", [1], "the text does not contain the number 15"),
        ("Ada Lovelace met Charles Babbage 3 times.", [1], "the text does not contain the number 3"),
        ("Ada Lovelace met Charles Darwin.", [1], "the text does not contain the name Charles Darwin"),
        ("Ada Lovelace met Charles Babbage and Emil Orth.", [1], "the text does not contain the name Emil Orth"),
        ("Ada Lovelace met Charles Babbage in London, the Capital.", [1], ""),
        ("In London Charles Babbage was met by Ada Lovelace.", [], ""),
        ("Ada Lovelace and Charles Babbage quarrelled about money, horses and the weather.", [], UNCITED),
        ("Ada Lovelace met Charles Babbage in the Spanish town of London.", [1], ""),
    ],
)
def test_facts_that_the_passage_does_not_support_are_kept_and_not_used(
    tmp_path: Path, stated: str, sentences: list[int], reason: str
) -> None:
    known = ("Ada Lovelace", "Charles Babbage", "Charles Darwin", "Napoleon", "London")
    names = [name for name in known if name in stated]
    with serving(fact(stated, names, sentences)) as server:
        with workspace(tmp_path / "kb", server) as kb:
            report = kb.add([ADA])
            assert [e.unsupported for e in evidence(kb, ADA.source)] == [reason]
            assert (report.unsupported_evidence, report.evidence_with_fact) == ((1, 0) if reason else (0, 1))
            assert kb.status().counts.facts == report.evidence_with_fact
            export_file(kb, "jsonl", tmp_path / "facts.jsonl")
        with workspace(tmp_path / "used", server, ExtractionSettings(use_unsupported=True)) as kb:
            assert kb.add([ADA]).evidence_with_fact == 1
        assert json.loads((tmp_path / "facts.jsonl").read_text()).get("unsupported", "") == reason


NAMES = ("Mira Falk", "Emil Falk")
# The words for small numbers are not known in this language.
POLISH = "Trzej ludzie polecieli do Gdyni, gdzie czekała na nich rodzina, która nie widziała ich od roku."


@pytest.mark.parametrize(
    ("text", "stated", "names", "reason"),
    [
        ("Three men flew on Gemini V with NASA.", "3 men flew on Gemini 5 with NASA.", ["men", "NASA"], ""),
        ("Drei Männer flogen mit der Nasa.", "3 Männer flogen mit der Nasa.", ["Männer", "Nasa"], ""),
        ("Drei Männer flogen mit der Nasa.", "4 Männer flogen mit der Nasa.", ["Männer", "Nasa"], "number 4"),
        ("两名宇航员进入太空。", "2名宇航员进入太空。", ["宇航员", "太空"], ""),
        (POLISH, "3 ludzie polecieli do Gdyni.", ["ludzie", "Gdynia"], ""),
        ("Osk is in the U.S. near Lund.", "Osk is in the United States near Lund.", ["Osk", "United States"], ""),
        ("Osk is run by the World Ski Club.", "Osk is run by the WSC.", ["Osk", "WSC"], ""),
        ("Osk was built by Falk.", "Osk was built by Falk Company.", ["Osk", "Falk Company"], "name Falk Company"),
    ],
)
def test_numbers_and_names_may_be_written_in_another_way(
    tmp_path: Path, text: str, stated: str, names: list[str], reason: str
) -> None:
    with serving(fact(stated, names, [1])) as server, workspace(tmp_path, server) as kb:
        kb.add([Document("memory:a", "", text)])
        (found,) = evidence(kb, "memory:a")
        assert found.unsupported == (f"the text does not contain the {reason}" if reason else "")


def test_full_names_may_be_elsewhere_in_the_document(tmp_path: Path) -> None:
    text = f"Mira Falk was born in Osk. {story(0, 6)} Falk moved to Basel."

    def rows(asked: Asked) -> list[FactRow]:
        last = [number for number, sentence in numbered(asked.last_user_text) if "Falk moved" in sentence]
        return [fact(f"{name} moved to Basel.", [name, "Basel"], last) for name in NAMES if last]

    chunking = ChunkingSettings(tokens=50, overlap=0, window_tokens=0)
    with ModelServer([replies(rows), *ready()]) as server, workspace(tmp_path, server, chunking=chunking) as kb:
        kb.add([Document("memory:a", "", text)])
        assert len(server.calls) > 1 and "Mira Falk" not in server.calls[-1].asked.last_user_text
        reasons = {e.text: e.unsupported for e in evidence(kb, "memory:a")}
        assert reasons["Mira Falk moved to Basel."] == ""
        assert reasons["Emil Falk moved to Basel."] == "the text does not contain the name Emil Falk"


def test_section_numbers_may_be_put_together_from_headings(tmp_path: Path) -> None:
    text = "2. Restrictions. 1. Customer must not copy the Product. 2. Provider may suspend access."
    rows = [
        fact("Under Section 2.1 Customer must not copy the Product.", ["Customer", "Product"], [2]),
        fact("Under Section 2.7 Provider may suspend access.", ["Provider", "access"], [3]),
    ]
    with serving(*rows) as server, workspace(tmp_path, server) as kb:
        kb.add([Document("memory:contract", "", text)])
        stated = [e.unsupported for e in evidence(kb, "memory:contract")]
    assert stated == ["", "the text does not contain the number 2.7"]
