"""A question may be asked of some documents only: then nothing of the others is heard, whichever way it might come."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from polyadic.concurrency.async_to_sync import run_coroutine
from polyadic.config import METHODS, Settings
from polyadic.errors import NotFound
from polyadic.model.hierarchy import Cluster, Community, Rearrangement, Report, ReportFinding, Summary
from polyadic.model.types import Document, Filter, Knowledge
from polyadic.storage.protocol import Reader
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer, ready
from tests.model_server.facts import EntityRow, FactRow
from tests.support.with_a_model import HASHING, replies, workspace

# No number that a score or a time could hold by chance.
HIDDEN_CODE = "q7741x"
PUBLIC = Document(
    "memory:public",
    "Harbour",
    "Mira Falk keeps the Blue Door in Lund. Jonas Brandt met Mira Falk at the Harbour in Lund.",
    {"level": "open", "year": "1900"},
)
HIDDEN = Document(
    "memory:hidden",
    "Blue Door",
    f"Mira Falk opens the Blue Door with the code {HIDDEN_CODE}. Jonas Brandt met Mira Falk at the Harbour in Lund.",
    {"level": "secret", "year": "1900"},
)
OTHER = Document("memory:other", "Lund", "Jonas Brandt was born in Lund in 1850.", {"level": "open", "year": "1850"})
CORPUS = (PUBLIC, HIDDEN, OTHER)
MILL = Document("memory:mill", "Mill", "Anders Holm built the Mill at Ketch.", {"level": "open", "year": "1870"})
WITH_HIERARCHY = ("hierarchy", "local", "global", "bridge", "graphrag")
QUESTION = "With which code does Mira Falk open the Blue Door in Lund?"


def by_document(asked: Asked) -> list[FactRow]:
    """Facts of the passage that is shown; entities are described by what it says."""
    shown = asked.messages[-1].text
    hidden = HIDDEN_CODE in shown
    about = f"opens it with {HIDDEN_CODE}" if hidden else "keeps it"

    def fact(text: str, *names: str) -> FactRow:
        entities = [
            EntityRow(
                name=name, type=f"type {HIDDEN_CODE}" if hidden else "thing", description=f"{name}: {about}", score=90
            )
            for name in names
        ]
        return FactRow(text=text, score=9, sentences=[1], entities=entities)

    met = fact("Jonas Brandt met Mira Falk at the Harbour in Lund.", "Jonas Brandt", "Mira Falk", "Harbour", "Lund")
    if hidden:
        return [
            fact(f"Mira Falk opens the Blue Door with the code {HIDDEN_CODE}.", "Mira Falk", "Blue Door", HIDDEN_CODE),
            met,
        ]
    if "Anders" in shown:
        return [fact("Anders Holm built the Mill at Ketch.", "Anders Holm", "Mill", "Ketch")]
    if "1850" in shown:
        return [fact("Jonas Brandt was born in Lund in 1850.", "Jonas Brandt", "Lund", "1850")]
    return [fact("Mira Falk keeps the Blue Door in Lund.", "Mira Falk", "Blue Door", "Lund"), met]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer([replies(by_document), *ready()]) as running:
        yield running


@pytest.fixture(scope="module")
def kb(server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    with workspace(tmp_path_factory.mktemp("filters") / "kb", server) as made:
        made.add(CORPUS)
        yield made


@pytest.mark.parametrize("method", METHODS)
def test_secret_appears_only_if_its_document_is_selected(kb: Workspace, method: str) -> None:
    for only in (Filter((PUBLIC.source, OTHER.source)), Filter(where={"level": "open"})):
        found = kb.retrieve(QUESTION, method, only=only)
        assert HIDDEN_CODE not in repr(found).replace(QUESTION, "")
        assert HIDDEN.source not in repr(found)
    everything = repr(kb.retrieve(QUESTION, method))
    assert method.startswith("none") or not kb.retrieve(QUESTION, method).items or HIDDEN_CODE in everything


@pytest.fixture(scope="module")
def with_hierarchy(server: ModelServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workspace]:
    """A workspace with a hierarchy: a summary and a report of the secret, and ones of what anyone may hear."""
    with workspace(tmp_path_factory.mktemp("hierarchy") / "kb", server) as made:
        made.add((*CORPUS, MILL))
        with made.store().read() as reader:
            nodes = [
                node_of(reader, HIDDEN_CODE, f"Secrets {HIDDEN_CODE}"),
                node_of(reader, "Anders", "Mills of Ketch"),
            ]
        clusters, communities = [cluster for cluster, _ in nodes], [community for _, community in nodes]
        with made.store().write() as writer:
            writer.update_hierarchy(Rearrangement(clusters, communities, (), (0.5,), 8, 0))
            while missing := writer.attach():
                writer.put_vectors(missing, run_coroutine(made.embedder.embed(missing)))
        yield made


def node_of(reader: Reader, word: str, name: str) -> tuple[Cluster, Community]:
    """A cluster and a community of the entities of the fact that holds a word, with that word in all that they say."""
    fact = next(one for one in reader.facts(np.arange(reader.size("fact"))) if word in one.text)
    rows = reader.links("fact_entities", np.array([reader.rows("fact", fact.id, 1)[0]])).targets
    members = tuple(sorted(entity.id for entity in reader.entities(rows)))
    cluster = Cluster(0, members, members, (fact.id, *members))
    summary = Summary(cluster.id, 1, name, f"type {word}", f"About {word}.", members, "a model")
    finding = ReportFinding(f"It is found: {fact.text}", (fact.id,))
    report = Report(f"Report on {name}", f"It speaks of {word}.", 5.0, (finding,), "a model")
    held = tuple(sorted((*members, summary.id)))
    community = Community(0, held, "", "basis", (fact.id, summary.id), report, 20)
    return replace(cluster, summaries=(summary,)), community


@pytest.mark.parametrize("method", WITH_HIERARCHY)
def test_hierarchy_parts_need_all_their_documents_selected(with_hierarchy: Workspace, method: str) -> None:
    question = "Who built the Mill at Ketch, and with which code does Mira Falk open the Blue Door?"
    everything = with_hierarchy.retrieve(question, method)
    assert f"Secrets {HIDDEN_CODE}" in repr(everything) and "Mills of Ketch" in repr(everything)
    for only in (Filter((PUBLIC.source, OTHER.source, MILL.source)), Filter(where={"level": "open"})):
        found = with_hierarchy.retrieve(question, method, only=only)
        assert HIDDEN_CODE not in repr(found) and HIDDEN.source not in repr(found)
        assert "Mills of Ketch" in repr(found)
        assert not found.note
    without = with_hierarchy.retrieve(question, method, only=Filter((PUBLIC.source, OTHER.source)))
    assert "Mills of Ketch" not in repr(without) and HIDDEN_CODE not in repr(without)


def test_entities_and_names_do_not_reveal_hidden_documents(kb: Workspace) -> None:
    with kb.store().read(lambda _: frozenset({PUBLIC.id, OTHER.id})) as reader:
        rows = reader.nearest("entity", run_coroutine(kb.embedder.embed([QUESTION]))[0], 100).rows
        assert len(rows) == reader.size("entity") > 0
        assert HIDDEN_CODE not in repr(reader.entities(rows))
        assert not reader.named([HIDDEN_CODE])


def test_model_prompts_contain_nothing_of_hidden_documents(kb: Workspace, server: ModelServer) -> None:
    before = len(server.chat.asked)
    answer = kb.query(QUESTION, only=Filter(where={"level": "open"}))
    assert HIDDEN_CODE not in repr(answer)
    assert len(server.chat.asked) > before
    assert all(HIDDEN_CODE not in repr(asked) for asked in server.chat.asked[before:])


@pytest.fixture(scope="module", params=[(PUBLIC, OTHER), (HIDDEN,), (PUBLIC, HIDDEN)], ids=["open", "hidden", "two"])
def alone(
    request: pytest.FixtureRequest, server: ModelServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Workspace, Filter]]:
    """A workspace of some documents only, and the filter that lets the same ones be heard."""
    kept: tuple[Document, ...] = request.param
    with workspace(tmp_path_factory.mktemp("alone") / "kb", server) as made:
        made.add(kept)
        yield made, Filter(tuple(document.source for document in kept))


@pytest.mark.parametrize("method", METHODS)
def test_filtered_answers_equal_a_separate_workspace(
    kb: Workspace, alone: tuple[Workspace, Filter], method: str
) -> None:
    other, only = alone
    for question in (QUESTION, "Where was Jonas Brandt born?"):
        assert comparable(kb.retrieve(question, method, only=only)) == comparable(other.retrieve(question, method))


def comparable(found: Knowledge) -> list[tuple[object, ...]]:
    """What was found, and how it is ordered as far as that is told by more than the last digits of a product."""
    items = [
        (item.kind, round(item.score, 3), item.id, item.text, item.why, item.tokens, item.places, item.entities)
        for item in found.items
    ]
    return [*sorted(items, key=repr), *(item[:2] for item in items)]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files, and a workspace of them in the folder ``kb``."""
    folder = tmp_path_factory.mktemp("files")
    for name, text in {
        "law/one.md": "# Ada Lovelace\n\nAda Lovelace met Charles Babbage in London.",
        "law/two.md": "# Charles Babbage\n\nCharles Babbage designed the Analytical Engine.",
        "lawyers/three.md": "# Luigi Menabrea\n\nLuigi Menabrea described the Analytical Engine in Turin.",
        "rows.jsonl": json.dumps({"text": "Mary Somerville taught Ada Lovelace.", "title": "Mary", "year": "1834"}),
    }.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with Workspace(folder / "kb", Settings(embedding=HASHING)) as kb:
        kb.index([folder / "law", folder / "lawyers", folder / "rows.jsonl"])
    return folder


