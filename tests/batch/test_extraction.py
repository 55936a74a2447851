"""Indexing by batch files gives what indexing by calls gives, whatever comes back, and pays for nothing twice."""

import json
import random
from pathlib import Path

import pytest

from polyadic.config import ChunkingSettings, ExtractionSettings
from polyadic.model.types import Usage
from polyadic.storage.pending_requests import PendingCounts
from polyadic.workspace import Workspace
from tests.model_server import CutText, ModelServer, NullContent, Refusal, Replaced, Status, says
from tests.model_server.batches import answer_batch, expired, failed
from tests.support.batches import bodies_of, lines_of, put_lines, round_trip, until_done
from tests.support.with_a_model import SMALL, by_look_of, export, story, workspace

NOTHING = PendingCounts(0, 0, 0)


def directly(folder: Path, server: ModelServer, letters: Path, extraction: ExtractionSettings | None = None) -> str:
    """What a workspace knows whose model is asked by calls; the server forgets these."""
    with workspace(folder, server, extraction, SMALL) as kb:
        kb.index([letters])
        known = export(kb)
    server.reset()
    return known


def spent(kb: Workspace) -> Usage:
    return kb.status().spent


def calls_about(kb: Workspace, document_id: str) -> int:
    with kb._existing_store.read() as reader:
        return sum(usage.calls for usage, _ in reader.records.spent_on(document_id).values())


