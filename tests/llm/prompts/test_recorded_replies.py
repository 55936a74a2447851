"""Replies of a language model to the prompts in the structure of the papers, recorded on documents of the examples."""

import json
import re
from pathlib import Path

import pytest

from polyadic.config import (
    AnswerSettings,
    EmbeddingSettings,
    ExtractionSettings,
    HypergraphSettings,
    RetrievalSettings,
    Settings,
)
from tests.llm.prompts.test_paper_prompts import workspace
from tests.model_server import Asked, ModelServer

EXAMPLES = Path(__file__).parents[3] / "examples" / "spaceflight"
LINES = Path(__file__).with_name("recorded_replies.jsonl").read_text(encoding="utf-8").splitlines()
REPLIES: dict[str, str] = {row["asked"]: row["reply"] for row in map(json.loads, LINES)}
"""Replies by the part of the prompt that says what is asked."""
DOCUMENTS = ("shenzhou-5", "skylab", "soyuz-11", "voskhod-2", "vostok-1", "vostok-5-and-6")
NAMES = (
    "Astronaut, Backup, First spacewalk, Crew, Ships",
    "Crew members, Skylab, Shuttle flight, Mission",
    "Crew, Soyuz 11",
)
QUESTIONS = [asked.removeprefix("Query: ") for asked in REPLIES if asked.startswith("Query: ")]


def respond(asked: Asked) -> str:
    return next(reply for part, reply in REPLIES.items() if part in asked.last_user_text)


def records(kind: str) -> list[tuple[str, ...]]:
    """The first field of each record of a kind in all replies, without quotation marks, and the others."""
    found = re.findall(rf'\("{kind}"<\|>(.*?)<\|>(.*)\)##', "\n".join(REPLIES.values()))
    return [(first.strip('"'), others) for first, others in found]


@pytest.fixture
def settings() -> Settings:
    return Settings(
        embedding=EmbeddingSettings(model="hashing"),
        extraction=ExtractionSettings(extractor="model"),
        answer=AnswerSettings(by="model", format="think"),
        retrieval=RetrievalSettings(correct_spelling=False),
        hypergraph=HypergraphSettings(question_entities="model"),
    )


def test_all_recorded_facts_and_participants_are_taken(tmp_path: Path, settings: Settings) -> None:
    names = {name for name, _ in records("entity")}
    with ModelServer([respond]) as server, workspace(tmp_path, server, settings) as kb:
        report = kb.index([EXAMPLES / f"{name}.md" for name in DOCUMENTS])
        read = {fact.text: fact.entities for name in names for fact in kb.facts_of(name)}
    assert (report.added, list(report.failed), dict(report.problems)) == (len(DOCUMENTS), [], {})
    assert read.keys() == {text for text, _ in records("hyper-relation")} and len(read) == 120
    assert {name for entities in read.values() for name in entities} == names
    assert sum(map(len, read.values())) == len(records("entity")) == 563


def test_names_and_answers_are_read_from_recorded_replies(tmp_path: Path, settings: Settings) -> None:
    with ModelServer([respond]) as server, workspace(tmp_path, server, settings) as kb:
        kb.index([EXAMPLES / "skylab.md"])
        answers = [kb.query(question, "hypergraph") for question in QUESTIONS]
        steps = [str(kb.retrieve(question, "hypergraph").trace) for question in QUESTIONS]
    assert [names for names in NAMES if not any(names in step for step in steps)] == []
    for question, answer in zip(QUESTIONS, answers, strict=True):
        reply = REPLIES[f"---Question---\n{question}"]
        assert answer.text == reply.partition("<answer>")[2].partition("</answer>")[0].strip()
        assert answer.reasoning == reply.partition("<think>")[2].partition("</think>")[0].strip()
