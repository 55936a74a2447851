"""Question sets of every layout that is known."""

import json
from pathlib import Path

import pytest

from polyadic.config import ReadingSettings
from polyadic.errors import NotFound, UnreadableDataset
from polyadic.evaluation.dataset_formats import documents, load_beir, load_dataset
from polyadic.evaluation.datasets import CorpusLayout, DatasetQuestion, corpus_id
from polyadic.model.types import Document
from tests.evaluation.tiny_dataset import PASSAGES, write_beir, write_lines

CONTEXTS = ["Ada  Lovelace met Babbage.\nShe lived in London.", "", "Babbage designed\nthe Engine.", "Bread is baked."]
ASKED = [
    {"question": "Who met?", "golden_answers": ["Ada"], "context": ["Ada Lovelace met Babbage."], "nary": 2, "nhop": 1},
    {
        "question": "What was designed?",
        "golden_answers": ["the Engine", "Engine"],
        "context": ["She lived in London.", "Babbage designed the Engine."],
        "nary": 4,
        "nhop": 3,
    },
    {"question": "Who else?", "golden_answers": ["nobody"], "context": ["Nobody ever wrote this."], "nary": 3},
]
QUESTIONS = (
    DatasetQuestion("1", "Who met?", ("Ada",), frozenset({"1"}), ("Ada Lovelace met Babbage.",), 2, 1),
    DatasetQuestion(
        "2",
        "What was designed?",
        ("the Engine", "Engine"),
        frozenset({"1", "3"}),
        ("She lived in London.", "Babbage designed the Engine."),
        4,
        3,
    ),
    DatasetQuestion("3", "Who else?", ("nobody",), frozenset(), ("Nobody ever wrote this.",), 3),
)
ROWS = [
    {
        "input": "Who?",
        "context": "Ada wrote.\r\nA lot.",
        "answers": ["Ada"],
        "meta": {"title": "On Ada"},
        "label": "cs",
    },
    {"input": "What?", "context": "Ada wrote.\r\nA lot.", "answers": ["a lot"], "label": "cs"},
    {"query": "Where?", "context": "In London.", "answers": "London", "label": "law"},
]


def read(path: Path) -> dict[str, tuple[str, str]]:
    """Titles and texts of a data set's passages by id."""
    found = list(documents(load_dataset(path), ReadingSettings()))
    assert all(isinstance(one, Document) for one in found)
    return {corpus_id(one.source): (one.title, one.text) for one in found if isinstance(one, Document)}


def test_beir_is_read(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "little")
    dataset = load_dataset(folder)
    assert (dataset.name, dataset.layout, len(dataset.questions)) == ("little", CorpusLayout.BEIR, 4)
    assert read(folder) == PASSAGES


def test_beir_leaves_out_other_splits(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "little")
    with (folder / "queries.jsonl").open("a") as queries:
        queries.write('{"_id": "train-7", "text": "Of another split?"}\n')
    assert "train-7" not in {question.id for question in load_dataset(folder).questions}


@pytest.mark.parametrize("is_beside", [True, False])
def test_hypergraphrag_is_read(tmp_path: Path, is_beside: bool) -> None:
    folder = tmp_path / "evaluation" / "datasets" / "art"
    folder.mkdir(parents=True)
    (folder / "questions.json").write_text(json.dumps(ASKED))
    contexts = folder / "contexts.json" if is_beside else tmp_path / "evaluation" / "contexts" / "art_contexts.json"
    contexts.parent.mkdir(exist_ok=True)
    contexts.write_text(json.dumps(CONTEXTS))
    for path in (folder, folder / "questions.json"):
        dataset = load_dataset(path)
        assert (dataset.name, dataset.layout, dataset.corpus) == ("art", CorpusLayout.CONTEXTS, contexts)
        assert dataset.questions == QUESTIONS
        assert read(path) == {"1": ("", CONTEXTS[0]), "3": ("", CONTEXTS[2]), "4": ("", CONTEXTS[3])}


