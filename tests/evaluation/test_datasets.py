"""Question sets in the BEIR layout."""

import json
from pathlib import Path

import pytest

from polyadic.errors import NotFound
from polyadic.evaluation.datasets import DatasetQuestion, corpus_id, load_beir

CORPUS = {"_id": "d1", "title": "Ada Lovelace", "text": "Ada Lovelace wrote the first program."}
QUERIES = [
    {"_id": "q1", "text": "Who wrote the first program?", "metadata": {"answers": ["Ada Lovelace", "Ada"]}},
    {"_id": "q2", "text": "谁写了第一个程序？"},
]
JUDGED = "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td2\t2\nq1\td3\t0\nq9\td1\t1\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    data = tmp_path / "little"
    (data / "qrels").mkdir(parents=True)
    (data / "corpus.jsonl").write_text(json.dumps(CORPUS) + "\n", encoding="utf-8")
    lines = [json.dumps(query, ensure_ascii=False) + "\n" for query in QUERIES]
    (data / "queries.jsonl").write_text("".join(lines), encoding="utf-8")
    (data / "qrels" / "test.tsv").write_text(JUDGED, encoding="utf-8")
    return data


def test_questions_have_answers_and_gold_passages(folder: Path) -> None:
    dataset = load_beir(folder)
    assert (dataset.name, dataset.corpus) == ("little", folder / "corpus.jsonl")
    assert dataset.questions == (
        DatasetQuestion(
            "q1",
            "Who wrote the first program?",
            ("Ada Lovelace", "Ada"),
            frozenset({"d1", "d2"}),
            ("Ada Lovelace\nAda Lovelace wrote the first program.",),
        ),
        DatasetQuestion("q2", "谁写了第一个程序？", (), frozenset()),
    )


@pytest.mark.parametrize("file", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_missing_file_is_named(folder: Path, file: str) -> None:
    (folder / file).unlink()
    with pytest.raises(NotFound, match=f"{file} does not exist: a data set has corpus.jsonl, queries.jsonl"):
        load_beir(folder)


def test_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"nowhere/corpus\.jsonl does not exist"):
        load_beir(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("source", "expected"),
    [("/data/corpus.jsonl#h1", "h1"), ("/data/a#b.jsonl#h1", "h1"), ("/data/a.md", "/data/a.md")],
)
def test_row_ids_are_kept(source: str, expected: str) -> None:
    assert corpus_id(source) == expected