@pytest.mark.parametrize(
    ("sources", "where", "heard"),
    [
        (["law"], {}, {"one.md", "two.md"}),
        (["law/"], {}, {"one.md", "two.md"}),
        (["law/one.md"], {}, {"one.md"}),
        (["law/one.md", "lawyers"], {}, {"one.md", "three.md"}),
        (["rows.jsonl"], {}, {"rows.jsonl#1"}),
        (["Luigi Menabrea"], {}, {"three.md"}),
        ([], {"year": "1834"}, {"rows.jsonl#1"}),
        (["."], {"year": "1834"}, {"rows.jsonl#1"}),
    ],
)
def test_filters_select_documents(
    files: Path, monkeypatch: pytest.MonkeyPatch, sources: list[str], where: dict[str, str], heard: set[str]
) -> None:
    monkeypatch.chdir(files)
    with Workspace(files / "kb", Settings(embedding=HASHING)) as kb:
        found = kb.retrieve(
            "Who met whom, and who designed, described and taught?", "chunks", only=Filter((*sources,), where)
        )
        assert {Path(source).name for source in found.documents} == heard


@pytest.mark.parametrize(
    ("only", "said"),
    [
        (Filter(("nowhere.md",)), "no document matches 'nowhere.md'"),
        (Filter((" ",)), "a document name is empty"),
        (Filter(where={"level": "top"}), "no document has the metadata level=top"),
        (Filter((HIDDEN.source,), {"level": "open"}), "no document from memory:hidden has the metadata level=open"),
    ],
)
def test_filter_without_a_match_is_reported(kb: Workspace, only: Filter, said: str) -> None:
    with pytest.raises(NotFound) as refused:
        kb.query(QUESTION, only=only)
    assert said in str(refused.value)


