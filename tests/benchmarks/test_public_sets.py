"""Public question sets, read as examples for answer sentence selection."""

import json
import random
from pathlib import Path

from benchmarks.answer_selection import public_sets


def test_only_the_row_that_answers_a_question_about_a_table_is_right(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "table.csv").write_text('"Ship","Built"\n"Adler","1902"\n"Möwe","1911"\n', encoding="utf-8")
    head = "id\tutterance\tcontext\ttargetValue\n"
    lines = "1\twhen was the adler built?\ttable.csv\t1902\n2\twhich ship is the oldest?\ttable.csv\tAdler\n"
    for part in ("training", "pristine-unseen-tables"):
        (tmp_path / "data" / f"{part}.tsv").write_text(head + lines, encoding="utf-8")
    first, second = public_sets._table_questions(tmp_path, random.Random(0))
    assert first == second
    assert first.right == [("", "Ship: Adler; Built: 1902")]
    assert first.wrong == [("", "Ship: Möwe; Built: 1911")]


def test_a_question_about_several_segments_of_a_policy_is_asked_once(tmp_path: Path) -> None:
    texts = ["We keep logs for a year. You may write to us.", "Orders are kept for ten years. We use cookies here."]
    answers = ["keep logs for a year", "kept for ten years"]
    paragraphs = [
        {
            "context": text,
            "qas": [{"question": "How long?", "answers": [{"text": answer, "answer_start": text.index(answer)}]}],
        }
        for text, answer in zip(texts, answers, strict=True)
    ]
    file = tmp_path / "policies.json"
    file.write_text(json.dumps({"data": [{"title": "shop", "paragraphs": paragraphs}]}), encoding="utf-8")
    (one,) = public_sets._policyqa(file, random.Random(0))
    assert one.right == [("shop", "We keep logs for a year."), ("shop", "Orders are kept for ten years.")]
    assert {text for _, text in one.wrong} == {"You may write to us.", "We use cookies here."}
