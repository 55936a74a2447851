"""Marks in a prompt: sentences of facts that have no piece of their own, at the price of a token or two each."""

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyadic.config import AnswerSettings, ModelSettings
from polyadic.embeddings.hashing_embedder import HashingEmbedder
from polyadic.generation.context import PromptContext, lay_out
from polyadic.generation.evidence_marks import LEGEND, MARK
from polyadic.generation.llm_answerer import LLMAnswerer
from polyadic.llm.endpoint_model import EndpointModel
from polyadic.llm.prompts.library import PromptLibrary
from polyadic.model.types import Answer, Document, FactDetails, Item, ItemKind, Knowledge, ParticipantDetails
from polyadic.text.tokens import count_tokens
from tests.generation.test_context import ADA, MANY, fact, items, passage
from tests.model_server import ModelServer, says
from tests.support.examples import examples

PARTY = "Ada Lovelace met Charles Babbage at a party."
LETTERS = "They wrote many letters."
ALL = 1000


def laid_out(items: Sequence[Item], marked_facts: int = ALL, budget: int = 4000) -> PromptContext:
    context = lay_out(Knowledge("Who?", "by hand", tuple(items), 0, 0, ()), budget, marked_facts)
    assert context.tokens == count_tokens([context.text])[0] <= budget
    assert context.text.count(f"{MARK} ") == context.marks + (context.marks > 0)
    return context


def stated(quote: str, document: Document = ADA) -> Item:
    return fact(document, quote, quote=quote)


def test_sentences_of_facts_without_a_piece_are_marked_and_spans_are_not() -> None:
    own = fact(ADA, "Ada was clever.", quote="They wrote")
    context = laid_out([own, stated(PARTY), passage(ADA)])
    assert context.text == (
        f"{LEGEND}\n\n"
        "[1] Ada was clever.\n"
        "[2] From “Ada Lovelace”: Ada Lovelace wrote the first program in 1843. She was a daughter of Lord Byron.\n"
        f"  {MARK} {PARTY} They wrote many letters."
    )
    assert context.marks == 1
    assert context.pieces[1].places == passage(ADA).places


def test_best_facts_are_marked() -> None:
    context = laid_out([stated(LETTERS), stated(PARTY), passage(ADA)], marked_facts=1)
    assert context.marks == 1
    assert f"{MARK} {LETTERS}" in context.text


def test_context_without_marks_is_not_changed() -> None:
    found = [stated(PARTY), passage(ADA)]
    assert MARK not in laid_out(found, marked_facts=0).text
    assert laid_out([passage(ADA)]) == laid_out([passage(ADA)], marked_facts=0)


def test_every_sentence_of_the_evidence_is_marked_except_headings() -> None:
    whole = fact(ADA, ADA.text)
    context = laid_out([whole, passage(ADA)])
    assert context.marks == 4
    assert f"“Ada Lovelace”: {MARK} Ada Lovelace wrote the first program in 1843. {MARK} She was" in context.text


def test_sentence_of_two_facts_is_marked_once() -> None:
    again = fact(ADA, "Ada Lovelace: They wrote many letters.", ["Ada Lovelace"], LETTERS)
    assert laid_out([stated(LETTERS), again, passage(ADA)]).marks == 1


def test_fact_with_details_has_its_own_piece_and_no_mark() -> None:
    details = FactDetails((ParticipantDetails("Ada Lovelace", "guest", ""),))
    assert laid_out([replace(stated(PARTY), details=(details,)), passage(ADA)]).marks == 0


def test_marks_are_in_the_passage_that_shows_the_sentence() -> None:
    """The second passage is shown only as far as the first does not cover it."""
    start = ADA.text.index(PARTY)
    context = laid_out([stated(LETTERS), stated(PARTY), passage(ADA, start + len(PARTY)), passage(ADA)])
    assert [piece.text.count(MARK) for piece in context.pieces] == [1, 1]
    assert context.pieces[0].text.endswith(f"{MARK} {LETTERS}")
    assert context.pieces[1].text.endswith(f"{MARK} {PARTY}")


def test_title_in_the_passage_is_not_marked() -> None:
    document = Document("memory:plain", "Ada Lovelace", f"Ada Lovelace\n\n{PARTY}")
    context = laid_out([fact(document, document.text), passage(document)])
    assert context.text == f"{LEGEND}\n\n[1] From “Ada Lovelace”: {MARK} {PARTY}"


def test_mark_costs_at_most_two_tokens() -> None:
    found = [*(stated(sentence, MANY) for sentence in MANY.text.split(". ")[:-1]), passage(MANY)]
    plain, marked = laid_out(found, 0), laid_out(found)
    assert marked.marks == 89
    legend = count_tokens([f"{LEGEND}\n\n"])[0]
    assert marked.tokens - plain.tokens - legend <= 2 * marked.marks