def test_written_requests_equal_those_sent_online(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with workspace(tmp_path / "direct", server, chunking=SMALL) as kb:
        kb.index([letters])
    asked = sorted(json.dumps(one.body, sort_keys=True) for one in server.asked)
    server.reset()
    with workspace(tmp_path / "kb", server, chunking=SMALL, key_variable="KEY_THAT_NOBODY_SET") as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        assert kb.documents() == []
    assert bodies_of(written.files) == asked and server.asked == []
    assert written.requests == len(asked) and written.bytes == (tmp_path / "ask.jsonl").stat().st_size
    assert written.missing == PendingCounts(len(asked), 3, 0)


def test_partial_unordered_responses_with_errors_end_like_a_direct_run(
    tmp_path: Path, server: ModelServer, letters: Path
) -> None:
    expected = directly(tmp_path / "direct", server, letters)
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        answers = answer_batch(server, *kb.batch.write(tmp_path / "ask.jsonl", [letters]).files)
        random.Random(1).shuffle(answers)
        half = len(answers) // 2
        lost, broken = expired(answers[half]), failed(answers[half + 1], 503, "Busy.")
        first = kb.batch.read([put_lines(tmp_path / "1.jsonl", [*answers[:half], lost, "{", broken])])
        assert (first.accepted, first.refused, len(first.unreadable)) == (half, 2, 1)
        assert first.unreadable[0].number == half + 2
        assert {failure.reason for failure in first.failed} == {
            "batch_expired: This request could not be executed before the window expired.",
            "the provider answers 503 (Busy.)",
        }
        assert all(failure.source.startswith(str(letters)) for failure in first.failed)
        assert first.missing.requests == len(answers) - half
        again = kb.batch.write(tmp_path / "again.jsonl")
        assert {json.loads(line)["custom_id"] for line in lines_of(again.files)} == {
            json.loads(line)["custom_id"] for line in answers[half:]
        }
        last = round_trip(kb, server, again, tmp_path / "2.jsonl")
        assert last.missing == NOTHING and kb.batch.missing() == NOTHING
        assert export(kb) == expected
        assert spent(kb).calls == len(answers) and spent(kb) == first.usage + last.usage
        assert kb.batch.write(tmp_path / "none.jsonl", [letters]).files == []
        assert sum(calls_about(kb, record.id) for record in kb.documents()) == len(answers)


def test_reading_a_file_twice_changes_nothing(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    server.misbehave(Refusal(), on=[2])
    server.misbehave(NullContent(), on=[3])
    server.misbehave(Replaced("I would rather not."), on=[4])
    with workspace(tmp_path / "kb", server, chunking=SMALL, prompt_price=1.0, completion_price=2.0) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        first = round_trip(kb, server, written, tmp_path / "answers.jsonl")
        known, paid = export(kb), spent(kb)
        assert (first.accepted, first.refused, first.missing.requests) == (written.requests - 3, 3, 3)
        # What was of no use was paid for all the same.
        assert first.usage == paid and paid.calls == written.requests and paid.tokens == tokens_of(server)
        for _ in range(2):
            again = kb.batch.read([tmp_path / "answers.jsonl"])
            assert (again.accepted, again.duplicates, again.refused) == (0, written.requests - 3, 3)
            assert again.usage == Usage() and spent(kb) == paid and export(kb) == known
        assert [failure.reason for failure in again.failed] == [failure.reason for failure in first.failed]


def tokens_of(server: ModelServer) -> int:
    return server.prompt_tokens + server.completion_tokens


@pytest.mark.parametrize(("discount", "share"), [(0.0, 1.0), (0.5, 0.5)])
def test_cost_uses_prices_of_the_settings(
    tmp_path: Path, server: ModelServer, letters: Path, discount: float, share: float
) -> None:
    with workspace(tmp_path / "kb", server, prompt_price=1.0, completion_price=2.0, batch_discount=discount) as kb:
        report = round_trip(kb, server, kb.batch.write(tmp_path / "ask.jsonl", [letters]), tmp_path / "answers.jsonl")
    price = (server.prompt_tokens + 2 * server.completion_tokens) / 1e6
    assert report.usage.money == pytest.approx(share * price)


@pytest.mark.parametrize("extraction", [ExtractionSettings(gleanings=2), ExtractionSettings()])
def test_gleanings_are_written_to_the_next_file(tmp_path: Path, letters: Path, extraction: ExtractionSettings) -> None:
    with by_look_of(1) as server:
        expected = directly(tmp_path / "direct", server, letters, extraction)
        with workspace(tmp_path / "kb", server, extraction, SMALL) as kb:
            kb.batch.write(tmp_path / "first.jsonl", [letters])
            assert until_done(kb, server, tmp_path) == (2 if extraction.gleanings else 1)
            assert export(kb) == expected


@pytest.mark.slow
def test_halves_of_a_truncated_reply_are_requested_in_one_file(
    tmp_path: Path, server: ModelServer, letters: Path
) -> None:
    with workspace(tmp_path / "direct", server, output_tokens=700) as kb:
        kb.index([letters])
        expected = export(kb)
    with workspace(tmp_path / "kb", server, output_tokens=700) as kb:
        first = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        assert round_trip(kb, server, first, tmp_path / "answers.jsonl").missing == PendingCounts(6, 3, 0)
        assert until_done(kb, server, tmp_path) >= 1
        assert export(kb) == expected


def test_reply_truncated_before_its_first_fact_is_not_requested_forever(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("Ada Lovelace met Charles Babbage in London.")
    with ModelServer([says('{"facts": [{"text": "Ada')]) as server:
        server.misbehave(CutText(), times=None)
        with workspace(tmp_path / "kb", server, json_mode="text") as kb:
            kb.batch.write(tmp_path / "first.jsonl", [tmp_path / "one.txt"])
            assert until_done(kb, server, tmp_path) == 1
            (failure,) = kb.status().failures
    assert "reached output_tokens" in failure.reason


def test_equal_text_in_two_documents_is_requested_once(tmp_path: Path, server: ModelServer) -> None:
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(story(1, 8))
    with workspace(tmp_path / "kb", server) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [tmp_path / "a.txt", tmp_path / "b.txt"])
        assert written.requests == 1 and written.missing == PendingCounts(1, 2, 0)
        assert round_trip(kb, server, written, tmp_path / "answers.jsonl").index.added == 2
        assert spent(kb).calls == 1


def test_documents_with_known_replies_are_published_immediately(
    tmp_path: Path, server: ModelServer, letters: Path
) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters / "0.txt"])
        kb.delete(str(letters / "0.txt"))
        server.reset()
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        assert (written.index.added, written.requests, written.missing.documents) == (1, 2, 2)
        assert [record.source for record in kb.documents()] == [str(letters / "0.txt")] and server.asked == []


def test_changed_document_keeps_old_facts_until_replies_arrive(
    tmp_path: Path, server: ModelServer, letters: Path
) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        before = export(kb)
        (letters / "1.txt").write_text(story(9, 8))
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        assert written.requests == 1 and export(kb) == before
        report = round_trip(kb, server, written, tmp_path / "answers.jsonl")
        assert report.index.changed == 1 and "letter 9003 " in export(kb)


# what waits, and until when


