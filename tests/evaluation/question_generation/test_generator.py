"""A question set from a workspace: written by a model, reviewed by a person, evaluated like any other."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from polyadic.batch.request_files import RequestFileWriter
from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.errors import ModelUnavailable, NotFound, PolyadicError, SettingsError, UnreadableDataset
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.evaluation.dataset_formats import load_dataset
from polyadic.evaluation.question_generation.fact_sampling import FactSampling
from polyadic.evaluation.question_generation.generator import (
    QuestionGenerationReport,
    QuestionQuota,
    draw,
    make_questions,
)
from polyadic.evaluation.question_generation.review_file import accept, read_review
from polyadic.llm.batch_model import ReplyPending
from polyadic.model.types import Document
from polyadic.workspace import Workspace
from tests.evaluation.test_judge_verdicts import settings
from tests.evaluation.tiny_dataset import HASHING, evaluated
from tests.model_server import Asked, ModelServer, Replaced, Status
from tests.model_server.batches import answer_batch
from tests.support.batches import lines_of, put_lines

FACT = re.compile(r"^\[(\d+)\] (.+)$\n^    connects: (.+)$", re.MULTILINE)
PEOPLE = ("Ada Falk", "Bela Novak", "Clara Weiss", "Dora Brandt", "Emil Orth", "Fritz Kern")
DOCUMENTS = [
    *(Document(f"memory:{n}", "", f"{one} wrote to {PEOPLE[n + 1]}.") for n, one in enumerate(PEOPLE[:-1])),
    *(
        Document(f"memory:{n}-met", "", f"{one} met {PEOPLE[n + 1]} in {place}.")
        for n, (one, place) in enumerate(zip(PEOPLE, ("Brno", "Ghent", "Graz", "Turin"), strict=False))
    ),
]
WANTED = QuestionQuota(count=12, hops=(1, 2))


def examiner(asked: Asked) -> str | None:
    """Asks for the last thing that the last fact connects, and names all others of the first one."""
    facts = FACT.findall(asked.last_user_text)
    if not facts:
        return None
    right = facts[-1][2].split("; ")[-1]
    others = ", ".join(name for name in facts[0][2].split("; ") if name != right)
    said = {"question": f"What belongs to {others} by {len(facts)}?", "answers": [right]}
    return json.dumps(said | {"facts": [int(number) for number, _, _ in facts]})


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([examiner], models=("writer",)) as running:
        yield running


@pytest.fixture
def kb(server: ModelServer, tmp_path: Path) -> Iterator[Workspace]:
    with Workspace(tmp_path / "kb", settings(server)) as kb:
        kb.add(DOCUMENTS)
        yield kb


def made(kb: Workspace, folder: Path, wanted: QuestionQuota = WANTED) -> QuestionGenerationReport:
    return async_to_sync(make_questions)(kb, wanted, folder)


def decide(file: Path, **changes: Any) -> list[dict[str, Any]]:
    """Change all lines, as a person's editor does; returns them."""
    rows = [json.loads(line) | changes for line in file.read_text().splitlines()]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows


def test_generated_questions_can_be_evaluated(kb: Workspace, server: ModelServer, tmp_path: Path) -> None:
    out = tmp_path / "set"
    making = made(kb, out)
    drawn = [(one.stratum.arity, one.stratum.hops, one.samples) for one in making.drawn]
    assert drawn == [("binary", 1, 4), ("binary", 2, 2), ("n-ary", 1, 4), ("n-ary", 2, 2)]
    assert making.made + sum(making.dropped.values()) == 12 and making.made >= 10
    rows = decide(making.review, accept=True)
    assert [row["accept"] for row in rows] == [True] * making.made
    for row in rows:
        assert row["nhop"] == len(row["context"]) == len(row["origins"])
        assert [origin["quote"] for origin in row["origins"]] == [text.split(": ")[-1] for text in row["context"]]
        assert row["golden_answers"][0] in row["context"][-1]
    accepted = accept(making.review)
    assert (accepted.accepted, accepted.rejected, accepted.undecided) == (making.made, 0, 0)
    written = json.loads((out / "questions.json").read_text())
    assert list(written[0]) == ["id", "question", "golden_answers", "context", "nary", "nhop", "type", "evidence"]
    dataset = load_dataset(out)
    assert len(dataset.questions) == making.made
    assert {(one.arity > 2, one.hops) for one in dataset.questions} == {(n, h) for n in (False, True) for h in (1, 2)}
    assert all(len(one.gold) >= 1 for one in dataset.questions)
    results = evaluated(out, tmp_path / "eval", HASHING, methods=("chunks", "walk"), measures=("f1", "c-rec"))
    assert {one.by for one in results.breakdowns} >= {"arity", "hops"}
    assert results.construction.counts.documents == len(DOCUMENTS)


