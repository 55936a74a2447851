"""The questions beside the example documents are answered where they say."""

import json
import re
from pathlib import Path

from polyadic.evaluation.answer_checks import holds_an_answer

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
QUESTIONS = {"spaceflight": "questions.jsonl", "ordinary": "ordinary-questions.jsonl"}
ROWS = [
    (folder, json.loads(line))
    for folder, name in QUESTIONS.items()
    for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines()
]


def test_example_answers_occur_in_the_example_files() -> None:
    for folder, row in ROWS:
        texts = [(EXAMPLES / folder / name).read_text(encoding="utf-8") for name in row["files"]]
        assert len(texts) >= row["hops"], row
        assert any(holds_an_answer(text, row["answers"]) for text in texts) is bool(row["answers"]), row


def test_demo_questions_match_the_example_documents() -> None:
    asked = set(re.findall(r'run query "(.+?)"', (EXAMPLES / "demo.sh").read_text(encoding="utf-8")))
    assert len(asked & {row["question"] for folder, row in ROWS if folder == "ordinary" and row["answers"]}) == 2