@pytest.mark.parametrize("suffix", ["jsonl", "json", "txt"])
def test_unique_contexts_with_queries_are_read(tmp_path: Path, suffix: str) -> None:
    (tmp_path / "mix_unique_contexts.json").write_text(json.dumps(CONTEXTS))
    queries = tmp_path / f"mix_query.{suffix}"
    if suffix == "jsonl":
        write_lines(queries, [{"input": "Who?", "context": "x", "_id": "a"}, {"query": "What?", "_id": "a"}])
    elif suffix == "json":
        queries.write_text(json.dumps([{"input": "Who?"}, {"input": "What?"}]))
    else:
        queries.write_text("- User 1: a reader\n    - Question 1: Who?\n    - **Question 2**: What?\n")
    found = load_dataset(tmp_path).questions
    assert [(one.id, one.text, one.gold) for one in found] == [("1", "Who?", frozenset()), ("2", "What?", frozenset())]


def test_ultradomain_is_read(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "data" / "mix.jsonl", ROWS)
    for path in (file, file.parent):
        dataset = load_dataset(path)
        assert (dataset.name, dataset.layout) == ("mix", CorpusLayout.ROWS)
        assert dataset.questions == (
            DatasetQuestion("1", "Who?", ("Ada",), frozenset({"1"}), kind="cs"),
            DatasetQuestion("2", "What?", ("a lot",), frozenset({"1"}), kind="cs"),
            DatasetQuestion("3", "Where?", ("London",), frozenset({"3"}), kind="law"),
        )
        assert read(path) == {"1": ("On Ada", "Ada wrote.\nA lot."), "3": ("", "In London.")}


def test_empty_dataset_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there is no data set"):
        load_dataset(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({}, "has none of the supported layouts"),
        ({"notes.md": "# Notes"}, "has none of the supported layouts"),
        ({"data.jsonl": '{"text": "no question"}\n'}, "has none of the supported layouts"),
        ({"questions.json": "[]"}, "has none of the supported layouts"),
        ({"a_contexts.json": "[]", "questions.json": "[]"}, "no question that can be scored"),
        ({"a_contexts.json": "{}", "questions.json": "[]"}, "is not a JSON list: write one list"),
        ({"a_contexts.json": "[7]", "questions.json": '[{"question": "?"}]'}, "context 1 is not a string"),
        ({"a_contexts.json": '["a"]', "questions.json": "[7]"}, "question 1 is not a JSON object"),
        ({"a_contexts.json": '["a"]', "questions.json": '[{"golden_answers": []}]'}, "question 1 has no text"),
        ({"a_contexts.json": '["a"', "questions.json": '[{"question": "?"}]'}, "is not valid JSON"),
        ({"x.jsonl": '{"input": "?", "context": "c"}\n{"input": "?"}\n'}, "line 2 is not a question"),
        ({"x.jsonl": '{"input": "?", "context": "c"}\nno\n'}, "line 2 is not valid JSON"),
        ({f"{n}.jsonl": '{"input": "?", "context": "c"}\n' for n in "ab"}, "holds 2 question sets: give one"),
        ({"corpus.jsonl": "7\n", "queries.jsonl": "", "qrels/test.tsv": ""}, "line 1 is not a JSON object"),
        ({"corpus.jsonl": "", "queries.jsonl": '{"_id": 1}\n', "qrels/test.tsv": ""}, "line 1 is not a question"),
        (
            {"corpus.jsonl": "", "queries.jsonl": "", "qrels/test.tsv": "a\tb\n1\t2\n"},
            "line 2 is not a relevance judgement",
        ),
        ({"corpus.jsonl": "", "queries.jsonl": "", "qrels/test.tsv": ""}, "no question that can be scored"),
    ],
)
def test_invalid_dataset_is_reported_in_one_line(tmp_path: Path, files: dict[str, str], problem: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    with pytest.raises(UnreadableDataset, match=problem) as caught:
        load_dataset(tmp_path)
    assert "\n" not in str(caught.value)


def test_missing_or_odd_question_metadata_is_accepted(tmp_path: Path) -> None:
    folder = write_beir(tmp_path / "little")
    write_lines(
        folder / "queries.jsonl", [{"_id": "q1", "text": "Who?", "metadata": [1]}, {"_id": "q3", "text": "Hm?"}]
    )
    assert [question.answers for question in load_dataset(folder).questions] == [(), ()]


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
