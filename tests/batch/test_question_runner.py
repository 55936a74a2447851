"""Questions answered by batch files are answered as questions that are asked, with the same citations."""

import json
from pathlib import Path
from typing import Any

import pytest

from polyadic.config import (
    AnswerSettings,
    HypergraphSettings,
    ModelSettings,
    RerankerSettings,
    RoleModelSettings,
    Settings,
)
from polyadic.errors import PolyadicError, SettingsError
from polyadic.model.types import Usage
from polyadic.storage.pending_requests import PendingCounts
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer, Replaced, checks_claims, supported_by_sentences
from tests.model_server.batches import answer_batch, expired
from tests.support.batches import lines_of, put_lines, round_trip
from tests.support.with_a_model import HASHING, settings, story, workspace

QUESTIONS = ("Where did Mira Falk send letter 5 from?", "Who wrote to Ilse Orth?", "Which letters came from Ghent?")
NOTHING = PendingCounts(0, 0, 0)


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    rows = [json.dumps({"id": f"q{number}", "question": text}) for number, text in enumerate(QUESTIONS)]
    return put_lines(tmp_path / "questions.jsonl", rows)


def rows_of(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines_of([file])]


@pytest.mark.parametrize("method", ["walk", "chunks", "hypergraph", "none"])
def test_batch_answers_equal_online_answers(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path, method: str
) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        written = kb.batch.write(tmp_path / "ask.jsonl", questions=questions, method=method, context_tokens=700)
        assert written.missing == PendingCounts(3, 0, 3)
        report = round_trip(kb, server, written, tmp_path / "answers.jsonl", lambda lines: lines[::-1])
        assert report.missing == NOTHING
        assert [given.id for given in report.answers] == ["q0", "q1", "q2"]
        for question, given in zip(QUESTIONS, report.answers, strict=True):
            asked = kb.query(question, method, 700)
            assert (given.question, given.text, given.answered) == (question, asked.text, asked.answered)
            assert (given.method, given.note, given.usage) == (asked.method, asked.note, asked.usage)
            places = [citation.place for citation in asked.citations]
            assert [(c.source, c.page, c.start, c.end, c.quote) for c in given.citations] == [
                (place.source, place.page, place.span.start, place.span.end, place.quote) for place in places
            ]
            for cited in given.citations:
                assert Path(cited.source).read_text()[cited.start : cited.end] == cited.quote
        assert kb.batch.read([tmp_path / "answers.jsonl"]).answers == []


def test_requests_go_to_the_url_of_their_role(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path
) -> None:
    azure, used = {"azure_api_version": "2024-10-21"}, settings(server)
    for of_extraction, of_answers in ((azure, {}), ({}, azure)):
        folder = tmp_path / ("extraction" if of_extraction else "answers")
        roles = {"extraction": of_extraction, "answers": of_answers}
        model = ModelSettings.model_validate(used.model.model_dump() | roles)
        with Workspace(folder / "kb", used.model_copy(update={"model": model})) as kb:
            kb.index([letters / "0.txt"], extractor="sentences")
            written = kb.batch.write(
                folder / "ask.jsonl", [letters / "1.txt"], questions=questions, method="chunks", context_tokens=700
            )
        urls = [{row["url"] for row in rows_of(file)} for file in written.files]
        with_azure, without = {"/chat/completions"}, {"/v1/chat/completions"}
        assert urls == ([with_azure, without] if of_extraction else [without, with_azure])


def test_passages_are_reranked_for_batch_questions(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path
) -> None:
    reranker = RerankerSettings(model="endpoint", name="ranker", base_url=server.url, retries=0)
    with Workspace(tmp_path / "kb", settings(server).model_copy(update={"reranker": reranker})) as kb:
        kb.index([letters])
        written = kb.batch.write(tmp_path / "ask.jsonl", questions=questions, method="chunks", context_tokens=700)
        assert {call.asked.body["query"] for call in server.rankings.calls} == set(QUESTIONS)
        report = round_trip(kb, server, written, tmp_path / "answers.jsonl", lambda lines: lines)
        assert [given.text for given in report.answers] == [kb.query(q, "chunks", 700).text for q in QUESTIONS]


def test_answers_arrive_in_parts(tmp_path: Path, server: ModelServer, letters: Path, questions: Path) -> None:
    output = tmp_path / "given.jsonl"
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        before = kb.status().spent
        written = kb.batch.write(tmp_path / "ask.jsonl", questions=questions, method="walk")
        answers = answer_batch(server, *written.files)
        first = kb.batch.read([put_lines(tmp_path / "1.jsonl", [expired(answers[0]), answers[2]])], output)
        assert [given.id for given in first.answers] == ["q2"] and first.missing == PendingCounts(2, 0, 2)
        (failure,) = first.failed_questions
        assert failure.id == "q0" and failure.reason.startswith("batch_expired")
        again = kb.batch.write(tmp_path / "again.jsonl")
        assert lines_of(again.files) == lines_of(written.files)[:2]
        last = kb.batch.read([put_lines(tmp_path / "2.jsonl", answers)], output)
        assert (last.accepted, last.duplicates, last.missing) == (2, 1, NOTHING)
        assert [row["id"] for row in rows_of(output)] == ["q2", "q0", "q1"]
        paid = sum((Usage(**row["usage"]) for row in rows_of(output)), Usage())
        assert kb.status().spent == before + paid == before + first.usage + last.usage