def test_gold_passages_are_matched_by_document_text(kb: Workspace, tmp_path: Path) -> None:
    making = made(kb, tmp_path / "set")
    rows = decide(making.review, accept=True, context=["In words that stand in no document."])
    accept(making.review)
    texts = json.loads(making.contexts.read_text())
    for row, question in zip(rows, load_dataset(tmp_path / "set").questions, strict=True):
        assert question.knowledge == ("In words that stand in no document.",)
        assert {texts[int(number) - 1] for number in question.gold} == {one["quote"] for one in row["origins"]}


def test_replies_are_paid_once_and_reviews_are_kept(kb: Workspace, server: ModelServer, tmp_path: Path) -> None:
    first = made(kb, tmp_path / "set")
    calls = len(server.asked)
    assert (calls, first.requests_sent, first.cache_hits) == (12, 12, 0)
    rows = decide(first.review, accept=False, question="Reworded?")
    again = made(kb, tmp_path / "set", QuestionQuota(count=18, hops=(1, 2)))
    assert again.cache_hits == 12 and len(server.asked) == calls + again.requests_sent
    assert again.kept == first.made
    reviewed = read_review(again.review)
    assert [one.question for one in reviewed.made[: len(rows)]] == ["Reworded?"] * len(rows)
    assert (reviewed.rejected, reviewed.undecided) == (len(rows), again.made - again.kept)
    assert {paid.purpose for paid in kb.ledger().purposes} == {"make-questions"}


def test_unreadable_replies_are_counted_and_requested_again(kb: Workspace, server: ModelServer, tmp_path: Path) -> None:
    server.misbehave(Replaced("no question at all"), times=3)
    first = made(kb, tmp_path / "set")
    assert first.dropped["no question could be read"] == 3
    again = made(kb, tmp_path / "set")
    assert (again.requests_sent, again.dropped.get("no question could be read", 0)) == (3, 0)
    assert again.made > first.made


def test_replies_before_a_model_failure_are_kept(kb: Workspace, server: ModelServer, tmp_path: Path) -> None:
    server.misbehave(Status(401), times=None, when=lambda asked: asked.number > 5)
    with pytest.raises(ModelUnavailable):
        made(kb, tmp_path / "set")
    server.behave()
    assert made(kb, tmp_path / "set").cache_hits == 5


def test_batch_files_give_the_same_questions(kb: Workspace, server: ModelServer, tmp_path: Path) -> None:
    folder = tmp_path / "files"

    def one_round(*responses: Path) -> QuestionGenerationReport | list[Path]:
        by_file = EvaluationBatch(kb, folder)
        async_to_sync(by_file.take)(responses)
        try:
            return async_to_sync(make_questions)(kb, WANTED, folder, by_file)
        except ReplyPending:
            files = RequestFileWriter(tmp_path / "ask.jsonl", overwrite=True)
            by_file.write(files)
            return files.files

    files = one_round()
    assert isinstance(files, list) and server.asked == [] and not folder.exists()
    wanted = lines_of(files)
    answers = answer_batch(server, *files)
    spoiled = json.loads(answers[0])
    spoiled["response"]["body"]["choices"][0]["message"]["content"] = "no question at all"
    missing = one_round(put_lines(tmp_path / "1.jsonl", [json.dumps(spoiled), *answers[1:]]))
    assert isinstance(missing, list) and lines_of(missing) == wanted[:1]
    whole = one_round(put_lines(tmp_path / "2.jsonl", answer_batch(server, *missing)))
    assert isinstance(whole, QuestionGenerationReport)
    with Workspace(tmp_path / "other", settings(server)) as other:
        other.add(DOCUMENTS)
        direct = made(other, tmp_path / "calls")
    assert (whole.made, whole.dropped) == (direct.made, direct.dropped)
    assert whole.review.read_text() == direct.review.read_text()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"accept": "yes"}, 'line 1: "accept" must be true, false or null'),
        ({"question": ""}, "line 1 is not a question"),
        ({"golden_answers": []}, "line 1 is not a question"),
        ({"accept": None}, "no question in .* is accepted"),
    ],
)
def test_invalid_review_file_is_refused(
    kb: Workspace, server: ModelServer, tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    making = made(kb, tmp_path / "set")
    decide(making.review, **change)
    with pytest.raises(PolyadicError, match=said):
        accept(making.review)
    assert not (tmp_path / "set" / "questions.json").exists()


def test_missing_prerequisites_are_reported(kb: Workspace, server: ModelServer, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no file"):
        accept(tmp_path / "review.jsonl")
    with pytest.raises(NotFound, match="no facts of this kind"):
        draw(kb, QuestionQuota(arities=("binary",), hops=(4,), sampling=FactSampling.SEVERAL_ENTITIES))
    with pytest.raises(SettingsError, match="one to five facts"):
        QuestionQuota(hops=(0,))
    with Workspace(tmp_path / "kb", HASHING) as without, pytest.raises(SettingsError, match="language model"):
        made(without, tmp_path)
    (tmp_path / "broken.jsonl").write_text("{\n")
    with pytest.raises(UnreadableDataset):
        read_review(tmp_path / "broken.jsonl")
