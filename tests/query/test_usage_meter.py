"""Every call of a model that was paid for stands in the ledger, whoever made it and whatever came of it."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from polyadic.config import EmbeddingSettings, Settings
from polyadic.errors import NoReply, StoreError
from polyadic.model.types import Answer, Document, Turn, Usage
from polyadic.storage.protocol import LedgerCall
from polyadic.storage.sqlite.store import SqliteStore
from polyadic.workspace import Workspace
from tests.model_server import Asked, ModelServer, Refusal, Status, ready
from tests.support.with_a_model import TEXT, settings, story

ADA = Document("memory:ada", "Ada", TEXT)
LETTERS = Document("memory:letters", "Letters", story(0, 12))
QUESTION = "Who designed the Analytical Engine?"
FOLLOW_UP = "Who designed it?"
TALK = [Turn("Who met Charles Babbage?", "Ada Lovelace.")]


def alone(asked: Asked) -> str | None:
    """The question without the talk before it, where that is asked for."""
    return QUESTION if f"A: {TALK[0].answer}" in asked.text else None


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([alone, *ready()]) as running:
        yield running


@pytest.fixture
def kb(tmp_path: Path, server: ModelServer) -> Iterator[Workspace]:
    with Workspace(tmp_path / "kb", chosen(server)) as opened:
        opened.add([ADA, LETTERS])
        server.reset()
        yield opened


def chosen(server: ModelServer) -> Settings:
    base = settings(server, prompt_price=1.0, completion_price=2.0)
    return base.model_copy(update={"hypergraph": base.hypergraph.model_copy(update={"question_entities": "model"})})


def at_the_server(server: ModelServer) -> Usage:
    """What the server was asked for and said; its replies that were of no use are paid as well."""
    paid = [call for call in server.calls if call.status == 200]
    sent, received = sum(call.prompt_tokens for call in paid), sum(call.completion_tokens for call in paid)
    return Usage(len(paid), sent, received, (sent + 2 * received) / 1e6)


def paid_since(kb: Workspace, before: int) -> tuple[Usage, list[str]]:
    entries = kb.ledger().calls[before:]
    return sum((entry.call.usage for entry in entries), Usage()), [entry.call.purpose for entry in entries]


def assert_same(left: Usage, right: Usage) -> None:
    assert (left.calls, left.prompt_tokens, left.completion_tokens) == (
        right.calls,
        right.prompt_tokens,
        right.completion_tokens,
    )
    assert left.money == pytest.approx(right.money)


def test_usage_covers_all_calls_of_a_question(kb: Workspace, server: ModelServer) -> None:
    before = len(kb.ledger().calls)
    answer = kb.query(FOLLOW_UP, method="hypergraph", history=TALK)
    paid, purposes = paid_since(kb, before)
    assert purposes == ["follow-up", "question-entities", "answer"]
    assert_same(paid, at_the_server(server))
    assert_same(answer.usage, paid)
    assert not any(entry.call.document for entry in kb.ledger().calls[before:])


@pytest.mark.parametrize("failing", [1, 2])
def test_usage_includes_unusable_replies(kb: Workspace, server: ModelServer, failing: int) -> None:
    before = len(kb.ledger().calls)
    server.misbehave(Refusal("I would rather not say anything about that."), on=[failing])
    answer = kb.query(FOLLOW_UP, method="hypergraph", history=TALK)
    paid, purposes = paid_since(kb, before)
    assert len(purposes) == 3 and answer.usage == paid
    assert_same(paid, at_the_server(server))


def test_failed_answer_is_recorded_in_the_ledger(kb: Workspace, server: ModelServer) -> None:
    before = len(kb.ledger().calls)
    server.misbehave(Refusal("No."), on=[1])
    with pytest.raises(NoReply):
        kb.query(QUESTION, method="walk")
    paid, purposes = paid_since(kb, before)
    assert purposes == ["answer"]
    assert_same(paid, at_the_server(server))
    server.misbehave(Status(500))
    with pytest.raises(NoReply):
        kb.query(QUESTION, method="walk")
    assert len(kb.ledger().calls) == before + 1


def test_streamed_answers_and_retrieval_are_recorded(kb: Workspace, server: ModelServer) -> None:
    before = len(kb.ledger().calls)
    *_, answer = kb.stream(QUESTION, method="walk")
    assert isinstance(answer, Answer)
    knowledge = kb.retrieve(QUESTION, method="hypergraph")
    paid, purposes = paid_since(kb, before)
    assert purposes == ["answer", "question-entities"] and answer.usage + knowledge.usage == paid
    assert_same(paid, at_the_server(server))


def test_abandoned_stream_is_recorded_as_far_as_it_came(kb: Workspace, server: ModelServer) -> None:
    before = len(kb.ledger().calls)
    server.tokens_per_second = 40

    async def first_piece() -> None:
        async for _ in kb.astream(QUESTION, method="walk"):
            break

    async def left() -> None:
        await first_piece()
        # It ends as soon as the loop comes to it.
        for _ in range(200):
            if len(kb.ledger().calls) > before:
                return
            await asyncio.sleep(0.02)

    asyncio.run(left())
    paid, purposes = paid_since(kb, before)
    assert purposes == ["answer"] and paid.prompt_tokens > 100 and 0 < paid.completion_tokens < 40


def test_usage_is_recorded_while_another_process_writes(kb: Workspace, server: ModelServer) -> None:
    before, sound = len(kb.ledger().calls), kb.status().counts
    with Workspace(kb.folder, kb.settings) as other, other.store().exclusive_session():
        assert kb.query(QUESTION, method="walk").usage.calls == 1
    assert len(kb.ledger().calls) == before + 1
    assert kb.status().counts == sound and kb.store().problems() == []


def test_ledger_entry_waits_for_an_open_transaction(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, "by hand")
    call = LedgerCall("answer", "m", Usage(1, 10, 2, 0.5), 0.1)

    async def run() -> None:
        with store.write() as writer:
            entering = asyncio.create_task(asyncio.to_thread(store.record_calls, [(call, None)]))
            await asyncio.sleep(0.2)
            assert not entering.done()
            writer.record_call(LedgerCall("extract", "m", Usage(1, 1, 1), 0.1, "ab" * 16), None)
        await entering

    asyncio.run(run())
    with store.read() as reader:
        assert [entry.call.purpose for entry in reader.records.ledger()] == ["extract", "answer"]
        assert reader.records.ledger()[1].call == call
        assert reader.records.spent_on("ab" * 16) == {("extract", "m"): (Usage(1, 1, 1), 0.1)}
        assert reader.records.spent_on("cd" * 16) == {}
    store.close()


def test_ledger_with_impossible_counts_is_readable(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, "by hand")
    most = 2**63 - 1
    with store.write() as writer:
        for _ in range(3):
            writer.record_call(LedgerCall("extract", "m", Usage(1, most, most), 0.1, "ab" * 16), None)
    with store.read() as reader:
        for spent in (reader.records.spent(), reader.records.spent_on("ab" * 16)):
            ((usage, _),) = spent.values()
            assert usage.calls == 3 and usage.prompt_tokens == usage.completion_tokens == pytest.approx(3 * most)
        assert len(reader.records.ledger()) == 3
    store.close()


def test_cost_per_document(kb: Workspace, server: ModelServer) -> None:
    kb.query(QUESTION, method="walk")
    ledger, total = kb.ledger(), kb.status().spent
    documents = {cost.source: cost.usage for cost in ledger.documents}
    assert set(documents) == {ADA.source, LETTERS.source}
    assert [paid.purpose for paid in ledger.purposes] == ["answer", "extract"]
    assert_same(sum((paid.usage for paid in ledger.purposes), Usage()), total)
    assert_same(sum((entry.call.usage for entry in ledger.calls), Usage()), total)
    (extract,) = [paid.usage for paid in ledger.purposes if paid.purpose == "extract"]
    assert_same(sum(documents.values(), Usage()), extract)
    of_one = kb.ledger(LETTERS.source)
    assert [(cost.source, cost.usage) for cost in of_one.documents] == [(LETTERS.source, documents[LETTERS.source])]
    assert_same(of_one.purposes[0].usage, documents[LETTERS.source])
    assert {entry.call.document for entry in of_one.calls} == {LETTERS.id}
    # What is withdrawn was paid for all the same.
    kb.delete(LETTERS.source)
    assert {cost.source for cost in kb.ledger().documents} == {ADA.source, ""}
    assert_same(kb.status().spent, total)


def test_answer_is_returned_if_the_ledger_cannot_be_written(kb: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise StoreError("the disk is full", "make room")

    monkeypatch.setattr(SqliteStore, "record_calls", full)
    answer = kb.query(QUESTION, method="walk")
    assert answer.answered and answer.usage.calls == 1
    assert answer.trace[-1].name == "enter in the ledger" and "the disk is full" in answer.trace[-1].detail


def test_question_embedding_is_recorded(tmp_path: Path, server: ModelServer) -> None:
    endpoint = EmbeddingSettings(
        model="endpoint", name="hashing", base_url=server.url, key_variable="", prompt_price=1.0, retries=0
    )
    with Workspace(tmp_path / "kb", chosen(server).model_copy(update={"embedding": endpoint})) as kb:
        kb.add([ADA])
        for ask in (kb.query, kb.retrieve, lambda question, method: [*kb.stream(question, method=method)]):
            before = len(kb.ledger().calls)
            server.reset()
            ask(QUESTION, method="walk")
            embedded = [entry.call for entry in kb.ledger().calls[before:] if entry.call.purpose == "embed"]
            assert sum(call.usage.prompt_tokens for call in embedded) == server.embeddings.prompt_tokens > 0
            assert all(call.seconds > 0 and call.usage.money > 0 for call in embedded)
