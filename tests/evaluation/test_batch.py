"""An evaluation whose models are asked by batch files comes to what a direct one comes to."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polyadic.batch.report import BatchReadReport
from polyadic.batch.request_files import RequestFileWriter
from polyadic.concurrency.async_to_sync import async_to_sync
from polyadic.config import ExtractionSettings, HypergraphSettings, RerankerSettings, Settings
from polyadic.errors import NotFound, SettingsError
from polyadic.evaluation.batch import EvaluationBatch
from polyadic.evaluation.dataset_formats import load_dataset
from polyadic.evaluation.evaluate import evaluate
from polyadic.evaluation.plan import EvalPlan
from polyadic.evaluation.results import EvaluationResults, as_json
from polyadic.llm.batch_model import ReplyPending
from polyadic.workspace import Workspace
from tests.evaluation.test_judge_verdicts import MARK, answer, judge, settings
from tests.evaluation.tiny_dataset import HASHING, evaluated, without_times, write_beir
from tests.hierarchy.towns import document
from tests.model_server import ModelServer, entities_of_question, facts_by_sentence, says
from tests.model_server.batches import answer_batch, expired
from tests.model_server.hierarchy_responders import hierarchy_replies
from tests.support.batches import lines_of, put_lines

METHODS = ("chunks", "hypergraph")
MEASURES = ("f1", "r-s", "g-e", "win-rate")
PLAN = EvalPlan(METHODS, MEASURES, answers="model", at_once=4)
Change = Callable[[list[str]], list[str]]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([judge, answer], models=("writer", "strict")) as running:
        yield running


@pytest.fixture
def reading() -> Iterator[ModelServer]:
    """A server that reads passages and questions as well, and judges nothing."""
    with ModelServer([facts_by_sentence(), entities_of_question(), answer], models=("writer",)) as running:
        yield running


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_beir(tmp_path / "little")


def one_round(
    server: ModelServer,
    data: Path,
    folder: Path,
    used: Settings,
    plan: EvalPlan,
    responses: tuple[Path, ...] = (),
) -> tuple[EvaluationResults | list[Path], BatchReadReport]:
    """What a command with batch files does once: results, or files of requests."""
    with Workspace(folder / "workspace", used) as kb:
        by_file = EvaluationBatch(kb, folder, plan.judge)
        read = async_to_sync(by_file.take)(responses)
        try:
            results = async_to_sync(evaluate)(kb, load_dataset(data), plan, folder, by_file=by_file)
        except ReplyPending as pending:
            assert pending.requests == by_file.pending
            files = RequestFileWriter(folder / "ask.jsonl", overwrite=True)
            by_file.write(files)
            return files.files, read
        by_file.done()
        assert kb.batch.missing().requests == 0
        return results, read


def by_rounds(
    server: ModelServer,
    data: Path,
    folder: Path,
    used: Settings,
    plan: EvalPlan = PLAN,
    change: Change = lambda lines: lines,
) -> tuple[EvaluationResults, list[int]]:
    """The results, and how many requests each round asked for."""
    folder.mkdir(exist_ok=True)
    responses, asked = tuple[Path, ...](), list[int]()
    for number in range(8):
        before = len(server.asked)
        outcome, _ = one_round(server, data, folder, used, plan, responses)
        assert len(server.asked) == before, "nothing is asked by a call"
        if isinstance(outcome, EvaluationResults):
            return outcome, asked
        asked.append(len(lines_of(outcome)))
        responses = (put_lines(folder / f"answers-{number}.jsonl", change(answer_batch(server, *outcome))),)
    raise AssertionError("there is no end to it")


@pytest.mark.slow
def test_batch_answers_and_judgements_equal_online_ones(server: ModelServer, data: Path, tmp_path: Path) -> None:
    used = settings(server)
    results, asked = by_rounds(server, data, tmp_path / "files", used)
    direct = evaluated(data, tmp_path / "calls", used, methods=METHODS, answers="model", at_once=4, measures=MEASURES)
    assert without_times(as_json(results)) == without_times(as_json(direct))
    assert results.is_whole and as_json(results)["methods"][0]["scores"]["g-e"]["mean"] > 0
    # First all answers, of which both methods ask for some alike, then all judgements.
    assert len(asked) == 2 and asked[0] <= 8 and asked[1] > 7 * 4
    spent = {}
    for name in ("files", "calls"):
        with Workspace(tmp_path / name / "workspace", used) as kb:
            spent[name] = {one.purpose: one.usage for one in kb.ledger().purposes}
    assert spent["files"]["judge"] == spent["calls"]["judge"]


def test_batch_answers_use_the_reranker(server: ModelServer, data: Path, tmp_path: Path) -> None:
    reranker = RerankerSettings(model="endpoint", name="ranker", base_url=server.url, retries=0)
    used = settings(server).model_copy(update={"reranker": reranker})
    plan = EvalPlan(("chunks",), ("f1",), answers="model")
    results, _ = by_rounds(server, data, tmp_path / "files", used, plan)
    assert server.rankings.calls
    direct = evaluated(data, tmp_path / "calls", used, methods=("chunks",), answers="model", measures=("f1",))
    assert [record and record.found for record in results.records[0]] == [
        record and record.found for record in direct.records[0]
    ]


@pytest.mark.slow
def test_hierarchy_is_built_by_batch_files(tmp_path: Path) -> None:
    passages = {f"p{n}": (f"Bridge {n}", document(n).text) for n in range(30)}
    asked = [{"id": "q0", "text": "Who built the Bridge 0?", "answers": ["Mira"], "gold": ["p0"]}]
    data = write_beir(tmp_path / "towns", passages, asked)
    with ModelServer([*hierarchy_replies(), says("Mira Falk 0 [1]")], models=("writer",)) as server:
        used = settings(server)
        plan = EvalPlan(("hierarchy",), ("f1",), answers="model", variants=("layers=0",))
        results, rounds = by_rounds(server, data, tmp_path / "files", used, plan)
        variants = {"methods": plan.methods, "variants": plan.variants, "measures": plan.measures, "answers": "model"}
        direct = evaluated(data, tmp_path / "calls", used, **variants)
    assert without_times(as_json(results)) == without_times(as_json(direct))
    variant, own = results.construction.hierarchies
    assert own.usage.calls and variant.usage.calls and len(rounds) >= 4


def test_indexing_and_entity_names_take_separate_rounds(reading: ModelServer, data: Path, tmp_path: Path) -> None:
    used = settings(reading).model_copy(
        update={
            "extraction": ExtractionSettings(gleanings=0),
            "hypergraph": HypergraphSettings(question_entities="model"),
        }
    )
    plan = EvalPlan(("hypergraph",), ("f1",), answers="model")
    results, asked = by_rounds(reading, data, tmp_path / "files", used, plan)
    assert asked == [5, 4, 4], "passages, names in questions, answers"
    direct = evaluated(data, tmp_path / "calls", used, methods=("hypergraph",), answers="model", measures=("f1",))
    assert without_times(as_json(results)) == without_times(as_json(direct))


def test_judge_model_is_requested_and_paid_by_its_name(server: ModelServer, data: Path, tmp_path: Path) -> None:
    used = settings(server)
    by_rounds(server, data, tmp_path / "files", used, EvalPlan(("walk",), ("g-e",), answers="model", judge="strict"))
    assert {(asked.model, bool(MARK.search(asked.text))) for asked in server.asked} == {
        ("writer", False),
        ("strict", True),
    }
    with Workspace(tmp_path / "files" / "workspace", used) as kb:
        assert {(one.purpose, one.model) for one in kb.ledger().purposes} == {("answer", "writer"), ("judge", "strict")}


def test_missing_replies_and_unreadable_judgements_are_requested_again(
    server: ModelServer, data: Path, tmp_path: Path
) -> None:
    def spoiled(lines: list[str]) -> list[str]:
        """The first line never came; what is in the next can be read by nobody."""
        second = json.loads(lines[1])
        second["response"]["body"]["choices"][0]["message"]["content"] = ""
        return [expired(lines[0]), json.dumps(second), *lines[2:]] if len(lines) > 3 else lines

    used, plan = settings(server), EvalPlan(("walk",), ("g-e",), answers="model")
    results, asked = by_rounds(server, data, tmp_path / "files", used, plan, spoiled)
    # Answers less two; those two with the marks of the others; what was spoiled of these with the marks of the two.
    assert asked[0] == 4 and asked[1] == 2 + 7 * 2 and asked[-1] <= 3
    assert results.is_whole and as_json(results)["methods"][0]["unreadable_judgements"] == 0


def test_online_run_continues_a_batch_run(server: ModelServer, data: Path, tmp_path: Path) -> None:
    used, folder = settings(server), tmp_path / "out"
    folder.mkdir()
    files, _ = one_round(server, data, folder, used, PLAN)
    assert isinstance(files, list)
    answers = put_lines(tmp_path / "answers.jsonl", answer_batch(server, *files))
    one_round(server, data, folder, used, PLAN, (answers,))
    calls = len(server.asked)
    results = evaluated(data, folder, used, methods=METHODS, answers="model", at_once=4, measures=MEASURES)
    assert results.is_whole
    assert all(MARK.search(asked.text) or asked.schema for asked in server.asked[calls:]), "answers were there"


def test_unexpected_responses_change_nothing(server: ModelServer, data: Path, tmp_path: Path) -> None:
    used, folder, plan = settings(server), tmp_path / "out", EvalPlan(("walk",), ("f1",), answers="model")
    folder.mkdir()
    files, _ = one_round(server, data, folder, used, plan)
    assert isinstance(files, list)
    answers = put_lines(tmp_path / "answers.jsonl", answer_batch(server, *files))
    results, read = one_round(server, data, folder, used, plan, (answers,))
    assert isinstance(results, EvaluationResults) and (read.accepted, read.duplicates) == (4, 0)
    again, read = one_round(server, data, folder, used, plan, (answers,))
    assert isinstance(again, EvaluationResults) and (read.accepted, read.usage.calls) == (0, 0)
    assert again.records == results.records


def test_missing_prerequisites_are_reported(server: ModelServer, data: Path, tmp_path: Path) -> None:
    with Workspace(tmp_path / "kb", HASHING) as kb, pytest.raises(SettingsError, match="needs a language model"):
        EvaluationBatch(kb, tmp_path)
    with Workspace(tmp_path / "kb", settings(server)) as kb, pytest.raises(NotFound, match="no file"):
        async_to_sync(EvaluationBatch(kb, tmp_path).take)([tmp_path / "nowhere.jsonl"])