def test_pending_requests_survive_other_runs(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    (tmp_path / "other.txt").write_text(story(7, 8))
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        assert kb.index([tmp_path / "other.txt"]).added == 1
        assert kb.batch.missing() == written.missing
        assert round_trip(kb, server, written, tmp_path / "answers.jsonl").index.added == 3


def test_direct_run_takes_over_pending_requests(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    expected = directly(tmp_path / "direct", server, letters)
    with workspace(tmp_path / "kb", server, chunking=SMALL) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        answers = answer_batch(server, *written.files)
        kb.batch.read([put_lines(tmp_path / "half.jsonl", answers[::2])])
        server.reset()
        kb.index([letters])
        assert len(server.calls) == len(answers[1::2])
        assert kb.batch.missing() == NOTHING and export(kb) == expected


def test_deleted_or_reverted_documents_have_no_pending_requests(
    tmp_path: Path, server: ModelServer, letters: Path
) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        texts = [(letters / f"{part}.txt").read_text() for part in range(3)]
        for part in range(3):
            (letters / f"{part}.txt").write_text(story(part + 10, 8))
        answers = answer_batch(server, *kb.batch.write(tmp_path / "ask.jsonl", [letters]).files)
        kb.delete(str(letters / "0.txt"))
        (letters / "1.txt").write_text(texts[1])
        kb.index([letters / "1.txt"])
        assert kb.batch.missing() == PendingCounts(1, 1, 0)
        report = kb.batch.read([put_lines(tmp_path / "answers.jsonl", answers)])
        assert (report.accepted, report.unknown_requests) == (1, 2)
        assert sorted(Path(record.source).name for record in kb.documents()) == ["1.txt", "2.txt"]
        known = export(kb)
    assert "letter 12003 " in known and "letter 11003 " not in known and "letter 10003 " not in known


def test_changed_document_is_requested_with_its_new_text(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.batch.write(tmp_path / "ask.jsonl", [letters])
        (letters / "1.txt").write_text(story(9, 8))
        written = kb.batch.write(tmp_path / "again.jsonl", [letters])
        assert written.missing == PendingCounts(3, 3, 0)
        assert sum("letter 9003 " in line for line in lines_of(written.files)) == 1
        assert not any("letter 1003 " in line for line in lines_of(written.files))


def test_forget_discards_pending_requests_only(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters / "0.txt"])
        before = export(kb)
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        assert kb.batch.forget() == PendingCounts(2, 2, 0)
        report = round_trip(kb, server, written, tmp_path / "answers.jsonl")
        assert (report.accepted, report.unknown_requests) == (0, 2) and spent(kb).calls == 1
        assert export(kb) == before
        with kb._existing_store.write() as writer:
            assert writer.waiting.documents() == []


@pytest.mark.parametrize("reextract", [False, True])
def test_documents_of_another_extractor_are_requested_only_with_reextract(
    tmp_path: Path, server: ModelServer, letters: Path, reextract: bool
) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters], extractor="sentences")
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters], reextract=reextract)
        assert written.requests == (3 if reextract else 0)
        # A direct run that is not told to read it again neither pays for that, nor gives up what is awaited.
        kb.index([letters])
        assert server.asked == [] and kb.batch.missing().documents == (3 if reextract else 0)
        if reextract:
            assert round_trip(kb, server, written, tmp_path / "answers.jsonl").index.changed == 3
            assert {record.extractor.split()[0] for record in kb.documents()} == {"recorded"}


def test_changed_settings_request_replies_again(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
    other = ChunkingSettings(window_tokens=60, window_overlap=0, tokens=50)
    with workspace(tmp_path / "kb", server, chunking=other) as kb:
        report = round_trip(kb, server, written, tmp_path / "answers.jsonl")
        assert report.accepted == 3 and report.index.added == 0 and report.missing.documents == 3
        until_done(kb, server, tmp_path)
        known = export(kb)
    with workspace(tmp_path / "direct", server, chunking=other) as kb:
        kb.index([letters])
        assert export(kb) == known


# what an endpoint refuses


def test_refused_parameter_is_not_sent_again(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    server.refuses = ("max_tokens", "temperature")
    server.json_modes = ("json_object",)
    with workspace(tmp_path / "kb", server) as kb:
        kb.batch.write(tmp_path / "first.jsonl", [letters])
        # The endpoint names one parameter at a time.
        assert until_done(kb, server, tmp_path) == 4
        assert len(kb.documents()) == 3
        written = kb.batch.write(tmp_path / "next.jsonl", [letters], reextract=True)
        assert written.files == []
        adapted = json.loads(lines_of([tmp_path / "asked-4.jsonl"])[0])["body"]
        assert "max_completion_tokens" in adapted and "temperature" not in adapted
        for number in (1, 2, 3):
            assert not kb.batch.read([tmp_path / f"answers-{number}.jsonl"]).adapted


def test_context_length_error_does_not_change_parameters(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    said = "max_tokens is too large: 8000. This model supports at most 4096 completion tokens."
    server.misbehave(Status(400, message=said), times=None)
    with workspace(tmp_path / "kb", server) as kb:
        written = kb.batch.write(tmp_path / "ask.jsonl", [letters])
        report = round_trip(kb, server, written, tmp_path / "answers.jsonl")
        assert report.refused == 3 and not report.adapted
        assert bodies_of(kb.batch.write(tmp_path / "again.jsonl").files) == bodies_of(written.files)
