"""What is read again, by whom, and what is never paid for twice."""

import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from polyadic.config import ChunkingSettings, ExtractionSettings
from polyadic.extraction.factory import ExtractorName
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.model_server import Late, ModelServer, Replaced, Status, facts_by_sentence, ready
from tests.model_server.reading import numbered
from tests.support.with_a_model import SENTENCES, SMALL, evidence, export, story, workspace

LETTERS = [Document(f"memory:{n}", f"Letters {n}", story(n, 12)) for n in range(4)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(ready()) as running:
        yield running


def fresh(folder: Path, server: ModelServer, read: Iterable[tuple[Document, ExtractorName]]) -> str:
    """The canonical text of a new workspace where each document is read so."""
    with tempfile.TemporaryDirectory(dir=folder) as place, workspace(Path(place), server, chunking=SMALL) as kb:
        for document, extractor in read:
            kb.add([document], extractor=extractor)
        return export(kb)


def readers(kb: Workspace) -> dict[str, str]:
    """The first word of the name of what read each document."""
    return {record.source: record.extractor.split()[0].split("-")[0] for record in kb.documents()}


@pytest.mark.slow
def test_workspace_is_reextracted_in_place_and_back(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        for extractor, reader in (("sentences", "sentences"), ("model", "recorded"), ("sentences", "sentences")):
            report = kb.add(LETTERS, extractor=extractor)  # type: ignore[arg-type]
            assert report.added + report.changed == len(LETTERS)
            assert export(kb) == fresh(tmp_path, server, [(d, extractor) for d in LETTERS])  # type: ignore[misc]
            assert set(readers(kb).values()) == {reader}
            assert {e.extractor.split()[0].split("-")[0] for e in evidence(kb, "memory:0")} == {reader}
            calls = len(server.calls)
            plain = kb.add(LETTERS)
            assert (plain.unchanged, plain.outdated) == (4, 4 if reader == "sentences" else 0)
            assert len(server.calls) == calls
        calls = len(server.calls)
        assert kb.add(LETTERS, extractor="model").changed == 4
        assert len(server.calls) == calls  # every reply is cached


def test_one_document_is_reextracted_and_both_extractors_answer(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        kb.add(LETTERS, extractor="sentences")
        report = kb.add(LETTERS[1:2], extractor="model")
        assert (report.changed, report.unchanged) == (1, 0)
        mixed: list[tuple[Document, ExtractorName]] = [
            (d, "model" if d is LETTERS[1] else "sentences") for d in LETTERS
        ]
        assert export(kb) == fresh(tmp_path, server, mixed)
        assert export(kb) == fresh(tmp_path, server, mixed[::-1])
        assert sorted(readers(kb).values()) == ["recorded", "sentences", "sentences", "sentences"]
        assert sorted(kb.status().extractors.values()) == [1, 3]
        plain = kb.add(LETTERS)
        assert (plain.unchanged, plain.outdated) == (4, 3)
        for n, reader in ((1, "recorded"), (2, "sentences")):
            found = kb.retrieve(f"Who sent letter {n}002?", "walk")
            best = next(fact for fact in found.facts if f"letter {n}002" in fact.text)
            assert [place.extractor.split()[0].split("-")[0] for place in best.places] == [reader]
        kb.add(LETTERS[1:2], extractor="sentences")
        assert export(kb) == fresh(tmp_path, server, [(d, "sentences") for d in LETTERS])


def test_changed_prompt_applies_to_new_documents_until_reextraction(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        kb.add(LETTERS[:2])
    with workspace(tmp_path / "kb", server, ExtractionSettings(domain="letters"), SMALL) as kb:
        report = kb.add(LETTERS[:3])
        assert (report.added, report.unchanged, report.outdated) == (1, 2, 2)
        assert len(kb.status().extractors) == 2
        kb.add(LETTERS[:3], extractor="model")
        assert len(kb.status().extractors) == 1


def test_failed_reextraction_keeps_old_facts(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        kb.add(LETTERS, extractor="sentences")
        before = export(kb)
        for fault in (Replaced("No idea."), Status(401)):
            server.misbehave(fault, times=None)
            report = kb.add(LETTERS[:2], extractor="model")
            assert report.failed or report.stopped
            assert export(kb) == before
            server.reset()
        server.misbehave(Replaced("No idea."), times=None, when=lambda asked: "letter 5 " in asked.text)
        report = kb.add(LETTERS[:2], extractor="model")
        assert (report.changed, len(report.failed)) == (2, 1)
        server.reset()
        assert not kb.add(LETTERS[:2], extractor="model").failed
        assert len(server.calls) == 1
        read: list[tuple[Document, ExtractorName]] = [(d, "model") for d in LETTERS[:2]]
        assert export(kb) == fresh(tmp_path, server, [*read, *((d, "sentences") for d in LETTERS[2:])])


# nothing is paid for twice


def test_equal_text_costs_nothing(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, server, chunking=SMALL) as kb:
        kb.add(LETTERS)
        calls = len(server.calls)
        report = kb.add([Document("memory:copy", LETTERS[0].title, LETTERS[0].text)])
        assert (report.added, report.usage.calls, len(server.calls)) == (1, 0, calls)
        assert len(evidence(kb, "memory:copy")) == len(evidence(kb, "memory:0")) > 0


def test_restored_document_costs_nothing(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, server, chunking=SMALL) as kb:
        kb.add(LETTERS)
        before, calls = export(kb), len(server.calls)
        kb.delete("memory:2")
        assert export(kb) != before
        kb.add(LETTERS)
        assert export(kb) == before
        assert len(server.calls) == calls


@pytest.mark.slow
def test_edit_costs_only_changed_chunks(tmp_path: Path, server: ModelServer) -> None:
    file = tmp_path / "letters.txt"
    file.write_text(story(0, 820))
    chunking = ChunkingSettings(tokens=50, overlap=20, window_tokens=0)
    with workspace(tmp_path / "kb", server, chunking=chunking) as kb:
        report = kb.index([file])
        assert report.chunks >= 190
        server.reset()
        file.write_text("Mira Falk found these letters in an attic in Osk in 1962.\n\n" + file.read_text())
        assert kb.index([file]).changed == 1
        assert 1 <= len(server.calls) <= 3
        edited = export(kb)
        kb.delete(str(file))
        kb.index([file])
        assert export(kb) == edited


# only the documents present matter

texts = st.lists(st.sampled_from(SENTENCES), min_size=1, max_size=8).map(" ".join)
documents = st.builds(
    lambda name, title, text: Document(f"/docs/{name}", title, text),
    st.sampled_from("abcdef"),
    st.sampled_from(["", "Ada Lovelace", "Engines"]),
    texts,
)
corpora = st.lists(documents, max_size=4, unique_by=lambda document: document.source)


@pytest.fixture(scope="module")
def unpunctual() -> Iterator[ModelServer]:
    """A server of which some calls take longer than others."""
    with ModelServer([facts_by_sentence()]) as running:
        for first, seconds in enumerate((0.0, 0.012, 0.003, 0.02, 0.007)):
            running.misbehave(Late(seconds), on=range(first, 100_000, 5))
        yield running


@pytest.mark.slow
@given(corpora, corpora, corpora)
@hypothesis_settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_facts_depend_only_on_present_documents(
    unpunctual: ModelServer, a: list[Document], b: list[Document], c: list[Document]
) -> None:
    """index(A ∪ B) = index(B) then index(A) = index(A ∪ B ∪ C) then delete(C), whatever the order of the replies."""
    present = {document.source: document for document in [*b, *a]}
    extra = [document for document in c if document.source not in present]
    together = [*present.values()]
    with tempfile.TemporaryDirectory() as folder:
        histories: dict[str, Sequence[Sequence[Document]]] = {
            "together": [together],
            "in turn": [b, a],
            "and back": [[*together, *extra]],
        }
        exports = []
        for name, history in histories.items():
            with workspace(Path(folder) / name, unpunctual, chunking=SMALL) as kb:
                for batch in history:
                    kb.add(batch)
                if name == "and back":
                    for document in extra:
                        kb.delete(document.source)
                exports.append(export(kb))
        assert exports[0] == exports[1] == exports[2]


def test_reply_order_does_not_matter(tmp_path: Path, unpunctual: ModelServer) -> None:
    exports = []
    for at_once in (1, 16):
        with workspace(tmp_path / str(at_once), unpunctual, chunking=SMALL, at_once=at_once) as kb:
            kb.add(LETTERS)
            exports.append(export(kb))
    assert exports[0] == exports[1]


def test_sentences_are_sent_as_they_are_numbered(tmp_path: Path, server: ModelServer) -> None:
    with workspace(tmp_path, server) as kb:
        kb.add([Document("memory:a", "", " ".join(SENTENCES))])
    assert numbered(server.asked[0].last_user_text) == [*enumerate(SENTENCES, 1)]


def test_cached_replies_are_deleted_only_on_request(tmp_path: Path) -> None:
    document = Document("memory:letters", "Letters", story(0, 4))
    with ModelServer(ready()) as server, workspace(tmp_path, server) as kb:
        kb.add([document])
        paid = len(server.calls)
        kb.delete(document.source)
        kb.add([document])
        assert len(server.calls) == paid
        kb.delete(document.source, forget_replies=True)
        kb.close()
        left = b"".join(file.read_bytes() for file in tmp_path.rglob("store.sqlite*"))
        assert b"Mira Falk" not in left
        kb.add([document])
        assert len(server.calls) == 2 * paid