def test_cost_includes_unusable_replies(tmp_path: Path, server: ModelServer, letters: Path, questions: Path) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        server.reset()
        server.misbehave(Replaced("<think>Hm.</think>"), on=[1])
        written = kb.batch.write(tmp_path / "ask.jsonl", questions=questions)
        first = round_trip(kb, server, written, tmp_path / "1.jsonl")
        assert len(first.answers) == 2 and "nothing usable" in first.failed_questions[0].reason
        last = round_trip(kb, server, kb.batch.write(tmp_path / "again.jsonl"), tmp_path / "2.jsonl")
        assert last.answers[0].usage.calls == 2
        usages = [given.usage for given in (*first.answers, *last.answers)]
        assert sum(usage.prompt_tokens for usage in usages) == server.prompt_tokens


def test_entity_names_from_the_model_take_two_rounds(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path
) -> None:
    by_model = settings(server).model_copy(update={"hypergraph": HypergraphSettings(question_entities="model")})
    with Workspace(tmp_path / "kb", by_model) as kb:
        kb.index([letters])
        written = kb.batch.write(tmp_path / "names.jsonl", questions=questions, method="hypergraph")
        first = round_trip(kb, server, written, tmp_path / "1.jsonl")
        assert first.answers == [] and first.missing == PendingCounts(3, 0, 3) and first.changed_questions == 0
        last = round_trip(kb, server, kb.batch.write(tmp_path / "ask.jsonl"), tmp_path / "2.jsonl")
        assert len(last.answers) == 3 and all(given.usage.calls == 2 for given in last.answers)
        for given in last.answers:
            asked = kb.query(given.question, "hypergraph")
            assert (given.text, given.usage) == (asked.text, asked.usage)


def test_effort_takes_a_round_for_each_step(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path
) -> None:
    def step(asked: Asked) -> str | None:
        if "Noted so far" not in asked.text:
            return None
        return json.dumps(
            {"notes": [], "queries": ["Who met Mira Falk?"] if asked.last_user_text.count("\n- ") == 1 else []}
        )

    server.responders = [step, *server.responders]
    with Workspace(
        tmp_path / "kb", settings(server).model_copy(update={"answer": AnswerSettings(effort="high")})
    ) as kb:
        kb.index([letters])
        written = kb.batch.write(tmp_path / "ask.jsonl", questions=questions, context_tokens=700)
        for number in (1, 2):
            report = round_trip(kb, server, written, tmp_path / f"{number}.jsonl")
            assert (report.answers, report.changed_questions) == ([], 0)
            written = kb.batch.write(tmp_path / f"more-{number}.jsonl")
        last = round_trip(kb, server, written, tmp_path / "3.jsonl")
        for given in last.answers:
            asked = kb.query(given.question, context_tokens=700)
            assert (given.text, given.usage, asked.usage.calls) == (asked.text, asked.usage, 3)
    assert len(last.answers) == 3


@pytest.mark.parametrize(("judging", "asked_model"), [("judge", "judge"), ("", "recorded")])
def test_claims_are_checked_in_a_round_of_their_own(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path, judging: str, asked_model: str
) -> None:
    server.responders = [checks_claims(supported_by_sentences([])), *server.responders]
    answering = settings(server).model_copy(update={"answer": AnswerSettings(check_claims=True)})
    model = answering.model.model_copy(update={"judging": RoleModelSettings(name=judging)})
    server.models = ("recorded", "judge")
    with Workspace(tmp_path / "kb", answering.model_copy(update={"model": model})) as kb:
        kb.index([letters])
        written = kb.batch.write(tmp_path / "ask.jsonl", questions=questions, context_tokens=700)
        report = round_trip(kb, server, written, tmp_path / "1.jsonl")
        # That without citations has no claims to check.
        assert ([given.id for given in report.answers], report.changed_questions) == (["q2"], 0)
        written = kb.batch.write(tmp_path / "check.jsonl")
        assert {row["body"]["model"] for file in written.files for row in rows_of(file)} == {asked_model}
        last = round_trip(kb, server, written, tmp_path / "2.jsonl")
        assert [given.id for given in last.answers] == ["q0", "q1"]
        for given in last.answers:
            asked = kb.query(given.question, context_tokens=700)
            assert (given.text, given.usage, given.unsupported) == (asked.text, asked.usage, asked.unsupported)
            assert given.unsupported and f"claims checked by {asked_model}" in given.note


