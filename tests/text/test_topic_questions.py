"""Questions about the development of a broad topic, or for an overview of it, but not those for one fact."""

import csv
import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from polyadic.text.topic_questions import broad_topic
from tests.text.test_overview_questions import data_folder

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
BROAD = {
    "How did cooperation between the United States and the Soviet Union, later Russia, develop in space?": (
        "cooperation between the United States and the Soviet Union, later Russia, in space"
    ),
    "How did the part that women play in spaceflight change over time?": "the part that women play in spaceflight",
    "How did space stations develop?": "space stations",
    "How has spaceflight changed since the 1960s?": "spaceflight since the 1960s",
    "How did prices change between 1990 and 2000?": "prices between 1990 and 2000",
    "Please describe the development of space stations.": "space stations",
    "What is the history of the Debian project?": "the Debian project",
    "Give an overview of spaceflight in the 1960s": "spaceflight in the 1960s",
    "Wie hat sich die Raumfahrt im Laufe der Zeit entwickelt?": "die Raumfahrt",
    "Wie veränderte sich die Rolle der Frauen in der Raumfahrt?": "die Rolle der Frauen in der Raumfahrt",
    "Beschreibe die Entwicklung der Raumstationen.": "Raumstationen",
    "Gib mir bitte einen Überblick über die Raumfahrt der 1960er Jahre": "Raumfahrt der 1960er Jahre",
}
NARROW = """
How did the fire start?
How did Anna change the lock?
How did Kodak develop film in space?
How was the vaccine developed?
How do I change from plan A to plan B?
How did you change from plan A to plan B?
How did revenue develop in 2023?
How did revenue develop in the third quarter?
How did it develop?
What changed in version 2?
What is the film about?
What are the tram drivers so angry about?
What are the main themes of these documents?
Who developed space stations?
Wie hat sich der Täter verraten?
Wie ändere ich mein Passwort?
Wer entwickelte die Raumstationen?
"""


@pytest.mark.parametrize(("question", "topic"), BROAD.items())
def test_topic_of_a_broad_question(question: str, topic: str) -> None:
    assert broad_topic(question) == topic


@pytest.mark.parametrize("question", NARROW.strip().splitlines())
def test_other_questions_have_no_broad_topic(question: str) -> None:
    assert broad_topic(question) == ""


def test_long_and_empty_texts_have_no_topic() -> None:
    assert [broad_topic(text) for text in ("", "?", f"How did {'space ' * 60}develop?", "How did \ud800 develop")] == [
        "", "", "", "",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["hotpotqa-100", "2wiki-101", "xquad/de", "xquad/zh"])
def test_dataset_questions_have_no_broad_topic(name: str) -> None:
    lines = (data_folder() / name / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    assert _broad([json.loads(line)["text"] for line in lines]) == []


def test_ordinary_document_questions_have_no_broad_topic() -> None:
    with (data_folder() / "ordinary/questions.tsv").open(encoding="utf-8", newline="") as file:
        shared = [row["question"] for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)]
    assert len(shared) > 50 and _broad(shared) == []


def test_development_questions_about_small_collections_have_no_broad_topic() -> None:
    files = sorted((BENCHMARKS / "small/development").glob("*.json"))
    questions = [one["text"] for file in files for one in json.loads(file.read_text(encoding="utf-8"))["questions"]]
    assert len(questions) > 200 and _broad(questions) == []


def _broad(questions: Sequence[str]) -> list[str]:
    return [question for question in questions if broad_topic(question)]
