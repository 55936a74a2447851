"""Records are written down as they come, and taken up again."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyadic.errors import StoreError
from polyadic.evaluation.journal import RecordJournal
from polyadic.evaluation.question_record import AnswerRecord, QuestionRecord, QuestionTimes, RetrievedRecord
from polyadic.model.types import Usage

MADE_WITH = {"data set": "a", "--seed": "0"}
ONE = RetrievedRecord("chunk", "Ada wrote.\u2028\n", 3, ("p1",))
OTHER = RetrievedRecord("fact", "Ada met Babbage.", 4, ("p1", "p2"))
RECORD = QuestionRecord(
    "q1",
    "walk",
    (ONE, OTHER),
    2,
    AnswerRecord("Ada [1]", "because", True, "model"),
    QuestionTimes(0.5, 0.25, 1.5),
    Usage(1, 10, 2, 0.25),
    Usage(1, 20, 3),
)
SECOND = replace(RECORD, question="q2", found=(OTHER,), answer=None)


def written(file: Path, *records: QuestionRecord) -> None:
    with RecordJournal(file, MADE_WITH) as journal:
        for record in records:
            journal.add(record)


def test_records_round_trip(tmp_path: Path) -> None:
    file = tmp_path / "records.jsonl"
    written(file, RECORD, SECOND)
    with RecordJournal(file, MADE_WITH) as journal:
        assert journal.get("q1", "walk") == RECORD
        assert journal.get("q2", "walk") == SECOND
        assert journal.get("q1", "chunks") is None
    assert file.read_text().count("Ada met Babbage.") == 1, "a text is written once"


@given(st.data())
def test_truncated_journal_keeps_complete_lines_and_can_be_extended(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    file = tmp_path_factory.mktemp("cut") / "records.jsonl"
    written(file, RECORD, SECOND)
    whole = file.read_bytes()
    kept = data.draw(st.integers(0, len(whole)))
    file.write_bytes(whole[:kept])
    lines = whole[:kept].count(b"\n")
    with RecordJournal(file, MADE_WITH) as journal:
        assert journal.get("q1", "walk") == (RECORD if lines >= 2 else None)
        assert journal.get("q2", "walk") == (SECOND if lines >= 3 else None)
        journal.add(SECOND)
    with RecordJournal(file, MADE_WITH) as journal:
        assert journal.get("q2", "walk") == SECOND
        assert journal.get("q1", "walk") == (RECORD if lines >= 2 else None)


@pytest.mark.parametrize("changed", [{"data set": "b"}, {"section [walk] of the settings": "c"}])
def test_records_of_another_configuration_are_not_mixed(tmp_path: Path, changed: dict[str, str]) -> None:
    file = tmp_path / "records.jsonl"
    written(file, RECORD)
    before = file.read_bytes()
    with pytest.raises(StoreError, match=r"made with another (data set|section \[walk\].*): choose another --out"):
        RecordJournal(file, MADE_WITH | changed)
    assert file.read_bytes() == before


@pytest.mark.parametrize("text", ['{"version": 7}\n', '{"version": 1, "made_with": 3}\n', "[1]\n\n{}\n{}\n"])
def test_invalid_journal_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text(text)
    with pytest.raises(StoreError, match="holds no records of an evaluation"):
        RecordJournal(file, MADE_WITH)
    assert file.read_text() == text


def test_lone_surrogates_round_trip(tmp_path: Path) -> None:
    odd = replace(RECORD, answer=AnswerRecord("\ud800!", "", True, "model"))
    written(tmp_path / "records.jsonl", odd)
    with RecordJournal(tmp_path / "records.jsonl", MADE_WITH) as journal:
        assert journal.get("q1", "walk") == odd
