"""The one facade: documents in and out, questions, and the questions that a hypergraph itself answers."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.errors import NotFound, PolyadicError, SettingsError, WeightsMissing
from polyadic.loaders.skipped import SkippedInput
from polyadic.model.types import Answer, Document, Knowledge
from polyadic.workspace import Workspace

HASHING = Settings(embedding=EmbeddingSettings(model="hashing"))
BASELINES = ("lightrag", "pathrag", "hipporag", "hipporag2", "fastgraphrag", "raptor")
METHODS = ("none", "chunks", "hypergraph", "walk", "auto", *BASELINES)
QUESTION = "Who designed the Analytical Engine?"
LIBRARY = [
    Document("memory:ada", "Ada Lovelace", "Ada Lovelace wrote the first program in 1843. It rained in London."),
    Document("memory:babbage", "Charles Babbage", "Charles Babbage designed the Analytical Engine in London."),
    Document("memory:byron", "Lord Byron", "Lord Byron wrote Don Juan. Ada Lovelace was a daughter of Lord Byron."),
]


@pytest.fixture
def kb(tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "kb", HASHING) as workspace:
        workspace.add(LIBRARY)
        yield workspace


def untimed(found: Knowledge) -> Knowledge:
    return replace(found, trace=tuple(replace(step, seconds=0.0) for step in found.trace))


def untimed_answer(answer: Answer) -> Answer:
    trace = tuple(replace(step, seconds=0.0) for step in answer.trace)
    return replace(answer, knowledge=untimed(answer.knowledge), trace=trace)


# documents in, documents out


def test_add_counts_new_changed_and_unchanged_documents(kb: Workspace) -> None:
    changed = replace(LIBRARY[0], text="Ada Lovelace met Mary Somerville.")
    unreadable = SkippedInput("/docs/x.pdf", "not text", "")
    new = Document("https://example.org/somerville", "", "Mary Somerville taught Ada Lovelace.", {"year": "1834"})
    report = kb.add([changed, *LIBRARY[1:], unreadable, new])
    assert (report.added, report.changed, report.unchanged, report.skipped) == (1, 1, 2, [unreadable])
    assert report.documents == len(kb.documents()) == 4
    assert next(dict(r.metadata) for r in kb.documents() if r.source == new.source) == {"year": "1834"}
    assert kb.show_document(new.source).document == new


def test_paths_and_single_documents_are_not_added(kb: Workspace, tmp_path: Path) -> None:
    for wrong, kind in (([tmp_path / "x.md"], type(tmp_path).__name__), ("x.md", "str"), (tmp_path, "Path")):
        with pytest.raises(PolyadicError, match=f"takes Document objects, not .*{kind}: .*index with their paths"):
            kb.add(wrong)  # type: ignore[arg-type]
    with pytest.raises(PolyadicError, match="takes a list of documents, not a single one"):
        kb.add(LIBRARY[0])  # type: ignore[arg-type]
    assert len(kb.documents()) == 3


def test_source_that_looks_like_a_span_is_a_source(kb: Workspace) -> None:
    page = Document("memory:pages:3-5", "", "Mary Somerville taught Ada Lovelace.")
    kb.add([page])
    assert kb.show_document(page.source).document == page
    assert kb.show_document(f"{page.source}:0-4").span.end == 4


def test_document_without_text_is_kept(kb: Workspace) -> None:
    assert kb.add([Document("memory:empty", "Nothing", "")]).added == 1
    record = next(r for r in kb.documents() if r.source == "memory:empty")
    assert (record.characters, record.chunks, record.facts) == (0, 0, 0)
    assert kb.delete("Nothing") == [record]


def test_indexing_skips_the_workspace_itself(tmp_path: Path) -> None:
    (tmp_path / "ada.md").write_text("# Ada Lovelace\n\nAda Lovelace met Charles Babbage.\n", encoding="utf-8")
    with Workspace(tmp_path / "kb", HASHING) as workspace:
        for _ in range(2):
            workspace.index([tmp_path])
        assert [record.source for record in workspace.documents()] == [str(tmp_path / "ada.md")]


def test_document_is_deleted_by_path_title_or_identifier(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("one", "two", "three", "four"):
        (folder / f"{name}.md").write_text(f"# Title {name}\n\nAda Lovelace met {name.title()} Smith.\n")
    with Workspace(tmp_path / "kb", HASHING) as workspace:
        workspace.index([folder])
        identifier = workspace.show_document("four.md").record.id
        monkeypatch.chdir(tmp_path)
        for reference in (str(folder / "one.md"), "docs/../docs/two.md", "title THREE", identifier[:12]):
            (record,) = workspace.delete(reference)
            assert record not in workspace.documents()
        counts = workspace.status().counts
        assert (counts.documents, counts.facts, counts.entities, counts.vectors) == (0, 0, 0, 0)


def test_a_document_is_found_through_links(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "docs")
    (tmp_path / "docs" / "ada.md").write_text("Ada Lovelace met Charles Babbage.")
    (tmp_path / "docs" / "rows.jsonl").write_text('{"id": "a#b", "text": "Mary Somerville taught Ada Lovelace."}')
    with Workspace(tmp_path / "kb", HASHING) as workspace:
        workspace.index([tmp_path / "docs"])
        assert workspace.show_document(f"{tmp_path}/link/ada.md:0-3").span.end == 3
        assert len(workspace.delete(f"{tmp_path}/link/ada.md")) == 1
        assert len(workspace.delete(f"{tmp_path}/link/rows.jsonl#a#b")) == 1


def test_deleting_a_row_file_deletes_all_its_rows(tmp_path: Path) -> None:
    rows = tmp_path / "rows.csv"
    rows.write_text("id,text\none,Ada Lovelace met Charles Babbage.\ntwo,Mary Somerville taught Ada Lovelace.\n")
    with Workspace(tmp_path / "kb", HASHING) as workspace:
        workspace.index([rows])
        workspace.add([replace(LIBRARY[0], source=f"{rows.parent}/other.csv#one"), *LIBRARY[1:]])
        rows.unlink()
        assert [record.source for record in workspace.delete(str(rows))] == [f"{rows}#one", f"{rows}#two"]
        assert len(workspace.documents()) == 3
        with pytest.raises(NotFound, match="no document matches"):
            workspace.delete(str(rows))


def test_unreadable_input_creates_no_workspace(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "kb", HASHING)
    assert len(workspace.index([tmp_path / "nowhere"]).skipped) == 1
    assert not (tmp_path / "kb").exists()
    (tmp_path / "ada.md").write_text("Ada Lovelace met Charles Babbage.")
    report = workspace.index([tmp_path / "nowhere", tmp_path / "ada.md", tmp_path / "nobody"])
    assert (report.added, len(report.skipped)) == (1, 2)
    assert len(workspace.index([tmp_path / "nowhere"]).skipped) == 1
    workspace.close()


def test_missing_weights_create_no_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: object) -> None:
        raise WeightsMissing("the weights are nowhere")

    monkeypatch.setattr("polyadic.workspace.load_embedder", missing)
    with pytest.raises(WeightsMissing):
        Workspace(tmp_path / "kb", HASHING).add(LIBRARY)
    assert not (tmp_path / "kb").exists()


def test_ambiguous_reference_deletes_nothing(kb: Workspace) -> None:
    kb.add([replace(LIBRARY[0], source="memory:other")])
    with pytest.raises(NotFound, match=r"ambiguous \(memory:ada, memory:other"):
        kb.delete("Ada Lovelace")
    with pytest.raises(NotFound, match="no document matches"):
        kb.delete("Grace Hopper")
    assert len(kb.documents()) == 4


# questions


@pytest.mark.parametrize("method", METHODS)
def test_sync_and_async_methods_give_the_same_results(kb: Workspace, tmp_path: Path, method: str) -> None:
    async def other() -> tuple[Knowledge, Answer]:
        with Workspace(tmp_path / "other", HASHING) as twin:
            assert (await twin.aadd(LIBRARY)).added == 3
            await twin.adelete("Lord Byron")
            return await twin.aretrieve(QUESTION, method, 500), await twin.aquery(QUESTION, method)

    found, answer = asyncio.run(other())
    kb.delete("Lord Byron")
    assert untimed(kb.retrieve(QUESTION, method, 500)) == untimed(found)
    assert untimed_answer(kb.query(QUESTION, method)) == untimed_answer(answer)


def test_sync_methods_work_within_a_running_loop(tmp_path: Path) -> None:
    async def everything() -> Answer:
        with Workspace(tmp_path / "kb", HASHING) as workspace:
            workspace.add(LIBRARY)
            workspace.delete("memory:byron")
            assert workspace.retrieve(QUESTION).items
            return workspace.query(QUESTION)

    answer = asyncio.run(everything())
    assert str(answer) == '"Charles Babbage designed the Analytical Engine in London." [1]'


def test_several_threads_can_read_concurrently(kb: Workspace) -> None:
    def read(i: int) -> tuple[Answer, set[str]]:
        answer = kb.query(QUESTION, METHODS[1 + i % 4])
        return untimed_answer(answer), {fact.id for fact in kb.facts_of("Ada Lovelace")}

    alone = [read(i) for i in range(4)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(read, range(24))) == alone * 6


def test_concurrent_questions_in_one_loop(kb: Workspace) -> None:
    async def ask() -> list[Answer]:
        return await asyncio.gather(*(kb.aquery(QUESTION, method) for method in METHODS * 3))

    assert [untimed_answer(a) for a in asyncio.run(ask())] == [
        untimed_answer(kb.query(QUESTION, m)) for m in METHODS * 3
    ]


def test_any_question_has_an_answer(kb: Workspace) -> None:
    questions = ("", "  \n", "?", "\U0001f600", "谁发明了机器？", '"quoted" AND (x OR NEAR', "a" * 5_000)
    for question, method in product(questions, METHODS):
        answer = kb.query(question, method)
        assert (answer.question, answer.answered, answer.citations) == (question, False, ()), method


@pytest.mark.parametrize("method", METHODS)
def test_empty_workspace_gives_no_answer(tmp_path: Path, method: str) -> None:
    with Workspace(tmp_path / "kb", HASHING) as workspace:
        workspace.add([])
        assert not workspace.query(QUESTION, method).answered
        assert workspace.retrieve(QUESTION, method).items == ()


@pytest.mark.parametrize("method", ["chunks", "walk", "auto"])
def test_chinese_questions_find_chinese_documents(kb: Workspace, method: str) -> None:
    engine = "巴贝奇设计了《分析机》。巴贝奇在剑桥教数学。1871年，巴贝奇在伦敦去世。"
    wall = "《长城》是中国古代的军事工事。1987年，《长城》成为世界遗产。"
    kb.add([Document("memory:engine", "巴贝奇", engine), Document("memory:wall", "长城", wall)])
    assert kb.retrieve("巴贝奇设计了什么机器？", method).documents[0] == "memory:engine"
    assert kb.retrieve("长城是什么？", method).documents[0] == "memory:wall"
    assert [fact.text for fact in kb.facts_containing(["巴贝奇", "分析机"])] == ["巴贝奇设计了《分析机》。"]


def test_an_unknown_method_is_named(kb: Workspace) -> None:
    with pytest.raises(SettingsError, match="no method 'dance'"):
        kb.query(QUESTION, "dance")


def test_token_budget_is_respected(kb: Workspace) -> None:
    for method in METHODS:
        for budget in (0, 10, 25):
            assert kb.retrieve(QUESTION, method, budget).tokens <= budget


def test_invalid_characters_in_a_question_are_replaced(kb: Workspace) -> None:
    assert kb.query(f"{QUESTION} \ud800").answered
    with pytest.raises(NotFound, match="no entity matches"):
        kb.facts_of("\udcff")


# the workspace itself


def test_missing_workspace_is_reported_and_not_created(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path / "kb", HASHING)
    for use in (
        workspace.status,
        workspace.documents,
        lambda: workspace.query(QUESTION),
        lambda: workspace.delete("memory:ada"),
        lambda: workspace.facts_of("Ada Lovelace"),
    ):
        with pytest.raises(NotFound, match="there is no workspace"):
            use()
    assert not (tmp_path / "kb").exists()


def test_file_as_workspace_is_refused_and_unchanged(tmp_path: Path) -> None:
    file = tmp_path / "kb"
    file.write_text("mine")
    workspace = Workspace(file)
    with pytest.raises(NotFound, match=r"there is no workspace in .*a workspace is a folder"):
        workspace.status()
    assert file.read_text() == "mine"


def test_a_folder_that_names_no_user_is_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotFound, match="there is no workspace in ~nobody-of-this-name"):
        Workspace("~nobody-of-this-name/kb").status()


def test_reopened_workspace_is_unchanged(kb: Workspace) -> None:
    before = untimed_answer(kb.query(QUESTION)), kb.status().counts, kb.documents()
    kb.close()
    kb.close()
    with Workspace(kb.folder, HASHING) as again:
        assert (untimed_answer(again.query(QUESTION)), again.status().counts, again.documents()) == before
    assert untimed_answer(kb.query(QUESTION)) == before[0], "a closed workspace opens itself when it is used"


def test_two_workspace_objects_on_one_folder_see_each_others_writes(kb: Workspace) -> None:
    with Workspace(kb.folder, HASHING) as other:
        assert len(other.documents()) == 3
        kb.delete("Lord Byron")
        assert len(other.documents()) == 2
        other.add([LIBRARY[2]])
        assert {fact.text for fact in kb.facts_of("Don Juan")} == {"Lord Byron wrote Don Juan."}