def test_question_is_requested_again_after_documents_change(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path
) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        written = kb.batch.write(tmp_path / "ask.jsonl", questions=questions)
        kb.delete(str(letters / "0.txt"))
        kb.delete(str(letters / "1.txt"))
        report = round_trip(kb, server, written, tmp_path / "1.jsonl")
        assert (report.answers, report.changed_questions, report.missing) == ([], 3, PendingCounts(3, 0, 3))
        last = round_trip(kb, server, kb.batch.write(tmp_path / "again.jsonl"), tmp_path / "2.jsonl")
        assert len(last.answers) == 3
        assert {cited.source for given in last.answers for cited in given.citations} <= {str(letters / "2.txt")}


def test_documents_and_questions_share_a_request_file(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path
) -> None:
    (tmp_path / "more.txt").write_text(story(3, 8))
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        written = kb.batch.write(tmp_path / "ask.jsonl", [tmp_path / "more.txt"], questions)
        assert written.missing == PendingCounts(4, 1, 3)
        report = round_trip(kb, server, written, tmp_path / "1.jsonl")
        assert report.index.added == 1 and report.accepted == 4


def test_question_without_results_needs_no_reply(tmp_path: Path, server: ModelServer, questions: Path) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.add([])
        written = kb.batch.write(tmp_path / "ask.jsonl", questions=questions)
        assert (written.files, written.ready) == ([], 3)
        report = kb.batch.read([])
        assert [given.answered for given in report.answers] == [False] * 3 and report.missing == NOTHING


def test_batch_answers_use_the_model_even_if_settings_say_quotes(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path
) -> None:
    given = settings(server)
    quoting = given.model_copy(update={"answer": given.answer.model_copy(update={"by": "quotes"})})
    with Workspace(tmp_path / "kb", quoting) as kb:
        kb.index([letters])
        report = round_trip(
            kb, server, kb.batch.write(tmp_path / "ask.jsonl", questions=questions), tmp_path / "1.jsonl"
        )
        assert all(given.note.startswith("answered by recorded") for given in report.answers)


def test_dataset_question_fields_are_accepted(tmp_path: Path, server: ModelServer, letters: Path) -> None:
    rows = [{"_id": "wq1", "text": QUESTIONS[0], "metadata": {"answers": ["Basel"]}}, {"question": QUESTIONS[1]}]
    file = put_lines(tmp_path / "queries.jsonl", ["", *map(json.dumps, rows)])
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        for name in ("ask", "twice"):
            written = kb.batch.write(tmp_path / f"{name}.jsonl", questions=file)
            assert written.missing.questions == 2
        report = round_trip(kb, server, written, tmp_path / "1.jsonl")
    assert [(given.id, given.question) for given in report.answers] == [("wq1", QUESTIONS[0]), ("", QUESTIONS[1])]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "not valid JSON"),
        ("[1]", "not a JSON object"),
        ('{"id": "a"}', "question is missing or empty"),
        ('{"question": " "}', "question is missing or empty"),
        (json.dumps({"question": "why " * 6000}), "characters"),
    ],
)
def test_invalid_question_line_is_named_and_nothing_is_written(
    tmp_path: Path, server: ModelServer, letters: Path, line: str, said: str
) -> None:
    file = put_lines(tmp_path / "questions.jsonl", ['{"question": "Who?"}', line])
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        with pytest.raises(PolyadicError, match=f"line 2 of .*{said}"):
            kb.batch.write(tmp_path / "ask.jsonl", questions=file)
        assert kb.batch.missing() == NOTHING and not (tmp_path / "ask.jsonl").exists()


def test_answers_do_not_overwrite_other_files(
    tmp_path: Path, server: ModelServer, letters: Path, questions: Path
) -> None:
    with workspace(tmp_path / "kb", server) as kb:
        kb.index([letters])
        written = kb.batch.write(tmp_path / "ask.jsonl", questions=questions)
        answers = put_lines(tmp_path / "answers.jsonl", answer_batch(server, *written.files))
        before = questions.read_text()
        with pytest.raises(PolyadicError, match="no answer"):
            kb.batch.read([answers], questions)
        assert questions.read_text() == before and kb.batch.missing() == written.missing
        assert len(kb.batch.read([answers], tmp_path / "given.jsonl").answers) == 3


def test_batch_write_without_a_model_is_refused(tmp_path: Path, letters: Path) -> None:
    with Workspace(tmp_path / "kb", Settings(embedding=HASHING)) as kb:
        with pytest.raises(SettingsError, match="language model"):
            kb.batch.write(tmp_path / "ask.jsonl", [letters])
        assert not (tmp_path / "kb").exists()