def test_filter_follows_document_changes(tmp_path: Path) -> None:
    """What is added or withdrawn between two questions is heard, or no longer is, by the second."""
    only = Filter(where={"level": "open"})
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as kb:
        kb.add([PUBLIC, HIDDEN])
        assert kb.retrieve("Where was Jonas Brandt born?", only=only).documents == (PUBLIC.source,)
        kb.add([OTHER])
        assert set(kb.retrieve("Where was Jonas Brandt born?", only=only).documents) == {PUBLIC.source, OTHER.source}
        kb.delete(OTHER.source)
        assert kb.retrieve("Where was Jonas Brandt born?", only=only).documents == (PUBLIC.source,)


def test_unique_file_name_selects_its_document(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "notes.md").write_text(f"Mira Falk met Jonas Brandt in Lund, says {folder}.")
    (tmp_path / "a" / "mill.md").write_text("Anders Holm built the Mill at Ketch.")
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as kb:
        kb.index([tmp_path / "a", tmp_path / "b"])
        found = kb.retrieve("Who built the Mill?", only=Filter(("mill.md",)))
        assert {Path(place.source).name for item in found.items for place in item.places} == {"mill.md"}
        with pytest.raises(NotFound):
            kb.retrieve("Who met Jonas Brandt?", only=Filter(("notes.md",)))