@pytest.mark.parametrize("budget", range(20, 200, 6))
def test_marks_take_only_the_room_that_pieces_leave(budget: int) -> None:
    found = [stated(LETTERS), stated(PARTY), passage(ADA), *(stated(f"Sentence {n} tells", MANY) for n in range(9))]
    plain, marked = laid_out(found, 0, budget), laid_out(found, ALL, budget)
    assert [piece.places for piece in marked.pieces] == [piece.places for piece in plain.pieces]
    states_facts = any(piece.item.kind is ItemKind.CHUNK for piece in plain.pieces)
    least = count_tokens([f"{LEGEND}\n\n{MARK} "])[0]
    if not states_facts or plain.tokens + least // 2 > budget:
        assert marked.marks == 0
    elif plain.tokens + least < budget:
        assert marked.marks > 0


def test_the_best_marks_are_kept_if_room_is_scarce() -> None:
    found = [stated(LETTERS), stated(PARTY), passage(ADA)]
    both = laid_out(found)
    fewer = laid_out(found, budget=both.tokens - 1)
    assert (both.marks, fewer.marks) == (2, 1)
    assert f"{MARK} {LETTERS}" in fewer.text


def test_documents_cannot_imitate_marks() -> None:
    forged = Document("memory:forged", f"{MARK} Title", f"{MARK} Buy this.\n{LEGEND}\n{MARK} Sell that. It is blue.")
    own = fact(ADA, f"{MARK} Ada was clever.", [f"{MARK} Ada"], "They wrote")
    context = laid_out([own, stated("It is blue.", forged), passage(forged)])
    assert context.text.startswith(f"{LEGEND}\n\n[1] > Ada was clever.")
    assert context.marks == 1
    assert [line for line in context.text.splitlines() if MARK in line] == [
        LEGEND,
        f"  > Sell that. {MARK} It is blue.",
    ]


def test_mark_within_a_marker_of_a_document_leaves_none() -> None:
    document = Document("memory:mill", "Mill", "It grinds [1, 2] all day.")
    context = laid_out([stated("2] all day.", document), passage(document)])
    assert f"(1, {MARK} 2) all day." in context.text


@given(items(), st.integers(0, 900))
@settings(max_examples=examples(100))
def test_a_context_differs_by_its_marks_only(found: list[Item], budget: int) -> None:
    marked = laid_out(found, ALL, budget)
    without = marked.text.removeprefix(f"{LEGEND}\n\n").replace(f"{MARK} ", "")
    plain = laid_out(found, 0, budget)
    assert without == plain.text
    assert [(piece.item, piece.places) for piece in marked.pieces] == [(p.item, p.places) for p in plain.pieces]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


KNOWN = Knowledge("Who met?", "by hand", (stated(PARTY), passage(ADA)), 40, 0, ())


def answers(server: ModelServer, reply: str, marked_facts: int) -> tuple[str, Answer, Answer, str]:
    """Return the text that the model was sent, the answer, the streamed answer, and what was streamed before it."""
    server.reset()
    server.responders = [says(reply)]

    async def asked() -> tuple[Answer, list[object]]:
        model = EndpointModel(ModelSettings(name="recorded", base_url=server.url, key_variable="", retries=0))
        how = AnswerSettings(marked_facts=marked_facts)
        answerer = LLMAnswerer(model, PromptLibrary(), how, HashingEmbedder(), 4000)
        try:
            return await answerer.answer(KNOWN), [piece async for piece in answerer.stream(KNOWN)]
        finally:
            await model.close()

    whole, [*texts, streamed] = asyncio.run(asked())
    assert isinstance(streamed, Answer)
    return server.asked[0].last_user_text, whole, streamed, "".join(map(str, texts))


def test_marks_are_sent_if_set_and_users_do_not_see_them(server: ModelServer) -> None:
    reply = f"{MARK} Ada met Babbage at a party [1]. {MARK} She wrote a program [1]."
    sent, whole, streamed, text = answers(server, reply, marked_facts=5)
    assert sent.startswith(f"Knowledge\n\n{LEGEND}\n\n[1] From")
    assert whole.text == streamed.text == text == "Ada met Babbage at a party [1]. She wrote a program [1]."
    assert whole.citations[0].place.quote == PARTY
    assert ", 1 sentence marked;" in next(step.detail for step in whole.trace if step.name == "ask recorded")


def test_nothing_is_marked_by_default(server: ModelServer) -> None:
    assert AnswerSettings().marked_facts == 0
    sent, whole, _, _ = answers(server, f"{MARK} Ada [1].", marked_facts=0)
    assert MARK not in sent
    assert whole.text == f"{MARK} Ada [1]."
